"""Limits of executions and time, and passes within them. The clock is one that the tests move."""

from __future__ import annotations

import random
from datetime import timedelta
from typing import Any
from xml.etree import ElementTree

import pytest

import probtest
from probtest import sources

from .clock import CLOCK
from .conftest import Run
from .words import (
    arguments_of,
    below_the_plan,
    drawn,
    fact,
    inconclusive_after,
    missed_with,
    over_before,
    seen_with,
    within_budget,
    written,
)

SLOW = (
    CLOCK
    + """
    from datetime import timedelta

    @pytest.mark.probtest(p=0.01, epsilon=0.02{more})
    def test_slow(): second()
"""
)

#: What a duration that makes no sense is told.
YEAR = "max_time must be above 0 and at most a year"


def slow(more: str = "") -> str:
    return SLOW.format(more=more)


def test_a_test_out_of_time_says_what_was_attained_and_its_line_executes_the_same_again(run: Run) -> None:
    source = slow(", max_time='3m32s', max_executions=300")
    first = run(source)
    first.assert_outcomes(failed=1)
    first.stdout.fnmatch_lines(
        [
            inconclusive_after(212, 390),
            fact("reason", over_before("3m32s")),
            fact("achieved", missed_with(0.01, 0.1188)),
            fact("", seen_with(0.0183, 0.98)),
            fact(
                "rerun",
                "pytest test_it.py::test_slow --probtest-seed 0x1 --probtest-max-executions 212 "
                "--probtest-max-time off --probtest-epsilon 0.02",
            ),
        ]
    )
    again = run(source, *arguments_of(first, "rerun"))
    again.stdout.fnmatch_lines([below_the_plan(212)])
    assert drawn(first) == drawn(again) != []


def test_the_line_has_what_the_claim_came_from(run: Run) -> None:
    # A plan of 459 executions by its part of the suite's epsilon, where 0.05 would end at 299.
    source = slow(", max_time=400").replace(", epsilon=0.02", "")
    cut = run(source, "--probtest-suite-epsilon", "0.01")
    words = arguments_of(cut, "rerun")
    assert words[-2:] == ["--probtest-suite-epsilon", "0.01"]
    again = run(source, *words)
    again.stdout.fnmatch_lines([inconclusive_after(400, 459), below_the_plan(400)])


@pytest.mark.parametrize("span", ["10s", 10, 10.0, timedelta(seconds=10), "0m 10 s"])
def test_a_duration_is_text_seconds_or_a_timedelta(span: Any) -> None:
    calls: list[float] = []
    sources.clock = lambda: len(calls) * 1_000_000_000
    cut = probtest.check(lambda: calls.append(random.random()), p=0.01, max_time=span, raises=False)
    assert cut.executed == 10
    assert fact("reason", over_before("10s")) in str(cut)


@pytest.mark.parametrize(
    ("limit", "words"),
    [
        ("30", "max_time has no unit"),
        ("soon", "max_time is not a duration"),
        (0, YEAR),
        (-1, YEAR),
        (float("nan"), YEAR),
        (float("inf"), YEAR),
        (10**30, YEAR),
        (timedelta(days=999999), YEAR),
        (True, "max_time is not a duration"),
        ([1], "max_time is not a duration"),
    ],
)
def test_what_is_no_duration_is_refused(limit: Any, words: str) -> None:
    with pytest.raises(probtest.ClaimError, match=words):
        probtest.check(lambda: None, p=0.1, max_time=limit)


def test_the_marker_wins_over_a_variable_and_off_wins_over_the_marker(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROBTEST_MAX_TIME", "8s")
    run(slow()).stdout.fnmatch_lines([inconclusive_after(8, 390)])
    run(slow(", max_time=5")).stdout.fnmatch_lines([inconclusive_after(5, 390)])
    run(slow(", max_time=5"), "--probtest-max-time", "off").assert_outcomes(passed=1)


TWO = (
    CLOCK
    + """
    @pytest.mark.probtest(p=0.01, epsilon=0.02, max_time='1h')
    def test_first(): second()

    @pytest.mark.probtest(p=0.5)
    def test_second(): second()

    def test_of_another_kind(): pass
"""
)


def test_the_time_of_the_suite_is_shared(run: Run) -> None:
    # Half of it for the first, so that the second is not left without.
    result = run(TWO, "--probtest-suite-max-time", "100s")
    result.assert_outcomes(failed=1, passed=2)
    result.stdout.fnmatch_lines(
        [
            inconclusive_after(50, 390),
            fact("reason", over_before("1m40s", limit="this test's share of the suite's max_time")),
        ]
    )
    run(TWO, "--probtest-suite-max-time", "780s").assert_outcomes(passed=3)


def test_a_test_for_which_no_time_is_left_is_not_reached(run: Run, pytester: pytest.Pytester) -> None:
    long = TWO.replace("now += 1", "now += 100")
    result = run(long, "--probtest-suite-max-time", "40s", "-rs", "--probtest-json", "facts.json")
    result.assert_outcomes(failed=1, skipped=1, passed=1)
    result.stdout.fnmatch_lines(["SKIPPED *not reached: suite_max_time = 40s ran out before it started"])
    facts, _ = written(pytester)
    assert facts["test_second"]["verdict"] == "inconclusive"
    assert facts["test_second"]["reason"]["kind"] == "not_reached"


LINE = within_budget(212, 390, 0.0183, 0.98)


@pytest.mark.parametrize(
    ("limit", "option", "first", "last"),
    [
        ("max_time=212", "-rf", "test_it.py b*", "* 1 passed within budget in *"),
        (
            "max_executions=212",
            "-v",
            "test_it.py::test_slow PASSED WITHIN BUDGET*",
            "* 1 passed within budget *",
        ),
        ("max_executions=212", "-q", "b *", "1 passed within budget in *"),
    ],
)
def test_an_accepted_budget_is_counted_apart_and_told(
    run: Run, limit: str, option: str, first: str, last: str
) -> None:
    result = run(slow(f", {limit}, on_budget='pass'"), option)
    assert result.ret == 0
    result.stdout.fnmatch_lines([first, f"test_it.py::test_slow: {LINE}", last])
    assert " 1 passed in " not in result.stdout.str()


def test_the_run_accepts_budgets_where_the_marker_says_nothing(run: Run) -> None:
    for more, code in (("", 0), (", on_budget='fail'", 1)):
        assert run(slow(f", max_executions=212{more}"), "--probtest-on-budget", "pass").ret == code


def test_files_never_call_an_accepted_budget_passed(run: Run, pytester: pytest.Pytester) -> None:
    run(slow(", max_time=212, on_budget='pass'"), "--probtest-json", "facts.json", "--junitxml", "junit.xml")
    facts = written(pytester)[0]["test_slow"]
    assert facts["verdict"] == "passed_within_budget"
    assert facts["reason"]["kind"] == "time"
    assert facts["attained"]["executions"] == 212
    assert "--probtest-max-executions 212 --probtest-max-time off" in facts["rerun"]
    found = ElementTree.parse(pytester.path / "junit.xml").iter("property")
    properties = {entry.get("name"): entry.get("value") for entry in found}
    assert properties["probtest_verdict"] == "passed_within_budget"
    assert seen_with(0.0183, 0.98) in (properties["probtest_attained"] or "")


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
    def test_cut(thing): second()

    def test_balance(): assert len(alive) == len(ended) == 5
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


def test_check_has_limits_too() -> None:
    now = 0

    def body() -> None:
        nonlocal now
        now += 1

    sources.clock = lambda: now * 1_000_000_000
    result = probtest.check(body, p=0.01, epsilon=0.02, max_time="3m32s", on_budget="pass", seed=1, name="x")
    assert (result.executed, result.verdict, result.passed, result.accepted) == (
        212,
        "passed_within_budget",
        False,
        True,
    )
    assert bool(result)
    assert "rerun     probtest.check(.., seed=0x1, max_executions=212, name='x')" in str(result)
    with pytest.raises(probtest.Inconclusive, match=over_before("1s")):
        probtest.check(body, p=0.01, max_time=timedelta(seconds=1))
    with pytest.raises(probtest.ClaimError, match="neither pass nor fail"):
        probtest.check(body, p=0.01, on_budget="maybe")
