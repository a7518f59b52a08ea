"""What a cluster costs: one range, and the time from the first violation to the end of the test.

Prints a table for Python's own executors, Dask and Ray on this machine, each with two workers.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import probtest
from probtest import _native
from probtest.engines import addresses, clusters
from probtest.planning import given_by

#: Ranges of one execution that does nothing, and how many are under way at once.
RANGES, UNDER_WAY = 300, 4
#: Executions that take a millisecond, and how often such a test is repeated.
REPEATED = 5

BODIES = """
import random, time
from pathlib import Path

MARK = Path(__file__).with_name("violated")

def nothing():
    pass

def millisecond():
    end = time.perf_counter() + 0.001
    drawn = random.randrange(1000)
    while time.perf_counter() < end:
        pass
    if drawn == 7:
        # The clock of the system, which all processes of a machine share.
        try:
            with MARK.open("x") as mark:
                mark.write(repr(time.time()))
        except FileExistsError:
            pass
        raise AssertionError
"""


def main() -> None:
    os.environ.setdefault("RAY_AUTH_MODE", "disabled")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "cluster_bodies.py").write_text(BODIES)
        sys.path.insert(0, folder)
        bodies: Any = importlib.import_module("cluster_bodies")
        print("| executions on | one range, ms | violation to end, ms (median) | same index as here |")
        print("|---|---|---|---|")
        for name, given in engines():
            range_ms = one_range(bodies, given) * 1e3
            ended, same = violation_to_end(bodies, given)
            print(f"| {name} | {range_ms:.2f} | {ended * 1e3:.0f} | {'yes' if same else 'NO'} |", flush=True)
        clusters.close()


def engines() -> Iterator[tuple[str, object]]:
    with ThreadPoolExecutor(2) as executor:
        yield "threads", executor
    if importlib.util.find_spec("distributed"):
        yield "Dask", "dask:local"
    if importlib.util.find_spec("ray"):
        yield "Ray", "ray:local"


def one_range(bodies: Any, given: object) -> float:
    """Return the seconds from one answer to the next, of ranges in which nothing happens."""
    run = _native.TestRun(given_by(p=0.5, seed=7), "cluster_bodies.nothing")
    address = addresses.of_body(bodies.nothing, "cluster_bodies.nothing", run)
    engine = clusters.engine_for(given, address, 2, False)
    sent = 0

    def answered(count: int) -> None:
        nonlocal sent
        under_way = done = 0
        while done < count:
            while under_way < UNDER_WAY and done + under_way < count:
                sent += 1
                under_way += 1
                engine.start(sent, 7, sent, sent, 0)
            came = len(engine.wait(10))
            under_way, done = under_way - came, done + came

    # Until the processes are there.
    answered(20)
    began = time.perf_counter()
    answered(RANGES)
    took = time.perf_counter() - began
    engine.close()
    return took / RANGES


def violation_to_end(bodies: Any, given: object) -> tuple[float, bool]:
    """Return the median of the seconds from a violation to the end, and whether it is the same as here."""
    times, same = [], True
    for seed in range(REPEATED):
        found = {}
        for executor in (None, given):
            with contextlib.suppress(FileNotFoundError):
                bodies.MARK.unlink()
            result = probtest.check(
                bodies.millisecond,
                p=0.0005,
                seed=seed,
                raises=False,
                executor=executor,
                isolate=bool(executor),
            )
            found[executor] = result.index
        times.append(time.time() - float(bodies.MARK.read_text()))
        same = same and found[None] == found[given] is not None
    return sorted(times)[REPEATED // 2], same


if __name__ == "__main__":
    main()
