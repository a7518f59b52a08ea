"""NumPy. `make test` runs these too: NumPy is installed there."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

import probtest

ORDERS = {"".join(map(str, order)): "1/24" for order in permutations(range(4))}


@pytest.mark.probtest(claim=probtest.fit(outcomes=ORDERS, distance=0.02))
def test_numpy_permutation() -> str:
    """numpy: each order of a permutation is as likely as the others (docs of `Generator.permutation`)"""
    rng = np.random.default_rng(np.random.randint(2**32, dtype=np.uint64))
    return "".join(map(str, rng.permutation(4)))


@pytest.mark.probtest(claim=probtest.fit(outcomes={"a": 0.1, "b": 0.3, "c": 0.6}, distance=0.05))
def test_numpy_choice() -> str:
    """numpy: `p` has the probabilities of the entries (docs of `Generator.choice`)"""
    rng = np.random.default_rng(np.random.randint(2**32, dtype=np.uint64))
    return str(rng.choice(["a", "b", "c"], p=[0.1, 0.3, 0.6]))
