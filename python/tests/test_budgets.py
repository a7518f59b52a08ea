"""Limits of executions and time, and passes within them. The clock is one that the tests move."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from xml.etree import ElementTree

import pytest

import probtest
from probtest import timing

from .clock import CLOCK

Run = Callable[..., pytest.RunResult]

SLOW = (
    CLOCK
    + """
    @pytest.mark.probtest(p=0.01, epsilon=0.02{more})
    def test_slow():
        second()
"""
)


def slow(more: str = "") -> str:
    return SLOW.format(more=more)


def test_a_test_out_of_time_fails_and_says_what_was_attained(run: Run) -> None:
    result = run(slow(", max_time='3m32s'"))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "probtest: inconclusive after 212 of 390 executions",
            "  reason    max_time = 3m32s was over before the plan",
            "  attained  a violation probability >= 0.01 would have been missed with probability 0.1188",
            "            one of 0.0183 or more would have been seen with probability 0.98",
            "  rerun     pytest test_it.py::test_slow --probtest-seed 0x1 --probtest-max-executions 212 "
            "--probtest-max-time off --probtest-epsilon 0.02",
        ]
    )


def test_the_line_executes_the_same_executions_again(run: Run) -> None:
    first = run(slow(", max_time=20, max_executions=100"))
    assert first.stdout.str().count("was over before the plan") == 1
    drew = [line for line in first.outlines if line.startswith("drew ")]
    again = run(
        slow(", max_time=20, max_executions=100"),
        *["--probtest-seed", "0x1", "--probtest-max-executions", "20", "--probtest-max-time", "off"],
    )
    again.stdout.fnmatch_lines(["*max_executions = 20 is below the plan"])
    assert drew == [line for line in again.outlines if line.startswith("drew ")]
    assert drew


def test_the_line_has_what_the_claim_came_from(run: Run) -> None:
    # A plan of 459 executions by its part of the suite's epsilon, where 0.05 would end at 299.
    cut = run(slow(", max_time=400").replace(", epsilon=0.02", ""), "--probtest-suite-epsilon", "0.01")
    (line,) = [line for line in cut.outlines if line.startswith("  rerun ")]
    assert line.endswith("--probtest-suite-epsilon 0.01")
    words = line.split()[3:]
    again = run(slow(", max_time=400").replace(", epsilon=0.02", ""), *words)
    again.stdout.fnmatch_lines(["*inconclusive after 400 of 459 executions", "*max_executions = 400*"])


@pytest.mark.parametrize(
    "span", ["'10s'", "10", "10.0", "__import__('datetime').timedelta(seconds=10)", "'0m 10 s'"]
)
def test_a_span_is_text_seconds_or_a_timedelta(run: Run, span: str) -> None:
    result = run(slow(f", max_time={span}"))
    result.stdout.fnmatch_lines(["probtest: inconclusive after 10 of 390 executions", "*max_time = 10s*"])


@pytest.mark.parametrize(
    ("span", "words"),
    [
        ("'30'", "max_time has no unit"),
        ("'soon'", "max_time is not a span of time"),
        ("0", "max_time is not above 0 and at most a year"),
        ("-1", "max_time is not above 0 and at most a year"),
        ("float('nan')", "max_time is not above 0 and at most a year"),
        ("float('inf')", "max_time is not above 0 and at most a year"),
        ("10**30", "max_time is not above 0 and at most a year"),
        ("True", "max_time is not a span of time"),
        ("[1]", "max_time is not a span of time"),
        ("__import__('datetime').timedelta(days=999999)", "max_time is not above 0 and at most a year"),
    ],
)
def test_what_is_no_span_is_an_error_of_that_test(run: Run, span: str, words: str) -> None:
    result = run(slow(f", max_time={span}"))
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"*probtest: error: {words}", "*given  *", "*help   *"])


def test_at_least_one_execution_counts(run: Run) -> None:
    result = run(slow(", max_time=1e-9"))
    result.stdout.fnmatch_lines(["probtest: inconclusive after 1 of 390 executions"])


def test_a_plan_executed_in_time_passes(run: Run) -> None:
    run(slow(", max_time=390")).assert_outcomes(passed=1)


def test_options_ini_and_variables_give_what_the_marker_leaves_open(
    run: Run, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    after = "probtest: inconclusive after {} of 390 executions"
    run(slow(), "--probtest-max-time", "7s").stdout.fnmatch_lines([after.format(7)])
    monkeypatch.setenv("PROBTEST_MAX_TIME", "8s")
    run(slow()).stdout.fnmatch_lines([after.format(8)])
    run(slow(", max_time=5")).stdout.fnmatch_lines([after.format(5)])
    run(slow(", max_time=5"), "--probtest-max-time", "off").assert_outcomes(passed=1)
    monkeypatch.delenv("PROBTEST_MAX_TIME")
    pytester.makeini("[pytest]\nprobtest_max_time = 9s\n")
    run(slow()).stdout.fnmatch_lines([after.format(9)])


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--probtest-max-time", "30", "probtest-max-time has no unit"),
        ("--probtest-suite-max-time", "0s", "probtest-suite-max-time is not above 0 and at most a year"),
        ("--probtest-suite-max-time", "off", "probtest-suite-max-time is not a span of time"),
        ("--probtest-on-budget", "warn", "on_budget is neither pass nor fail"),
    ],
)
def test_bad_options_are_refused_before_anything_is_executed(
    run: Run, option: str, value: str, words: str
) -> None:
    result = run(slow(), option, value)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{words}", f"  given  {value}", "  help   *"])


TWO = (
    CLOCK
    + """
    @pytest.mark.probtest(p=0.01, epsilon=0.02, max_time='1h')
    def test_first():
        second()

    @pytest.mark.probtest(p=0.5)
    def test_second():
        second()

    def test_of_another_kind():
        pass
"""
)


def test_the_time_of_the_suite_is_shared(run: Run) -> None:
    result = run(TWO, "--probtest-suite-max-time", "100s")
    result.assert_outcomes(failed=2, passed=1)
    result.stdout.fnmatch_lines(
        [
            "probtest: inconclusive after 100 of 390 executions",
            "  reason    the suite's max_time = 1m40s was over before the plan",
            "probtest: inconclusive after 1 of 6 executions",
            "  reason    the suite's max_time = 1m40s was over before the plan",
        ]
    )
    run(TWO, "--probtest-suite-max-time", "396s").assert_outcomes(passed=3)


LINE = (
    "passed within budget after 212 of 390 executions, no violation; "
    "a violation probability of 0.0183 or more would have been seen with probability 0.98"
)


@pytest.mark.parametrize("limit", ["max_time=212", "max_executions=212"])
def test_an_accepted_budget_is_counted_apart_and_told(run: Run, limit: str) -> None:
    result = run(slow(f", {limit}, on_budget='pass'"))
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        ["test_it.py b*", "* probtest *", f"test_it.py::test_slow: {LINE}", "* 1 passed within budget in *"]
    )
    assert " 1 passed in " not in result.stdout.str()


def test_an_accepted_budget_is_named_when_verbose_and_when_quiet(run: Run) -> None:
    source = slow(", max_executions=212, on_budget='pass'")
    run(source, "-v").stdout.fnmatch_lines(["test_it.py::test_slow PASSED WITHIN BUDGET*"])
    run(source, "-q").stdout.fnmatch_lines([f"test_it.py::test_slow: {LINE}", "1 passed within budget in *"])


def test_options_and_variables_accept_budgets(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    source = slow(", max_executions=212")
    assert run(source).ret == 1
    assert run(source, "--probtest-on-budget", "pass").ret == 0
    monkeypatch.setenv("PROBTEST_ON_BUDGET", "pass")
    assert run(source).ret == 0
    assert run(slow(", max_executions=212, on_budget='fail'")).ret == 1


def test_files_never_call_an_accepted_budget_passed(run: Run, pytester: pytest.Pytester) -> None:
    run(slow(", max_time=212, on_budget='pass'"), "--probtest-json", "facts.json", "--junitxml", "junit.xml")
    (facts,) = json.loads((pytester.path / "facts.json").read_text())["tests"]
    assert facts["verdict"] == "passed_within_budget"
    assert facts["reason"]["kind"] == "time"
    assert facts["attained"]["executions"] == 212
    assert "--probtest-max-executions 212 --probtest-max-time off" in facts["rerun"]
    found = ElementTree.parse(pytester.path / "junit.xml").iter("property")
    properties = {entry.get("name"): entry.get("value") for entry in found}
    assert properties["probtest_verdict"] == "passed_within_budget"
    assert "one of 0.0183 or more would have been seen" in (properties["probtest_attained"] or "")


def test_nothing_attained_is_never_accepted(run: Run) -> None:
    result = run(slow(", max_executions=1, on_budget='pass'"))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["  attained  nothing: *"])


def test_a_bad_word_is_an_error_of_that_test(run: Run) -> None:
    result = run(slow(", on_budget=True"))
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*probtest: error: on_budget is neither pass nor fail", "*given  True"])


def test_a_test_with_fixtures_that_is_cut_is_torn_down_once_for_each_execution(run: Run) -> None:
    result = run(
        CLOCK
        + """
    alive, ended = [], []

    @pytest.fixture
    def thing():
        alive.append(1)
        yield
        ended.append(1)

    @pytest.mark.probtest(p=0.01, epsilon=0.02, max_time=5, on_budget="pass")
    def test_cut(thing):
        second()

    def test_balance():
        assert len(alive) == len(ended) == 5
"""
    )
    assert result.ret == 0
    result.stdout.fnmatch_lines(["* 1 passed, 1 passed within budget in *"])


def test_an_accepted_budget_under_xfail_is_an_xpass(run: Run) -> None:
    source = slow(", max_executions=212, on_budget='pass'").replace(
        "@pytest.mark.probtest", "@pytest.mark.xfail\n    @pytest.mark.probtest"
    )
    result = run(source)
    result.assert_outcomes(xpassed=1)
    result.stdout.fnmatch_lines([f"test_it.py::test_slow: {LINE}"])


def test_under_xdist_a_pass_within_budget_is_told(pytester: pytest.Pytester) -> None:
    pytest.importorskip("xdist")
    pytester.makepyfile(test_it=slow(", max_time=212, on_budget='pass'"))
    result = pytester.runpytest_subprocess("-n", "2", "-p", "no:randomly", "--probtest-seed", "1")
    assert result.ret == 0
    result.stdout.fnmatch_lines([f"test_it.py::test_slow: {LINE}", "* 1 passed within budget in *"])


def test_check_has_limits_too() -> None:
    now = 0

    def body() -> None:
        nonlocal now
        now += 1

    timing.clock = lambda: now * 1_000_000_000
    result = probtest.check(body, p=0.01, epsilon=0.02, max_time="3m32s", on_budget="pass", seed=1, name="x")
    assert (result.executed, result.verdict, result.passed, result.accepted) == (
        212,
        "passed_within_budget",
        False,
        True,
    )
    assert bool(result)
    assert "rerun     probtest.check(.., seed=0x1, max_executions=212, name='x')" in str(result)
    with pytest.raises(probtest.Inconclusive, match="max_time = 1s was over before the plan"):
        probtest.check(body, p=0.01, max_time=timedelta(seconds=1))
    with pytest.raises(probtest.ClaimError, match="neither pass nor fail"):
        probtest.check(body, p=0.01, on_budget="maybe")
