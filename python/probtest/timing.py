"""Limits of time, from whatever Python has, and the clock that they are measured by."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta
from typing import TypeAlias

from . import _native
from .planning import shown

#: Text such as "30s", a number of seconds, or a timedelta.
Time: TypeAlias = "str | float | timedelta"

#: Tells the time in nanoseconds since any fixed moment, instead of the system's clock.
clock: Callable[[], int] | None = None

_YEAR = 365 * 24 * 3600


def nanoseconds(given: object, what: str = "max_time") -> int:
    """Read a span of time.

    >>> nanoseconds("1m30s") == nanoseconds(90) == nanoseconds(timedelta(seconds=90))
    True
    """
    if isinstance(given, str):
        return _native.parse_time(given, what)
    if isinstance(given, timedelta):
        given = given.total_seconds()
    if isinstance(given, bool) or not isinstance(given, (int, float)):
        raise _native.ClaimError(
            f"{what} is not a span of time\n"
            f"  given  {given!r}\n"
            "  help   write text such as '30s' or '1m30s', a number of seconds, or a timedelta"
        )
    # Compared first: a whole number may be too large for a float.
    if not 0 < given <= _YEAR or round(given * 1e9) <= 0:
        raise _native.ClaimError(
            f"{what} is not above 0 and at most a year\n"
            f"  given  {shown(given)}\n"
            "  help   write a span such as '30s', or leave it out for no limit"
        )
    return round(given * 1e9)


def is_off(given: object) -> bool:
    """Say whether every limit of time is lifted."""
    return isinstance(given, str) and given.strip().lower() == "off"


class SuiteClock:
    """The time of all tests of a run together, from the first one on."""

    def __init__(self, span: int) -> None:
        self.span = span
        self._began: int | None = None

    def limit(self) -> tuple[int, int, bool]:
        """Return the span, what is left of it, and that it is the suite's."""
        now = clock() if clock is not None else time.monotonic_ns()
        if self._began is None:
            self._began = now
        return (self.span, max(0, self.span - (now - self._began)), True)
