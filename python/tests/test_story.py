"""The smallest execution that shows a violation, and what it leaves alone."""

from __future__ import annotations

import itertools
import random
import sys
import threading
import types
from collections.abc import Callable
from random import choice, getrandbits, randint, shuffle
from random import random as drawn_by_name
from typing import Any

import gymnasium
import numpy
import pytest

import probtest
from examples.skip_list import skip_list
from examples.skip_list.skip_list import SkipList

from . import words

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


def fewest(draws: list[range], violates: Callable[[list[int]], object]) -> int:
    """Return the fewest draws that are not zero in any execution that violates."""
    found = (len(draws) - drawn.count(0) for drawn in itertools.product(*draws) if violates(list(drawn)))
    return min(found)


def test_no_shorter_walk_ends_as_high() -> None:
    story = story_of(lambda: bool(sum(choice((-1, 1)) for _ in range(12)) < 6))
    assert (
        story.matter == fewest([range(2)] * 12, lambda steps: sum(2 * step - 1 for step in steps) >= 6) == 9
    )


def test_fifteen_choices_are_what_is_left_of_a_walk() -> None:
    story = story_of(lambda: ends_high([choice((-1, 1)) for _ in range(20)]))
    assert (story.small, story.matter, story.holds, story.complete) == (20, 15, True, True)
    assert here(story) == [(15, "choice((-1, 1))", "1")]
    assert story.lines[0].startswith("choice((-1, 1)) gave 1, 15 times, ")


def test_a_function_that_was_imported_by_name_is_seen() -> None:
    story = story_of(lambda: ends_high([1 if drawn_by_name() > 0.5 else -1 for _ in range(20)]))
    assert (story.draws, story.matter, story.complete) == (20, 15, True)
    assert here(story) == [(15, "random()", None)]


def test_where_zero_is_a_step_up_nothing_matters() -> None:
    story = story_of(lambda: ends_high([1 if drawn_by_name() < 0.5 else -1 for _ in range(20)]))
    assert (story.matter, story.rows) == (0, [])
    assert "to none that matter" in story.words


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


def quicksort(items: list[int], draw: Callable[[int, int], int] = randint) -> list[int]:
    """Sort by random pivots, and forget the pivot where it is the largest of exactly three."""
    if len(items) < 2:
        return items
    pivot = items[draw(0, len(items) - 1)]
    low = quicksort([item for item in items if item < pivot], draw)
    high = quicksort([item for item in items if item > pivot], draw)
    return low + ([] if len(items) == 3 and not high else [pivot]) + high


def test_the_pivots_that_show_a_bug_are_as_few_as_any_that_do() -> None:
    def body() -> None:
        assert len(quicksort(list(range(8)))) == 8

    story = story_of(body)
    # With the first pivot each time no list of three has the largest one first; one other is enough.
    assert story.matter == 1
    assert len(quicksort(list(range(8)), lambda low, _: low)) == 8
    with pytest.raises(AssertionError):
        probtest.replay(body, 7, 1, name="story", tape=story.tape)
    assert probtest.replay(body, 7, 1, name="story", tape="t1.") is None


def test_two_keys_that_collide_are_lowered_together() -> None:
    def collide(keys: list[int]) -> bool:
        high = [key for key in keys if key >= 5]
        return len(set(high)) < len(high)

    def body() -> None:
        assert not collide([random.randrange(64) for _ in range(8)])

    story = story_of(body)
    assert (story.matter, here(story)) == (2, [(2, "randrange(64)", "5")])
    # With fewer keys and values all can be tried.
    assert fewest([range(16)] * 3, collide) == 2


class Forgetful(SkipList):
    """Deletes no key from the top level."""

    def delete(self, key: int) -> None:
        for place in self._before(key)[: self.most_levels - 1]:
            if place.next is not None and place.next.key == key:
                place.next = place.next.next


def test_the_tower_that_shows_a_bug_of_a_skip_list_is_as_small_as_any(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(toss: Callable[[], float]) -> bool:
        # Zero leaves a tower low.
        coin = types.SimpleNamespace(random=lambda: 1 - toss())
        monkeypatch.setattr(skip_list, "random", coin)
        keys = Forgetful(most_levels=3)
        for key in range(4):
            keys.insert(key)
        keys.delete(2)
        return 2 in {node.key for head in range(len(keys.heads)) for node in keys.level(head + 1)}

    def body() -> None:
        assert not broken(drawn_by_name)

    def violates(tosses: list[int]) -> bool:
        rest = iter(tosses)
        return broken(lambda: next(rest))

    # A tower is at the top after two tosses.
    story = story_of(body)
    assert (story.matter, story.complete) == (2, True)
    assert fewest([range(2)] * 8, violates) == 2


def test_the_shortest_fall_of_a_policy_is_found() -> None:
    ice = gymnasium.make("FrozenLake-v1", is_slippery=True, disable_env_checker=True).unwrapped.P

    def falls(slip: Callable[[], int], steps: int) -> bool:
        state = 0
        for _ in range(steps):
            # To the right, or slipping down or up.
            _, state, reward, ended = ice[state][2][(1, 0, 2)[slip()]]
            if ended:
                return reward == 0
        return False

    story = story_of(lambda: not falls(lambda: random.randrange(3), 50))
    assert (story.matter, story.small, story.complete) == (1, 2, True)

    def violates(slips: list[int]) -> bool:
        rest = iter(slips)
        return falls(lambda: next(rest), len(slips))

    assert fewest([range(3)] * 6, violates) == 1


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
    assert result.story.words == f"nothing: {why}, so probtest does not repeat any just to explain this one"
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


def test_a_loop_that_zeros_make_endless_is_given_up() -> None:
    def body() -> None:
        total = 0
        while total < 100:
            total += randint(0, 9)
        assert total < 105

    story = story_of(body)
    assert story.holds
    assert story.complete
    assert story.small <= 2 * story.draws + 64
    # Twelve nines come to 108; less than twelve draws never reach 105.
    assert story.matter >= 12


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


def test_what_does_not_depend_on_the_draws_says_so_in_one_line() -> None:
    counted = itertools.count()
    times: list[int] = []

    def body() -> None:
        drawn_by_name()
        if next(counted) >= 8 and len(times) < 2:
            times.append(1)
            raise AssertionError

    story = story_of(body)
    assert not story.holds
    assert "replaying them does not violate" in story.words
    assert story.replay is None


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


def test_probtest_rng_is_seen_and_the_small_line_plays_it(
    run: Callable[..., pytest.RunResult], pytester: pytest.Pytester
) -> None:
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


def test_draws_of_fixtures_are_on_the_tape(
    run: Callable[..., pytest.RunResult], pytester: pytest.Pytester
) -> None:
    result = run(FIXTURES)
    result.assert_outcomes(failed=1)
    (said,) = words.facts_said(result, "shrunk")
    assert said.endswith("to 2 that matter")
    small = pytester.runpytest(*words.arguments_of(result, "small"))
    small.assert_outcomes(failed=1)
    # It is remembered, and its story is told again.
    again = pytester.runpytest("test_it.py")
    again.stdout.fnmatch_lines([words.violated_again(), f"*{said.partition(' to ')[2]}"])


def test_a_long_tape_is_in_a_file(run: Callable[..., pytest.RunResult], pytester: pytest.Pytester) -> None:
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


def test_the_small_execution_is_remembered_too(
    run: Callable[..., pytest.RunResult], pytester: pytest.Pytester
) -> None:
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
    run: Callable[..., pytest.RunResult],
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
