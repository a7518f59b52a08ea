"""Executions that wait at the same time: as tasks of one event loop, or on threads.

The core says which execution starts next and judges what it came to; here they are under
way. Each has a `contextvars` context of its own, in which it is prepared, executed and
cleared away. One that is not needed any more is cancelled, awaited and cleared away.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import queue
import sys
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

from . import sources
from .saying import SAID, Statements
from .sources import Sources

#: What is to be called for an execution, and what clears away after it.
Prepared = tuple[Callable[[], Any], Callable[[], object]]
#: An execution that has ended: its ticket, what it said, whether it returned, and what it returned or raised.
Ended = tuple[int, Statements, bool, object]


class Execution:
    """One execution under way."""

    def __init__(self, ticket: int, index: int) -> None:
        self.ticket = ticket
        self.index = index
        self.said = Statements()
        self.context = contextvars.copy_context()
        self.context.run(SAID.set, self.said)
        self.task: Any = None
        self._clear: Callable[[], object] = _nothing
        #: Whether it returned, and what it returned or raised, once it has ended.
        self.came_to: tuple[bool, object] | None = None

    def prepare(self, prepare: Callable[[], Prepared]) -> Callable[[], Any] | None:
        """Set up what the body needs; None where that has failed, which is what it came to."""
        try:
            call, self._clear = self.context.run(prepare)
        except BaseException as error:
            self.came_to = False, error
            return None
        return call

    def clear(self) -> None:
        """Clear away; what fails there fails an execution that has not failed."""
        clear, self._clear = self._clear, _nothing
        try:
            self.context.run(clear)
        except BaseException as error:
            if self.came_to is None or self.came_to[0] or not isinstance(error, Exception):
                self.came_to = False, error

    def end(self) -> Ended:
        self.clear()
        returned, value = self.came_to or (False, asyncio.CancelledError())
        return self.ticket, self.said, returned, value


class WaitingEngine:
    """What both engines have in common."""

    def __init__(self, prepare: Callable[[], Prepared], known: Sources) -> None:
        self._prepare = prepare
        self._sources = known
        self._open: dict[int, Execution] = {}
        self._ended: list[Execution] = []
        self._begun: dict[str, Any] | None = None
        self._drew = self._overlapped = False

    def begin_plan(self) -> None:
        """Remember in which state the generators are that all executions share."""
        self._begun = {source.name: source.peek() for source in self._sources.sources}

    def end_plan(self) -> None:
        """An execution comes that runs alone, for which they are seeded."""
        self._look()
        self._begun = None

    def drew_from_shared(self) -> bool:
        """Say whether executions at the same time drew from generators that they share."""
        return self._drew

    def _look(self) -> None:
        """See whether a generator that executions share has moved, before it is seeded again."""
        if self._begun is not None and self._overlapped:
            now = {source.name: source.peek() for source in self._sources.sources}
            self._drew = self._drew or any(now.get(name) != state for name, state in self._begun.items())

    def start(self, ticket: int, index: int) -> None:
        execution = Execution(ticket, index)
        call = execution.prepare(self._prepare)
        if call is None:
            self._ended.append(execution)
            return
        self._overlapped = self._overlapped or bool(self._open)
        self._open[ticket] = execution
        execution.task = self._begin(execution, call)

    def wait(self, seconds: float) -> list[Ended]:
        """Let the executions go on until one has ended, or some time has passed."""
        if self._open or self._ended or sources.sleep is None:
            self._pause(seconds)
        else:
            sources.sleep(seconds)
        self._look()
        ended, self._ended = self._ended, []
        return [execution.end() for execution in ended]

    def _take(self, ticket: int) -> None:
        """Note that an execution has ended, unless it was dropped."""
        execution = self._open.pop(ticket, None)
        if execution is not None:
            self._ended.append(execution)

    def stop_after(self, index: int) -> None:
        """End the executions after this one, and clear away after them."""
        self._look()
        for execution in self._ended:
            if execution.index > index:
                execution.clear()
        self._ended = [execution for execution in self._ended if execution.index <= index]
        dropped = [execution for execution in self._open.values() if execution.index > index]
        for execution in dropped:
            del self._open[execution.ticket]
        # A Ctrl-C may come before there is a task.
        tasks = [execution.task for execution in dropped if execution.task is not None]
        if tasks:
            self._end(tasks)
        for execution in dropped:
            execution.clear()

    def _begin(self, execution: Execution, call: Callable[[], Any]) -> Any:
        raise NotImplementedError

    def _pause(self, seconds: float) -> None:
        """Wait until an execution has ended, but not longer than this."""
        raise NotImplementedError

    def _end(self, tasks: list[Any]) -> None:
        """End tasks, and wait for their end."""
        raise NotImplementedError


class Tasks(WaitingEngine):
    """Executions as tasks of one event loop."""

    def __init__(
        self, prepare: Callable[[], Prepared], known: Sources, loop: asyncio.AbstractEventLoop | None = None
    ) -> None:
        super().__init__(prepare, known)
        self._own = loop is None
        self._loop = asyncio.new_event_loop() if loop is None else loop
        self._news: asyncio.Future[None] | None = None

    def _begin(self, execution: Execution, call: Callable[[], Any]) -> Any:
        coroutine = _awaiting(call)
        if sys.version_info >= (3, 11):
            task = self._loop.create_task(coroutine, context=execution.context)
        else:
            task = execution.context.run(self._loop.create_task, coroutine)
        task.add_done_callback(lambda task: self._note(execution, task))
        return task

    def _note(self, execution: Execution, task: asyncio.Task[tuple[bool, object]]) -> None:
        if task.cancelled():
            execution.came_to = False, asyncio.CancelledError("the body was cancelled")
        elif task.exception() is not None:
            execution.came_to = False, task.exception()
        else:
            execution.came_to = task.result()
        self._take(execution.ticket)
        if self._news is not None and not self._news.done():
            self._news.set_result(None)

    def _pause(self, seconds: float) -> None:
        if not self._ended:
            self._news = self._loop.create_future()
            self._loop.run_until_complete(asyncio.wait([self._news], timeout=seconds))

    def _end(self, tasks: list[Any]) -> None:
        for task in tasks:
            task.cancel()
        self._loop.run_until_complete(asyncio.wait(tasks))

    def close(self) -> None:
        """End everything that is under way, and the loop where it is our own."""
        try:
            self.stop_after(0)
        finally:
            if self._own:
                self._close_loop()

    def _close_loop(self) -> None:
        loop = self._loop
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        try:
            if left:
                loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.run_until_complete(loop.shutdown_default_executor())
        finally:
            loop.close()


class Threads(WaitingEngine):
    """Executions on threads, for bodies that say that they may."""

    def __init__(self, prepare: Callable[[], Prepared], known: Sources, most: int) -> None:
        super().__init__(prepare, known)
        self._pool = ThreadPoolExecutor(most, thread_name_prefix="probtest")
        self._done: queue.SimpleQueue[int] = queue.SimpleQueue()

    def _begin(self, execution: Execution, call: Callable[[], Any]) -> Any:
        def make() -> None:
            try:
                execution.came_to = True, execution.context.run(call)
            except BaseException as error:
                execution.came_to = False, error
            self._done.put(execution.ticket)

        return self._pool.submit(make)

    def _pause(self, seconds: float) -> None:
        if not self._open and not self._ended:
            time.sleep(seconds)
        with contextlib.suppress(queue.Empty):
            self._take(self._done.get(timeout=0 if self._ended or not self._open else seconds))
            while True:
                self._take(self._done.get_nowait())

    def _end(self, tasks: list[Any]) -> None:
        # A thread cannot be stopped.
        wait(tasks)

    def close(self) -> None:
        """Wait for everything that is under way."""
        self._pool.shutdown()
        self.stop_after(0)


async def _awaiting(call: Callable[[], Any]) -> tuple[bool, object]:
    """Say whether a body returned, and what it returned or raised."""
    __tracebackhide__ = True
    try:
        returned = call()
        return True, await returned if isinstance(returned, Awaitable) else returned
    except SystemExit as error:
        # As an exception of a task it would end the loop, and with it what else is under way.
        return False, error


def _nothing() -> None:
    pass
