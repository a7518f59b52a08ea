"""Unit tests for programs that use randomness.

Under pytest, mark a test::

    @pytest.mark.probtest(p=0.01, epsilon=0.02)
    def test_walk():
        assert walk(20) < 21

Elsewhere, call :func:`check`. Both say how many executions are enough, execute
them, and tell what the answer is worth. :func:`mean` and :func:`fit` are claims on
what the test returns; :func:`estimate` finds a violation rate.
"""

from __future__ import annotations

from ._native import ClaimError, NumericClaim, Rejected, __version__
from .checking import CheckResult, Inconclusive, Violated, check, replay
from .estimating import Estimate, estimate
from .executing import assume, outcome
from .numeric import NumericResult, check_returned, fit, mean
from .planning import Plan, Sensitivity, epsilon_attained, interval, plan, sensitivity, smallest_p

__all__ = [
    "CheckResult",
    "ClaimError",
    "Estimate",
    "Inconclusive",
    "NumericClaim",
    "NumericResult",
    "Plan",
    "Rejected",
    "Sensitivity",
    "Violated",
    "__version__",
    "assume",
    "check",
    "check_returned",
    "epsilon_attained",
    "estimate",
    "fit",
    "interval",
    "mean",
    "outcome",
    "plan",
    "replay",
    "sensitivity",
    "smallest_p",
]
