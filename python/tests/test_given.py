"""Inputs from strategies of Hypothesis: one example for each execution, independent of all others."""

from __future__ import annotations

import random
import shlex
import sys
import unittest
from collections import Counter

import hypothesis
import hypothesis.stateful
import pytest
from hypothesis import assume, event, example, given
from hypothesis import strategies as st

import probtest
from probtest import saying
from probtest.inputs import Twister
from probtest.strategies import Drawing, data_from

from .conftest import GIVEN, Run
from .words import address_of, error, facts_said, index_of, violated_at, written

#: Since when draws are choices, and a state machine can be run once.
needs_choices = pytest.mark.skipif(hypothesis.__version_info__ < (6, 125), reason="before 6.125")
#: Eight coins in each of the first executions of seed 7.
PINNED = ["00010001", "11010001", "00111101", "00101000", "11001011", "00011110"]
#: Fails for half of the pivots, on lists whose sum is above 20.
SUMS = """
@pytest.mark.probtest(p=0.01)
@given(xs=st.lists(st.integers(0, 9)))
def test_sum(xs):
    print("drew", xs)
    assert not (random.random() < 0.5 and sum(xs) > 20)
"""


@pytest.fixture
def run(run: Run) -> Run:
    """Write a test file that has the names of Hypothesis, and run it."""
    return lambda source, *options: run(GIVEN + source, *options)


def drawn(strategy: object, seed: int) -> object:
    return Drawing(data_from(Twister(0).begin(seed))).draw(strategy, None)


def test_an_example_depends_on_its_seed_alone() -> None:
    lists = st.lists(st.one_of(st.integers(), st.text(), st.floats(allow_nan=False)))
    alone = drawn(lists, 7)
    for seed in range(20):
        drawn(lists, seed)
    assert drawn(lists, 7) == alone


def test_examples_are_drawn_from_the_distribution_that_the_strategy_says() -> None:
    # By Hoeffding's inequality a fair coin leaves this range with probability 2 exp(-24.2) < 1e-10.
    counts = Counter(drawn(st.booleans(), seed) for seed in range(4000))
    assert 1780 <= counts[True] <= 2220
    # And neighbours are independent: each of four kinds of 2000 pairs, 8 exp(-25.6) < 1e-10 together.
    values = [drawn(st.booleans(), seed) for seed in range(4000)]
    pairs = Counter(zip(values[::2], values[1::2], strict=True))
    assert all(340 <= count <= 660 for count in pairs.values())


def test_no_constant_of_the_program_is_tried() -> None:
    # Hypothesis's engine takes those of the modules of the project in 1 of 20 draws.
    mine = 918_273_645_546_372_819
    assert mine not in [drawn(st.integers(), seed) for seed in range(1000)]


@needs_choices
def test_the_input_of_an_execution_is_pinned() -> None:
    # By what versions since 6.125 do alike with the same numbers: one coin after the other.
    drawn: list[str] = []

    def body() -> None:
        drawn.append("".join(str(int(probtest.draw(st.booleans()))) for _ in range(8)))

    for _ in range(2):
        probtest.check(body, p=0.5, seed=7, name="pinned")
    assert drawn[:6] == drawn[6:]
    assert drawn[:6] == PINNED


def test_the_input_and_the_program_draw_from_streams_of_their_own() -> None:
    def numbers(draws: bool) -> list[float]:
        found: list[float] = []

        def body() -> None:
            if draws:
                probtest.draw(st.lists(st.integers()))
            found.append(random.random())

        probtest.check(body, p=0.3, seed=1, name="apart")
        return found

    assert numbers(True) == numbers(False)


def test_a_violation_shows_the_smallest_input_and_changes_nothing_else() -> None:
    def body() -> None:
        xs = probtest.draw(st.lists(st.integers(0, 9)), "xs")
        assert not (random.random() < 0.5 and sum(xs) > 20)

    result = probtest.check(body, p=0.01, seed=3, raises=False, shrink_time="1h")
    assert result.verdict == "violated"
    assert result.input == ["xs = [3, 9, 9]"]
    assert "\n  smaller   xs = [3, 9, 9]\n" in str(result)
    facts = result.to_dict()
    assert facts["story"]["inputs"] == [{"name": "xs", "text": "[3, 9, 9]"}]
    plain = probtest.check(body, p=0.01, seed=3, raises=False, shrink=False)
    assert plain.to_dict()["inputs"] == facts["inputs"] != facts["story"]["inputs"]
    assert plain.input == [f"xs = {facts['inputs'][0]['text']}"]
    assert (plain.index, plain.executed, plain.seed) == (result.index, result.executed, result.seed)
    assert result.index is not None
    with pytest.raises(AssertionError):
        probtest.replay(body, 3, result.index)


def test_the_line_of_the_small_execution_has_its_input() -> None:
    seen: list[list[int]] = []

    def body() -> None:
        xs = probtest.draw(st.lists(st.integers(0, 9)), "xs")
        seen.append(xs)
        probtest.assume(len(xs) != 4)
        assert not (random.random() < 0.5 and sum(xs) > 20)

    for inputs in (None, 50):
        result = probtest.check(
            body, p=0.01, seed=3, raises=False, shrink_time="1h", inputs=inputs, name="small"
        )
        assert result.story is not None
        assert result.index is not None
        assert result.story.complete
        assert result.story.tape.startswith("t2.")
        assert result.story.executions > 20
        seen.clear()
        with pytest.raises(AssertionError):
            probtest.replay(body, 3, result.index, name="small", tape=result.story.tape, inputs=inputs)
        assert seen == [[3, 9, 9]]


def test_a_smaller_input_on_which_the_body_never_ends_is_left() -> None:
    def body() -> None:
        x = probtest.draw(st.integers(0, 1000), "x")
        while x < 20:
            pass
        assert x < 50 or random.random() < 0.5

    result = probtest.check(body, p=0.1, seed=1, raises=False, shrink_time="1h")
    assert result.input == ["x = 50"]


@given(st.integers(0, 100), st.integers(0, 100))
def below(x: int, y: int) -> None:
    assume(x != y)
    assert x + y < 150


def test_a_test_of_given_can_be_checked() -> None:
    result = probtest.check(below, p=0.01, seed=1, raises=False, shrink_time="1h")
    assert result.verdict == "violated"
    assert result.input is not None
    x, y = (int(line[4:]) for line in result.input)
    assert x + y == 150
    with pytest.raises(AssertionError):
        probtest.replay(below, 1, result.index or 0)


def test_a_check_executes_explicit_examples_first() -> None:
    seen: list[int] = []

    @example(-1)
    @given(st.integers(0, 9))
    def body(x: int) -> None:
        seen.append(x)
        assert len(seen) < 8

    assert probtest.check(body, p=0.5, seed=1, raises=False).verdict == "passed"
    assert seen[0] == -1
    assert len(seen) == 7


def test_an_explicit_example_that_exits_fails_the_check_and_one_that_skips_says_nothing() -> None:
    @example(-1)
    @given(st.integers(0, 9))
    def exits(x: int) -> None:
        if x < 0:
            sys.exit(0)

    with pytest.raises(AssertionError, match=r"it raised SystemExit\(0\)"):
        probtest.check(exits, p=0.5)

    @example(-1)
    @given(st.integers(0, 9))
    def skips(x: int) -> None:
        if x < 0:
            raise unittest.SkipTest
        assert random.random() >= 0.5

    # All of 299 executions pass with probability 2**-299.
    assert probtest.check(skips, p=0.01, raises=False).verdict == "violated"


def test_an_explicit_example_that_skips_says_nothing_about_the_others(run: Run) -> None:
    source = """
@pytest.mark.probtest(p=0.01)
@example(11)
@given(x=st.integers(0, 10))
def test_it(x):
    if x == 11: pytest.{leaves}("not this one")
    assert random.random() >= 0.5
"""
    for leaves in ("skip", "xfail"):
        # As above.
        run(source.format(leaves=leaves)).assert_outcomes(failed=1)


def test_an_event_is_a_label(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[tuple[str, object]] = []
    monkeypatch.setattr(saying, "label", lambda name, value: said.append((name, value)))

    @given(st.booleans())
    def body(x: bool) -> None:
        event("seen")
        event("case", payload=int(x))
        assume(x)

    probtest.check(body, p=0.5, seed=1)
    # Not those of executions that were rejected.
    assert said == [("seen", True), ("case", 1)] * 6


def test_a_draw_outside_an_execution_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="none is running here"):
        probtest.draw(st.integers())


@pytest.mark.parametrize("words", [r"Hypothesis .*: too old\n  help   install", "ConjectureData"])
def test_hypothesis_below_6_100_and_one_without_its_inner_names_are_refused(
    monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    # The module that knows Hypothesis is imported again.
    monkeypatch.delitem(sys.modules, "probtest.strategies")
    monkeypatch.delattr(probtest, "strategies")
    if "old" in words:
        monkeypatch.setattr(hypothesis, "__version_info__", (6, 99, 13))
    else:
        monkeypatch.delattr("hypothesis.internal.conjecture.data.ConjectureData")
    with pytest.raises(probtest.ClaimError, match=words):
        probtest.check(lambda: probtest.draw(st.integers()), p=0.5)


def test_strategies_by_place_and_by_name_fixtures_and_parameters_go_together(run: Run) -> None:
    result = run("""
seen = []

@pytest.fixture
def fresh(): return []

@pytest.mark.probtest(p=0.05)
@given(NUMBERS, st.text())
def test_by_place(x, y): seen.append((0, x))

class TestAll:
    @pytest.mark.parametrize("a", [1, 2])
    @pytest.mark.probtest(p=0.05)
    @given(x=NUMBERS)
    def test_it(self, fresh, a, tmp_path, x):
        assert fresh == [] and not hasattr(self, "x") and not list(tmp_path.iterdir())
        (tmp_path / "x").touch()
        fresh.append(x)
        self.x = x
        seen.append((a, x))

def test_seen(): assert len(seen) == len(set(seen)) == 177
    """)
    result.assert_outcomes(passed=4)


def test_the_report_shows_the_smallest_input_and_the_notes(run: Run) -> None:
    source = SUMS.replace('print("drew", xs)', 'note(f"{len(xs)} long"); target(len(xs)); event("seen")')
    result = run(source, "--probtest-shrink-time", "1h")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            violated_at("*", 299),
            "  smaller   xs = [[]3, 9, 9]",
            "            3 long",
            "  small     pytest *",
        ]
    )


def test_a_replay_has_the_same_example_and_shows_it(run: Run) -> None:
    found = run(SUMS, "--probtest-shrink-time", "1h")
    (line,) = [line for line in found.outlines if line.startswith("drew ")]
    again = run(SUMS, "--probtest-replay", address_of(found))
    again.assert_outcomes(failed=1)
    assert line in again.outlines
    assert f"  input     xs = {line.removeprefix('drew ')}" in again.outlines
    small = next(line for line in found.outlines if line.startswith("  small     pytest "))
    again = run(SUMS, "--probtest-replay", shlex.split(small)[-1])
    assert "drew [3, 9, 9]" in again.outlines


@pytest.mark.parametrize("option", ["--probtest-jobs=2", "--probtest-isolate"])
def test_other_processes_find_the_same_violation(run: Run, option: str) -> None:
    slow = SUMS.replace("    print", "    time.sleep(0.001)\n    print").replace("< 0.5", "< 0.05")
    here = run(slow, "--probtest-memory", "off")
    elsewhere = run(slow, option, "--probtest-memory", "off")
    assert index_of(elsewhere) == index_of(here) > 2
    assert address_of(elsewhere).split(":")[:2] == address_of(here).split(":")[:2]
    if "jobs" in option:
        assert facts_said(elsewhere, "input") == facts_said(here, "input")


def test_explicit_examples_come_first_and_are_not_counted(run: Run) -> None:
    result = run("""
seen = []

@pytest.mark.probtest(p=0.05)
@example(-1)
@example(x=-2)
@example(-3).xfail(raises=ValueError)
@given(x=st.integers(0, 10))
def test_it(x):
    assume(x != -2)
    seen.append(x)
    if x == -3: raise ValueError

def test_seen(): assert seen[:2] == [-1, -3] and len(seen) == 61, seen
    """)
    result.assert_outcomes(passed=2)


@pytest.mark.parametrize(
    "fails", ["assert x == 11.5", "raise SystemExit(0)", "pytest.fail()", "raise BaseException"]
)
def test_an_explicit_example_that_fails_is_shown_and_nothing_is_executed(
    run: Run, pytester: pytest.Pytester, fails: str
) -> None:
    result = run(
        f"""
@pytest.mark.probtest(p=0.05)
@example(11)
@given(x=st.integers(0, 10))
def test_it(x): {fails}
        """,
        "--probtest-json=facts.json",
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["probtest: an explicit example failed before the executions began", "  input     x = 11"]
    )
    facts, _ = written(pytester)
    assert facts["test_it"]["verdict"] == "inconclusive"
    assert facts["test_it"]["reason"]["kind"] == "failed_elsewhere"


def test_assumptions_and_filters_are_rejections(run: Run) -> None:
    result = run(
        """
@pytest.mark.probtest(p=0.05)
@given(x=st.integers().filter(lambda n: n % 3))
def test_some(x):
    assume(x % 2)
    assert x % 2 and x % 3

@pytest.mark.probtest(p=0.05)
@given(x=st.integers().filter(lambda n: False))
def test_none(x): pass

@pytest.mark.probtest(p=0.05)
def test_drawn(): assume(probtest.draw(st.booleans()))
        """,
        "-Wignore",
    )
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*one execution was rejected 1000 times in a row*"])


def test_more_settings_than_the_claim_needs_are_said_to_be_unused(run: Run) -> None:
    result = run("""
@pytest.mark.probtest(p=0.05)
@settings(max_examples=7, deadline=1)
@given(x=st.integers())
def test_it(x): sum(range(10**5))
    """)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        [
            "note: max_examples=7 of @settings is ignored: the claim decides how often the test runs",
            "*test_it",
        ]
    )


@pytest.mark.parametrize(
    ("more", "test", "what", "told"),
    [
        (", batch=5", "@given(x=st.integers())", "one call makes the whole batch*", "@given and batch=5"),
        ("", "@given(y=st.integers())", "@given does not fit the test: *", "@given and *"),
        ("", "@given(x=st.nothing())", "*empty strategy: x=nothing()", "*"),
        ("", "@given(x=st.integers(3, 1))", "*", "x=integers(*"),
        ("", "@example(y=1)\n@given(x=st.integers())", "an explicit example has different *", "*x*y"),
        (
            "",
            "@reproduce_failure('6.1.0', b'AA==')\n@given(x=st.integers())",
            "@reproduce_failure needs *",
            "*",
        ),
    ],
)
def test_what_does_not_go_together_is_refused(run: Run, more: str, test: str, what: str, told: str) -> None:
    result = run(f"@pytest.mark.probtest(p=0.1{more})\n{test}\ndef test_it(x): pass\n")
    assert result.ret == 1
    result.stdout.fnmatch_lines(error(what, told))


def test_a_strategy_that_raises_ends_the_test_in_every_process(run: Run) -> None:
    source = (
        "@pytest.mark.probtest(p=0.01)\n@given(x=st.integers(0, 9).map(lambda n: 1 // n))\n"
        "def test_it(x): time.sleep(0.001)\n"
    )
    for options in ((), ("--probtest-jobs=2",)):
        result = run(source, *options)
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(error("its input x could not be made: ZeroDivisionError*", "x from *"))


def test_a_recursion_that_is_too_deep_is_a_violation_as_any_other() -> None:
    def endless(n: int) -> int:
        return endless(n + 1)

    @given(st.integers(0, 100))
    def body(x: int) -> None:
        if x > 60:
            endless(0)

    result = probtest.check(body, p=0.1, seed=2, raises=False, shrink_time="1h")
    assert isinstance(result.exception, RecursionError)
    assert result.exception.__context__ is None
    assert result.input == ["x = 61"]


def test_inputs_that_fixtures_draw_are_those_of_the_execution(run: Run) -> None:
    result = run("""
seen = []

@pytest.fixture
def number(): return probtest.draw(NUMBERS, "number")

@pytest.mark.probtest(p=0.1)
@given(x=NUMBERS)
def test_it(number, x): seen.append((number, x))

def test_seen(): assert len(set(seen)) == 29 and all(a != b for a, b in seen)
    """)
    result.assert_outcomes(passed=2)


MACHINE = """
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
runs = []

class Counter(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        runs.append(1)
        self.count = 0

    @rule(k=st.integers(0, 5))
    def add(self, k): self.count += k

    @invariant()
    def is_small(self): assert not (self.count > MOST and random.random() < 0.1)

TestCounter = pytest.mark.probtest(p=0.3)(Counter.TestCase)
"""


@needs_choices
def test_a_state_machine_runs_once_for_each_execution(run: Run) -> None:
    result = run(MACHINE.replace("MOST", "10**9") + "\ndef test_runs(): assert len(runs) == 9, runs\n")
    result.assert_outcomes(passed=2)


@needs_choices
def test_the_steps_of_a_state_machine_are_made_fewer(run: Run) -> None:
    result = run(MACHINE.replace("MOST", "4"), "--probtest-shrink-time", "1h")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["  smaller   state = Counter()", "            state.add(k=5)", "            state.teardown()"]
    )


def test_a_state_machine_needs_a_version_that_runs_it_once(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    # What versions before 6.125 do not have.
    monkeypatch.delattr(hypothesis.stateful, "get_state_machine_test", raising=False)
    result = run(MACHINE)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        [
            *error("this version of Hypothesis *", "Hypothesis *: it cannot run a state machine just once")[
                :2
            ],
            "*help   install Hypothesis 6.125 or newer, *",
        ]
    )


@pytest.mark.parametrize("concurrency", ["", ", concurrency=4"])
def test_async_tests_of_given_have_one_example_for_each_execution(run: Run, concurrency: str) -> None:
    result = run(
        f"""
import asyncio
seen = []

@pytest.mark.asyncio
@pytest.mark.probtest(p=0.05{concurrency})
@given(x=NUMBERS, data=st.data())
async def test_it(x, data):
    await asyncio.sleep(0)
    y = data.draw(NUMBERS)
    await asyncio.sleep(0)
    seen.append((x, y))

def test_seen(): assert len(seen) == len(set(seen)) == 59
        """,
        *([] if concurrency else ["-p", "asyncio"]),
    )
    result.assert_outcomes(passed=2)


def test_a_test_of_given_without_the_marker_is_left_to_hypothesis(run: Run) -> None:
    result = run("@settings(max_examples=7, database=None)\n@given(x=st.integers())\ndef test_it(x): pass\n")
    result.assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (
            "@mock.patch('os.getcwd')\n@given(st.integers())\ndef test_it(x): pass",
            "a decorator is wrapped around @given",
        ),
        (
            "@given(st.integers())\nasync def test_it(x):\n    yield\n    assert False",
            "is an async generator",
        ),
        ("@example(-1)\n@given(st.integers(0, 9))\ndef test_it(x): return x >= 0", "it returned False"),
        (
            "class Test(unittest.IsolatedAsyncioTestCase):\n"
            "    @given(st.integers())\n    async def test_it(self, x): assert False",
            "unittest would not await a @given test",
        ),
        (
            "class Test(unittest.TestCase):\n"
            "    @unittest.expectedFailure\n    @given(st.integers())\n    def test_it(self, x): pass",
            "expectedFailure is wrapped around @given",
        ),
    ],
)
def test_what_would_pass_without_a_word_is_refused(pytester: pytest.Pytester, body: str, words: str) -> None:
    head = "import unittest\nimport pytest\nfrom unittest import mock\n"
    head += "from hypothesis import example, given, strategies as st\n"
    pytester.makepyfile(test_it=f"{head}pytestmark = pytest.mark.probtest(p=0.1)\n{body}")
    result = pytester.runpytest()
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines([f"*{words}*"])
