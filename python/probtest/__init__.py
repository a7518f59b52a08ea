"""Unit tests for programs that use randomness.

Under pytest, mark a test::

    @pytest.mark.probtest(p=0.01, epsilon=0.02)
    def test_walk():
        assert walk(20) < 21

Elsewhere, call :func:`check`. Both say how many executions are enough, execute
them, and tell what the answer is worth.
"""

from __future__ import annotations

from ._native import ClaimError, Rejected, __version__
from .checking import CheckResult, Inconclusive, Violated, check, replay
from .executing import assume, outcome
from .planning import Plan, Sensitivity, epsilon_attained, interval, plan, sensitivity, smallest_p

__all__ = [
    "CheckResult",
    "ClaimError",
    "Inconclusive",
    "Plan",
    "Rejected",
    "Sensitivity",
    "Violated",
    "__version__",
    "assume",
    "check",
    "epsilon_attained",
    "interval",
    "outcome",
    "plan",
    "replay",
    "sensitivity",
    "smallest_p",
]
