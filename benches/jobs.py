"""How much faster a test is in two processes, by what an execution takes.

For each duration the same test runs here and with `jobs=2`, in turn, several times. Ratios are of the
shortest times: what else the machine does makes both longer. The duration of an execution is
processor time, so two processes need two cores; the second ratio says how much more processor time
all processes together have used, which does not depend on who else was there.
"""

from __future__ import annotations

import argparse
import os
import random
import time
from collections.abc import Callable

import probtest

#: Microseconds of an execution, and how many there are.
SIZES = ((1, 400_000), (10, 60_000), (50, 20_000), (200, 6_000), (1_000, 1_500), (10_000, 200), (100_000, 40))


def busy(microseconds: float) -> Callable[[], None]:
    """Return a body that uses the processor for so long."""
    began, count = time.perf_counter(), 200_000
    for _ in range(count):
        pass
    loops = int(microseconds * 1e-6 * count / (time.perf_counter() - began))

    def body() -> None:
        drawn = random.random()
        for _ in range(loops):
            pass
        assert drawn >= 0

    return body


def measured(body: Callable[[], None], executions: int, jobs: int) -> tuple[float, float]:
    """Return how long so many executions take, and the processor time of all processes."""
    before, began = os.times(), time.perf_counter()
    found = probtest.check(
        body, p=1e-9, max_executions=executions, on_budget="pass", seed=1, name="jobs", jobs=jobs
    )
    took, after = time.perf_counter() - began, os.times()
    assert found.executed == executions
    return took, sum(after[:4]) - sum(before[:4])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    print(
        f"{'one execution':>14} {'executions':>11} {'here':>9} {'jobs=' + str(given.jobs):>9} {'ratio':>6} {'cpu':>5}"
    )
    for microseconds, executions in SIZES:
        body = busy(microseconds)
        here, there = [], []
        for _ in range(given.repeats):
            here.append(measured(body, executions, 1))
            there.append(measured(body, executions, given.jobs))
        (one, one_cpu), (many, many_cpu) = (
            map(min, zip(*here, strict=True)),
            map(min, zip(*there, strict=True)),
        )
        print(
            f"{microseconds:>11} us {executions:>11} {one:>8.3f}s {many:>8.3f}s {one / many:>6.2f} {many_cpu / one_cpu:>5.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
