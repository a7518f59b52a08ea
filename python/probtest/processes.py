"""Processes that a body forks, and threads that keep us from forking some.

A process that leaves the body is no part of the test: it would execute the rest of the plan, and of
the suite, beside the process that it comes from, and remove its files.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import traceback
import weakref
from typing import NoReturn

from . import _native

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_native.forked)


#: Threads of pytest and its plugins. A forked process doesn't have them, and its test doesn't need them.
_of_plugins: weakref.WeakSet[threading.Thread] = weakref.WeakSet()


def ignore_threads() -> None:
    """Take all threads that are running now for those of pytest and its plugins."""
    _of_plugins.update(threading.enumerate())


def other_threads() -> list[str]:
    """Return the names of the threads beside this one that a test or the program may have started."""
    known = {threading.current_thread(), *_of_plugins}
    return sorted(thread.name for thread in threading.enumerate() if thread not in known)


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
