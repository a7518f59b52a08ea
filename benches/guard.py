"""What looking at executions costs: the time of whole tests with the guard, and without it.

    .venv/bin/python benches/guard.py

Each line is a test of p = 0.01, 299 executions: its time without the guard, the ratio of the
two, and what the guard adds to the whole test. The least processor time of several runs counts, taken in
turns, since other programs only ever add time.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import probtest
from probtest import checking, guard

RUNS = 15
LARGE = {number: str(number) for number in range(200_000)}


class Off(guard.Guard):
    """A guard that never looks."""

    def probe(self, begins: bool, number: int) -> int | None:  # noqa: ARG002
        return None


def one_microsecond() -> None:
    random.random()


def a_dict_of_200_000_entries() -> None:
    kept = LARGE
    assert kept[random.randrange(200_000)]
    busy(1e-3)


def a_hundred_thousand_instructions() -> None:
    total = 0.0
    for _ in range(10_000):
        total += random.random()


def twenty_milliseconds_of_numpy() -> None:
    matrix = np.random.normal(size=(500, 500))
    for _ in range(4):
        matrix = matrix @ matrix.T / 500


def a_fixed_seed_in_a_millisecond() -> None:
    random.seed(0)
    random.random()
    busy(1e-3)


def nothing_random_in_a_millisecond() -> None:
    total = 0
    for number in range(6_000):
        total += abs(number)


def busy(seconds: float) -> None:
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


def seconds(body: Callable[[], object], kind: type[guard.Guard]) -> float:
    place: Any = checking
    place.Guard = kind
    begin = time.process_time()
    probtest.check(body, p=0.01, seed=1)
    return time.process_time() - begin


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    for body in (
        one_microsecond,
        a_dict_of_200_000_entries,
        a_hundred_thousand_instructions,
        twenty_milliseconds_of_numpy,
        a_fixed_seed_in_a_millisecond,
        nothing_random_in_a_millisecond,
    ):
        kinds: tuple[type[guard.Guard], ...] = (Off, guard.Guard)
        rounds = max(3, runs // 5) if body is twenty_milliseconds_of_numpy else runs
        times = [[seconds(body, kind) for kind in kinds] for _ in range(rounds)]
        without, watched = (min(column) for column in zip(*times, strict=True))
        print(
            f"{body.__name__.replace('_', ' '):34} {without * 1e3:9.2f} ms   "
            f"{watched / without:6.3f}   {(watched - without) * 1e3:+7.3f} ms"
        )


if __name__ == "__main__":
    main()
