"""Unit tests for programs that use randomness.

Under pytest, mark a test::

    @pytest.mark.probtest(p=0.01, epsilon=0.02)
    def test_walk():
        assert walk(20) < 21

Elsewhere, call :func:`check`. Both work out how many executions are enough, run them, and report how much the
result proves. :func:`mean` and :func:`fit` are claims about what the test returns; :func:`estimate` measures
a violation rate, and :func:`compare` finds out whether a new version is worse than an old one.
"""

from __future__ import annotations

from ._native import Claim, ClaimError, Rejected, __version__
from .checking import (
    Change,
    Inconclusive,
    InDoubt,
    Note,
    Rate,
    Result,
    Story,
    Violated,
    assume,
    check,
    compare,
    estimate,
    probtest,
    replay,
)
from .engines import EngineError
from .inputs import draw
from .planning import Plan, Sensitivity, epsilon_attained, fit, interval, mean, plan, sensitivity, smallest_p
from .saying import cost, label, outcome, record, rng

__all__ = [
    "Change",
    "Claim",
    "ClaimError",
    "EngineError",
    "InDoubt",
    "Inconclusive",
    "Note",
    "Plan",
    "Rate",
    "Rejected",
    "Result",
    "Sensitivity",
    "Story",
    "Violated",
    "__version__",
    "assume",
    "check",
    "compare",
    "cost",
    "draw",
    "epsilon_attained",
    "estimate",
    "fit",
    "interval",
    "label",
    "mean",
    "outcome",
    "plan",
    "probtest",
    "record",
    "replay",
    "rng",
    "sensitivity",
    "smallest_p",
]
