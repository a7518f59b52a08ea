"""One line of progress on a terminal, for tests that take their time."""

from __future__ import annotations

import time
from typing import Any

import pytest

#: Seconds before progress is shown.
PATIENCE = 2.0


class Progress:
    """Writes and removes one line below pytest's own."""

    def __init__(self, config: pytest.Config, nodeid: str, planned: int) -> None:
        reporter: Any = config.pluginmanager.getplugin("terminalreporter")
        is_terminal = reporter is not None and getattr(reporter, "isatty", False)
        self._writer: Any = reporter._tw if is_terminal else None
        self._nodeid = nodeid
        self._planned = planned
        self._began = time.monotonic()
        self._shown = 0

    def show(self, executed: int) -> None:
        if self._writer is None:
            return
        seconds = time.monotonic() - self._began
        if seconds < PATIENCE:
            return
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
        self._writer._file.write(text)
        self._writer._file.flush()
