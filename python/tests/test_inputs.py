"""`inputs`, a claim for each of several inputs; and what is wrong with an input, which is no violation."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import random
from collections import Counter
from collections.abc import Callable

import hypothesis
import pytest
from hypothesis import given
from hypothesis import strategies as st

import probtest

from .words import address_of, error, facts_said, index_of

Run = Callable[..., pytest.RunResult]

#: Numbers that are all as likely in every version: `st.integers` favours small ones.
NUMBERS = st.binary(min_size=8, max_size=8).map(lambda found: int.from_bytes(found, "big"))
HEAD = (
    "import random, pytest, probtest\nfrom hypothesis import *\nfrom hypothesis import strategies as st\n"
    "NUMBERS = st.binary(min_size=8, max_size=8).map(lambda found: int.from_bytes(found, 'big'))\n"
)
#: A state machine can be run once since then, and strategies are drawn from without a look at the time.
needs_choices = pytest.mark.skipif(hypothesis.__version_info__ < (6, 125), reason="before 6.125")


def odd_inputs(attempts: list[int], of_program: bool) -> list[tuple[int, float]]:
    """Return the input and a number of the program of each execution with one of 5 odd inputs."""
    seen: list[tuple[int, float]] = []

    def body() -> None:
        x = probtest.draw(NUMBERS)
        attempts.append(x)
        probtest.assume(x % 2)
        drawn = random.random()
        if of_program:
            probtest.assume(drawn < 0.5)
        seen.append((x, drawn))

    assert probtest.check(body, p=0.3, inputs=5, seed=1).executed == 45
    return seen


@pytest.mark.parametrize("of_program", [False, True])
def test_executions_take_turns_with_the_inputs(of_program: bool) -> None:
    attempts: list[int] = []
    seen = odd_inputs(attempts, of_program)
    inputs = [x for x, _ in seen]
    assert inputs == inputs[:5] * 9
    assert len(set(inputs)) == 5
    # The program draws its own numbers each time.
    assert len({drawn for _, drawn in seen}) == 45
    # Some inputs were not applicable, and each was rejected once for all that share it.
    assert len(set(attempts)) > 5
    assert set(Counter(x for x in attempts if x not in inputs).values()) == {1}


def test_inputs_that_are_not_applicable_are_counted_once_and_limited() -> None:
    calls: list[int] = []

    def body() -> None:
        calls.append(1)
        probtest.assume(probtest.draw(NUMBERS) % 50 == 0)
        random.random()

    result = probtest.check(body, p=0.1, inputs=10, seed=1)
    # One in 50 is applicable: at most one rejection before 10 of them has probability 1e-16.
    assert result.rejected > 1
    assert (result.executed, result.rejected) == (290, len(calls) - 290)
    elsewhere = probtest.check(body, p=0.1, inputs=10, seed=1, jobs=2)
    assert (elsewhere.executed, elsewhere.rejected) == (290, result.rejected)
    limited = probtest.check(body, p=0.1, inputs=10, seed=1, max_rejections=1, raises=False)
    assert limited.verdict == "inconclusive"
    assert "rejections, more than the 1 allowed" in str(limited)


@st.composite
def assumed(draw: Callable[[st.SearchStrategy[int]], int]) -> int:
    found = draw(NUMBERS)
    hypothesis.assume(found % 16 == 1)
    return found


def is_rare(x: int) -> bool:
    return x % 16 == 1


#: Hypothesis tries three before it gives up.
RARE = NUMBERS.filter(is_rare)


@pytest.mark.parametrize("strategy", [RARE, assumed(), st.data()])
def test_what_a_strategy_rejects_is_the_input_whatever_the_program_has_drawn(
    strategy: st.SearchStrategy[object],
) -> None:
    attempts: list[float] = []

    def body() -> None:
        attempts.append(random.random())
        found = probtest.draw(strategy)
        if not isinstance(found, int):
            found.draw(RARE)

    result = probtest.check(body, p=0.5, inputs=5, seed=1)
    # Five inputs in a row are applicable with probability below 1e-3; the seed is fixed.
    assert result.executed == 30
    assert result.rejected == len(attempts) - 30 > 0


def test_an_assumption_on_the_input_after_the_program_has_drawn_is_told_to_come_before() -> None:
    def body() -> None:
        random.random()
        probtest.assume(probtest.draw(st.just(1)) == 2)

    result = probtest.check(body, p=0.5, inputs=5, raises=False)
    assert result.verdict == "inconclusive"
    assert "check it before the program draws its first random number" in str(result)
    without = probtest.check(body, p=0.5, raises=False)
    assert "first random number" not in str(without)


def test_executions_that_disagree_on_an_input_have_no_verdict() -> None:
    calls: list[int] = []

    def body() -> None:
        calls.append(probtest.draw(NUMBERS))
        # As a program does that rejects by luck that nobody sees.
        probtest.assume(len(calls) != 4)
        random.random()

    result = probtest.check(body, p=0.1, inputs=2, raises=False)
    assert result.verdict == "inconclusive"
    assert "executions with the same input disagree on whether it applies" in str(result)


def test_a_given_test_has_inputs_too_and_a_replay_has_the_one_of_its_execution() -> None:
    seen: list[int] = []

    @given(NUMBERS)
    def body(x: int) -> None:
        seen.append(x)
        assert len(seen) < 8 or random.random() < 0

    result = probtest.check(body, p=0.5, inputs=3, seed=4, name="turns", raises=False, shrink=False)
    assert (result.verdict, result.index) == ("violated", 8)
    assert seen[:8] == (seen[:3] * 3)[:8]
    assert "seed      0x4, execution 8, input 2 of 3" in str(result)
    assert "probtest.replay(.., 0x4, 8, name='turns', inputs=3)" in str(result)
    with pytest.raises(AssertionError):
        probtest.replay(body, 4, 8, name="turns", inputs=3)
    assert seen[-1] == seen[1]


def test_the_meaning_of_a_pass_says_what_it_is_about() -> None:
    result = probtest.check(lambda: probtest.draw(st.integers()) != random.random(), p=0.1, inputs=2)
    assert result.to_dict()["claim"]["inputs"] == 2
    assert "for any of the 2 inputs" in str(result)
    assert "this says nothing about inputs that were not drawn" in str(result)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (lambda: random.random() < 2, "the test sets inputs, but the body drew none"),
        (
            lambda: probtest.assume(probtest.draw(st.integers()) is None),
            "one execution was rejected 1000 times in a row",
        ),
        (
            lambda: probtest.draw(st.integers().filter(lambda _: False)),
            "one execution was rejected 1000 times in a row",
        ),
    ],
)
def test_without_an_input_there_is_no_verdict(body: Callable[[], object], words: str) -> None:
    result = probtest.check(body, p=0.1, inputs=5, raises=False)
    assert result.verdict == "inconclusive"
    assert words in str(result)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"concurrency": 2, "threads": True}, "inputs and concurrency do not go together"),
        ({"batch": 2}, "batch and inputs do not go together"),
        ({"tolerate": 0.01}, "inputs means that p is caught for each input"),
        ({"inputs": 0}, "inputs is not a whole number from 1"),
    ],
)
def test_what_does_not_go_with_inputs_is_refused(options: dict[str, object], words: str) -> None:
    with pytest.raises(probtest.ClaimError, match=words):
        probtest.check(lambda: None, **{"p": 0.1, "inputs": 5, **options})  # type: ignore[arg-type]


TURNS = """
seen = []

@pytest.fixture
def number():
    return probtest.draw(NUMBERS, "number")

@pytest.mark.probtest(p=0.3, inputs=4)
@given(x=NUMBERS)
def test_it(number, probtest_rng, x):
    assume(x % 2)
    with open("seen", "a") as file:
        print(number, x, file=file)
    assert not (probtest_rng.random() < RATE and x % 4 == 1)
"""


@pytest.mark.parametrize(
    "option", ["", "--probtest-jobs=2", "--probtest-isolate", "--probtest-concurrency=2"]
)
def test_inputs_are_the_same_in_every_process(run: Run, pytester: pytest.Pytester, option: str) -> None:
    result = run(HEAD + TURNS.replace("RATE", "0"), *([option] if option else []))
    result.assert_outcomes(passed=1)
    seen = Counter((pytester.path / "seen").read_text().splitlines())
    assert len(seen) == 4
    assert min(seen.values()) >= 9


def test_a_replay_of_pytest_has_the_input_of_its_execution(run: Run, pytester: pytest.Pytester) -> None:
    found = run(HEAD + TURNS.replace("RATE", "0.9"), "-o", "probtest_shrink=no")
    index = index_of(found)
    (seed,) = facts_said(found, "seed")
    assert seed.endswith(f"execution {index}, input {(index - 1) % 4 + 1} of 4")
    drawn = (pytester.path / "seen").read_text().splitlines()[index - 1]
    (pytester.path / "seen").unlink()
    again = run(HEAD + TURNS.replace("RATE", "0.9"), "--probtest-replay", address_of(found))
    again.assert_outcomes(failed=1)
    assert (pytester.path / "seen").read_text().splitlines() == [drawn]


def test_shards_have_the_inputs_of_the_whole_test(run: Run, pytester: pytest.Pytester) -> None:
    for shard in (1, 2):
        run(HEAD + TURNS.replace("RATE", "0"), f"--probtest-shard={shard}/2", "--probtest-json=facts.json")
        facts = json.loads((pytester.path / "facts.json").read_text())
        assert facts["tests"][0]["verdict"] == "partial"
    assert len(set((pytester.path / "seen").read_text().splitlines())) == 4


def test_a_skip_that_comes_each_time_skips_the_test(run: Run) -> None:
    source = HEAD + (
        "@pytest.mark.probtest(p=0.3, inputs=4)\n@given(x=st.integers())\n"
        "def test_it(x): pytest.skip('not here')\n"
    )
    run(source).assert_outcomes(skipped=1)


def test_the_marker_refuses_what_is_no_count(run: Run) -> None:
    result = run(HEAD + "@pytest.mark.probtest(p=0.3, inputs=1.5)\ndef test_it(): pass\n")
    result.stdout.fnmatch_lines(error("inputs is not a whole number*", "1.5"))


def in_a_map(n: int) -> int:
    return 1 // (n % 2)


def failing(_: int) -> None:
    pytest.fail("no input")


@given(st.data())
def by_data(data: st.DataObject) -> None:
    data.draw(st.integers(0, 3).map(in_a_map), label="x")


@given(st.integers().map(failing))
def by_pytest(x: None) -> None:
    pass


def by_draw() -> None:
    data: st.DataObject = probtest.draw(st.data())
    data.draw(st.integers(0, 3).map(in_a_map))


@pytest.mark.parametrize("body", [by_data, by_pytest, by_draw])
def test_what_a_strategy_raises_is_no_violation(body: Callable[[], object]) -> None:
    with pytest.raises(
        probtest.ClaimError, match=r"its input .* could not be made: (Zero|Failed).*\n  given "
    ):
        probtest.check(body, p=0.1, seed=1)


@needs_choices
def test_a_state_machine_without_a_rule_to_apply_is_no_violation(run: Run) -> None:
    result = run(
        HEAD
        + """
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

class Stuck(RuleBasedStateMachine):
    steps = 0

    @precondition(lambda self: self.steps < 2)
    @rule()
    def step(self):
        self.steps += 1

TestStuck = pytest.mark.probtest(p=0.3)(Stuck.TestCase)
"""
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(error("its input could not be made: InvalidDefinition*", "a strategy, *"))


def swallowing(call: Callable[[], object]) -> Callable[[], None]:
    def body() -> None:
        try:
            call()
        except Exception:
            random.random()

    return body


def test_what_was_to_leave_a_body_counts_although_it_is_caught() -> None:
    with pytest.raises(probtest.ClaimError, match="drawn from a Hypothesis strategy\n  given  5"):
        probtest.check(swallowing(lambda: probtest.draw(5)), p=0.1)
    for call in (
        lambda: probtest.assume(False),
        lambda: probtest.draw(st.integers().filter(lambda _: False)),
    ):
        result = probtest.check(swallowing(call), p=0.1, raises=False)
        assert result.verdict == "inconclusive"
        assert "rejected 1000 times in a row" in str(result)


@pytest.mark.parametrize("concurrency", ["", ", concurrency=2, threads=True"])
def test_an_input_that_a_shared_fixture_draws_is_refused(run: Run, concurrency: str) -> None:
    result = run(
        HEAD
        + f"""
@pytest.fixture(scope="module")
def number():
    return probtest.draw(st.integers())

@pytest.mark.probtest(p=0.1{concurrency})
def test_it(number): random.random()
"""
    )
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*an input belongs to one execution, but this fixture is shared by several"])


@needs_choices
def test_inputs_without_randomness_are_copies() -> None:
    def body() -> None:
        probtest.draw(st.just(1))

    @given(st.just(1))
    def of_given(x: int) -> None:
        pass

    for check in (body, of_given):
        assert [it.kind for it in probtest.check(check, p=0.1, raises=False).doubts] == ["copies"]


def test_an_async_generator_is_no_pass(run: Run) -> None:
    result = run(HEAD + "@pytest.mark.probtest(p=0.1)\nasync def test_it():\n    yield\n    assert False\n")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*returned an async_generator that is never awaited*"])


def fixed() -> float:
    return random.Random(42).random()


def reseeded() -> float:
    random.seed(1)
    return random.random()


@pytest.mark.parametrize(
    ("program", "doubts"),
    [(fixed, ["fixed_seeds"]), (reseeded, ["fixed_seeds"]), (lambda: 0.5, ["copies"]), (random.random, [])],
)
@pytest.mark.parametrize("shared", [True, False])
def test_inputs_that_executions_share_are_no_randomness_of_theirs(
    program: Callable[[], float], doubts: list[str], shared: bool
) -> None:
    def drawn() -> None:
        x = probtest.draw(st.lists(st.integers(0, 9), min_size=3, max_size=3))
        assert len(x) == 3
        assert program() < 1

    @given(st.lists(st.integers(0, 9), min_size=3, max_size=3))
    def handed(x: list[int]) -> None:
        assert len(x) == 3
        assert program() < 1

    for body in (drawn, handed):
        result = probtest.check(body, p=0.1, inputs=5 if shared else None, raises=False)
        assert [doubt.kind for doubt in result.doubts] == (doubts if shared else [])


def seeded(x: int) -> float:
    random.seed(x)
    return random.random()


def drawn_before(x: int) -> float:
    drawn = random.random()
    return drawn * seeded(x)


def module_before(_: int) -> float:
    drawn = random.random()
    probtest.draw(st.random_module())
    return drawn * random.random()


#: A generator that a program keeps, and does not use.
REGISTERED = random.Random()


def module(_: int) -> float:
    probtest.draw(st.random_module())
    return random.random()


@pytest.mark.parametrize(
    ("program", "doubts"),
    [
        (lambda x: random.Random(x).random(), ["fixed_seeds"]),
        (lambda x: random.Random(str(x)).random(), ["fixed_seeds"]),
        (lambda x: random.Random(x).random() if x % 2 else 0.5, ["fixed_seeds"]),
        (seeded, ["fixed_seeds"]),
        (module, ["fixed_seeds"]),
        pytest.param(lambda _: probtest.draw(st.randoms()).random(), ["copies"], marks=needs_choices),
        (lambda _: probtest.draw(st.randoms(use_true_random=True)).random(), ["copies"]),
        (lambda x: len(str(x)) / 100 if x % 2 else 0.5, ["copies"]),
        # Randomness of the execution, be it with some inputs alone.
        (lambda x: random.random() if x % 2 else 0.5, []),
        (lambda x: random.Random(x + random.random()).random(), []),
        (lambda _: probtest.rng().random(), []),
        (lambda _: random.Random().random(), []),
        (drawn_before, []),
        (module_before, []),
    ],
)
def test_what_follows_from_a_shared_input_is_no_randomness_of_an_execution(
    program: Callable[[int], float], doubts: list[str]
) -> None:
    def body() -> None:
        assert program(probtest.draw(NUMBERS)) < 1

    @given(NUMBERS)
    def handed(x: int) -> None:
        assert program(x) < 1

    # `st.random_module` seeds this one as well, which is not the program's doing.
    hypothesis.register_random(REGISTERED)
    for check in (body, handed):
        # All inputs are even with probability 2**-8; the seed is fixed.
        result = probtest.check(check, p=0.5, inputs=8, seed=1, raises=False)
        assert [doubt.kind for doubt in result.doubts] == doubts


@pytest.mark.parametrize("options", [{"inputs": 60}, {"inputs": 5, "jobs": 2}, {"inputs": 1}])
def test_executions_of_many_inputs_are_in_doubt_as_those_of_few(options: dict[str, int]) -> None:
    def body() -> None:
        random.Random(probtest.draw(NUMBERS)).random()

    result = probtest.check(body, p=0.5, raises=False, **options)  # type: ignore[arg-type]
    assert [doubt.kind for doubt in result.doubts] == ["fixed_seeds"]


@pytest.mark.parametrize(("strategy", "doubt"), [("randoms", "copies"), ("random_module", "fixed_seeds")])
def test_what_hypothesis_hands_out_to_draw_from_is_input(strategy: str, doubt: str) -> None:
    @given(x=getattr(st, strategy)())
    def body(x: object) -> None:
        assert (x if isinstance(x, random.Random) else random).random() < 2

    result = probtest.check(body, p=0.3, inputs=5, raises=False)
    assert [found.kind for found in result.doubts] == [doubt]


def test_the_doubt_says_which_seed_follows_from_the_input() -> None:
    @given(NUMBERS)
    def body(x: int) -> None:
        random.Random(x)
        random.Random(7)

    (doubt,) = probtest.check(body, p=0.3, inputs=5, raises=False).to_dict()["doubts"]
    named = [words.partition(" at ") for words in doubt["places"]]
    assert len(named) == 2
    for call, _, place in named:
        assert place.endswith(", with a seed from the input") == (call != "random.Random(7)")


def test_inputs_that_are_always_too_large_end_the_test_soon() -> None:
    calls: list[int] = []

    def body() -> None:
        calls.append(1)
        probtest.draw(st.lists(st.binary(min_size=3000, max_size=3000), min_size=4, max_size=4))

    with pytest.raises(probtest.ClaimError, match="its input is too large: 10 in a row need more than"):
        probtest.check(body, p=0.1)
    assert len(calls) == 10


@pytest.mark.parametrize(
    "asks",
    [
        lambda: (hypothesis.target(1.0), hypothesis.target(2.0)),
        lambda: st.integers().example(),
        lambda: given(st.integers())(print)(),
    ],
)
@pytest.mark.filterwarnings("ignore::hypothesis.errors.NonInteractiveExampleWarning")
def test_what_hypothesis_refuses_in_a_body_is_no_fault_of_a_strategy(asks: Callable[[], object]) -> None:
    @given(st.integers())
    def body(_: int) -> None:
        asks()

    with pytest.raises(probtest.ClaimError, match="Hypothesis refuses what it is asked"):
        probtest.check(body, p=0.1)


@given(st.integers(0, 9))
def flaky(_: int) -> None:
    assert random.random() >= 0.5


class Callable_:
    __call__ = given(st.integers())(lambda _self, _x: None)


def caught() -> None:
    random.random()
    with contextlib.suppress(Exception):
        flaky()


@pytest.mark.parametrize(
    "body",
    [
        lambda: given(st.integers())(flaky.hypothesis.inner_test)(),
        lambda: flaky(),
        functools.partial(flaky),
        Callable_(),
        caught,
        lambda: hypothesis.find(st.integers(), lambda x: x > 3),
        lambda: (probtest.draw(st.integers()), flaky()),
        given(st.integers())(lambda _: flaky()),
        lambda: st.integers().example(),
    ],
)
@pytest.mark.parametrize("options", [{}, {"concurrency": 2, "threads": True}, {"jobs": 2}])
@pytest.mark.filterwarnings("ignore::hypothesis.errors.NonInteractiveExampleWarning")
def test_no_engine_of_hypothesis_runs_inside_an_execution(
    body: Callable[[], object], options: dict[str, object]
) -> None:
    # It would seed the program's generators alike in every execution.
    with pytest.raises(probtest.ClaimError, match="starts Hypothesis's engine"):
        probtest.check(body, p=0.1, **options)  # type: ignore[arg-type]
    # Outside of executions Hypothesis does what it always does.
    hypothesis.find(st.integers(), lambda x: x > 3)


def test_the_json_form_has_a_test_that_calls_another_one_of_given(
    run: Run, pytester: pytest.Pytester
) -> None:
    source = """
@given(x=st.integers())
def inner(x): assert random.random() >= 0.5

@pytest.fixture(scope="module")
def number(): return find(st.integers(), lambda x: x > 3)

@pytest.mark.probtest(p=0.1)
def test_outer(): inner()

@pytest.mark.probtest(p=0.1)
def test_shared(number): assert random.random() < number

def test_plain(): find(st.integers(), lambda x: x > 3)
"""
    result = run(HEAD + source, "--probtest-json=facts.json")
    result.assert_outcomes(failed=1, passed=2)
    result.stdout.fnmatch_lines(error("an execution starts Hypothesis's engine*", "a call of inner, *"))
    tests = json.loads((pytester.path / "facts.json").read_text())["tests"]
    assert [test["verdict"] for test in tests] == ["inconclusive", "passed"]


def test_a_check_inside_a_concurrent_execution_has_inputs_of_its_own() -> None:
    different: list[int] = []

    async def body() -> None:
        await asyncio.sleep(0)
        seen = []

        def inner() -> None:
            seen.append(probtest.draw(NUMBERS))
            random.random()

        @given(NUMBERS)
        def handed(x: int) -> None:
            seen.append(x)
            random.random()

        for check in (inner, handed):
            probtest.check(check, p=0.5, inputs=5, seed=1)
            different.append(len(set(seen)))
            seen.clear()

    probtest.check(body, p=0.5, concurrency=2)
    assert set(different) == {5}


def test_what_hypothesis_notes_for_its_statistics_is_no_label() -> None:
    @given(st.integers(0, 99).filter(lambda x: x % 10 == 0))
    def body(x: int) -> None:
        hypothesis.event("mine", x)

    result = probtest.check(body, p=0.1)
    assert [label["name"] for label in result.to_dict()["labels"]] == ["mine"]


def test_a_smaller_input_fails_the_check_that_the_found_one_did() -> None:
    def refuse(why: str) -> None:
        raise ValueError(why)

    @given(st.lists(st.integers(-9, 9), min_size=1))
    def body(xs: list[int]) -> None:
        random.random()
        if len(xs) > 3:
            refuse("long")
        if xs == [0]:
            refuse("zero")

    # A list of one zero is rare, and the smallest of all.
    result = probtest.check(body, p=0.01, seed=1, raises=False, shrink_time="1h")
    assert str(result.exception) == "long"
    assert result.to_dict()["story"]["inputs"] == [{"name": "xs", "text": "[0, 0, 0, 0]"}]


def test_an_example_that_was_to_fail_shows_no_source_of_probtest(run: Run) -> None:
    result = run(
        HEAD
        + """
@pytest.mark.probtest(p=0.5)
@example(3).xfail()
@given(st.integers())
def test_it(x): pass
"""
    )
    result.stdout.fnmatch_lines(["*an example marked xfail did not fail*", "*input     x = 3*"])
    result.stdout.no_fnmatch_line("*item.py*")


def test_inputs_that_are_too_large_now_and_then_end_nothing() -> None:
    @given(st.lists(st.binary(min_size=3000, max_size=3000), max_size=3))
    def body(xs: list[bytes]) -> None:
        assert len(xs) < 3

    result = probtest.check(body, p=0.05, seed=1)
    # More than those that end a test all of whose inputs are too large; the seed is fixed.
    assert result.passed
    assert result.rejected > 10
