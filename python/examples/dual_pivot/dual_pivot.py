"""A quicksort with two random pivots, and a bug that most inputs and some pivots hide."""

from __future__ import annotations

import random
from collections.abc import Callable

#: Says whether a value belongs between two pivots.
Between = Callable[[int, int, int], bool]


def sort(xs: list[int]) -> list[int]:
    """Sort by two random pivots: what is smaller, what lies between them, and what is larger."""
    return _sorted(xs, lambda low, x, high: low <= x <= high)


def hasty_sort(xs: list[int]) -> list[int]:
    """Do the same. Copies are thought of where the pivots are equal, and lost where they differ."""
    return _sorted(xs, lambda low, x, high: x == low if low == high else low < x < high)


def _sorted(xs: list[int], is_between: Between) -> list[int]:
    if len(xs) < 2:
        return list(xs)
    first, second = random.sample(range(len(xs)), 2)
    low, high = sorted((xs[first], xs[second]))
    rest = [x for place, x in enumerate(xs) if place not in (first, second)]
    smaller = [x for x in rest if x < low]
    between = [x for x in rest if is_between(low, x, high)]
    larger = [x for x in rest if x > high]
    if low == high:
        # All of them are sorted.
        return [*_sorted(smaller, is_between), low, *between, high, *_sorted(larger, is_between)]
    parts = (_sorted(part, is_between) for part in (smaller, between, larger))
    return [*next(parts), low, *next(parts), high, *next(parts)]
