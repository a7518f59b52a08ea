"""Executions through a `concurrent.futures.Executor`, and what every cluster with futures has in common."""

from __future__ import annotations

import json
import os
import queue
from concurrent.futures import BrokenExecutor, CancelledError
from typing import Any

from . import Died, EngineError, hosts
from .addresses import Address

#: What it takes until a process has imported a check, or pytest with its plugins and a test, in seconds.
STARTING = {"check": 1.0, "pytest": 3.0}


class Futures:
    """Sends ranges to an executor whose workers hand them to processes of their own."""

    #: How many seconds one range should take.
    chunk = 0.25

    def __init__(self, executor: Any, address: Address, jobs: int | None, isolates: bool) -> None:
        self._executor = executor
        self._run: str = address["run"]
        self._kind: str = address["kind"]
        self._address = json.dumps(address)
        self._jobs = jobs
        self.isolates = isolates
        self._done: queue.SimpleQueue[int] = queue.SimpleQueue()
        #: By ticket: the future, and the first execution of its range.
        self._under_way: dict[int, tuple[Any, int]] = {}

    @property
    def slots(self) -> int:
        """How many ranges may be under way: one more for each worker, so that none waits for the next."""
        return 2 * (self._jobs or max(self._workers(), 1))

    def open(self, seconds: float, left: int) -> bool:
        """Say whether starting processes pays for what is left."""
        workers = max(self.slots // 2, 2)
        return seconds == 0 or seconds * left * (1 - 1 / workers) > STARTING[self._kind]

    def start(self, ticket: int, seed: int, first: int, last: int, attempt: int) -> None:
        future = self._submit(ticket, self._address, seed, first, last, attempt)
        self._under_way[ticket] = future, first
        future.add_done_callback(lambda _: self._done.put(ticket))

    def wait(self, timeout: float) -> list[tuple[int, bytes | Died | None]]:
        tickets = []
        try:
            tickets.append(self._done.get(timeout=timeout))
            while True:
                tickets.append(self._done.get_nowait())
        except queue.Empty:
            pass
        found = []
        for ticket in tickets:
            future, _ = self._under_way.pop(ticket)
            found.append((ticket, read(self._result(future))))
        return found

    def stop_after(self, index: int) -> None:
        """Take back ranges that are of no use any more, and tell the processes of those under way."""
        over = [future for future, first in self._under_way.values() if first > index]
        self._cancel(over)
        self._stop_processes(index)

    def close(self) -> None:
        self.stop_after(0)
        self._under_way.clear()

    # What another kind of cluster does otherwise.

    def _workers(self) -> int:
        return getattr(self._executor, "_max_workers", None) or os.cpu_count() or 1

    def _submit(self, _ticket: int, *asked: Any) -> Any:
        try:
            return self._executor.submit(hosts.make, *asked)
        except RuntimeError as error:
            raise broken(self._executor, error) from error

    def _result(self, future: Any) -> hosts.Answer:
        try:
            found: hosts.Answer = future.result()
        except CancelledError:
            return "lost", None
        except BrokenExecutor as error:
            # It takes no more ranges: nothing can be executed again on it.
            raise broken(self._executor, error) from error
        except Exception as error:
            raise failed(error) from error
        return found

    def _cancel(self, futures: list[Any]) -> None:
        for future in futures:
            future.cancel()

    def _stop_processes(self, index: int) -> None:
        # Threads of this process. Workers in other processes end what they have begun.
        hosts.stop_after(self._run, index)


def read(answer: hosts.Answer) -> bytes | Died | None:
    """Return what a worker has answered as the core takes it."""
    kind, content = answer
    if kind == "refused":
        raise EngineError(content)
    if kind == "died":
        return Died(*content)
    return content if kind == "work" else None


def broken(executor: object, error: BaseException) -> EngineError:
    return EngineError(
        "the executor accepts no more executions\n"
        f"  given  {type(executor).__name__}: {error}\n"
        "  help   pass an executor that is open and has live workers"
    )


def failed(error: BaseException) -> EngineError:
    """Say that a worker cannot even begin; its own exception has no address of an execution."""
    return EngineError(
        "a worker cannot run executions\n"
        f"  given  {type(error).__name__}: {error}\n"
        "  help   install the same probtest and the program under test on all workers"
    )
