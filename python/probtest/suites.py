"""What all tests of a run promise together."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from . import _native
from .budgets import WITHIN_BUDGET

_HELP = {
    "epsilon": "chance of missing of all tests together, divided over the tests of the run",
    "false_alarm": "chance of false alarms of all tests together, divided over the tests of the run",
}


def add_options(parser: pytest.Parser, group: Any) -> None:
    for name, text in _HELP.items():
        option = f"--probtest-suite-{name.replace('_', '-')}"
        group.addoption(option, metavar="CHANCE", default=None, help=text)
        parser.addini(f"probtest_suite_{name}", f"as {option}", default=None)


class SuitePromise:
    """Chances that are divided over the tests of a run."""

    def __init__(self, given: Callable[[str, str], str | None]) -> None:
        #: The chances that are given, as text.
        self.chances: dict[str, str] = {}
        for name in _HELP:
            text = given(f"probtest_suite_{name}", f"PROBTEST_SUITE_{name.upper()}")
            if text is None:
                continue
            try:
                _native.parse_probability(text)
            except _native.ClaimError as error:
                raise _native.ClaimError(f"the suite's {name} cannot be used: {error}") from None
            self.chances[name] = text
        #: How many tests share them; known when all are collected.
        self.tests = 0

    def header(self) -> list[str]:
        return [
            f"probtest: {name} = {chance} is divided over the tests of this run"
            for name, chance in self.chances.items()
        ]

    def count(self, items: Iterable[pytest.Item], everywhere: bool) -> None:
        """Count the tests that are executed as often as their claim needs.

        Not those with a claim on a mean or on labels: their chances stay their own.
        """
        markers = [item.get_closest_marker("probtest") for item in items if isinstance(item, pytest.Function)]
        self.tests = sum(
            everywhere if marker is None else marker.kwargs.get("claim") is None for marker in markers
        )

    def limit(self, claim: _native.Claim) -> _native.Claim:
        """Give a claim its parts, unless its own chances are smaller."""
        if not self.chances or not self.tests:
            return claim
        return _native.limit_claim(claim, self.tests, **self.chances)

    def apply(self, session: _native.Session) -> None:
        """Tell a session what it is part of."""
        if self.chances and self.tests:
            session.part_of(self.tests, **self.chances)


def summary(facts: Iterable[dict[str, Any]]) -> tuple[dict[str, Any], list[str]] | None:
    """Return what the tests of a run promise together, as facts and as lines.

    From the facts of the tests alone: under xdist the tests are counted in the workers.
    """
    facts = list(facts)
    # Claims on means and labels have no part in a promise of the suite.
    apart = {fact["nodeid"] for fact in facts if "suite" not in fact}
    sharing = [fact for fact in facts if fact.get("suite") is not None]
    if not sharing:
        return None
    suite, lines = {}, []
    for name, share in sharing[0]["suite"].items():
        count = {"epsilon": _epsilon, "false_alarm": _false_alarm}[name]
        found, words = count(share, sharing)
        suite[name] = json.loads(found)
        lines += words
    if apart:
        one = len(apart) == 1
        lines.append(
            f"suite: {len(apart)} {'test' if one else 'tests'} with a claim on a mean or on labels "
            f"{'keeps its' if one else 'keep their'} own chances and {'is' if one else 'are'} not part of it"
        )
    return suite, lines


def _epsilon(share: dict[str, Any], facts: list[dict[str, Any]]) -> tuple[str, list[str]]:
    times = Counter(fact["nodeid"] for fact in facts)
    within = [fact["attained"]["miss"] for fact in facts if fact["verdict"] == WITHIN_BUDGET]
    repeated = sum(count > 1 for count in times.values())
    return _native.suite_epsilon(share["total_exact"], share["tests"], len(times), within, repeated)


def _false_alarm(share: dict[str, Any], facts: list[dict[str, Any]]) -> tuple[str, list[str]]:
    tolerating = {fact["nodeid"] for fact in facts if "tolerate" in fact["claim"]}
    strict = {fact["nodeid"] for fact in facts} - tolerating
    undecided = sum(fact["nodeid"] in tolerating and fact["verdict"] == "inconclusive" for fact in facts)
    return _native.suite_false_alarm(
        share["total_exact"], share["tests"], len(tolerating), len(strict), undecided
    )
