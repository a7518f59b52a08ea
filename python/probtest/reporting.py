"""What is added to pytest's reports, summary and files."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from . import _native, budgets, packages, suites, writing

if TYPE_CHECKING:
    from .items import ItemTest
    from .options import Settings

#: The version of the JSON file; the reports in it have their own.
FORMAT = 2
#: The notes that say that executions were not independent.
DOUBTS = ("reseeds", "copies")
#: How many tests are named below a note.
SHOWN = 10


def _ignored() -> list[str]:
    """Warn of variables that were meant for us and mean nothing, such as one with a typing error."""
    return [
        f"warning: the environment variable {name} means nothing here and is ignored"
        for name in sorted(os.environ)
        if name.startswith("PROBTEST_") and name not in _native.variables()
    ]


def header(settings: Settings) -> list[str]:
    lines = [f"probtest: {warning}" for warning in _ignored()]
    lines += settings.suite.header()
    if "epsilon" not in settings.suite.chances and settings.everywhere and settings.default is not None:
        executions = json.loads(_native.plan(settings.default)[0])["executions"]
        most = "at most " if settings.default.tolerate is not None else ""
        lines.append(f"Your tests are being run {most}{executions} times.")
    if settings.replay is not None:
        seed, index = settings.replay
        lines.append(f"probtest: replaying execution {index} of seed {seed:#x} alone; plans are not executed")
    elif settings.fixed_seed is not None:
        lines.append(f"probtest: seed {settings.fixed_seed:#x}")
    return lines


def dress(report: pytest.TestReport, test: ItemTest) -> None:
    """Add the section, the short line and the facts to the report of a test."""
    session = test.session
    if report.when == "setup":
        shown: Any = report.longrepr
        if report.outcome == "failed" and hasattr(shown, "addsection"):
            shown.addsection("probtest", test.setup_section())
        return
    no_violation = session.verdict not in (None, "violated") or test.shows_no_violation
    if no_violation and report.outcome == "skipped" and hasattr(report, "wasxfail"):
        # xfail expects a violation. A test that was not decided, or failed for another
        # reason, has shown none.
        del report.wasxfail
        report.outcome = "failed"
    if session.verdict is None:
        return
    report.probtest = test.facts()  # type: ignore[attr-defined]
    if report.outcome != "failed" or report.longrepr is None:
        return
    longrepr: Any = report.longrepr
    crash = getattr(longrepr, "reprcrash", None)
    index = session.violating_index
    if crash is not None and index is not None:
        crash.message = f"execution {index} of {session.planned}: {crash.message}"
    if session.exception is not None and hasattr(longrepr, "addsection"):
        longrepr.addsection("probtest", test.section())


class Results:
    """The facts of all tests of a run."""

    def __init__(self, config: pytest.Config) -> None:
        self._is_worker = hasattr(config, "workerinput")
        self._file: str | None = config.getoption("probtest_json")
        self._config = config
        self._facts: list[dict[str, Any]] = []
        self._interrupted: list[str] = []
        #: Why the file could not be written.
        self._unwritten: str | None = None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        facts = getattr(report, "probtest", None)
        if facts is not None:
            self._facts.append({"nodeid": report.nodeid, **facts})

    def interrupted(self, nodeid: str, test: ItemTest) -> None:
        session = test.session
        self._interrupted.append(
            f"{nodeid}: interrupted after {session.executed} of {session.planned} executions"
        )

    def write(self, session: pytest.Session) -> None:
        if self._file is None or self._is_worker:
            return
        promised = suites.summary(self._facts)
        place = {"package": packages.package(self._config)}
        suite = place | promised[0] if promised else None
        tests = [facts | place for facts in self._facts]
        content = {"probtest": FORMAT, "tests": tests, "suite": suite}
        try:
            writing.write(self._file, json.dumps(content, indent=1) + "\n")
        except pytest.UsageError as error:
            # Raised, it would take the reports of all tests with it.
            self._unwritten = str(error)
            session.exitstatus = pytest.ExitCode.USAGE_ERROR

    def summarize(self, reporter: Any, settings: Settings) -> None:
        verbose = reporter.config.get_verbosity() > 0
        # With -q there is no header.
        lines = _ignored() if reporter.config.get_verbosity() < 0 else []
        for facts in self._facts:
            within = facts["verdict"] == budgets.WITHIN_BUDGET
            if self._interrupted or within or (verbose and facts["verdict"] == "passed"):
                lines.append(f"{facts['nodeid']}: {facts['summary'].removeprefix('probtest: ')}")
            if facts["remembered"] and facts["remembered"]["kind"] == "fixed":
                lines.append(f"{facts['nodeid']}: the counterexample of an earlier run no longer violates")
        lines += self._notes(verbose)
        lines += self._interrupted
        promised = suites.summary(self._facts)
        if promised:
            lines += promised[1]
        if settings.replay is not None:
            seed, index = settings.replay
            lines.append(f"only execution {index} of seed {seed:#x} was executed: this is not the plan")
        if self._unwritten is not None:
            lines += f"error: {self._unwritten}".splitlines()
        if lines:
            reporter.section("probtest")
            for line in lines:
                reporter.write_line(line)

    def _notes(self, verbose: bool) -> list[str]:
        """Return each note with its tests: doubts about independence always, others on request."""
        tests: dict[str, list[str]] = {}
        for facts in self._facts:
            for note in facts["notes"]:
                if verbose or note["kind"] in DOUBTS:
                    tests.setdefault(note["words"], []).append(facts["nodeid"])
        lines = []
        for note, names in tests.items():
            lines.append(f"note: {note}")
            lines += [f"  {name}" for name in names[:SHOWN]]
            if len(names) > SHOWN:
                lines.append(f"  and {len(names) - SHOWN} more")
        return lines
