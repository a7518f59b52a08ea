"""The pytest plugin beside its peers, in one run. Started by `make bench-python`.

    compare.py [--markdown] [--rounds N] [--only NAME,..] [--original DIR]

The steps stand in the modules beside: `environments`, `cases`, `measuring`, `table`.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from pathlib import Path

import cases
from cases import COUNTS, MANY, Case
from environments import ROOT, Unavailable, install_ours, prepare
from measuring import Bench, Broken
from table import Target, number, render, slope

#: What ours costs, part by part.
_PARTS = (
    cases.BARE,
    cases.LOOP_RANDOM,
    cases.LOOP_BOTH,
    cases.OURS,
    cases.OURS_BOTH,
    cases.OURS_FIXTURE,
)
#: Starts differ by little, and are cheap: measure them more often.
STARTS = 4


def main() -> None:
    """Install, check, measure, print."""
    given = _arguments()
    pythons: dict[str, Path] = {}
    folder = ROOT / ".venv-peers"
    for name in ("plain", "probtest"):
        try:
            pythons[name] = prepare(name, folder)
        except Unavailable as error:
            sys.exit(f"error: nothing can be compared without requirements-{name}.txt\n  reason  {error}")
    install_ours(pythons["probtest"], given.maturin, folder)
    peers = []
    for peer in _peers(given.only, given.original):
        try:
            sources = given.original if peer is cases.ORIGINAL else None
            pythons[peer.environment] = prepare(peer.environment, folder, sources)
            peers.append(peer)
        except Unavailable as error:
            _skip(peer, str(error))
    bench = Bench(pythons)
    for case in (cases.OURS, cases.OURS_BOTH, cases.OURS_FIXTURE):
        if not _executes(bench, case):
            sys.exit(1)
    peers = [peer for peer in peers if _executes(bench, peer)]
    bench.measure(_plan(peers), given.rounds)
    bench.measure_coins(given.rounds)
    for peer in peers:
        if peer.name in bench.broken:
            _skip(peer, bench.broken.pop(peer.name))
            peers = [other for other in peers if other is not peer]
    if bench.broken:
        sys.exit("\n".join(f"error: {name}: {reason}" for name, reason in bench.broken.items()))
    _print(bench, peers, given.markdown)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--markdown", action="store_true", help="print tables for a document")
    parser.add_argument("--rounds", type=int, default=5, help="measurements of each case (default 5)")
    parser.add_argument(
        "--only", metavar="NAME,..", help="compare with these peers only, such as repeat,flaky"
    )
    parser.add_argument(
        "--original", type=Path, metavar="DIR", help="sources of the original ProbTest plugin"
    )
    parser.add_argument("--maturin", default=str(Path(sys.executable).parent / "maturin"), help="its path")
    return parser.parse_args()


def _peers(only: str | None, original: Path | None) -> list[Case]:
    wanted = None if only is None else only.split(",")
    if original is None:
        # By name it would be ours that is found: both are called probtest.
        _skip(cases.ORIGINAL, "not on the package index; give its sources with --original DIR")
    found = [*([cases.ORIGINAL] if original else []), *cases.PEERS]
    return [peer for peer in found if wanted is None or peer.environment in wanted]


def _skip(case: Case, reason: str) -> None:
    print(f"skipped  {case.name}: {reason}", flush=True)


def _executes(bench: Bench, case: Case) -> bool:
    """Say whether a tool works here, and tell when it executes more or less than asked."""
    try:
        counted = bench.count(case, COUNTS[0])
    except Broken as error:
        _skip(case, str(error))
        return False
    if counted != COUNTS[0]:
        print(f"note     {case.name}: {counted} executions when asked for {COUNTS[0]}", flush=True)
    return True


def _plan(peers: list[Case]) -> list[tuple[Case, int]]:
    plan = [(case, k) for case in (cases.OURS, *peers) for k in COUNTS]
    plan += [(case, COUNTS[0]) for case in _PARTS if case is not cases.OURS]
    # What is measured already for the columns is not measured again.
    plan += [(case, case.large) for case in (*_PARTS, *peers) if (case, case.large) not in plan]
    # Spread over the round, not in a row.
    starts = [(cases.PLAIN, 1), (cases.WITH, 1), (cases.WITHOUT, 1)]
    step = max(1, len(plan) // STARTS)
    return [entry for at in range(0, len(plan), step) for entry in (*starts, *plan[at : at + step])]


def _print(bench: Bench, peers: list[Case], markdown: bool) -> None:
    start = bench.best(cases.PLAIN, 1)
    load = f"load {os.getloadavg()[1]:.1f} on {os.cpu_count()} processors"
    print(
        f"\nPython {platform.python_version()}; a plain pytest start takes {start.wall:.3f} s"
        f" and {start.peak_kib / 1024:.0f} MB. Seconds are by the wall clock, over that start;"
        f"\nthe cost of one execution is by processor time, and free of what is paid once ({load}).\n"
    )
    header = ["tool", *map(str, COUNTS), "per execution", "peak", "memory per execution", "fresh fixtures"]
    bare = f"{number(_cost(bench, cases.BARE))} us"
    rows = [[cases.BARE.name, "", "", "", bare, "", "", "-"]]
    rows += [_row(bench, case) for case in (*peers, cases.OURS)]
    print(render(header, rows, markdown), end="\n\n")
    parts = [[case.name, f"{number(_cost(bench, case))} us"] for case in _PARTS]
    print(render(["one execution of", "takes"], parts, markdown), end="\n\n")
    # In small batches, seeding each of them is most of the time.
    coins = [
        [str(size), f"{number(found.wall)} times", f"{number(found.processor)} times"]
        for size, found in sorted(bench.coins.items())
    ]
    header = ["10^7 coins over bare NumPy, in batches of", "by the clock", "by processor"]
    print(render(header, coins, markdown), end="\n\n")
    print(_reports(bench, markdown), end="\n\n")
    targets = _targets(bench)
    header = ["target", "measured", "by processor", "bound", ""]
    print(render(header, [target.row() for target in targets], markdown))
    print(f"\n{sum(target.is_met for target in targets)} of {len(targets)} targets met")


def _row(bench: Bench, case: Case) -> list[str]:
    start = bench.best(cases.PLAIN, 1).wall
    seconds = [f"{bench.best(case, k).wall - start:.2f} s" for k in COUNTS]
    cost = f"{number(_cost(bench, case))} us"
    peak = f"{bench.best(case, COUNTS[2]).peak_kib / 1024:.0f} MB"
    memory = f"{number(_memory(bench, case) / 1024)} KB"
    return [case.name, *seconds, cost, peak, memory, "yes" if case.fresh_fixtures else "no"]


def _cost(bench: Bench, case: Case, clock: str = "processor") -> float:
    """Return microseconds for each execution."""
    few, many = (getattr(bench.best(case, count), clock) for count in (COUNTS[0], case.large))
    return slope(few, many, COUNTS[0], case.large) * 1e6


def _memory(bench: Bench, case: Case) -> float:
    """Return bytes for each execution."""
    few, many = (bench.best(case, count).peak_kib for count in (COUNTS[0], case.large))
    return slope(few, many, COUNTS[0], case.large) * 1024


def _reports(bench: Bench, markdown: bool) -> str:
    rows = []
    for case in (cases.REPEAT_FAILING, cases.OURS_FAILING):
        if bench.has(case):
            rows.append([case.name, *(f"{bench.report_size(case, k)} B" for k in COUNTS[:2])])
    return render(["JUnit report, execution 9 violates", *map(str, COUNTS[:2])], rows, markdown)


def _times(bench: Bench, clock: str) -> list[float]:
    """Return the numbers that have a bound in time, in the order of `_targets`."""
    bare = _cost(bench, cases.BARE, clock)
    plain, with_plugin, without, many = (
        getattr(bench.best(case, k), clock)
        for case, k in ((cases.PLAIN, 1), (cases.WITH, 1), (cases.WITHOUT, 1), (cases.OURS, MANY))
    )
    return [
        # The plugin always seeds `random`: the loop that does so by hand is subtracted.
        _cost(bench, cases.OURS, clock) - _cost(bench, cases.LOOP_RANDOM, clock),
        _cost(bench, cases.OURS_BOTH, clock) - bare,
        _cost(bench, cases.OURS_FIXTURE, clock) - bare,
        many - plain,
        (with_plugin - without) * 1e3,
    ]


def _targets(bench: Bench) -> list[Target]:
    wall, processor = _times(bench, "wall"), _times(bench, "processor")
    bounds = (
        ("an execution before seeding, over the bare loop", 1, "us"),
        ("with random and numpy seeded, over the bare loop", 12, "us"),
        ("with one function-scoped fixture, over the bare loop", 30, "us"),
        (f"k = {MANY} with random seeded, over a plain pytest start", 2, "s"),
        ("the plugin installed, over a plain pytest start", 30, "ms"),
    )
    targets = [
        Target(what, by_wall, bound, unit, by_processor)
        for (what, bound, unit), by_wall, by_processor in zip(bounds, wall, processor, strict=True)
    ]
    sizes = [bench.report_size(cases.OURS_FAILING, k) for k in (COUNTS[0], COUNTS[2])]
    coins = [
        Target(f"10^7 coins in batches of {size}, over bare NumPy", found.wall, 3, "times", found.processor)
        for size, found in sorted(bench.coins.items())
    ]
    return [
        *targets,
        *coins,
        Target("memory for each execution", _memory(bench, cases.OURS), 1, "B"),
        # Its numbers may have more digits.
        Target(f"growth of a JUnit report, k = {COUNTS[0]} to {COUNTS[2]}", sizes[1] - sizes[0], 32, "B"),
    ]


if __name__ == "__main__":
    main()
