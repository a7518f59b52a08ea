"""Limits of time and a suite's chances for claims on what a test returns, and for estimates."""

from __future__ import annotations

import random
from xml.etree import ElementTree

import pytest

import probtest
from probtest import sources

from .clock import CLOCK
from .conftest import Run
from .words import fact, inconclusive_after, over_before, written

SLOW = (
    CLOCK
    + """
    MEAN = probtest.mean(between=(0, 1), within=(0.45, 0.55), margin=0.02)
    FIT = probtest.fit(outcomes={"a": 0.5, "b": 0.5}, distance=0.02)

    @pytest.mark.probtest(claim=MEAN{more})
    def test_mean(): return second()

    @pytest.mark.probtest(claim=FIT{more})
    def test_fit(): return "a" if second() < 0.5 else "b"
"""
)

#: Four tests of ours: two on what they return, one that tolerates a rate.
SUITE = """
    import random, pytest, probtest

    @pytest.mark.probtest(claim=probtest.mean(between=(0, 1), within=(0.4, 0.6), margin=0.2))
    def test_mean(): return random.random()

    @pytest.mark.probtest(
        claim=probtest.fit(outcomes={"a": 0.5, "b": 0.5}, distance=0.3, epsilon=1e-6, false_alarm=1e-9)
    )
    def test_strong(): return random.choice("ab")

    @pytest.mark.probtest(tolerate=0.01, p=0.5)
    def test_tolerates(): random.random()

    @pytest.mark.probtest(p=0.1)
    def test_detects(): random.random()
"""


def slow(more: str = "") -> str:
    return SLOW.replace("{more}", more)


def test_tests_of_returned_values_out_of_time_fail_and_say_what_is_known(
    run: Run, pytester: pytest.Pytester
) -> None:
    result = run(slow(", max_time='40s'"), "--probtest-json", "facts.json", "--junitxml", "junit.xml")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(
        [
            inconclusive_after(40, "at most *"),
            fact("reason", over_before("40s", "the decision")),
            fact("observed", "mean 0.* (0.* to 0.* with confidence 0.95)"),
            "  help      raise max_time, margin, epsilon or false_alarm; on_budget = *",
            "  rerun     pytest test_it.py::test_mean --probtest-seed 0x1 --probtest-max-executions 40 "
            "--probtest-max-time off",
            inconclusive_after(40, "at most *"),
            "  observed  a *, b *",
            "  help      raise max_time, distance, epsilon or false_alarm; on_budget = *",
        ]
    )
    known = written(pytester)[0]["test_mean"]["attained"]["words"]
    assert known.startswith("mean 0.")
    case = ElementTree.parse(pytester.path / "junit.xml").find(".//testcase[@name='test_mean']")
    assert case is not None
    properties = {one.get("name"): one.get("value") for one in case.iter("property")}
    assert properties["probtest_attained"] == known
    assert str(properties["probtest_claim"]).startswith("mean 0.45 to 0.55, margin = 0.02")
    assert "probtest_p" not in properties


def test_an_estimate_out_of_time_has_the_interval_so_far() -> None:
    drawn: list[float] = []
    sources.clock = lambda: len(drawn) * 1_000_000_000
    cut = probtest.estimate(
        lambda: drawn.append(random.random()) or drawn[-1] < 0.9, width=0.05, seed=7, name="x", max_time=30
    )
    assert (cut.executed, cut.verdict) == (30, "inconclusive")
    assert fact("reason", over_before("30s", "the interval was narrow enough")) in str(cut)
    line = "probtest.estimate(.., seed=0x7, max_executions=30, name='x')"
    assert fact("rerun", line) in str(cut)
    again = probtest.estimate(lambda: random.random() < 0.9, width=0.05, seed=7, name="x", max_executions=30)
    assert (again.rate, again.violated) == (cut.rate, cut.violated)
    assert again.to_dict()["rerun"] is None


def test_returned_values_have_their_parts_of_both_chances(run: Run, pytester: pytest.Pytester) -> None:
    chances = ["--probtest-suite-epsilon", "0.04", "--probtest-suite-false-alarm", "4e-7"]
    run(SUITE, *chances, "--probtest-json", "facts.json").assert_outcomes(passed=4)
    tests, suite = written(pytester)
    parts = {
        name: (test["claim"]["epsilon_exact"], test["claim"].get("false_alarm_exact"))
        for name, test in tests.items()
    }
    assert parts == {
        "test_mean": ("0.01", "1e-7"),
        "test_strong": ("1e-6", "1e-9"),
        "test_tolerates": ("0.01", "1e-7"),
        "test_detects": ("0.01", None),
    }
    claim = probtest.mean(between=(0, 1), within=(0.4, 0.6), margin=0.2, epsilon="0.01", false_alarm="1e-7")
    assert tests["test_mean"]["planned"] == claim.planned
    assert tests["test_mean"]["suite"]["epsilon"]["tests"] == 4
    assert (suite["epsilon"]["executed"], suite["epsilon"]["bound"]) == (4, 0.04)
    alarm = suite["false_alarm"]
    assert (alarm["tolerating"], alarm["numeric"], alarm["strict"]) == (1, 2, 1)


def test_labels_that_do_not_fit_have_a_line_that_executes_all_of_them_again() -> None:
    claim = probtest.fit(outcomes={"a": 0.9, "b": 0.1}, distance=0.05)
    result = probtest.check(lambda: random.choice("ab"), claim=claim, seed=5, name="x", raises=False)
    assert fact("rerun", "probtest.check(.., seed=0x5, name='x')") in str(result)
