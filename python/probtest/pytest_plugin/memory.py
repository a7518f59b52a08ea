"""What a run keeps for the next one: counterexamples, journals, costs."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from .. import _native
from ..watching import INSTALLED, modules
from .lines import package

#: How many of one test are kept, newest first.
KEPT = 8
#: The longest tape that is kept with one.
LONGEST_TAPE = 4096
#: The folder in the source tree, as Rust's tests have it.
REGRESSIONS = "probtest-regressions"
#: Begins the lines of a file that say in which program the counterexamples were found.
_PROGRAM = "# program "
#: The file that says which run is under way: one that died has left it behind.
_RUN = "run-under-way.txt"
#: Folders that hold no code of the project.
_ELSEWHERE = frozenset(("__pycache__", "node_modules", "site-packages"))
#: Options of pytest that may change what a test does.
_CHANGING = ("override_ini", "pythonwarnings", "runxfail")
#: Where pytest's cache keeps costs: by test, what was spent by how many executions, of how many planned,
#: and the most that they might spend.
_COSTS = "probtest/costs"
#: How many tests are listed; the others are in the sum.
_LISTED = 10


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

    def read(self) -> tuple[list[str], bool]:
        """Return what is remembered, and whether all of it was found in the program that runs now.

        What that has not imported yet, and what it had not imported then, is no difference.
        """
        found, program = self._read()
        is_same = all(_digest(self._root / file) == digest for file, digest in program.items())
        return found, bool(found and program) and is_same

    def update(self, found: str | None, fixed: list[str], tape: str | None = None) -> None:
        """Add a counterexample, with the tape of its small execution; forget what did not violate."""
        fixed = [] if self.is_committed else fixed
        if found is None and not fixed:
            return
        gone = {found, *fixed}
        kept = [line for line in self._read()[0] if line.partition(" ")[0] not in gone]
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


def _program(root: Path) -> dict[str, str]:
    """Return what the files of the program hold that are imported by now, as numbers to compare."""
    prefix = str(root) + os.sep
    files = sorted(_imported(prefix))
    return {file.removeprefix(prefix): _digest(Path(file)) for file in files if "\n" not in file}


def _imported(prefix: str) -> set[str]:
    return {
        file
        for _, _, file in modules()
        if file.startswith(prefix) and not any(part in file for part in INSTALLED)
    }


class Code:
    """The files of a program as they are now, to see later whether one of them was edited.

    Files that are new by then are not looked at: tests may write some.
    """

    def __init__(self, root: Path, everything: bool) -> None:
        """Look at all Python files of the project, or only at those that are imported by now."""
        self._root = root
        found = _python_files(str(root)) if everything else _imported(str(root) + os.sep)
        self._seen = {file: (_stamp(file), _digest(Path(file))) for file in sorted(found)}

    def edited(self) -> str | None:
        """Return a file that holds something else now."""
        for file, (stamp, digest) in self._seen.items():
            # Reading takes longer than looking, and a file that was written may hold the same.
            if (now := _stamp(file)) != stamp:
                if _digest(Path(file)) != digest:
                    return os.path.relpath(file, self._root)
                self._seen[file] = (now, digest)
        return None


def _stamp(file: str) -> tuple[int, int] | None:
    try:
        found = os.stat(file)
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns


def _digest(file: Path) -> str:
    """Return a number for what a file holds; not when it was written, which a checkout changes."""
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()[:24]
    except OSError:
        return "gone"


class Journals:
    """The journals of one pytest run."""

    def __init__(self, config: pytest.Config, folder: str, given: _native.Given) -> None:
        self.folder = os.path.abspath(folder)
        self._code = code_of(config, given)
        self._package = package(config)
        worker: dict[str, Any] | None = getattr(config, "workerinput", None)
        self._is_worker = worker is not None
        left = self._left() if worker is None else worker.get("probtest_run", "")
        #: The seed of the run that died and goes on now.
        self.resumed: int | None = int(left) if left else None

    @property
    def _file(self) -> Path:
        return Path(self.folder, _RUN)

    def _left(self) -> str:
        try:
            text = self._file.read_text(encoding="ascii").strip()
        except (OSError, ValueError):
            return ""
        return text if text.isdecimal() else ""

    def begin(self, seed: int) -> None:
        """Write down that a run is under way."""
        if self.resumed != seed:
            self.resumed = None
        if self._is_worker:
            return
        try:
            os.makedirs(self.folder, exist_ok=True)
            draft = self._file.with_suffix(f".{os.getpid()}.draft")
            draft.write_text(f"{seed}\n", encoding="ascii")
            draft.replace(self._file)
        except OSError as error:
            raise pytest.UsageError(
                f"the journal cannot be written: {error}\n"
                f"  given  --probtest-journal {self.folder}\n"
                "  help   name a folder that you can write to"
            ) from None

    def end(self) -> None:
        """Write down that the run has come to its end."""
        if not self._is_worker:
            with contextlib.suppress(OSError):
                self._file.unlink()

    def of_test(self) -> tuple[str, str, int | None, str | None]:
        """Return the folder, the code, the seed to go on with, and the package."""
        return self.folder, self._code, self.resumed, self._package


def code_of(config: pytest.Config, given: _native.Given) -> str:
    """Return what tells code from changed code. Under other seeds it is other code."""
    _, key = given.journal
    code = _hash(config.rootpath, _circumstances(config)) if key is None else key
    return f"{code} with varied seeds" if given.vary_seeds else code


def _circumstances(config: pytest.Config) -> str:
    """Write down the options that may change what tests do: those of the suite, and some of pytest's."""
    parser: Any = getattr(config, "_parser", None)
    own = getattr(getattr(parser, "_anonymous", None), "options", ())
    names = {*_CHANGING, *(getattr(option, "dest", "") for option in own)}
    if config.getoption("probtest_audit"):
        names.add("probtest_audit_timeout")
    given = {name: config.getoption(name, None) for name in sorted(names)}
    if config.getoption("probtest_audit"):
        given["PYTHONHASHSEED"] = os.environ.get("PYTHONHASHSEED")
    return "".join(f"{name}={value!r}\n" for name, value in given.items() if value)


def _hash(root: Path, circumstances: str) -> str:
    """Return a hash of all Python files of the project, and of what tests are started with."""
    found = hashlib.sha256(circumstances.encode(errors="surrogateescape"))
    for path in sorted(_python_files(str(root))):
        found.update(os.path.relpath(path, root).encode(errors="surrogateescape") + b"\0")
        with contextlib.suppress(OSError):
            found.update(hashlib.sha256(Path(path).read_bytes()).digest())
    return found.hexdigest()[:16]


def _python_files(root: str) -> list[str]:
    files = []
    for folder, folders, names in os.walk(root):
        folders[:] = [
            name
            for name in folders
            if not name.startswith(".")
            and name not in _ELSEWHERE
            and not os.path.exists(os.path.join(folder, name, "pyvenv.cfg"))
        ]
        files += [os.path.join(folder, name) for name in names if name.endswith(".py")]
    return files


def keep_costs(config: pytest.Config, tests: Iterable[dict[str, Any]]) -> None:
    """Remember what the executions of these tests have cost."""
    measured = {
        facts["nodeid"]: [facts["cost"]["spent"], facts["executed"], facts["planned"], facts["cost"]["max"]]
        for facts in tests
        if facts.get("cost") and facts["cost"]["spent"] > 0 and facts["executed"] and facts["planned"]
    }
    cache: Any = getattr(config, "cache", None)
    if measured and cache is not None:
        cache.set(_COSTS, _known_costs(config) | measured)


def planned_costs(config: pytest.Config, items: Iterable[pytest.Item]) -> list[str]:
    """Say what the plans of these tests may cost, estimated from an earlier run."""
    known, rows = _known_costs(config), []
    for item in items:
        if item.nodeid in known:
            spent, executed, most, limit = known[item.nodeid]
            whole = spent / executed * most
            if limit is not None and limit < whole:
                rows.append((limit, f"{item.nodeid}: {limit:.4g}, its max_cost"))
            else:
                words = f"{most} executions at {spent / executed:.4g}"
                rows.append((whole, f"{item.nodeid}: {whole:.4g}, {words}"))
    if not rows:
        return []
    rows.sort(key=lambda row: -row[0])
    total = sum(cost for cost, _ in rows)
    return [
        f"probtest: planned cost up to {total:.4g}, estimated from an earlier run",
        *(f"  {words}" for _, words in rows[:_LISTED]),
    ]


def _known_costs(config: pytest.Config) -> dict[str, Any]:
    cache: Any = getattr(config, "cache", None)
    known = None if cache is None else cache.get(_COSTS, None)
    return known if isinstance(known, dict) else {}
