"""What the tests of the examples are asked for, by variables of the environment."""

from __future__ import annotations

import os
from collections.abc import Collection

import pytest


def choice(variable: str, allowed: Collection[str], otherwise: str) -> str:
    """Return one of a few words.

    >>> choice("NOBODY_SETS_THIS", ["4x4", "7x7"], "4x4")
    '4x4'
    """
    given = os.environ.get(variable, otherwise)
    if given not in allowed:
        raise pytest.UsageError(
            f"{variable} is not one of those that there are\n"
            f"  given  {given}\n"
            f"  help   write one of {', '.join(allowed)}"
        )
    return given


def episodes(variable: str, otherwise: int) -> int:
    """Return a number of training episodes.

    >>> episodes("NOBODY_SETS_THIS", 100)
    100
    """
    given = os.environ.get(variable, str(otherwise))
    if not given.isdecimal() or int(given) < 1:
        raise pytest.UsageError(
            f"{variable} is not a whole number of at least 1\n"
            f"  given  {given}\n"
            f"  help   write a number of training episodes, such as {otherwise}"
        )
    return int(given)
