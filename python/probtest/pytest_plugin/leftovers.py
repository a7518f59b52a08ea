"""What executions leave behind: output, log records, warnings, subtests.

A failure shows what the deciding execution left behind, and memory does not grow with the number
of executions.
"""

from __future__ import annotations

import contextlib
import io
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from .. import _native
from ..saying import leave_by
from .reporting import RESULTS

try:
    from _pytest.subtests import failed_subtests_key as _failed_subtests
except ImportError:
    _failed_subtests = None  # type: ignore[assignment]

#: What pytest warns of where a test returns something; 8.4.0 has none, and fails the test.
RETURNED: type[Warning] | None = getattr(pytest, "PytestReturnNotNoneWarning", None)
#: How many different warnings of one test are kept.
MOST_WARNINGS = 100


class Leftovers:
    """Knows where pytest keeps what a test leaves behind."""

    def __init__(self, config: pytest.Config) -> None:
        self._capture: Any = config.pluginmanager.getplugin("capturemanager")
        logging: Any = config.pluginmanager.getplugin("logging-plugin")
        self._handlers = [logging.caplog_handler, logging.report_handler] if logging is not None else []
        capturing = getattr(self._capture, "_global_capturing", None)
        captures: dict[str, Any] = {name: getattr(capturing, name, None) for name in ("out", "err")}
        self._streams = [stream.tmpfile for stream in captures.values() if hasattr(stream, "tmpfile")]
        #: What captures the descriptors of output and errors, by name.
        self.captured = {name: stream for name, stream in captures.items() if hasattr(stream, "targetfd")}

    def take(self) -> list[str]:
        """Take what an execution has printed and logged, with titles as pytest has them."""
        found = {}
        if self._streams:
            found["stdout"], found["stderr"] = self._capture.read_global_capture()
        if self._handlers:
            found["log"] = self._handlers[-1].stream.getvalue()
        return [
            f"--- Captured {name} call ---\n{text.rstrip()}" for name, text in found.items() if text.strip()
        ]

    def cleaner(self) -> tuple[list[int], list[list[Any]], Callable[[], object]]:
        """Return what the core needs to see that there is something to clear."""
        files = []
        for stream in self._streams:
            with contextlib.suppress(OSError, ValueError, AttributeError):
                files.append(stream.fileno())
        return files, [handler.records for handler in self._handlers], self.clear

    def watch_memory_streams(self, body: Callable[[], object]) -> Callable[[], object]:
        """Wrap a body where output is captured in memory (`--capture=sys`)."""
        in_memory = [
            stream for stream in self._streams if isinstance(getattr(stream, "buffer", None), io.BytesIO)
        ]
        if not in_memory:
            return body

        def watched() -> object:
            if any(stream.tell() for stream in in_memory):
                self.clear()
            return body()

        return watched

    def clear(self) -> None:
        if self._streams:
            self._capture.read_global_capture()
        self.clear_logs()

    def clear_logs(self) -> None:
        for handler in self._handlers:
            # In place: pytest has handed out the list.
            handler.records.clear()
            handler.stream = io.StringIO()

    def keep(self) -> tuple[str, str, list[tuple[Any, list[Any], str]]]:
        """Return what an execution has left behind, to put it back later."""
        out, err = self._capture.read_global_capture() if self._streams else ("", "")
        logs = [(handler, list(handler.records), handler.stream.getvalue()) for handler in self._handlers]
        return out, err, logs

    def put_back(self, kept: tuple[str, str, list[tuple[Any, list[Any], str]]]) -> None:
        """Leave behind what was kept, and nothing else."""
        self.clear()
        out, err, logs = kept
        if self._streams:
            sys.stdout.write(out)
            sys.stderr.write(err)
        for handler, records, text in logs:
            handler.records[:] = records
            handler.stream.write(text)

    def merge_warnings(self, *, whatever: bool = False) -> None:
        """Keep one of each warning that pytest has recorded so far, and not too many."""
        record = getattr(getattr(warnings, "_showwarnmsg_impl", None), "__self__", None)
        if not isinstance(record, list) or len(record) <= (1 if whatever else 2 * MOST_WARNINGS):
            return
        kept: dict[Any, Any] = {}
        for warning in record:
            if len(kept) >= MOST_WARNINGS:
                break
            key = (warning.category, str(warning.message), warning.filename, warning.lineno)
            kept.setdefault(key, warning)
        record[:] = kept.values()


@dataclass
class LastSubtests:
    """The subtests of an execution that violated."""

    #: Their reports, each with its failure.
    reports: list[tuple[Any, Any]] = field(default_factory=list)
    #: What the body has raised beside them.
    raised: BaseException | None = None
    #: The failure of the execution, where subtests have failed.
    failure: Any = None


class Subtests:
    """The subtests of the execution under way, reported to pytest only if that execution decides.

    pytest reports a subtest as soon as it ends. Those of all executions would bury the one that
    matters, and a failure that is tolerated, or of an execution that is drawn again, would fail the run.
    """

    def __init__(self, item: pytest.Item) -> None:
        self._item = item
        #: Whether a body is running: what is reported meanwhile is a subtest of it.
        self.is_open = False
        self._failed: list[BaseException | None] = []
        self._failure = pytest.fail.Exception()
        #: The failure of the subtest that is reported next, if it has failed.
        self._longrepr: Any = None
        #: Who hears of reports, and those who have to wait until a subtest is held.
        self._listeners: list[Any] = []
        self._waiting: list[Any] | None = None
        #: The reports of the execution under way, with their failures.
        self._held: list[tuple[Any, Any]] = []
        #: What the last execution that violated has left.
        self.last = LastSubtests()

    def begin(self) -> None:
        self.is_open = True
        self._failed = []
        self._held = []

    def hold(self, report: pytest.TestReport, call: pytest.CallInfo[None]) -> None:
        """Look at a subtest before it is reported, and keep it back. One that rejects leaves the body."""
        exception = None if call.excinfo is None else call.excinfo.value
        if isinstance(exception, _native.Rejected):
            raise exception
        self._longrepr = None
        if report.failed:
            if not self._failed:
                # Whatever comes after it: this execution has failed.
                self._failure = pytest.fail.Exception(pytrace=False)
                leave_by(self._failure)
            self._failed.append(exception)
            self._longrepr = report.longrepr
            # pytest counts a failed subtest before it reports it.
            report.outcome = "passed"
            report.longrepr = None
        self._let_wait()

    def _let_wait(self) -> None:
        """Let nobody but our own plugin hear of the next report: a hook can't keep it from the others."""
        # Private, but in every version that pytest 8 and 9 take, and there is no other way.
        listeners = getattr(self._item.config.hook.pytest_runtest_logreport, "_hookimpls", None)
        if listeners is None or self._waiting is not None:
            return
        ours = self._item.config.pluginmanager.get_plugin(RESULTS)
        self._listeners, self._waiting = listeners, list(listeners)
        listeners[:] = [listener for listener in listeners if listener.plugin is ours]

    def _let_hear(self) -> None:
        if self._waiting is not None:
            self._listeners[:] = self._waiting
            self._waiting = None

    def take(self, report: pytest.TestReport) -> bool:
        """Keep a report back; return whether it is one of a subtest of the execution under way."""
        if not self.is_open:
            return False
        self._let_hear()
        self._held.append((report, self._longrepr))
        return True

    def close(self) -> None:
        """Be called when the body has ended, however it did."""
        self.is_open = False
        self._let_hear()

    def keep(self, raised: BaseException | None = None) -> None:
        """Keep the reports of an execution that violates: it may decide."""
        self.last = LastSubtests(self._held, raised)
        if self._failed:
            self.last.failure = self._failure
            count, first = len(self._failed), self._failed[0]
            said = f": {type(first).__name__}" if first is not None else ""
            self._failure.msg = f"{count} of its subtests failed, see above{said}"

    def end(self, returned: object = None) -> None:
        """Raise if a subtest of the execution has failed."""
        __tracebackhide__ = True
        if self._failed:
            self.keep()
            raise self._failure
        if returned is not None and returned is not True and type(returned) is not int:
            # It may be a False, of whichever library.
            self.keep()

    def report(self) -> None:
        """Report the subtests of the last execution that violated to pytest: it has decided."""
        capture: Any = self._item.config.pluginmanager.getplugin("capturemanager")
        last, self.last = self.last, LastSubtests()
        if last.failure is not None and last.raised is not None:
            # The failure stands for both.
            with contextlib.suppress(Exception):
                found = pytest.ExceptionInfo.from_exception(last.raised)
                last.failure.msg += f"\nand then the test itself failed:\n{self._item.repr_failure(found)}"
        for report, longrepr in last.reports:
            if longrepr is not None:
                report.longrepr = longrepr
                report.outcome = "failed"
                if _failed_subtests is not None:
                    # The key is the node id: as an object where pytest has one, else as text.
                    counts: Any = self._item.config.stash[_failed_subtests]
                    counts[getattr(self._item, "id", self._item.nodeid)] += 1
            # What pytest writes about it is not output of the test.
            with capture.global_and_fixture_disabled() if capture else contextlib.nullcontext():
                self._item.ihook.pytest_runtest_logreport(report=report)


@dataclass
class Telling:
    """Keeps what the deciding execution left behind, while others explain the violation."""

    _item: pytest.Function
    _leftovers: Leftovers
    _subtests: Subtests
    _kept: Any = None

    def __call__(self, begins: bool) -> None:
        item, subtests = self._item, self._subtests
        if begins:
            marks, properties = list(item.own_markers), list(item.user_properties)
            self._kept = self._leftovers.keep(), subtests.last, marks, properties
            return
        output, subtests.last, item.own_markers[:], item.user_properties[:] = self._kept
        self._leftovers.put_back(output)
