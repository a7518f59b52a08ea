"""diffprivlib: do the mechanisms say as much of the truth as epsilon allows?"""

from __future__ import annotations

import math
import random

import pytest

import probtest

mechanisms = pytest.importorskip("diffprivlib.mechanisms")

#: With this epsilon an answer is three times as likely for one input as for the other.
EPSILON = math.log(3)


@pytest.mark.probtest(claim=probtest.fit(outcomes={"yes": "3/4", "no": "1/4"}, distance=0.05))
def test_diffprivlib_binary() -> str:
    """diffprivlib: a binary answer is kept with probability e^epsilon / (1 + e^epsilon)
    (paper in docs of `Binary`)"""
    mechanism = mechanisms.Binary(
        epsilon=EPSILON, value0="no", value1="yes", random_state=random.getrandbits(32)
    )
    return mechanism.randomise("yes")


@pytest.mark.probtest(
    claim=probtest.fit(outcomes={"less": "1/4", "same": "1/2", "more": "1/4"}, distance=0.05)
)
def test_diffprivlib_geometric() -> str:
    """diffprivlib: a count is kept with probability (1 - a) / (1 + a), a = e^-epsilon
    (paper in docs of `Geometric`)"""
    noise = mechanisms.Geometric(epsilon=EPSILON, random_state=random.getrandbits(32)).randomise(0)
    return "same" if noise == 0 else "more" if noise > 0 else "less"
