"""Batches beside tolerated rates, limits of time and a suite: the same as one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import probtest
from probtest import sources

from .clock import CLOCK
from .conftest import Run
from .words import arguments_of, below_the_plan, drawn, written

SIZE = 16


class Executions:
    """Outcomes that depend on the number of the execution alone."""

    def __init__(self, violates: Callable[[int], bool], second: bool = False) -> None:
        self._violates = violates
        self.begun = 0
        if second:
            sources.clock = lambda: self.begun * 1_000_000_000

    def one(self) -> bool:
        self.begun += 1
        return not self._violates(self.begun)

    def batch(self) -> list[bool]:
        return [self.one() for _ in range(SIZE)]


def came_to(result: probtest.CheckResult) -> dict[str, Any]:
    facts = result.to_dict()
    fields = ("verdict", "executed", "passed", "violated", "rejected", "planned", "index", "rate", "attained")
    return {field: facts[field] for field in fields}


def both(violates: Callable[[int], bool], **claim: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    options = {"seed": 1, "name": "x", "raises": False, **claim}
    single = probtest.check(Executions(violates).one, **options)
    batched = probtest.check(Executions(violates).batch, batch=SIZE, **options)
    return came_to(single), came_to(batched)


@pytest.mark.parametrize("every", [2, 3, 5, 7, 11, 13, 40, 100, 10**9])
@pytest.mark.parametrize("most", [None, 5, 16, 33])
def test_a_tolerated_rate_is_decided_at_the_same_execution(every: int, most: int | None) -> None:
    single, batched = both(
        lambda index: index % every == 0, tolerate=0.01, p=0.1, max_executions=most, on_budget="pass"
    )
    assert single == batched


def test_both_verdicts_and_a_decision_within_a_batch_are_among_them() -> None:
    often, never = (
        both(violates, tolerate=0.01, p=0.1)[0] for violates in (lambda at: at % 2 == 0, lambda _: False)
    )
    assert (often["verdict"], never["verdict"]) == ("violated", "passed")
    assert often["index"] % SIZE != 0


@pytest.mark.parametrize("claim", [{"p": 0.01}, {"tolerate": 0.001, "p": 0.01}])
def test_a_batch_cut_by_time_is_whole_and_is_executed_again_by_its_count(claim: dict[str, Any]) -> None:
    options: dict[str, Any] = {"seed": 1, "name": "x", "raises": False, "batch": SIZE, **claim}
    cut = probtest.check(Executions(lambda _: False, second=True).batch, max_time=20, **options)
    # The clock is looked at after a whole batch: 16 seconds are not over, 32 are.
    assert (cut.verdict, cut.executed) == ("inconclusive", 2 * SIZE)
    assert f"max_executions={2 * SIZE}, name='x', batch={SIZE})" in str(cut)
    sources.clock = None
    again = probtest.check(Executions(lambda _: False).batch, max_executions=cut.executed, **options)
    assert came_to(again) == came_to(cut)
    one_by_one = {key: value for key, value in options.items() if key != "batch"}
    single = probtest.check(Executions(lambda _: False).one, max_executions=cut.executed, **one_by_one)
    assert came_to(single) == came_to(cut)


SOURCE = f"""{CLOCK}
    all_drawn = []

    def entries(limit):
        global now
        now += 10
        drawn = [random.random() for _ in range(10)]
        all_drawn.append(drawn)
        # Only what the last call printed is shown.
        print("drew", all_drawn)
        return [one < limit for one in drawn]

    @pytest.mark.probtest(p=0.01, batch=10, max_time=25)
    def test_cut(): return entries(1)

    @pytest.mark.probtest(tolerate=0.01, p=0.2, batch=10)
    def test_tolerates(): return entries(0.999)

    @pytest.mark.probtest(p=0.1, batch=10)
    def test_detects(): return entries(1)
"""


def test_batches_have_their_parts_of_a_suite(run: Run, pytester: pytest.Pytester) -> None:
    chances = ["--probtest-suite-epsilon", "0.03", "--probtest-suite-false-alarm", "3e-6"]
    run(SOURCE, *chances, "--probtest-json", "facts.json")
    tests, suite = written(pytester)
    assert {test["claim"]["epsilon_exact"] for test in tests.values()} == {"0.01"}
    assert tests["test_detects"]["planned"] == probtest.plan(0.1, "0.01").executions
    assert tests["test_detects"]["executed"] == tests["test_detects"]["planned"]
    assert (tests["test_cut"]["verdict"], tests["test_cut"]["executed"]) == ("inconclusive", 30)
    assert tests["test_tolerates"]["claim"]["false_alarm_exact"] == "1e-6"
    assert suite["epsilon"]["bound"] == 0.03


def test_the_line_of_a_cut_batch_executes_the_same_batches(run: Run) -> None:
    cut = run(SOURCE, "-k", "test_cut")
    assert [one.count("[") for one in drawn(cut)] == [1 + 3]
    again = run(SOURCE, *arguments_of(cut, "rerun"))
    again.stdout.fnmatch_lines([below_the_plan(30)])
    assert drawn(again) == drawn(cut)
