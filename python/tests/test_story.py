"""The smallest execution that shows a violation, and what it leaves alone."""

from __future__ import annotations

import itertools
import random
import sys
import threading
from collections.abc import Callable
from random import choice, getrandbits, randint, shuffle
from random import random as drawn_by_name
from typing import Any

import numpy
import pytest

import probtest

from . import words
from .conftest import Run

#: More time than any of these programs takes: what is found does not depend on the machine.
ENOUGH = "600s"


def story_of(body: Callable[[], object], **options: Any) -> probtest.Story:
    options = {"p": 0.001, "epsilon": 0.001, "seed": 7, "shrink_time": ENOUGH, "name": "story"} | options
    result = probtest.check(body, raises=False, **options)
    assert result.verdict == "violated"
    assert result.story is not None
    return result.story


def ends_high(steps: list[int]) -> None:
    assert sum(steps) < 10


def here(story: probtest.Story) -> list[tuple[int, str, str | None]]:
    """Return the rows, without the lines of this file."""
    assert all(row["place"].rpartition(":")[0].endswith("test_story.py") for row in story.rows)
    return [(row["times"], row["call"], row["gave"]) for row in story.rows]


def test_fifteen_choices_are_what_is_left_of_a_walk() -> None:
    story = story_of(lambda: ends_high([choice((-1, 1)) for _ in range(20)]))
    assert (story.small, story.matter, story.holds, story.complete) == (20, 15, True, True)
    assert here(story) == [(15, "choice((-1, 1))", "1")]
    assert story.lines[0].startswith("choice((-1, 1)) gave 1, 15 times, ")


def test_a_function_that_was_imported_by_name_is_seen() -> None:
    story = story_of(lambda: ends_high([1 if drawn_by_name() > 0.5 else -1 for _ in range(20)]))
    assert (story.draws, story.matter, story.complete) == (20, 15, True)
    assert here(story) == [(15, "random()", None)]


def test_draws_of_numpys_functions_are_seen() -> None:
    story = story_of(lambda: ends_high([1 if numpy.random.random() > 0.5 else -1 for _ in range(20)]))
    assert (story.draws, story.matter, story.complete) == (20, 15, True)
    if sys.version_info >= (3, 11):
        assert here(story) == [(15, "numpy.random.random()", None)]
    # The older functions look at the lowest bits, and let go of the interpreter.
    story = story_of(lambda: ends_high(numpy.random.choice([-1, 1], 20).tolist()))
    assert (story.draws, story.matter, len(story.rows)) == (20, 15, 1)


def test_generators_whose_seed_was_drawn_are_seen() -> None:
    def by_random() -> None:
        rng = random.Random(getrandbits(64))
        ends_high([rng.choice((-1, 1)) for _ in range(20)])

    def by_numpy() -> None:
        rng = numpy.random.default_rng(getrandbits(64))
        ends_high(rng.choice([-1, 1], 20).tolist())

    for body in (by_random, by_numpy):
        story = story_of(body)
        assert (story.small, story.matter, story.complete) == (21, 15, True)


def test_a_generator_with_a_seed_of_the_program_is_left_alone() -> None:
    expected = random.Random(3).random(), numpy.random.default_rng(4).random()

    def body() -> None:
        ours = random.Random(3).random(), numpy.random.default_rng(4).random()
        assert ours == expected, "no chance"
        assert drawn_by_name() < 0.99, "chance"

    story = story_of(body)
    assert (story.draws, story.matter) == (1, 1)


def test_the_tape_of_the_small_execution_violates_when_it_is_played_alone() -> None:
    def body() -> None:
        assert randint(0, 99) + randint(0, 99) < 150

    story = story_of(body)
    with pytest.raises(AssertionError):
        probtest.replay(body, 7, 1, name="story", tape=story.tape)
    assert probtest.replay(body, 7, 1, name="story", tape="t1.") is None


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"isolate": True}, "each execution runs in its own process"),
        ({"rate": "100000/s"}, "a rate limits how often executions start"),
        ({"max_cost": 1e9}, "executions cost something"),
        ({"concurrency": 2, "threads": True}, "several executions are under way at the same time"),
        ({"batch": 4}, "a batch draws for all of its executions together"),
    ],
)
def test_where_no_story_can_be_told_one_line_says_why(options: dict[str, Any], why: str) -> None:
    def body() -> Any:
        if "batch" in options:
            return numpy.random.random(4) < 0.9
        assert probtest.rng().random() < 0.9
        return None

    result = probtest.check(body, raises=False, p=0.01, seed=7, **options)
    assert result.verdict == "violated"
    assert result.story is not None
    assert result.story.words == f"nothing: {why}, and probtest repeats none just to explain one"
    assert str(result).splitlines()[-1] == f"  shrunk    {result.story.words}"
    without = probtest.check(body, raises=False, p=0.01, seed=7, shrink=False, **options)
    assert without.story is None


def test_of_a_test_inside_a_test_neither_story_is_told() -> None:
    def inner() -> None:
        assert drawn_by_name() < 0.5

    inside: list[probtest.Result] = []

    def outer() -> None:
        drawn = getrandbits(32)
        inside.append(probtest.check(inner, p=0.1, raises=False, seed=drawn))
        assert inside[-1].passed

    assert story_of(outer).words == "nothing: it runs another test inside"
    assert inside[-1].story is not None
    assert inside[-1].story.words == "nothing: it runs inside another test"


def test_what_is_recorded_costs_nothing_and_a_story_is_told() -> None:
    def body() -> None:
        probtest.record(drawn_by_name())
        assert choice((0, 1, 2, 3)) != 3

    story = story_of(body)
    assert here(story) == [(1, "choice((0, 1, 2, 3))", "3")]


@pytest.mark.parametrize(
    ("draw", "matters"),
    [
        (lambda rng: rng.integers(6, size=4).sum() < 20, range(4, 5)),
        (lambda rng: rng.permutation(5)[0] != 4, range(1, 3)),
        (lambda rng: rng.choice(20, 3, replace=False).min() < 5, range(1, 4)),
        (lambda rng: rng.normal() < 2, range(1, 4)),
        (lambda rng: rng.exponential() < 4, range(1, 4)),
        (lambda rng: rng.poisson(30) < 42, range(1, 40)),
        (lambda rng: rng.bytes(4)[0] < 250, range(1, 2)),
    ],
)
def test_methods_of_a_generator_are_seen(draw: Callable[[Any], Any], matters: range) -> None:
    story = story_of(lambda: bool(draw(numpy.random.default_rng(getrandbits(64)))))
    assert story.holds
    assert story.matter in matters, story


def test_old_methods_of_numpy_that_zeros_make_endless_end() -> None:
    # The polar method rejects zeros for ever, in C.
    story = story_of(lambda: bool(numpy.random.normal() < 2))
    assert story.holds
    assert 1 <= story.matter <= 4


def test_shuffles_say_what_came_out() -> None:
    def body() -> None:
        cards = [0, 1, 2]
        shuffle(cards)
        assert cards != [0, 1, 2]

    story = story_of(body)
    assert all(row["call"] == "shuffle([0, 1, 2])" for row in story.rows)
    assert all(row["gave"] == "[0, 1, 2]" for row in story.rows)


def test_an_endless_loop_that_draws_nothing_is_left() -> None:
    def body() -> None:
        drawn = drawn_by_name()
        assert drawn < 0.9
        try:
            while drawn < 0.5:
                drawn *= 2
        except BaseException:
            while drawn < 0.5:
                drawn *= 2

    # Zero never gets to one half, and goes on after the first exception.
    story = story_of(body)
    assert (story.matter, story.complete) == (1, True)


@pytest.mark.parametrize("ends", [SystemExit, pytest.exit.Exception, pytest.skip.Exception, MemoryError])
def test_a_variation_that_wants_to_end_the_test_does_not(ends: type[BaseException]) -> None:
    def body() -> None:
        drawn = randint(0, 99)
        if drawn == 0:
            raise ends("from the body")
        assert drawn < 90

    # None of the executions before the violation draws a zero.
    story = story_of(body)
    assert here(story) == [(1, "randint(0, 99)", "90")]


def test_nothing_is_left_behind_by_what_explains() -> None:
    def body() -> None:
        sys.setprofile(sys.getprofile())
        assert choice((0, 1, 2, 3)) + numpy.random.random() < 3.5

    def world() -> list[Any]:
        modules = [random.random, random.choice, random.Random, numpy.random.default_rng, numpy.random.random]
        return [*modules, sys.getprofile(), sys.gettrace(), threading.getprofile(), threading.active_count()]

    before = world()
    story_of(body)
    assert world() == before


def test_another_violation_does_not_count_as_the_same() -> None:
    def body() -> None:
        first, second = randint(0, 99), randint(0, 99)
        if first == 0 and second != 0:
            raise KeyError(first)
        if first >= 90:
            raise KeyError(second)

    # Zero and any other number violate too, in another line.
    story = story_of(body, seed=3)
    assert here(story) == [(1, "randint(0, 99)", "90")]


def test_draws_that_are_not_seen_are_named() -> None:
    def in_c() -> None:
        drawn_by_name()
        assert max(itertools.starmap(drawn_by_name, [()] * 3)) < 0.9

    story = story_of(in_c)
    assert story.words.startswith("nothing: probtest cannot see some draws from random")

    def set_state() -> None:
        state = random.getstate()
        random.setstate(state)
        assert drawn_by_name() < 0.9

    story = story_of(set_state)
    assert story.words == "nothing: the program sets the state of random"


def test_without_a_story_everything_else_is_the_same() -> None:
    def body() -> None:
        ends_high([choice((-1, 1)) for _ in range(20)])

    def facts(**options: Any) -> dict[str, Any]:
        options = {"p": 0.001, "seed": 7, "shrink_time": ENOUGH} | options
        found = probtest.check(body, raises=False, name="same", **options)
        assert isinstance(found.exception, AssertionError)
        return {key: value for key, value in found.to_dict().items() if key not in ("seconds", "story")}

    before = random.getstate(), numpy.random.get_state(legacy=False)["state"]["key"].tolist()
    with_story, without = facts(), facts(shrink=False)
    assert with_story == without
    assert before == (random.getstate(), numpy.random.get_state(legacy=False)["state"]["key"].tolist())
    assert probtest.check(body, raises=False, shrink=False, seed=7, p=0.001, name="same").story is None


WALK = """
import pytest, random

@pytest.mark.probtest(p=0.001, shrink_time="600s")
def test_walk(probtest_rng):
    print("drew", steps := [1 if probtest_rng.random() > 0.5 else -1 for _ in range(20)])
    assert sum(steps) < 10
"""


def test_probtest_rng_is_seen_and_the_small_line_plays_it(run: Run, pytester: pytest.Pytester) -> None:
    result = run(WALK)
    assert words.facts_said(result, "shrunk") == ["20 draws to 15 that matter"]
    # Python 3.10 knows the line of a call, and not the call.
    call = "probtest_rng.random()" if sys.version_info >= (3, 11) else "a draw"
    result.stdout.fnmatch_lines([f"*{call} drew 0.5 of 1, 15 times, test_it.py:5"])
    # What it printed is that of the execution that was found, once.
    (printed,) = words.drawn(result)
    small = pytester.runpytest(*words.arguments_of(result, "small"))
    small.assert_outcomes(failed=1)
    (other,) = words.drawn(small)
    assert other.count("-1") == 5
    again = pytester.runpytest(*words.arguments_of(result, "replay"))
    assert words.drawn(again) == [printed]


FIXTURES = """
import pytest, random

LIVING = []

@pytest.fixture
def height():
    LIVING.append(1)
    assert len(LIVING) == 1
    yield random.randint(0, 99)
    LIVING.pop()

@pytest.mark.probtest(p=0.001, shrink_time="600s")
def test_height(height):
    assert height + random.randint(0, 9) < 100
"""


def test_draws_of_fixtures_are_on_the_tape(run: Run, pytester: pytest.Pytester) -> None:
    result = run(FIXTURES)
    result.assert_outcomes(failed=1)
    (said,) = words.facts_said(result, "shrunk")
    assert said.endswith("to 2 that matter")
    small = pytester.runpytest(*words.arguments_of(result, "small"))
    small.assert_outcomes(failed=1)
    # It is remembered, and its story is told again.
    again = pytester.runpytest("test_it.py")
    again.stdout.fnmatch_lines([words.violated_again(), f"*{said.partition(' to ')[2]}"])


def test_a_long_tape_is_in_a_file(run: Run, pytester: pytest.Pytester) -> None:
    result = run(
        """
        import pytest, random

        @pytest.mark.probtest(p=0.1)
        def test_sum():
            drawn = [random.random() for _ in range(400)]
            assert sum(a * b for a, b in zip(drawn, drawn[1:])) < 60
        """,
        "--probtest-shrink-time=1ms",
    )
    arguments = words.arguments_of(result, "small")
    address = arguments[arguments.index("--probtest-replay") + 1]
    assert "@.pytest_cache" in address
    pytester.runpytest(*arguments).assert_outcomes(failed=1)
    (pytester.path / address.partition("@")[2]).unlink()
    pytester.runpytest(*arguments).stdout.fnmatch_lines(["*tape cannot be read*"])


def test_the_small_execution_is_remembered_too(run: Run, pytester: pytest.Pytester) -> None:
    body = """
        import pytest, random

        @pytest.mark.probtest(p=0.001, shrink_time="600s")
        def test_height():
            assert random.randint(0, 999) %s
    """
    said = words.facts_said(run(body % "< 900"), "shrunk")
    assert said[0].endswith("to 1 that matters")
    # What was found passes by now. The small one does not, and there is a line for it.
    again = run(body % "!= 900")
    again.stdout.fnmatch_lines([words.violated_again()])
    assert words.arguments_of(again, "replay") == words.arguments_of(again, "small")
    pytester.runpytest(*words.arguments_of(again, "replay")).assert_outcomes(failed=1)
    # Where neither violates, both are forgotten.
    fixed = run(body % ">= 0")
    fixed.assert_outcomes(passed=1)
    fixed.stdout.fnmatch_lines([words.NO_LONGER_VIOLATES])
    run(body % ">= 0").stdout.no_fnmatch_line(words.NO_LONGER_VIOLATES)


def test_code_that_waits_for_another_number_ends_although_the_tape_has_only_zeros(
    run: Run,
) -> None:
    body = """
        import pytest, random

        @pytest.mark.probtest(p=0.1)
        def test_two():
            first, second = %s
            assert first != second
    """
    run(body % "(random.randrange(3) for _ in range(2))").assert_outcomes(failed=1)
    fixed = run(body % "random.sample(range(50), 2)")
    fixed.assert_outcomes(passed=1)
    fixed.stdout.fnmatch_lines([words.NO_LONGER_VIOLATES])
