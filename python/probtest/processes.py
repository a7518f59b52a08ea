"""Processes that a body forks.

One that leaves the body is no part of the test: it would execute the rest of the plan, and of
the suite, beside the process that it comes from, and remove its files.
"""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
from typing import NoReturn

from . import _native

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_native.forked)


def leave(exception: BaseException | None) -> NoReturn:
    """End a forked process that has left the body, as Python ends a program."""
    code = 0
    with contextlib.suppress(BaseException):
        if type(exception) is SystemExit:
            code = _code(exception.code)
        elif exception is not None:
            code = 1
            traceback.print_exception(exception)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(BaseException):
            stream.flush()
    os._exit(code)


def _code(given: object) -> int:
    """Return the code of a process for what `sys.exit` was given."""
    if given is None:
        return 0
    if isinstance(given, int):
        return given & 0xFF
    sys.stderr.write(f"{given}\n")
    return 1
