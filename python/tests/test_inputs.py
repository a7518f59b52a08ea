"""`inputs`, a claim for each of several inputs; and what is wrong with an input, which is no violation."""

from __future__ import annotations

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
    # Some inputs were not applicable, and each execution that has one came to the same next one.
    assert len(set(attempts)) > 5
    times = Counter(x for x in attempts if x not in inputs).values()
    assert all(count >= 9 if of_program else count == 9 for count in times)


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
    result = probtest.check(lambda: probtest.draw(st.integers()) is not None, p=0.1, inputs=2)
    assert result.to_dict()["claim"]["inputs"] == 2
    assert "for any of the 2 inputs" in str(result)
    assert "nothing is said about inputs that were not drawn" in str(result)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (lambda: random.random() < 2, "the test says inputs, and the body has drawn none"),
        (
            lambda: probtest.assume(probtest.draw(st.integers()) is None),
            "its input was rejected 1000 times in a row",
        ),
        (
            lambda: probtest.draw(st.integers().filter(lambda _: False)),
            "its input was rejected 1000 times in a row",
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
        ({"tolerate": 0.01}, "inputs asks that p is caught for each input"),
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
    with pytest.raises(probtest.ClaimError, match="drawn from a strategy of Hypothesis\n  given  5"):
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
    result.stdout.fnmatch_lines(
        ["*an input belongs to one execution, and this fixture is set up for several"]
    )


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
    result.stdout.fnmatch_lines(["*returned an async_generator that nobody waits for*"])
