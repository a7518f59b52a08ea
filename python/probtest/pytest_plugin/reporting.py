"""What is added to pytest's reports, summary and files, and the progress of a long test."""

from __future__ import annotations

import contextlib
import importlib
import json
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from .. import _native
from .options import unwritten

if TYPE_CHECKING:
    from .item import ItemTest
    from .options import Settings

#: The verdict of a test that accepts that a limit ended before its plan.
WITHIN_BUDGET = "passed_within_budget"
#: How many tests are named below a note.
SHOWN = 10


def warnings_of(settings: Settings) -> list[str]:
    """Warn of variables that were meant for us and mean nothing here, such as one with a typing error."""
    lines = [
        f"warning: the environment variable {name} means nothing here and is ignored"
        for name in settings.unknown
    ]
    if settings.ignored:
        names = ", ".join(settings.ignored)
        lines.append(f"warning: {names}: no effect under pytest, ignored")
    return lines


def header(settings: Settings) -> list[str]:
    lines = [f"probtest: {warning}" for warning in warnings_of(settings)]
    suite = dict(settings.given.suite)
    lines += [
        f"probtest: {name} = {chance} is divided over the tests of this run" for name, chance in suite.items()
    ]
    if "epsilon" not in suite and settings.everywhere and settings.default is not None:
        most = "at most " if settings.default.tolerate is not None else ""
        lines.append(f"Your tests are being run {most}{settings.planned} times.")
    replay = settings.given.replay
    if replay is not None:
        seed, index, named = replay
        other = "; the plans of other tests are" if named else "; plans are not executed"
        lines.append(f"probtest: replaying execution {index} of seed {seed:#x} alone{other}")
    elif settings.given.seed is not None:
        lines.append(f"probtest: seed {settings.given.seed:#x}")
    return lines


def dress(report: pytest.TestReport, test: ItemTest) -> None:
    """Add the section, the short line and the facts to the report of a test."""
    found = test.report
    report.probtest_replayed = test.run.replay is not None  # type: ignore[attr-defined]
    if report.when == "setup":
        shown: Any = report.longrepr
        if report.outcome == "failed" and hasattr(shown, "addsection"):
            shown.addsection("probtest", test.setup_section())
        return
    no_violation = test.shows_no_violation or (found is not None and found.verdict != "violated")
    if no_violation and report.outcome == "skipped" and hasattr(report, "wasxfail"):
        # xfail expects a violation. A test that was not decided, or failed for another
        # reason, has shown none.
        del report.wasxfail
        report.outcome = "failed"
    if found is None:
        return
    report.probtest = test.facts()  # type: ignore[attr-defined]
    if report.outcome != "failed" or report.longrepr is None:
        return
    longrepr: Any = report.longrepr
    crash = getattr(longrepr, "reprcrash", None)
    index = found.violating_index
    if crash is not None and index is not None:
        crash.message = f"execution {index} of {test.run.planned}: {crash.message}"
    if found.exception is not None and hasattr(longrepr, "addsection"):
        longrepr.addsection("probtest", test.section())


def status(report: Any) -> tuple[str, str, tuple[str, dict[str, bool]]] | None:
    """Return how pytest counts and shows a pass within budget; None for everything else."""
    facts = getattr(report, "probtest", None)
    if report.when != "call" or not report.passed or hasattr(report, "wasxfail") or facts is None:
        return None
    if facts["verdict"] != WITHIN_BUDGET:
        return None
    return "passed within budget", "b", ("PASSED WITHIN BUDGET", {"yellow": True})


class Results:
    """The facts of all tests of a run."""

    def __init__(self, config: pytest.Config) -> None:
        self._is_worker = hasattr(config, "workerinput")
        self._file: str | None = config.getoption("probtest_json")
        self._config = config
        self._facts: list[dict[str, Any]] = []
        self._interrupted: list[str] = []
        #: Whether any test was replayed, and not executed as its plan says.
        self._replayed = False
        #: Why the file could not be written.
        self._unwritten: str | None = None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        facts = getattr(report, "probtest", None)
        if facts is not None:
            self._facts.append({"nodeid": report.nodeid, **facts})
        self._replayed |= getattr(report, "probtest_replayed", False)

    def interrupted(self, nodeid: str, test: ItemTest) -> None:
        executed = 0 if test.run.report is None else test.run.report.executed
        self._interrupted.append(f"{nodeid}: interrupted after {executed} of {test.run.planned} executions")

    def write(self, session: pytest.Session) -> None:
        if self._file is None or self._is_worker:
            return
        promised = promises(self._facts)
        place = {"package": package(self._config)}
        content = {
            "probtest": _native.FORMAT,
            "tests": [facts | place for facts in self._facts],
            "suite": place | promised if promised else None,
        }
        try:
            path = Path(self._file)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        except OSError as error:
            # Raised, it would take the reports of all tests with it.
            self._unwritten = str(unwritten(self._file, error))
            session.exitstatus = pytest.ExitCode.USAGE_ERROR

    def summarize(self, reporter: Any, settings: Settings) -> None:
        verbose = reporter.config.get_verbosity() > 0
        # With -q there is no header.
        lines = warnings_of(settings) if reporter.config.get_verbosity() < 0 else []
        for facts in self._facts:
            shown = facts["verdict"] == WITHIN_BUDGET or (verbose and facts["verdict"] in _ENDED_WELL)
            if self._interrupted or shown:
                lines.append(f"{facts['nodeid']}: {facts['summary'].removeprefix('probtest: ')}")
            if facts["remembered"] and facts["remembered"]["kind"] == "fixed":
                lines.append(f"{facts['nodeid']}: the counterexample of an earlier run no longer violates")
        lines += self._notes(verbose)
        lines += self._interrupted
        for promise in promises(self._facts).values():
            lines += promise["words"]
        replay = settings.given.replay
        if replay is not None:
            seed, index, named = replay
            of = "of the test that the replay names, " if named else ""
            replayed = f"{of}only execution {index} of seed {seed:#x} was executed: this is not the plan"
            nobody = "warning: the replay names no test of this run: every test executed its plan"
            lines.append(replayed if self._replayed else nobody)
        if self._unwritten is not None:
            lines += f"error: {self._unwritten}".splitlines()
        if lines:
            reporter.section("probtest")
            for line in lines:
                reporter.write_line(line)

    def _notes(self, verbose: bool) -> list[str]:
        """Return each doubt with its tests, and notes on request."""
        tests: dict[str, list[str]] = {}
        for facts in self._facts:
            for doubt in facts["doubts"]:
                tests.setdefault(f"doubt: {doubt['words']}", []).append(facts["nodeid"])
            for note in facts["notes"] if verbose else ():
                tests.setdefault(f"note: {note['words']}", []).append(facts["nodeid"])
        lines = []
        for note, names in tests.items():
            lines.append(note)
            lines += [f"  {name}" for name in names[:SHOWN]]
            if len(names) > SHOWN:
                lines.append(f"  and {len(names) - SHOWN} more")
        return lines


_ENDED_WELL = ("passed", "estimated")


def promises(facts: Iterable[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return what the tests of a run promise together.

    From the facts of the tests alone: under xdist the tests are counted in the workers.
    """
    found: dict[str, Any] = json.loads(_native.suite_promises(json.dumps(list(facts))))
    del found["package"]
    return found


def package(config: pytest.Config) -> str | None:
    """Return the name of the package that the tests are from, where the project says it.

    Never the name of a folder: that is the machine's, and another one on each shard.
    """
    given = config.getini("probtest_package")
    return str(given) if given else project(config.rootpath / "pyproject.toml")


def project(file: Path) -> str | None:
    """Read a project's name. A file that cannot be read names none: it is not ours to refuse."""
    toml: Any
    try:
        toml = importlib.import_module("tomllib")
    except ModuleNotFoundError:  # before Python 3.11; pytest brings this one
        toml = importlib.import_module("tomli")
    try:
        found = toml.loads(file.read_text(encoding="utf-8")).get("project")
    except (OSError, ValueError):
        return None
    name = found.get("name") if isinstance(found, dict) else None
    return name if isinstance(name, str) and name else None


class Progress:
    """Writes and removes one line below pytest's own, for tests that take their time."""

    #: Seconds before progress is shown, and between two lines.
    PATIENCE = 2.0
    PAUSE = 0.2

    def __init__(self, config: pytest.Config, planned: int) -> None:
        reporter: Any = config.pluginmanager.getplugin("terminalreporter")
        is_terminal = reporter is not None and getattr(reporter, "isatty", False)
        self._writer: Any = reporter._tw if is_terminal else None
        self._capture: Any = config.pluginmanager.getplugin("capturemanager")
        self._planned = planned
        self._began = time.monotonic()
        self._wrote = 0.0
        self._shown = 0

    def show(self, executed: int) -> None:
        if self._writer is None:
            return
        now = time.monotonic()
        seconds = now - self._began
        if seconds < self.PATIENCE or now - self._wrote < self.PAUSE:
            return
        self._wrote = now
        rate = executed / seconds
        left = f"{(self._planned - executed) / rate:.0f} s left" if rate > 0 else "no execution finished yet"
        line = f"  {executed} of {self._planned} executions, {rate:.3g}/s, {left}"
        # pytest's line stays; ours is written over and over behind it.
        self._write("\b" * self._shown + line.ljust(self._shown))
        self._shown = max(self._shown, len(line))

    def close(self) -> None:
        if self._shown:
            self._write("\b" * self._shown + " " * self._shown + "\b" * self._shown)
            self._shown = 0

    def _write(self, text: str) -> None:
        # While a test runs, what is written to the terminal's descriptor is captured.
        suspended = self._capture.global_and_fixture_disabled() if self._capture else contextlib.nullcontext()
        with suspended:
            self._writer._file.write(text)
            self._writer._file.flush()
