"""Where executions run, and what each place costs.

Numbers are ratios within this run: places take turns, and the shortest time of each counts. `bare` is what
two processes gain that do nothing but call the body, the most that the machine has to give at that moment.
`cpu` is the processor time of all processes with `jobs=2`, beside that of one. A body that computes gains
nothing from `concurrency=50`: that column has one that waits, beside the same one at a time. Clusters are
measured once their workers are up, pytest-xdist with pytest-repeat over its own start.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import probtest
from probtest import _native
from probtest.engines import addresses, clusters
from probtest.planning import given_by

sys.path.insert(0, str(Path(__file__).with_name("peers")))
environments: Any = importlib.import_module("environments")

#: Microseconds of a body.
BODIES = (1, 10, 50, 100, 1_000, 10_000, 100_000)
#: Seconds of work for a number, and how often it is measured.
ENOUGH, ROUNDS = 0.5, 5
CLUSTERS = {"Dask": "dask:local", "Ray": "ray:local"}

MODULE = """
import asyncio, os, random, time
from pathlib import Path

VIOLATED = Path(__file__).with_name("violated")
MADE = os.open(Path(__file__).with_name("made"), os.O_APPEND | os.O_CREAT | os.O_WRONLY)

def spend(loops):
    drawn = random.random()
    for _ in range(loops):
        pass
    assert drawn >= 0

def stop_early():
    # A millisecond, and a violation in a thousand.
    os.write(MADE, b"x")
    end = time.perf_counter() + 0.001
    drawn = random.randrange(1000)
    while time.perf_counter() < end:
        pass
    if drawn == 7:
        # The clock of the system, which all processes of a machine share.
        if not VIOLATED.exists():
            VIOLATED.write_text(repr(time.time()))
        raise AssertionError
"""
BODY = """
def busy_{0}():
    spend({1})

async def waits_{0}():
    await asyncio.sleep({0}e-6)
"""


def loops_of(microseconds: int) -> int:
    """Return how many empty loops take so long."""

    def timed() -> float:
        began = time.perf_counter()
        for _ in range(100_000):
            pass
        return time.perf_counter() - began

    return int(microseconds * 1e-6 * 100_000 / min(timed() for _ in range(20)))


def checked(body: Callable[[], object], executions: int, **options: Any) -> tuple[float, float]:
    """Return how long an execution takes, and the processor time of all processes for it."""
    before, began = processor_time(), time.perf_counter()
    found = probtest.check(
        body, p=1e-9, max_executions=executions, on_budget="pass", seed=1, name="here", **options
    )
    took, cpu = time.perf_counter() - began, processor_time() - before
    assert found.executed == executions
    return took / executions, cpu / executions


def processor_time() -> float:
    """Return what this process and those that it has waited for have used; finer than `os.times`."""
    both = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(sum(resource.getrusage(which)[:2]) for which in both)


def bare(body: Callable[[], object], executions: int, jobs: int) -> float:
    """Return how long a call takes in so many processes that do nothing else."""
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
    return (time.perf_counter() - began) / (executions // jobs * jobs)


def on_cluster(body: Any, word: str, size: int, ranges: int) -> float:
    """Return how long a range of so many executions takes, from one answer to the next."""
    name = f"{body.__module__}.{body.__qualname__}"
    run = _native.TestRun(given_by(p=1e-9, seed=7), name)
    engine = clusters.engine_for(word, addresses.of_body(body, name, run), 2, False)
    sent = 0

    def answered(count: int, size: int) -> None:
        nonlocal sent
        under_way = done = 0
        while done < count:
            while under_way < 4 and done + under_way < count:
                engine.start(sent, 7, sent * size + 1, sent * size + size, 0)
                sent, under_way = sent + 1, under_way + 1
            came = len(engine.wait(10))
            under_way, done = under_way - came, done + came

    # Until the processes are there.
    answered(8, 1)
    began = time.perf_counter()
    answered(ranges, size)
    took = time.perf_counter() - began
    engine.close()
    return took / ranges


def by_xdist(python: Path, folder: Path, microseconds: int, count: int) -> float:
    """Return how long pytest takes for so many executions in two processes."""
    test = folder / "test_repeated.py"
    test.write_text(f"import bodies\ndef test_it():\n    bodies.busy_{microseconds}()\n")
    command = [
        str(python),
        "-m",
        "pytest",
        "-q",
        "-n",
        "2",
        "--count",
        str(count),
        "-p",
        "no:cacheprovider",
        test.name,
    ]
    began = time.perf_counter()
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return time.perf_counter() - began


def early_stop(body: Any, folder: Path, seed: int, **options: Any) -> tuple[int, float, int]:
    """Return which execution decided, how long the end came after, and how many were made for nothing."""
    (folder / "made").write_bytes(b"")
    with contextlib.suppress(FileNotFoundError):
        body.VIOLATED.unlink()
    found = probtest.check(body.stop_early, p=0.0005, seed=seed, raises=False, shrink=False, **options)
    late = time.time() - float(body.VIOLATED.read_text())
    assert found.index is not None
    # The violation itself is executed once more, everywhere.
    return found.index, late, (folder / "made").stat().st_size - found.index - 1


class Times(dict[str, float]):
    """The shortest time of an execution in each place."""

    def add(self, place: str, seconds: float) -> None:
        self[place] = min(seconds, self.get(place, seconds))


def locally(bodies: Any, micros: int) -> Times:
    """Measure a body in this process and in those that it forks, which it may until a cluster is there."""
    busy, waits = getattr(bodies, f"busy_{micros}"), getattr(bodies, f"waits_{micros}")
    times, count = Times(), executions(micros)
    for _ in range(ROUNDS if micros < 100_000 else 2):
        for jobs in (1, 2):
            seconds, cpu = checked(busy, count, jobs=jobs)
            times.add(f"jobs={jobs}", seconds)
            times.add(f"cpu={jobs}", cpu)
            times.add(f"bare={jobs}", bare(busy, count, jobs))
    times.add("waits", checked(waits, min(count, 1000) // 4, concurrency=1)[0])
    times.add("concurrency=50", checked(waits, min(8 * count, 3000), concurrency=50)[0])
    return times


def executions(micros: int) -> int:
    return max(50, int(ENOUGH / (micros * 1e-6 + 4e-6)))


def elsewhere(times: Times, bodies: Any, micros: int, folder: Path, there: dict[str, str]) -> None:
    """Measure the same body on clusters, and under pytest-xdist where that is there."""
    size = max(1, int(0.25e6 / (micros + 5)))
    ranges = max(4, int(4e6 * ENOUGH / (size * (micros + 5))))
    for name, word in there.items():
        times.add(name, on_cluster(getattr(bodies, f"busy_{micros}"), word, size, ranges) / size)
    with contextlib.suppress(environments.Unavailable):
        python = environments.prepare("xdist", environments.ROOT / ".venv-peers")
        many = min(2000, max(20, executions(micros)))
        start, whole = (min(by_xdist(python, folder, micros, count) for _ in range(2)) for count in (2, many))
        if whole > start:
            times.add("xdist", (whole - start) / many)


def rates(measured: dict[int, Times], bodies: Any, folder: Path, there: dict[str, str]) -> None:
    """Print the table, and whether `jobs=2` gains what it should."""
    gains = {micros: t["jobs=1"] / t["jobs=2"] for micros, t in measured.items()}
    most = {micros: t["bare=1"] / t["bare=2"] for micros, t in measured.items()}
    columns = ("body", "here", "bare", "jobs=2", "cpu", "waits", "concurrency=50", *there, "xdist")
    print("executions per second, and how many times as many")
    print("| " + " | ".join(columns) + " |\n" + "|--:" * len(columns) + "|")
    for micros, times in measured.items():
        elsewhere(times, bodies, micros, folder, there)
        here, waits = times["jobs=1"], times["waits"]
        cells = [f"{micros} us", f"{1 / here:.0f}", f"{most[micros]:.2f}", f"{gains[micros]:.2f}"]
        cells += [f"{times['cpu=2'] / times['cpu=1']:.2f}", f"{1 / waits:.0f}"]
        cells += [f"{waits / times['concurrency=50']:.1f}"]
        cells += [f"{here / times[name]:.2g}" if name in times else "-" for name in (*there, "xdist")]
        print("| " + " | ".join(cells) + " |", flush=True)
    share, slower = min(gains[micros] / most[micros] for micros in BODIES if micros >= 50), 1 / gains[1]
    says("jobs=2 from 50 us on", share >= 0.9, f"{share:.2f} of what bare processes gain (at least 0.9)")
    says("jobs=2 at 1 us", slower <= 1.1, f"{slower:.2f} times as long as without (at most 1.1)")


def says(what: str, good: bool, words: str) -> None:
    print(f"{what}: {words}: {'met' if good else 'MISSED'}", flush=True)


def costs(bodies: Any, folder: Path, there: dict[str, str]) -> None:
    """Print what one range costs, and what a violation leaves to be done."""
    print("\n| executions on | an empty range, ms | violation to end, ms | made for nothing | same index |")
    print("|---|--:|--:|--:|---|")
    seeds = range(ROUNDS)
    here = [early_stop(bodies, folder, seed)[0] for seed in seeds]
    places: dict[str, dict[str, Any]] = {"here": {}, "jobs=2": {"jobs": 2}}
    places |= {name: {"executor": word, "isolate": True} for name, word in there.items()}
    for name, options in places.items():
        ended = [early_stop(bodies, folder, seed, **options) for seed in seeds]
        cost = f"{on_cluster(bodies.busy_1, there[name], 1, 200) * 1e3:.2f}" if name in there else "-"
        late, extra = (sorted(found[i] for found in ended)[ROUNDS // 2] for i in (1, 2))
        same = "yes" if here == [found[0] for found in ended] else "NO"
        print(f"| {name} | {cost} | {late * 1e3:.0f} | {extra} | {same} |", flush=True)


def memory(bodies: Any) -> None:
    """Say how much more memory many executions take than a tenth of them."""

    def grown(many: int, body: Any, **options: Any) -> int:
        peaks = []
        for executions in (many // 10, many):
            checked(body, executions, **options)
            peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
        return peaks[1] - peaks[0]

    here, at_once = grown(1_000_000, bodies.busy_1), grown(50_000, bodies.waits_1, concurrency=50)
    says("10^6 executions in Python", here <= 1024, f"{here} KiB more than 10^5 (at most 1024)")
    says("50 000 with concurrency=50", at_once <= 1024, f"{at_once} KiB more than 5000 (at most 1024)")


def main() -> None:
    os.environ.setdefault("RAY_AUTH_MODE", "disabled")
    libraries = {"Dask": "distributed", "Ray": "ray"}
    there = {name: word for name, word in CLUSTERS.items() if importlib.util.find_spec(libraries[name])}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = "".join(BODY.format(micros, loops_of(micros)) for micros in BODIES)
        (folder / "bodies.py").write_text(MODULE + text)
        sys.path.insert(0, name)
        bodies: Any = importlib.import_module("bodies")
        memory(bodies)
        # Where a cluster has begun, its threads forbid to fork.
        measured = {micros: locally(bodies, micros) for micros in BODIES}
        costs(bodies, folder, there)
        rates(measured, bodies, folder, there)
        clusters.close()


if __name__ == "__main__":
    main()
