"""Where the facts of a run are written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def look_at(file: str) -> None:
    """Refuse a file that cannot be written, before anything is executed."""
    path = Path(file)
    if path.is_dir():
        raise pytest.UsageError(
            "the facts cannot be written to a folder\n"
            f"  given  --probtest-json {file}\n"
            "  help   name a file, such as facts.json"
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _refusal(file, error) from None
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise _refusal(file, PermissionError(13, os.strerror(13), file))


def write(file: str, content: str) -> None:
    """Write the facts."""
    path = Path(file)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    except OSError as error:
        raise _refusal(file, error) from None


def _refusal(file: str, error: OSError) -> pytest.UsageError:
    return pytest.UsageError(
        f"the facts cannot be written: {error}\n"
        f"  given  --probtest-json {file}\n"
        "  help   name a file that can be written"
    )
