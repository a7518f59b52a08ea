"""Counterexamples from earlier runs: in pytest's cache, or in files that are committed."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from .. import _native
from ..watching import INSTALLED

#: How many of one test are kept, newest first.
KEPT = 8
#: The longest tape that is kept beside one.
LONGEST_TAPE = 4096
#: The folder in the source tree, as Rust's tests have it.
REGRESSIONS = "probtest-regressions"


class Memory:
    """The remembered counterexamples of one test."""

    def __init__(self, config: pytest.Config, test: str, given: _native.Given) -> None:
        # In batches of another size, or under other seeds, the same address is another
        # execution, which says nothing about the counterexample.
        self._test = test if given.batch is None else f"{test} in batches of {given.batch}"
        if given.vary_seeds:
            self._test += " with varied seeds"
        self._name = hashlib.sha256(self._test.encode()).hexdigest()[:24]
        self._root = config.rootpath
        self._folder: Path | None = None
        self._cache: Any = None
        word = (given.memory or "").strip()
        #: Whether it is part of the source: then it holds what must never violate again, and
        #: nothing is taken out.
        self.is_committed = word.lower() == "source"
        if self.is_committed:
            self._folder = self._root / REGRESSIONS
        elif word and word.lower() != "off":
            self._folder = self._root / word
        elif not word:
            self._cache = getattr(config, "cache", None)

    @property
    def _file(self) -> Path | None:
        if self._folder is None:
            return None
        readable = re.sub(r"[^0-9A-Za-z]", "_", self._test)[:80]
        return self._folder / f"{readable}-{self._name[:16]}.txt"

    def _read(self) -> tuple[list[str], dict[str, str]]:
        """Return what is remembered, and the files of the program that it was found in."""
        if self._file is not None:
            try:
                lines = self._file.read_text(encoding="utf-8").splitlines()
            except (OSError, ValueError):
                return [], {}
            marked = [line.removeprefix(_PROGRAM) for line in lines if line.startswith(_PROGRAM)]
            parts = [line.partition(" ") for line in marked]
            found = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
            return found, {file: digest for digest, _, file in parts}
        # One file for each test: workers of xdist write side by side.
        kept = self._cache.get(f"probtest/{self._name}", None) if self._cache is not None else None
        if not isinstance(kept, dict):
            return [], {}
        found = [address for address in kept.get("counterexamples", []) if isinstance(address, str)]
        program = kept.get("program")
        return found, program if isinstance(program, dict) else {}

    def read(self) -> list[str]:
        return self._read()[0]

    def is_of_this_program(self) -> bool:
        """Say whether all that is remembered was found in the program that runs now.

        What it has not imported yet, and what it had not imported then, is no difference.
        """
        found, program = self._read()
        if not found or not program:
            return False
        return all(_digest(self._root / file) == digest for file, digest in program.items())

    def update(self, found: str | None, fixed: list[str], tape: str | None = None) -> None:
        """Add a counterexample, with the tape of its small execution; forget what did not violate."""
        fixed = [] if self.is_committed else fixed
        if found is None and not fixed:
            return
        gone = {found, *fixed}
        kept = [line for line in self.read() if line.partition(" ")[0] not in gone]
        if found is not None:
            kept.insert(0, found if tape is None or len(tape) > LONGEST_TAPE else f"{found} {tape}")
        kept = kept[:KEPT]
        if self._file is not None:
            self._write(self._file, kept)
        elif self._cache is not None:
            content = {"test": self._test, "program": _program(self._root), "counterexamples": kept}
            self._cache.set(f"probtest/{self._name}", content)

    def _write(self, file: Path, kept: list[str]) -> None:
        head = [f"{_PROGRAM}{digest} {name}" for name, digest in _program(self._root).items()]
        if self.is_committed:
            head = [
                f"# Executions that violated {self._test}. They run "
                "first; keep this file under version control."
            ]
        draft = file.with_suffix(f".{os.getpid()}.draft")
        try:
            if not kept:
                file.unlink(missing_ok=True)
                return
            file.parent.mkdir(parents=True, exist_ok=True)
            draft.write_text("\n".join([*head, *kept, ""]), encoding="utf-8")
            draft.replace(file)
        except OSError as error:
            with contextlib.suppress(OSError):
                draft.unlink()
            sys.stderr.write(f"probtest: warning: the counterexample cannot be remembered: {error}\n")


_PROGRAM = "# program "


def _program(root: Path) -> dict[str, str]:
    """Return what the files of the program hold that are imported by now, as numbers to compare."""
    prefix = str(root) + os.sep
    files = set()
    for module in list(sys.modules.values()):
        if type(module) is ModuleType:
            file = ModuleType.__getattribute__(module, "__dict__").get("__file__")
            if type(file) is str and file.startswith(prefix) and not any(part in file for part in INSTALLED):
                files.add(file)
    return {file.removeprefix(prefix): _digest(Path(file)) for file in sorted(files) if "\n" not in file}


def _digest(file: Path) -> str:
    """Return a number for what a file holds; not when it was written, which a checkout changes."""
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()[:24]
    except OSError:
        return "gone"
