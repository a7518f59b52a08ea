"""What is added to pytest's reports, summary and files, and the progress of a long test."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from .. import _native
from ..engines import lost_words
from ..planning import given_by
from .lines import package, place_of
from .memory import code_of, keep_costs
from .options import unwritten

if TYPE_CHECKING:
    from .item import ItemTest
    from .leftovers import Subtests
    from .options import Settings

#: The verdict of a test that accepts that a limit ended before its plan.
WITHIN_BUDGET = "passed_within_budget"
#: The verdict of a shard that did its part.
PARTIAL = "partial"
#: The name of our plugin that hears of all reports.
RESULTS = "probtest-results"
#: How many tests are named below a note.
SHOWN = 10


def warnings_of(settings: Settings) -> list[str]:
    """Warn of variables that were meant for us and mean nothing here, such as one with a typing error."""
    lines = [] if settings.unknown is None else [settings.unknown]
    if settings.ignored:
        names = ", ".join(settings.ignored)
        lines.append(f"warning: {names}: no effect under pytest, ignored")
    return lines


def header(settings: Settings) -> list[str]:
    lines = [f"probtest: {warning}" for warning in warnings_of(settings)]
    suite = dict(settings.given.suite)
    lines += [
        f"probtest: {name} = {chance} is divided among the tests of this run"
        for name, chance in suite.items()
    ]
    if "epsilon" not in suite and settings.everywhere and settings.default is not None:
        most = "at most " if settings.default.tolerate is not None else ""
        lines.append(f"Your tests are being run {most}{settings.planned} times.")
    replay = settings.given.replay
    if replay is not None:
        seed, index, named = replay
        other = "; other tests run as usual" if named else "; plans do not run"
        lines.append(f"probtest: replaying execution {index} of seed {seed:#x} alone{other}")
    elif settings.given.seed is not None:
        lines.append(f"probtest: seed {settings.given.seed:#x}")
    if settings.given.vary_seeds:
        lines.append("probtest: constant seeds are mixed with the seed of each execution")
    return lines


def dress_setup(report: Any, test: ItemTest) -> None:
    """Add what is known by now to the report of a test's setup."""
    report.probtest_replayed = test.run.replay is not None
    if test.run.journal_news is not None:
        report.probtest_news = test.run.journal_news
    if test.is_told:
        report.probtest_begun = test.begun()
    if report.outcome == "failed":
        if hasattr(report.longrepr, "addsection"):
            report.longrepr.addsection("probtest", test.setup_section())
        message = f"the setup of the first execution failed: {short(report)}"
        report.probtest = undecided(test.begun(), "setup", message, "fix the fixture; see pytest's report")
    elif test.ended_by is not None and report.outcome == "skipped":
        help_ = "raise suite_max_time, or run fewer tests at once"
        report.probtest = undecided(test.begun(), "not_reached", str(test.ended_by), help_)


def dress_call(report: Any, test: ItemTest) -> None:
    """Add the section, the short line and the facts to the report of a test."""
    if test.ended_by is not None:
        # Skipped, as any other test: there is no verdict to report.
        return
    found = test.report
    if test.run.report is None and test.failed_example is not None:
        if hasattr(report.longrepr, "addsection"):
            report.longrepr.addsection("probtest", str(test.failed_example))
        help_ = "fix what the example shows; the executions of the claim run after it"
        report.probtest = undecided(test.begun(), "failed_elsewhere", "an explicit example failed", help_)
        return
    if test.run.report is None:
        if report.passed:
            fail(
                report,
                "probtest: error: another plugin ran the test, but not as often as its claim needs\n"
                "  given  a marker, and a plugin that does not call item.runtest\n"
                "  help   leave out one of the two",
            )
        return
    report.probtest_replayed = test.run.replay is not None
    report.probtest_notes = [*test.said_here, *lost_words(test.run.lost_ranges)]
    no_violation = test.shows_no_violation or (found is not None and found.verdict != "violated")
    if no_violation and report.outcome == "skipped" and hasattr(report, "wasxfail"):
        # xfail expects a violation. A test that was not decided, or failed for another
        # reason, has shown none.
        del report.wasxfail
        report.outcome = "failed"
    if found is None or (report.skipped and not hasattr(report, "wasxfail")):
        return
    report.probtest = agreeing(test.facts(), report)
    if test.broken_by is not None:
        report.probtest = undecided(report.probtest, "broken", *_parted(test.broken_by))
    verdict = ("probtest_verdict", report.probtest["verdict"])
    # JUnit's file has those of the last report, which is made of the item's.
    for properties in (report.user_properties, test.item.user_properties):
        properties[:] = [verdict if entry[0] == verdict[0] else entry for entry in properties]
    if report.outcome != "failed" or report.longrepr is None:
        return
    longrepr: Any = report.longrepr
    crash = getattr(longrepr, "reprcrash", None)
    index = found.violating_index
    if crash is not None and index is not None:
        # A remembered execution has the number that it had in the run that found it.
        which = f"execution {index} of {test.run.planned}"
        if (report.probtest["remembered"] or {}).get("kind") == "again":
            which = f"remembered execution {index} fails again"
        crash.message = f"{which}: {crash.message}"
    if found.exception is not None and hasattr(longrepr, "addsection"):
        longrepr.addsection("probtest", test.section())


def fail(report: Any, longrepr: Any) -> None:
    """Make a report one of a failure, whatever was expected."""
    if hasattr(report, "wasxfail"):
        del report.wasxfail
    report.outcome = "failed"
    report.longrepr = longrepr


def fail_late(report: Any) -> None:
    """Refuse a marker that was added when the test had begun."""
    if report.failed:
        return
    fail(
        report,
        "probtest: error: the marker was added after the test had started, so it has no effect\n"
        "  given  request.applymarker(..) or request.node.add_marker(..), in a fixture, a hook or the test\n"
        "  help   write it on the test, or add it in pytest_collection_modifyitems",
    )
    if hasattr(report, "probtest"):
        report.probtest = agreeing(report.probtest, report)


def undecided(facts: dict[str, Any], kind: str, message: str, help_: str) -> dict[str, Any]:
    """Return the facts of a test that was not decided, and why."""
    executed, planned = facts["executed"], facts["planned"]
    counted = "" if planned is None else f" after {executed} of {planned} executions"
    return facts | {
        "verdict": "inconclusive",
        "reason": {"kind": kind, "message": message, "help": help_},
        "summary": f"probtest: inconclusive{counted}: {message}",
        "meaning": None,
    }


def agreeing(facts: dict[str, Any], report: Any) -> dict[str, Any]:
    """Return facts that say what pytest says: a test that failed in another way has not passed."""
    if not report.failed or facts["verdict"] not in _ACCEPTED:
        return facts
    where = "" if report.when == "call" else f" at its {report.when}"
    message = f"no execution contradicts the claim, but the test failed{where}: {short(report)}"
    return undecided(facts, "failed_elsewhere", message, "see pytest's report on the test")


def refusal(item: pytest.Item, error: str) -> dict[str, Any]:
    """Return the facts of a test that could not be started."""
    # Those of any other test that was not started, without what its claim says.
    facts = json.loads(_native.TestRun(given_by(p="0.5"), place_of(item)).begun)
    facts |= dict.fromkeys(("kind", "planned", "miss", "seed", "attained"))
    facts |= {"claim": {}, "claim_words": "", "not_executed": 0, "seconds": 0.0}
    return undecided(facts, "setup", *_parted(error))


def _parted(error: str) -> tuple[str, str]:
    """Return the first line of an error, and its help."""
    what, _, rest = error.partition("\n")
    return what, rest.partition("help")[2].strip()


def short(report: Any) -> str:
    """Return a failure in one line."""
    crash = getattr(report.longrepr, "reprcrash", None)
    text = str(crash.message if crash is not None else report.longrepr).strip()
    return text.splitlines()[0] if text else "no reason was given"


def status(report: Any) -> tuple[str, str, Any] | None:
    """Return how pytest counts and shows what only we know of; None for everything else."""
    facts = getattr(report, "probtest", None)
    if report.when != "call" or not report.passed or hasattr(report, "wasxfail") or facts is None:
        return None
    letter = {PARTIAL: "p", WITHIN_BUDGET: "b"}.get(facts["verdict"])
    if letter is None:
        return None
    words = facts["verdict"].replace("_", " ")
    return words, letter, (words.upper(), {"yellow": True})


class FactsFile:
    """The file of `--probtest-json`, which is complete at any moment: a run may be stopped or die.

    Tests that have begun and not ended are at its end, as inconclusive. When one ends, the file is
    written anew from there on, so that a test costs the same however many there were before it.
    """

    def __init__(self, file: str, package: str | None, code: str) -> None:
        self._name = file
        # A test may leave the process in another folder.
        self._path = Path(file).absolute()
        self._package = {"package": package}
        self._place = self._package | {"code": code}
        self._begun: dict[str, dict[str, Any]] = {}
        self._ended = 0
        self._end = 0
        self._suite: dict[str, Any] | None = None
        #: Why the file could not be written.
        self.unwritten: str | None = None
        self._file: Any = None
        #: What could not be written yet, where a file cannot be written twice, such as a pipe.
        self._kept: bytes | None = None

    def begin(self, nodeid: str, facts: dict[str, Any]) -> None:
        self._begun[nodeid] = facts
        self.write()

    def add(self, nodeid: str, facts: dict[str, Any]) -> None:
        self._begun.pop(nodeid, None)
        entry = self._entry(facts, first=self._ended == 0)
        self._ended += 1
        self.write(entry)

    def end(self, nodeid: str) -> None:
        """Forget a test that began and has nothing to tell: it was skipped."""
        if self._begun.pop(nodeid, None) is not None:
            self.write()

    def finish(self, suite: dict[str, Any]) -> None:
        """Write what the tests promise together, and close the file."""
        self._suite = self._package | suite if suite else None
        self.write()
        try:
            if self._file is None:
                return
            if self._kept is not None:
                self._file.write(self._kept + self._tail())
            else:
                self._put_back()
            self._file.close()
        except OSError as error:
            self.unwritten = str(unwritten(self._name, error))

    def _put_back(self) -> None:
        """Write the file again if it was removed while the tests ran."""
        path = self._path
        if path.exists() and os.path.samestat(path.stat(), os.fstat(self._file.fileno())):
            return
        self._file.seek(0)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self._file.read())

    def _entry(self, facts: dict[str, Any], *, first: bool) -> bytes:
        text = json.dumps(facts | self._place, indent=1).replace("\n", "\n  ")
        return (b"" if first else b",") + b"\n  " + text.encode()

    def _tail(self) -> bytes:
        """Return what comes after the tests that have ended."""
        begun = [
            self._entry(facts, first=self._ended == 0 and number == 0)
            for number, facts in enumerate(self._begun.values())
        ]
        suite = json.dumps(self._suite, indent=1).replace("\n", "\n ")
        return b"".join(begun) + b'\n ],\n "suite": ' + suite.encode() + b"\n}\n"

    def write(self, ended: bytes = b"") -> None:
        """Write a test that has ended, and all that comes after it, in one go."""
        if self.unwritten is not None:
            return
        try:
            if self._file is None:
                self._open()
            if self._kept is not None:
                self._kept += ended
                return
            self._file.seek(self._end)
            # Without a buffer: a process that dies takes none of it along.
            self._file.write(ended + self._tail())
            self._file.truncate()
            self._end += len(ended)
        except OSError as error:
            # Raised, it would take the reports of all tests with it.
            self.unwritten = str(unwritten(self._name, error))

    def _open(self) -> None:
        path = self._path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("w+b" if path.is_file() or not path.exists() else "wb", buffering=0)
        head = b'{\n "probtest": %d,\n "tests": [' % _native.FORMAT
        if not self._file.seekable():
            self._kept = head
            return
        self._file.write(head)
        self._end = len(head)


class Results:
    """The facts of all tests of a run."""

    def __init__(self, config: pytest.Config, given: _native.Given) -> None:
        self._is_worker = hasattr(config, "workerinput")
        self._config = config
        file: str | None = config.getoption("probtest_json")
        self._is_wanted = file is not None
        self._file: FactsFile | None = None
        # An audit has facts of its own.
        is_other = self._is_worker or config.getoption("probtest_audit")
        if file is not None and not is_other:
            self._file = FactsFile(file, package(config), code_of(config, given))
        self._facts: list[dict[str, Any]] = []
        #: The facts of tests that have not been torn down.
        self._pending: dict[str, dict[str, Any]] = {}
        self._subtests: Subtests | None = None
        self._interrupted: list[str] = []
        #: Items that are not test functions, in a run that executes all tests.
        self._once: list[str] = []
        #: What is to be said about processes, and of which tests.
        self._of_processes: dict[str, list[str]] = {}
        #: What became of journals.
        self._news: list[str] = []
        #: Whether any test was replayed, and not executed as its plan says.
        self._replayed = False

    def pytest_sessionstart(self) -> None:
        if self._file is not None:
            # In place of a file of an earlier run, which says nothing about this one.
            self._file.write()

    def begin(self, nodeid: str, test: ItemTest) -> None:
        self._subtests = test.subtests
        test.is_told = self._is_wanted and test.run.replay is None
        if self._file is not None and test.is_told:
            self._file.begin(nodeid, {"nodeid": nodeid, **test.begun()})

    def end(self, nodeid: str) -> None:
        self._subtests = None
        if self._file is not None:
            self._file.end(nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        nodeid = report.nodeid
        if self._subtests is not None and self._subtests.take(report):
            return
        news = getattr(report, "probtest_news", None)
        if news is not None:
            self._news.append(f"{nodeid}: {news}")
        if getattr(report, "probtest_once", False):
            self._once.append(nodeid)
        for note in getattr(report, "probtest_notes", ()):
            self._of_processes.setdefault(f"note: {note}", []).append(nodeid)
        if report.when == "setup":
            # One that is executed again by another plugin may not have been torn down.
            self._settle(nodeid)
        begun = getattr(report, "probtest_begun", None)
        if begun is not None and self._file is not None and not report.failed and not report.skipped:
            self._file.begin(nodeid, {"nodeid": nodeid, **begun})
        facts = getattr(report, "probtest", None)
        if facts is not None:
            self._pending[nodeid] = {"nodeid": nodeid, **agreeing(facts, report)}
        elif nodeid in self._pending:
            self._pending[nodeid] = agreeing(self._pending[nodeid], report)
        if report.when == "teardown":
            self._settle(nodeid)
            if self._file is not None:
                self._file.end(nodeid)
        self._replayed |= getattr(report, "probtest_replayed", False)

    def _settle(self, nodeid: str) -> None:
        """Count the facts of a test that has ended, and write them."""
        facts = self._pending.pop(nodeid, None)
        if facts is not None:
            self._facts.append(facts)
            if self._file is not None:
                self._file.add(nodeid, facts)

    def interrupted(self, nodeid: str, test: ItemTest) -> None:
        report = test.run.report
        executed = 0 if report is None else report.executed
        self._interrupted.append(f"{nodeid}: interrupted after {executed} of {test.run.planned} executions")
        if self._file is not None and test.run.replay is None:
            facts = test.begun() if report is None else json.loads(report.json)
            words = "stopped before the plan was finished"
            stopped = undecided(facts, "cancelled", words, "run the test again")
            self._pending[nodeid] = {"nodeid": nodeid, **stopped}

    def write(self, session: pytest.Session) -> None:
        for nodeid in list(self._pending):
            self._settle(nodeid)
        if not self._is_worker:
            keep_costs(self._config, self._facts)
        if self._file is None:
            return
        self._file.finish(promises(self._facts))
        if self._file.unwritten is not None:
            session.exitstatus = pytest.ExitCode.USAGE_ERROR

    def summarize(self, reporter: Any, settings: Settings) -> None:
        verbose = reporter.config.get_verbosity() > 0
        # With -q there is no header.
        lines = warnings_of(settings) if reporter.config.get_verbosity() < 0 else []
        for facts in self._facts:
            shown = facts["verdict"] == WITHIN_BUDGET or (verbose and facts["verdict"] in _ENDED_WELL)
            if self._interrupted or shown:
                lines.append(f"{facts['nodeid']}: {facts['summary'].removeprefix('probtest: ')}")
                lines += [f"  {label['words']}" for label in facts.get("labels", [])[:MOST_LABELS]]
            became = (facts["remembered"] or {}).get("words")
            if became is not None:
                lines.append(f"{facts['nodeid']}: {became}")
        lines += self._news
        if settings.given.shard is not None:
            partial = sum(facts["verdict"] == PARTIAL for facts in self._facts)
            lines.append(
                f"shard {settings.given.shard}: {partial} of {len(self._facts)} tests are "
                "partial, which is not a pass; probtest merge gives the verdict of all shards"
            )
        # Each doubt with its tests, and notes on request.
        tests: dict[str, list[str]] = {}
        for facts in self._facts:
            for doubt in facts["doubts"]:
                tests.setdefault(f"doubt: {doubt['words']}", []).append(facts["nodeid"])
            for note in facts["notes"] if verbose else ():
                tests.setdefault(f"note: {note['words']}", []).append(facts["nodeid"])
        for words, names in (*tests.items(), *self._of_processes.items()):
            lines += _named(words, names)
        if self._once:
            count = len(self._once)
            what = "1 item is not a test function" if count == 1 else f"{count} items are not test functions"
            lines += _named(f"note: {what} and ran once, without a claim", self._once)
        lines += self._interrupted
        for promise in promises(self._facts).values():
            lines += promise["words"]
        replay = settings.given.replay
        if replay is not None:
            seed, index, named = replay
            of = "of the test that the replay names, " if named else ""
            replayed = f"{of}only execution {index} of seed {seed:#x} ran: this is not the plan"
            nobody = "warning: the replay names no test of this run, so every test ran its plan"
            lines.append(replayed if self._replayed else nobody)
        if self._file is not None and self._file.unwritten is not None:
            lines += f"error: {self._file.unwritten}".splitlines()
        if lines:
            reporter.section("probtest")
            for line in lines:
                reporter.write_line(line)


#: The most labels of a test that passed that are shown with -v.
MOST_LABELS = 10
_ENDED_WELL = ("passed", "estimated", PARTIAL)
_ACCEPTED = (*_ENDED_WELL, WITHIN_BUDGET)


def _named(line: str, names: list[str]) -> list[str]:
    """Return a line with the tests that it is about, not too many of them."""
    more = [f"  and {len(names) - SHOWN} more"] if len(names) > SHOWN else []
    return [line, *(f"  {name}" for name in names[:SHOWN]), *more]


def promises(facts: Iterable[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return what the tests of a run promise together.

    From the facts of the tests alone: under xdist the tests are counted in the workers.
    """
    # What a shard promises is for all shards together to say.
    whole = [fact for fact in facts if fact["verdict"] != PARTIAL]
    found: dict[str, Any] = json.loads(_native.suite_promises(json.dumps(whole)))
    del found["package"]
    return found


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
        # pytest's line stays; ours is written over and over after it.
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
