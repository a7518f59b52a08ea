"""Measuring: how long does a process take, and how much memory?

Cases are taken in turns, so that a change of the machine's mood meets all of
them, and the best of several is kept. Next stage: `table`.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from cases import COUNTS, Case

HERE = Path(__file__).resolve().parent

#: A measurement that has taken this many seconds is not repeated further.
ENOUGH = 20.0


@dataclass
class Best:
    """The best of several measurements of one case at one k."""

    #: By the clock on the wall, which runs on while other processes have the machine.
    wall: float = float("inf")
    #: By the processor, user and system: the same as the wall's on an idle machine.
    processor: float = float("inf")
    peak_kib: float = float("inf")
    total: float = 0.0

    def add(self, wall: float, processor: float, peak_kib: int) -> None:
        self.wall = min(self.wall, wall)
        self.processor = min(self.processor, processor)
        self.peak_kib = min(self.peak_kib, peak_kib)
        self.total += wall


@dataclass(frozen=True)
class Coins:
    """How many times as long as bare NumPy ten million coins in batches take."""

    wall: float
    processor: float


class Broken(Exception):
    """A tool did not do what it was asked for; the text says what, in one line."""


@dataclass
class Bench:
    """The environments that there are, and what was measured in them."""

    pythons: Mapping[str, Path]
    found: dict[tuple[str, int], Best] = field(default_factory=dict)
    #: Tools that failed while they were measured, with the reason.
    broken: dict[str, str] = field(default_factory=dict)
    #: For each size of a batch, how many times as long as bare NumPy its coins take, by each clock.
    coins: dict[int, Coins] = field(default_factory=dict)

    def has(self, case: Case) -> bool:
        return case.environment in self.pythons

    def best(self, case: Case, k: int) -> Best:
        return self.found[case.name, k]

    def measure(self, plan: Iterable[tuple[Case, int]], rounds: int) -> None:
        """Measure each case and k once in every round; leave out a tool once it fails."""
        with tempfile.TemporaryDirectory(prefix="probtest-peers-") as name:
            prepared = []
            for number, (case, k) in enumerate(plan):
                folder = _write(Path(name) / str(number), case.file(k))
                prepared.append((case, k, folder))
                # Once beforehand: it compiles the file and fills the disk's cache.
                if k <= COUNTS[0]:
                    self._attempt(case, k, folder)
            for turn in range(rounds):
                for case, k, folder in prepared if turn % 2 == 0 else reversed(prepared):
                    best = self.found.setdefault((case.name, k), Best())
                    if best.total < ENOUGH and (taken := self._attempt(case, k, folder)):
                        best.add(*taken)

    def _attempt(self, case: Case, k: int, folder: Path) -> tuple[float, float, int] | None:
        if case.name in self.broken:
            return None
        try:
            return self._execute(case, k, folder)
        except Broken as error:
            self.broken[case.name] = str(error)
            return None

    def measure_coins(self, rounds: int) -> None:
        """Measure batches beside bare NumPy; the two share one process."""
        command = [str(self.pythons["probtest"]), str(HERE / "coins.py"), str(rounds)]
        done = subprocess.run(command, env=_environment(), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            lines = [line for line in done.stderr.splitlines() if line.strip()] or ["no output"]
            self.broken["coins in batches"] = f"exit code {done.returncode}: {lines[-1]}"
            return
        for size, found in json.loads(done.stdout).items():
            wall, processor = (ours / bare for ours, bare in zip(found["ours"], found["bare"], strict=True))
            self.coins[int(size)] = Coins(wall, processor)

    def count(self, case: Case, k: int) -> int:
        """Return how often the tool really executes the body when asked for k."""
        with tempfile.TemporaryDirectory(prefix="probtest-peers-") as name:
            folder = _write(Path(name), case.file(k, count=True))
            self._execute(case, k, folder)
            counted = folder / "counted"
            return counted.stat().st_size if counted.exists() else 0

    def report_size(self, case: Case, k: int) -> int:
        """Return the bytes of the JUnit report on a failing test."""
        with tempfile.TemporaryDirectory(prefix="probtest-peers-") as name:
            folder = _write(Path(name), case.file(k))
            self._execute(case, k, folder, "--junit-xml=report.xml", code=1)
            return (folder / "report.xml").stat().st_size

    def _execute(
        self, case: Case, k: int, folder: Path, *more: str, code: int = 0
    ) -> tuple[float, float, int]:
        python = str(self.pythons[case.environment])
        command = [python, "-m", "pytest", "-q", *case.options(k), *more]
        with (folder / "output").open("w") as output:
            began = time.perf_counter()
            process = subprocess.Popen(
                command, cwd=folder, env=_environment(), stdout=output, stderr=subprocess.STDOUT
            )
            # Unlike RUSAGE_CHILDREN, which is the largest of all children so far.
            _, status, usage = os.wait4(process.pid, 0)
            took = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != code:
            lines = (folder / "output").read_text(errors="replace").split("\n")
            last = next((line for line in reversed(lines) if line.strip()), "no output")
            raise Broken(f"exit code {process.returncode} instead of {code} at k = {k}: {last}")
        return took, usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def _write(folder: Path, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "test_draw.py").write_text(text)
    # The root of pytest: settings of folders above do not reach in.
    (folder / "pytest.ini").write_text("[pytest]\n")
    return folder


def _environment() -> dict[str, str]:
    """Return the variables without those that change Python, pytest or probtest."""
    changing = ("PYTHON", "PYTEST", "PROBTEST", "COVERAGE", "HYPOTHESIS")
    return {name: value for name, value in os.environ.items() if not name.startswith(changing)}
