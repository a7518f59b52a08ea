"""Coins: ten million executions in batches, beside bare NumPy, in one process.

    coins.py ROUNDS

Ten million coins take NumPy 30 ms, which is lost in the noise of a process that
starts; so the two are timed inside one, in turns, and the best of each is printed
as JSON. Executed in the environment of probtest by `measuring`.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable

import numpy

import probtest

EXECUTIONS = 10_000_000
#: The claim that needs them, with epsilon = 0.05.
P = "2.995732e-7"
#: The executions of one batch.
SIZES = (1_000, 10_000)


def main() -> None:
    """Measure and print {size: {"bare": [wall, processor], "ours": [wall, processor]}}."""
    rounds = int(sys.argv[1])
    print(json.dumps({size: measured(size, rounds) for size in SIZES}))


def measured(size: int, rounds: int) -> dict[str, list[float]]:
    rng = numpy.random.default_rng(1)

    def coins() -> object:
        return rng.random(size) < 1

    def bare() -> None:
        for _ in range(EXECUTIONS // size):
            coins()

    def ours() -> None:
        result = probtest.check(coins, p=P, epsilon="0.05", batch=size)
        if result.executed != EXECUTIONS:
            sys.exit(f"error: {result.executed} executions instead of {EXECUTIONS}")

    best = {"bare": [float("inf")] * 2, "ours": [float("inf")] * 2}
    for _ in range(rounds):
        for name, function in (("bare", bare), ("ours", ours)):
            best[name] = [min(pair) for pair in zip(best[name], timed(function), strict=True)]
    return best


def timed(function: Callable[[], None]) -> tuple[float, float]:
    wall, processor = time.perf_counter(), time.process_time()
    function()
    return time.perf_counter() - wall, time.process_time() - processor


if __name__ == "__main__":
    main()
