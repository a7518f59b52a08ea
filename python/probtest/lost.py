"""Failures that a body is not told of: in threads, and in tasks of asyncio that nobody awaits."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any

from .watching import PROGRAM, owner, place_at


class Lost:
    """Collects such failures while it is entered, and hands them on to who was told before."""

    def __init__(self) -> None:
        #: What happened, and where; the core takes out what it has read.
        self.failures: list[tuple[str, str | None]] = []
        self._before: Callable[[Any], object] | None = None
        self._loops: Any = None
        self._handle: Any = None

    def __enter__(self) -> Lost:
        before = self._before = threading.excepthook

        def hook(arguments: Any) -> None:
            # Threads end by SystemExit as they like.
            if arguments.exc_type is not SystemExit:
                self._add(arguments.exc_type, arguments.exc_value, arguments.exc_traceback)
            before(arguments)

        threading.excepthook = hook
        events = sys.modules.get("asyncio.base_events")
        if events is not None:
            self._watch_loops(events.BaseEventLoop)
        return self

    def _watch_loops(self, loops: Any) -> None:
        original = loops.call_exception_handler

        def call_exception_handler(loop: Any, context: dict[str, Any]) -> None:
            exception = context.get("exception")
            if isinstance(exception, BaseException):
                self._add(type(exception), exception, exception.__traceback__)
            original(loop, context)

        self._loops, self._handle = loops, original
        loops.call_exception_handler = call_exception_handler

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            threading.excepthook = self._before
        if self._loops is not None:
            self._loops.call_exception_handler = self._handle
            self._loops = None

    def _add(self, kind: type[BaseException], value: Any, traceback: TracebackType | None) -> None:
        # The words of a built-in exception only: another one may run code of the program.
        message = kind.__name__
        written: Any = type(value).__str__
        if written in (BaseException.__str__, OSError.__str__, KeyError.__str__):
            message = f"{message}: {value}" if str(value) else message
        place = None
        while traceback is not None:
            if owner(traceback.tb_frame) == PROGRAM:
                place = place_at(traceback.tb_frame, traceback.tb_lineno)
            traceback = traceback.tb_next
        self.failures.append((message, place))
