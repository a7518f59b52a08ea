"""The id of a test that its numbers are derived from: the same wherever pytest is started."""

from __future__ import annotations

import functools
import os
from pathlib import Path

import pytest

#: Files that stand in the folder of a project. pytest's own root folder depends on its arguments
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
