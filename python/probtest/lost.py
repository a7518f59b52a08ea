"""Failures that do not reach the body: in threads, and in tasks of asyncio that are never awaited."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any

from .watching import PROGRAM, owner, place_at


class Lost:
    """Collects such failures while it is entered, and passes them on to the hooks that were there before."""

    def __init__(self) -> None:
        #: What happened, and where; the core takes out what it has read.
        self.failures: list[tuple[str, str | None]] = []
        self._originals: list[tuple[Any, str, Any]] = []

    def __enter__(self) -> Lost:
        before = threading.excepthook

        def hook(arguments: Any) -> None:
            # Threads end by SystemExit as they like.
            if arguments.exc_type is not SystemExit:
                self._add(arguments.exc_type, arguments.exc_value, arguments.exc_traceback)
            before(arguments)

        self._replace(threading, "excepthook", hook)
        events: Any = sys.modules.get("asyncio.base_events")
        if events is not None:
            handle = events.BaseEventLoop.call_exception_handler

            def call_exception_handler(loop: Any, context: dict[str, Any]) -> None:
                exception = context.get("exception")
                if isinstance(exception, BaseException):
                    self._add(type(exception), exception, exception.__traceback__)
                handle(loop, context)

            self._replace(events.BaseEventLoop, "call_exception_handler", call_exception_handler)
        return self

    def _replace(self, holder: Any, name: str, ours: Callable[..., None]) -> None:
        self._originals.append((holder, name, getattr(holder, name)))
        setattr(holder, name, ours)

    def __exit__(self, *_: object) -> None:
        while self._originals:
            setattr(*self._originals.pop())

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
