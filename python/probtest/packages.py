"""Which package are the tests of a run from? Suites of two packages may have tests with one id."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

INI_KEY = "probtest_package"


def add_ini(parser: pytest.Parser) -> None:
    parser.addini(
        INI_KEY, "package in the JSON file (default: the project's name in pyproject.toml)", default=None
    )


def package(config: pytest.Config) -> str | None:
    """Return the name of the package, where the project says it.

    Never the name of a folder: that is the machine's, and another one on each shard.
    """
    given = config.getini(INI_KEY)
    return str(given) if given else project(config.rootpath / "pyproject.toml")


def project(file: Path) -> str | None:
    """Read a project's name. A file that cannot be read names none: it is not ours to refuse."""
    toml = _toml()
    try:
        found = toml.loads(file.read_text(encoding="utf-8")).get("project")
    except (OSError, ValueError):
        return None
    name = found.get("name") if isinstance(found, dict) else None
    return name if isinstance(name, str) and name else None


def _toml() -> Any:
    """Return the parser of Python, or before 3.11 the one that pytest brings."""
    try:
        return importlib.import_module("tomllib")
    except ModuleNotFoundError:
        return importlib.import_module("tomli")
