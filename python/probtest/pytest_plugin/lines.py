"""What names a test wherever pytest is started, and the lines to copy that execute it again."""

from __future__ import annotations

import functools
import hashlib
import importlib
import itertools
import os
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from .. import _native
from ..tapes import LONGEST_TAPE

#: Files in the folder of a project. pytest's own root folder depends on its arguments
#: and on where it is started, where there is none of them, or more than one.
_OF_A_PROJECT = (
    *("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini"),
    *("pyproject.toml", "tox.ini", "setup.cfg", "setup.py"),
)


def place_of(item: pytest.Item) -> str:
    """Return the path of a test's file within its project, and its name there."""
    inside = item.nodeid.partition("::")[2]
    folder, name = os.path.split(item.path)
    path = os.path.join(*_within_project(folder), name).replace(os.sep, "/")
    return f"{path}::{inside}"


@functools.lru_cache(maxsize=4096)
def _within_project(folder: str) -> tuple[str, ...]:
    """Return the folders from that of the project down to this one.

    Without a project they are the packages that the folder is part of.
    """
    start = Path(folder)
    for found in (start, *start.parents):
        if any((found / name).is_file() for name in _OF_A_PROJECT):
            return start.relative_to(found).parts
    found = start
    while (found / "__init__.py").is_file() and found != found.parent:
        found = found.parent
    return start.relative_to(found).parts


def package(config: pytest.Config) -> str | None:
    """Return the name of the package that the tests are from, where the project says it.

    Never the name of a folder: that is the machine's, and another one on each shard.
    """
    given = config.getini("probtest_package")
    return str(given) if given else project(config.rootpath / "pyproject.toml")


def project(file: Path) -> str | None:
    """Read a project's name. A file that cannot be read names none: it is not ours to refuse."""
    toml: Any
    try:
        toml = importlib.import_module("tomllib")
    except ModuleNotFoundError:  # before Python 3.11; pytest brings this one
        toml = importlib.import_module("tomli")
    try:
        found = toml.loads(file.read_text(encoding="utf-8")).get("project")
    except (OSError, ValueError):
        return None
    name = found.get("name") if isinstance(found, dict) else None
    return name if isinstance(name, str) and name else None


@dataclass
class Lines:
    """Writes the lines of one item; in them is what its claim has from the run."""

    _item: pytest.Function
    #: The id that the numbers are derived from.
    _test: str
    _claim: _native.Claim
    _said: dict[str, Any] | None
    _given: _native.Given
    #: Whether the test is executed in a process of its own, or should be.
    isolates: bool = False
    #: The seed of the interpreter, where the result depends on it.
    interpreter: int | None = None

    def replay(self, seed: int, index: int) -> str:
        """Write the line for one execution."""
        if self.interpreter is None:
            return self._line(f"--probtest-replay {seed:#x}:{index}")
        address = named_address(seed, index, self._test)
        return self._line(f"--probtest-replay {address} --probtest-import-seed {self.interpreter}")

    def rerun(self, seed: int, most: int | None = None) -> str:
        """Write the line for the whole test, or as much of it as a limit of time has left.

        With other chances it may be decided sooner, and otherwise.
        """
        words = [f"--probtest-seed {seed:#x}"]
        if most is not None:
            words += [f"--probtest-max-executions {most}", "--probtest-max-time off"]
        return self._line(" ".join(words + self._chances()))

    def of(self, report: _native.Report) -> dict[str, str | None]:
        """Return the lines that a report has."""
        lines: dict[str, str | None] = {}
        if report.address is not None:
            seed, index = report.address
            lines["replay"] = self.replay(seed, index)
            if report.played is not None:
                # What its own draws do does not violate any more.
                lines["replay"] = self._on_tape(seed, index, report.played, "replay")
            if report.tape is not None:
                lines["small"] = self._on_tape(seed, index, report.tape, "small")
        if report.cut_by_time:
            lines["rerun"] = self.rerun(report.seed, report.executed)
        elif report.is_rerun_whole:
            lines["rerun"] = self.rerun(report.seed)
        return lines

    def _on_tape(self, seed: int, index: int, tape: str, what: str) -> str | None:
        """Write the line that plays a tape; one that is longer than a line is in pytest's cache."""
        if len(tape) > LONGEST_TAPE:
            config: Any = self._item.config
            cache = getattr(config, "cache", None)
            if cache is None:
                return None
            name = hashlib.sha256(self._test.encode()).hexdigest()[:24]
            try:
                file = cache.mkdir("probtest-tapes") / f"{name}-{what}.tape"
                file.write_text(tape, encoding="utf-8")
            except OSError:
                return None
            tape = f"@{os.path.relpath(file, config.invocation_params.dir)}"
        address = _native.tape_address(seed, index, self._test, tape)
        return self._line(f"--probtest-replay {shlex.quote(address)}")

    def alone(self, seed: int, index: int) -> str:
        """Say why an execution that passes is not a pass where several tests are selected.

        An address left in the environment would make a whole suite green after one
        execution of each test.
        """
        return (
            f"probtest: execution {seed:#x}:{index} passed, but that is not "
            "the plan, and several tests are selected\n"
            f"  given     --probtest-replay {seed:#x}:{index}, or PROBTEST_REPLAY\n"
            f"  help      name the test, as in {self.replay(seed, index)}; leave both out to test the claims"
        )

    def _chances(self) -> list[str]:
        # A claim on what the test returns has its own chances inside.
        in_suite = bool(self._given.suite)
        if self._claim.is_about_returned and not in_suite:
            return []
        # A part of the suite's chance is the whole of it where one test is executed.
        prefix = "--probtest-suite" if in_suite else "--probtest"
        chances = {"epsilon": self._claim.epsilon, "false-alarm": self._claim.false_alarm}
        return [f"{prefix}-{name} {shlex.quote(given)}" for name, given in chances.items() if given]

    def _line(self, options: str) -> str:
        config: Any = self._item.config
        # The node id is relative to the root folder, the line to where pytest was started.
        inside = str(self._item.nodeid).partition("::")[2]
        try:
            path = os.path.relpath(self._item.path, config.invocation_params.dir)
        except ValueError:  # another drive
            path = str(self._item.path)
        words = ["pytest", shlex.quote(f"{path}::{inside}"), options]
        hashing = os.environ.get("PYTHONHASHSEED", "")
        if self.interpreter is not None:
            # What is drawn on import depends on all that is imported before.
            words[1:2] = map(shlex.quote, config.getoption("file_or_dir", None) or [])
            hashing = hashing if hashing.isdecimal() else str(self.interpreter)
        if hashing.isdecimal():
            words.insert(0, f"PYTHONHASHSEED={hashing}")
        places = [
            ("--rootdir", config.getoption("rootdir", None)),
            ("-c", config.getoption("inifilename", None)),
        ]
        given = [str(word) for option, value in places if value for word in (option, value)]
        words += map(shlex.quote, [*given, *of_the_run(config)])
        if self.interpreter is not None or isinstance(self._item, pytest.DoctestItem):
            words += map(shlex.quote, _of_the_collection(config))
        if self.isolates and not (self._said or {}).get("isolate"):
            words.append("--probtest-isolate")
        if self._given.vary_seeds:
            words.append("--probtest-vary-seeds")
        if self._said is None:
            words.append("--probtest")
        if not any(name in (self._said or {}) for name in ("p", "outcomes", "tolerate", "claim")):
            p = self._claim.p or ",".join(self._claim.outcomes or [])
            words.append(f"--probtest-p {shlex.quote(p)}")
            if self._claim.tolerate is not None:
                words.append(f"--probtest-tolerate {shlex.quote(self._claim.tolerate)}")
        return " ".join(words)


def named_address(seed: int, index: int, test: str) -> str:
    """Write the address of an execution of one test among others."""
    return _native.tape_address(seed, index, test, "").removesuffix(":")


def _of_the_collection(config: Any) -> list[str]:
    """Return what the command line says about which modules are imported, and how."""
    flags = [("--doctest-modules", "doctestmodules"), ("--pyargs", "pyargs")]
    found = [flag for flag, name in flags if config.getoption(name, False)]
    lists = [("--doctest-glob", "doctestglob"), ("--ignore", "ignore"), ("--ignore-glob", "ignore_glob")]
    for flag, name in lists:
        found += [f"{flag}={value}" for value in config.getoption(name, None) or []]
    mode = config.getoption("importmode", "prepend")
    return found if mode == "prepend" else [*found, f"--import-mode={mode}"]


def of_the_run(config: Any) -> list[str]:
    """Return what the command line says that fixtures, names and keys of files depend on."""
    given = [("-o", override) for override in config.getoption("override_ini", None) or []]
    warnings = config.getoption("pythonwarnings", None) or []
    # A warning that is an error violates; one that is hidden does not.
    given += [("-W", filtering) for filtering in warnings if filtering.startswith("error")]
    added = [str(word) for word in config.invocation_params.args]
    plugins = [after for word, after in itertools.pairwise(added) if word == "-p"]
    plugins += [word[2:] for word in added if word.startswith("-p") and len(word) > 2]
    # Those that the command line leaves out do not matter.
    given += [("-p", plugin) for plugin in plugins if not plugin.startswith("no:")]
    words = [str(word) for option, value in given if value for word in (option, value)]
    return words + _of_the_project(config)


def _of_the_project(config: Any) -> list[str]:
    """Return the options of the command line that the project has added: its tests may ask for them."""
    group = getattr(getattr(config, "_parser", None), "_anonymous", None)
    takes = {}
    for option in getattr(group, "options", []):
        attributes = option.attrs()
        stores = attributes.get("action") in (None, "store", "append", "extend")
        for name in option.names():
            # `nargs` of a flag is 0 where it was asked for from argparse.
            takes[name] = attributes.get("nargs") if stores else 0
    found: list[str] = []
    words = [str(word) for word in config.invocation_params.args]
    while words:
        word = words.pop(0)
        name, equals, _ = word.partition("=")
        if name not in takes:
            continue
        count = takes[name]
        most = 1 if count is None else count if isinstance(count, int) else 1 if count == "?" else len(words)
        found.append(word)
        while not equals and most > 0 and words and not (count is not None and words[0].startswith("-")):
            found.append(words.pop(0))
            most -= 1
    return found
