"""The id of a test, which its numbers are derived from, and its package: the same wherever pytest starts."""

from __future__ import annotations

import functools
import importlib
import os
from pathlib import Path
from typing import Any

import pytest

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
