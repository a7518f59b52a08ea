"""One line of progress on a terminal, for tests that take their time."""

from __future__ import annotations

import contextlib
import time
from typing import Any

import pytest

#: Seconds before progress is shown.
PATIENCE = 2.0
#: Seconds between two lines.
PAUSE = 0.2


class Progress:
    """Writes and removes one line below pytest's own."""

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
        if seconds < PATIENCE or now - self._wrote < PAUSE:
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
