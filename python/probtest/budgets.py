"""Limits of executions and time in a pytest run, and passes within them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from . import _native, timing

#: The verdict of a test that accepts that a limit ended before its plan.
WITHIN_BUDGET = "passed_within_budget"

_WORDS = ("pass", "fail")


def add_options(parser: pytest.Parser, group: Any) -> None:
    for name, metavar, text in (
        (
            "max-time",
            "TIME",
            "end without a verdict when this much time is over, such as 30s or 1m30s; "
            "off lifts every limit of time",
        ),
        ("suite-max-time", "TIME", "the time of all tests that probtest executes, together"),
        (
            "on-budget",
            "WORD",
            "pass accepts what was attained when a limit ends before the plan; fail (default) does not",
        ),
    ):
        group.addoption(f"--probtest-{name}", metavar=metavar, default=None, help=text)
    for key, text in (
        ("probtest_max_time", "as --probtest-max-time"),
        ("probtest_suite_max_time", "as --probtest-suite-max-time"),
        ("probtest_on_budget", "as --probtest-on-budget"),
    ):
        parser.addini(key, text, default=None)


@dataclass
class Limits:
    """What one test may use up besides a number of executions."""

    #: Nanoseconds.
    max_time: int | None = None
    suite: timing.SuiteClock | None = None
    on_budget: str | None = None

    def times(self) -> list[tuple[int, int, bool]]:
        """Return the limits of time of a test that begins now."""
        times = [] if self.max_time is None else [(self.max_time, self.max_time, False)]
        if self.suite is not None:
            times.append(self.suite.limit())
        return times

    def apply(self, session: _native.Session | _native.NumericTest) -> None:
        """Hand the limits to a test that begins now."""
        times = self.times()
        if times or self.on_budget is not None:
            session.budget(on_budget=self.on_budget, times=times, clock=timing.clock)


@dataclass
class Budgets:
    """What the run says about limits."""

    given: Callable[[str, str], str | None]
    _max_time: int | None = field(init=False, default=None)
    _suite: timing.SuiteClock | None = field(init=False, default=None)
    _on_budget: str | None = field(init=False, default=None)
    #: Whether limits of time are lifted.
    _off: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        span = self.given("probtest_max_time", "PROBTEST_MAX_TIME")
        self._off = timing.is_off(span)
        if span is not None and not self._off:
            self._max_time = timing.nanoseconds(span, "probtest-max-time")
        span = self.given("probtest_suite_max_time", "PROBTEST_SUITE_MAX_TIME")
        if span is not None:
            self._suite = timing.SuiteClock(timing.nanoseconds(span, "probtest-suite-max-time"))
        self._on_budget = self.given("probtest_on_budget", "PROBTEST_ON_BUDGET")
        if self._on_budget is not None:
            self._on_budget = word(self._on_budget)

    def limits(self, marker: Mapping[str, Any], numeric: bool = False) -> Limits:
        """Return the limits of a test whose marker says this.

        What the run says about a limit that ends first is for claims on violations:
        one on what the test returns is decided as a whole.
        """
        own = marker.get("max_time")
        span = timing.nanoseconds(own) if own is not None else self._max_time
        accepted = marker.get("on_budget")
        on_budget = None if numeric else self._on_budget
        if accepted is not None:
            on_budget = word(accepted)
        if self._off:
            return Limits(None, None, on_budget)
        return Limits(span, self._suite, on_budget)


def word(given: object) -> str:
    """Read what becomes of a test whose limit ends first."""
    found = given.strip() if isinstance(given, str) else given
    if found not in _WORDS:
        raise _native.ClaimError(
            "on_budget is neither pass nor fail\n"
            f"  given  {given}\n"
            "  help   write pass to accept what was attained when a budget ends before the plan; "
            "fail is the default"
        )
    return str(found)


def status(report: Any) -> tuple[str, str, tuple[str, dict[str, bool]]] | None:
    """Return how pytest counts and shows a pass within budget; None for everything else."""
    facts = getattr(report, "probtest", None)
    if report.when != "call" or not report.passed or hasattr(report, "wasxfail") or facts is None:
        return None
    if facts["verdict"] != WITHIN_BUDGET:
        return None
    return "passed within budget", "b", ("PASSED WITHIN BUDGET", {"yellow": True})


def properties(facts: Mapping[str, Any]) -> list[tuple[str, object]]:
    """Return what JUnit's file says about a test that was cut."""
    attained = facts.get("attained")
    return [] if attained is None else [("probtest_attained", attained["words"])]
