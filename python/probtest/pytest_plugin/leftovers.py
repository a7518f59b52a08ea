"""Clearing away what passed executions leave behind: output, log records, warnings.

A failure shows the output of the deciding execution only, and memory does not
grow with the number of executions.
"""

from __future__ import annotations

import contextlib
import io
import sys
import warnings
from collections.abc import Callable
from typing import Any

import pytest

#: How many different warnings of one test are kept.
MOST_WARNINGS = 100


class Leftovers:
    """Knows where pytest keeps what a test leaves behind."""

    def __init__(self, config: pytest.Config) -> None:
        self._capture: Any = config.pluginmanager.getplugin("capturemanager")
        logging: Any = config.pluginmanager.getplugin("logging-plugin")
        self._handlers = [logging.caplog_handler, logging.report_handler] if logging is not None else []
        self._streams = self._captured_streams()

    def _captured_streams(self) -> list[Any]:
        capturing = getattr(self._capture, "_global_capturing", None)
        streams: list[Any] = [getattr(capturing, name, None) for name in ("out", "err")]
        return [stream.tmpfile for stream in streams if hasattr(stream, "tmpfile")]

    def captured(self) -> dict[str, Any]:
        """Return what captures the descriptors of output and errors, by name."""
        capturing = getattr(self._capture, "_global_capturing", None)
        found = {name: getattr(capturing, name, None) for name in ("out", "err")}
        return {name: stream for name, stream in found.items() if hasattr(stream, "targetfd")}

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

    def clear_logs(self) -> None:
        for handler in self._handlers:
            # In place: pytest has handed out the list.
            handler.records.clear()
            handler.stream = io.StringIO()

    def merge_warnings(self, *, whatever: bool = False) -> None:
        """Keep one of each warning that pytest has recorded so far, and not too many."""
        record = getattr(getattr(warnings, "_showwarnmsg_impl", None), "__self__", None)
        if (
            not isinstance(record, list)
            or len(record) < 2
            or not (whatever or len(record) > 2 * MOST_WARNINGS)
        ):
            return
        kept: dict[Any, Any] = {}
        for warning in record:
            if len(kept) >= MOST_WARNINGS:
                break
            key = (warning.category, str(warning.message), warning.filename, warning.lineno)
            kept.setdefault(key, warning)
        record[:] = kept.values()
