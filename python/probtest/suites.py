"""What all tests of a run promise together."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from . import _native
from .budgets import WITHIN_BUDGET


def add_options(parser: pytest.Parser, group: Any) -> None:
    group.addoption(
        "--probtest-suite-epsilon",
        metavar="EPSILON",
        default=None,
        help="chance of missing of all tests together, divided over the tests of the run",
    )
    parser.addini("probtest_suite_epsilon", "as --probtest-suite-epsilon", default=None)


class SuitePromise:
    """Chances that are divided over the tests of a run."""

    def __init__(self, given: Callable[[str, str], str | None]) -> None:
        self.epsilon: str | None = given("probtest_suite_epsilon", "PROBTEST_SUITE_EPSILON")
        if self.epsilon is not None:
            try:
                _native.parse_probability(self.epsilon)
            except _native.ClaimError as error:
                raise _native.ClaimError(f"the suite's epsilon cannot be used: {error}") from None
        #: How many tests share them; known when all are collected.
        self.tests = 0

    def count(self, items: Iterable[pytest.Item], everywhere: bool) -> None:
        """Count the tests that are executed as often as their claim needs."""
        self.tests = sum(
            isinstance(item, pytest.Function)
            and (everywhere or item.get_closest_marker("probtest") is not None)
            for item in items
        )

    def limit(self, claim: _native.Claim) -> _native.Claim:
        """Give a claim its part, unless its own is smaller."""
        if self.epsilon is None or not self.tests:
            return claim
        return _native.limit_epsilon(claim, self.epsilon, self.tests)

    def apply(self, session: _native.Session) -> None:
        """Tell a session what it is part of."""
        if self.epsilon is not None and self.tests:
            session.part_of(epsilon=(self.epsilon, self.tests))


def summary(facts: Iterable[dict[str, Any]]) -> tuple[dict[str, Any], list[str]] | None:
    """Return what the tests of a run promise together, as facts and as lines.

    From the facts of the tests alone: under xdist the tests are counted in the workers.
    """
    sharing = [fact for fact in facts if fact["suite"] is not None]
    if not sharing:
        return None
    share = sharing[0]["suite"]["epsilon"]
    times = Counter(fact["nodeid"] for fact in sharing)
    within = [fact["attained"]["miss"] for fact in sharing if fact["verdict"] == WITHIN_BUDGET]
    repeated = sum(count > 1 for count in times.values())
    found, lines = _native.suite_epsilon(share["total_exact"], share["tests"], len(times), within, repeated)
    return {"epsilon": json.loads(found)}, lines
