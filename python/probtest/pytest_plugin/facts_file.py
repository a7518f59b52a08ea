"""The file of `--probtest-json`, which is complete at any moment: a run may be stopped or die.

Tests that have begun and not ended stand at its end, as inconclusive. When one ends, the file is
written anew from there on, so that a test costs the same however many there were before it.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from .. import _native
from .options import unwritten


class FactsFile:
    """Writes facts of tests as they come."""

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

    def start(self) -> None:
        """Take the place of a file of an earlier run: it says nothing about this one."""
        self._write(b"")

    def begin(self, nodeid: str, facts: dict[str, Any]) -> None:
        """Take a test that begins."""
        self._begun[nodeid] = facts
        self._write(b"")

    def add(self, nodeid: str, facts: dict[str, Any]) -> None:
        """Take a test that has ended."""
        self._begun.pop(nodeid, None)
        entry = self._entry(facts, first=self._ended == 0)
        self._ended += 1
        self._write(entry)

    def end(self, nodeid: str) -> None:
        """Forget a test that began and has nothing to tell: it was skipped."""
        if self._begun.pop(nodeid, None) is not None:
            self._write(b"")

    def finish(self, suite: dict[str, Any]) -> None:
        """Write what the tests promise together, and close the file."""
        self._suite = self._package | suite if suite else None
        self._write(b"")
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
        """Write the file again where somebody has removed it while the tests ran."""
        path = self._path
        if path.exists() and os.path.samestat(path.stat(), os.fstat(self._file.fileno())):
            return
        self._file.seek(0)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self._file.read())

    def _entry(self, facts: dict[str, Any], *, first: bool) -> bytes:
        text = json.dumps(facts | self._place, indent=1).replace("\n", "\n  ")
        return ((b"" if first else b",") + b"\n  " + text.encode()) if text else b""

    def _tail(self) -> bytes:
        """Return what stands behind the tests that have ended."""
        begun = [
            self._entry(facts, first=self._ended == 0 and number == 0)
            for number, facts in enumerate(self._begun.values())
        ]
        suite = json.dumps(self._suite, indent=1).replace("\n", "\n ")
        return b"".join(begun) + b'\n ],\n "suite": ' + suite.encode() + b"\n}\n"

    def _write(self, ended: bytes) -> None:
        """Write the tests that have ended, and all that comes behind them, in one go."""
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
