"""Where the journals of a run lie, whose code they are of, and whether a run that died goes on."""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path
from typing import Any

import pytest

from .. import _native
from .places import package

#: The file that says which run is under way: one that died has left it behind.
_RUN = "run-under-way.txt"
#: Folders that hold no code of the project.
_ELSEWHERE = frozenset(("__pycache__", "node_modules", "site-packages"))
#: Options of pytest that may change what a test does.
_CHANGING = ("override_ini", "pythonwarnings", "runxfail")


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
