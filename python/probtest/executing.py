"""What a test body may call, and how exceptions are read."""

from __future__ import annotations

import unittest
from typing import TypeAlias

from . import _native

Exceptions: TypeAlias = "tuple[type[BaseException], ...]"

#: Exceptions that end everything, whatever the test.
LEAVING: Exceptions = (KeyboardInterrupt,)
#: Exceptions that reject an execution.
REJECTING: Exceptions = (unittest.SkipTest,)


def assume(condition: object) -> None:
    """Reject this execution unless the condition holds.

    A rejected execution does not count and is drawn again. Too many rejections
    fail the test with the counts.
    """
    if not condition:
        raise _native.Rejected("probtest.assume: the execution is not applicable")


def outcome(number: int) -> None:
    """Report which of the listed outcomes this execution has shown, from 0."""
    if number < 0:
        raise ValueError(f"outcomes are numbered from 0, not {number}")
    _native.outcome(number)
