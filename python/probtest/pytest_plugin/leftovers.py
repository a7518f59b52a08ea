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
from dataclasses import dataclass
from typing import Any

import pytest

from .. import _native
from ..saying import leave_by

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


class Subtests:
    """The subtests of the execution under way, reported to pytest only if that execution decides.

    pytest reports a subtest as soon as it ends. A violation that is tolerated, or an execution that
    is drawn again, would fail the run that way.
    """

    def __init__(self, item: pytest.Item) -> None:
        self._item = item
        #: Whether a body is running: what is reported meanwhile is a subtest of it.
        self.is_open = False
        self._failed: list[tuple[Any, Any]] = []
        self._failure = pytest.fail.Exception()
        #: Reports whose failure is kept back.
        self.held: list[Any] = []
        #: The same of the last execution in which one failed.
        self.last: tuple[list[tuple[Any, Any]], list[Any]] = ([], [])

    def begin(self) -> None:
        self.is_open = True
        self._failed = []
        self.held = []

    def hold(self, report: pytest.TestReport, call: pytest.CallInfo[None]) -> None:
        """Look at a subtest, and keep its failure back. One that rejects leaves the body at once."""
        exception = None if call.excinfo is None else call.excinfo.value
        if isinstance(exception, _native.Rejected):
            raise exception
        if report.failed:
            if not self._failed:
                # Whatever comes after it: this execution has failed.
                self._failure = pytest.fail.Exception(pytrace=False)
                leave_by(self._failure)
            self._failed.append((report.longrepr, exception))
            report.outcome = "passed"
            report.longrepr = None
            report.probtest_held = len(self._failed) - 1  # type: ignore[attr-defined]

    def end(self) -> None:
        """Raise if a subtest of the execution has failed."""
        __tracebackhide__ = True
        if self._failed:
            self.last = (self._failed, self.held)
            count, first = len(self._failed), self._failed[0][1]
            said = f": {type(first).__name__}" if first is not None else ""
            self._failure.msg = f"{count} of its subtests failed, see above{said}"
            raise self._failure

    def report_failures(self) -> None:
        """Report the failures to pytest: the execution has decided."""
        failed, held = self.last
        for report in held:
            report.longrepr, _ = failed[report.probtest_held]
            report.outcome = "failed"
            del report.probtest_held
            if _failed_subtests is not None:
                # The key is the node id: as an object where pytest has one, else as text.
                counts: Any = self._item.config.stash[_failed_subtests]
                counts[getattr(self._item, "id", self._item.nodeid)] += 1
            capture: Any = self._item.config.pluginmanager.getplugin("capturemanager")
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
