"""Apache DataSketches: do the bounds hold as often as they say?"""

from __future__ import annotations

import random

import numpy as np
import pytest

datasketches = pytest.importorskip("datasketches")

ITEMS = 20_000
#: Two standard deviations of a normal distribution leave this much: erfc(2 / sqrt(2)).
BEYOND_TWO = "0.0456"


def holds(sketch) -> bool:
    start = random.getrandbits(62)
    for item in range(start, start + ITEMS):
        sketch.update(item)
    return sketch.get_lower_bound(2) <= ITEMS <= sketch.get_upper_bound(2)


@pytest.mark.probtest(tolerate=BEYOND_TWO, p=0.1)
def test_datasketches_hll() -> None:
    """datasketches: bounds "given the specified number of standard deviations", here 2, leave 0.0455
    (docs of `hll_sketch`)"""
    assert holds(datasketches.hll_sketch(10))


@pytest.mark.probtest(tolerate=BEYOND_TWO, p=0.1)
def test_datasketches_theta() -> None:
    """datasketches: bounds at 2 standard deviations leave 0.0455 (docs of `update_theta_sketch`)"""
    assert holds(datasketches.update_theta_sketch(10))


@pytest.mark.probtest(tolerate=0.01, p=0.03)
def test_datasketches_kll() -> None:
    """datasketches: the rank of a quantile is within `normalized_rank_error` in 99 %
    (docs of `kll_doubles_sketch`)"""
    sketch, numbers = datasketches.kll_doubles_sketch(200), np.random.random(ITEMS)
    sketch.update(numbers)
    rank = np.mean(numbers <= sketch.get_quantile(0.5))
    assert abs(rank - 0.5) <= sketch.normalized_rank_error(False)
