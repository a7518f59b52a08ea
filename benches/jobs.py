"""How much faster a test is in two processes, by what an execution takes.

For each duration the same test runs here and with `jobs=2`, in turn, several times; ratios are of the
shortest times. `gain` is how much faster the test is. `bare` is how much faster plain loops over the same
body are in two processes that do nothing else: the most that the machine has to give at that
moment. `cpu` is how much more processor time all processes together have used.
"""

from __future__ import annotations

import argparse
import os
import random
import time
from collections.abc import Callable

import probtest

#: Microseconds of an execution, and how many there are.
SIZES = ((1, 100_000), (10, 25_000), (50, 8_000), (200, 2_000), (1_000, 400), (10_000, 50), (100_000, 12))


def busy(microseconds: float) -> Callable[[], None]:
    """Return a body that uses the processor for so long."""
    count = 100_000
    loops = int(microseconds * 1e-6 * count / min(timed(count) for _ in range(30)))

    def body() -> None:
        drawn = random.random()
        for _ in range(loops):
            pass
        assert drawn >= 0

    return body


def timed(count: int) -> float:
    began = time.perf_counter()
    for _ in range(count):
        pass
    return time.perf_counter() - began


def measured(body: Callable[[], None], executions: int, jobs: int) -> tuple[float, float]:
    """Return how long so many executions take, and the processor time of all processes."""
    before, began = os.times(), time.perf_counter()
    found = probtest.check(
        body, p=1e-9, max_executions=executions, on_budget="pass", seed=1, name="jobs", jobs=jobs
    )
    took, after = time.perf_counter() - began, os.times()
    assert found.executed == executions
    return took, sum(after[:4]) - sum(before[:4])


def bare(body: Callable[[], None], executions: int, jobs: int) -> float:
    """Return how long so many calls take in so many processes that do nothing else."""
    began = time.perf_counter()
    pids = []
    for _ in range(jobs):
        pid = os.fork()
        if pid == 0:
            for _ in range(executions // jobs):
                body()
            os._exit(0)
        pids.append(pid)
    for pid in pids:
        os.waitpid(pid, 0)
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    jobs: int = given.jobs
    times, gains = f"{'here':>8} {f'jobs={jobs}':>8}", f"{'gain':>5} {'bare':>5} {'cpu':>5}"
    print(f"{'one execution':>14} {'executions':>10} {times} {gains}")
    for microseconds, executions in SIZES:
        body = busy(microseconds)
        here, there, one_bare, many_bare = [], [], [], []
        for _ in range(given.repeats):
            here.append(measured(body, executions, 1))
            there.append(measured(body, executions, jobs))
            one_bare.append(bare(body, executions, 1))
            many_bare.append(bare(body, executions, jobs))
        one, one_cpu = map(min, zip(*here, strict=True))
        many, many_cpu = map(min, zip(*there, strict=True))
        gains = f"{one / many:>5.2f} {min(one_bare) / min(many_bare):>5.2f} {many_cpu / one_cpu:>5.2f}"
        print(f"{microseconds:>11} us {executions:>10} {one:>7.3f}s {many:>7.3f}s {gains}", flush=True)


if __name__ == "__main__":
    main()
