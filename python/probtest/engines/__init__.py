"""Engines: executions in other processes, on this machine or on others.

The core (`remote.rs`) drives an engine: it chooses the ranges, the order and the sizes, finds out which
execution has ended its process, and judges. An engine moves ranges to workers and answers back,
and decides nothing.

A worker answers a range with the bytes that `TestRun.make_range` returns there. They are JSON in a form
of the core; an engine hands them on as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

#: The name of the plugin by which pytest knows that it runs in a host: `probtest.engines.host`.
HOST = "probtest-host"


class EngineError(RuntimeError):
    """Executions can't run elsewhere.

    A worker differs, or can't find or set up the test, or a process of its own can't be forked.
    """


@dataclass(frozen=True)
class Died:
    """The process that executed a range has ended instead of answering."""

    #: What happened, such as "its process was killed by SIGSEGV (signal 11)".
    words: str
    #: The execution that was under way, and how often it had been rejected, where that is known. Where
    #: it is not, the range is split until it is.
    index: int | None = None
    attempt: int = 0
    #: Whether only the body can have done it. What another process may have done, such as a kill,
    #: counts when it happens twice at the same execution.
    certain: bool = False
    #: More to read: where it was, what it printed.
    details: str | None = None


def elsewhere(finding: dict[str, Any]) -> str:
    """Write what is known of a violation that only another process has seen."""
    details = (finding.get("details") or "").rstrip()
    return f"{finding['message']}\n" + (f"{details}\n" if details else "")


def lost_words(count: int) -> list[str]:
    """Say how often what was sent away did not come back, if that has happened."""
    times = "once" if count == 1 else f"{count} times"
    return [f"a process was lost {times}, and its executions ran again"] if count else []


class Engine(Protocol):
    """Executes ranges elsewhere; `Surroundings.engine` holds one."""

    #: How many ranges may be under way at once: enough that no worker waits for the next one.
    slots: int
    #: How many seconds one range should take: long enough to hide what it costs to send it.
    chunk: float
    #: Whether an execution may run in this process only after one in a worker has shown that it does
    #: not end its process. Otherwise the first ones run here, and say how long one takes.
    isolates: bool

    def open(self, seconds: float, left: int) -> bool:
        """Say whether there are workers and using them pays; connect to them if need be.

        An execution takes about so many seconds, 0 where that is not known, and so many are left. May be
        asked again: from time to time after a no, and after a yes that was for one execution alone.
        """
        ...

    def start(self, ticket: int, seed: int, first: int, last: int, attempt: int) -> None:
        """Begin to execute a range of the test: `make_range(.., seed, first, last, attempt)` on a worker."""
        ...

    def wait(self, timeout: float) -> list[tuple[int, bytes | Died | None]]:
        """Wait until something is answered, at most so many seconds, and return it by its ticket.

        The bytes of `make_range`; `Died` where the body's process has ended; None where the range was
        lost and the body has nothing to do with it. Each ticket is answered once. Raises what ends the test.
        """
        ...

    def stop_after(self, index: int) -> None:
        """Take note that no execution after this one is needed. Answers may be shorter then."""
        ...

    def close(self) -> None:
        """Stop whatever is under way and leave nothing behind; is called once, also after an error."""
        ...
