"""Executions in processes that are forked off this one, so that they share what is set up.

A worker reads ranges from a pipe and writes answers to another one. The execution under way is on a board in
shared memory, so that it is known if the worker ends in it. Workers are forked when there is
something for them to do, end when this process ends, and leave by `os._exit` alone: nothing of
this process is torn down by them.
"""

from __future__ import annotations

import contextlib
import faulthandler
import functools
import gc
import os
import select
import signal
import struct
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .. import _native, processes
from ..sources import Surroundings
from . import Died, EngineError

#: An execution that takes less is not worth a pipe, and less work in all is not worth a fork.
LEAST_SECONDS, LEAST_WORK = 20e-6, 0.02
#: How long workers may take to end what they are at when the test is over.
GRACE_SECONDS = 1.0
#: A worker that fails by itself, and not in an execution, ends with this code.
_FAILED = 70
#: The exit code of a worker whose pipes were closed by an execution, and the words for that.
CLOSED = 71
CLOSING = "the execution closed the files of its process"
#: Signals that another process may have sent as well: nothing follows from one of them.
_SENT = {signal.SIGINT, signal.SIGTERM} | {
    found for name in ("SIGKILL", "SIGHUP", "SIGQUIT") if (found := getattr(signal, name, None)) is not None
}
_REQUEST = struct.Struct("<QQQQQ")
_REPLY = struct.Struct("<QQ")
#: How much of what a process has printed is shown.
_MOST_SHOWN = 20_000


class ExecutedHere(UserWarning):
    """Executions ran in this process: starting others was not possible, or would not have been safe."""


class WorkerHooks:
    """What surrounds workers. Those of the plugin know pytest."""

    def unsafe(self) -> str | None:
        """Return another reason why nothing may be forked, if there is one."""
        return None

    def before(self) -> None:
        """Be called once before anything is forked."""

    def files(self) -> list[tuple[str, Any]]:
        """Return titles and files for what a worker writes; is called here before it is forked."""
        return []

    def inside(self, worker: int, files: list[tuple[str, Any]]) -> None:
        """Be called in a worker when it begins."""

    def describe(self, exception: BaseException | None) -> str | None:
        """Say in a worker all that there is to say about a violation."""
        return None if exception is None else "".join(traceback.format_exception(exception))

    def after(self) -> None:
        """Be called once when all workers are gone."""


@dataclass
class _Worker:
    number: int
    pid: int
    requests: int
    replies: int
    faults: Any
    files: list[tuple[str, Any]]
    #: The requests that it has by their tickets, in the order in which it makes them.
    asked: dict[int, bytes] = field(default_factory=dict)
    received: bytearray = field(default_factory=bytearray)


class Forked:
    """An engine of forked workers."""

    chunk = 0.02

    def __init__(
        self,
        jobs: int,
        run: _native.TestRun,
        body: Callable[[], object],
        around: Surroundings,
        *,
        isolates: bool = False,
        hooks: WorkerHooks | None = None,
        say: Callable[[str], object] | None = None,
    ) -> None:
        self.slots = 2 * jobs
        self.isolates = isolates
        self._jobs = jobs
        self._run, self._body, self._around = run, body, around
        self._hooks = hooks or WorkerHooks()
        self._say = say or _warn
        self._is_safe: bool | None = None
        self._board = _native.Board(jobs)
        self._workers: dict[int, _Worker] = {}
        self._poll: Any = None
        #: Answers that are known before `wait` is called.
        self._answers: list[tuple[int, bytes | Died | None]] = []

    def open(self, seconds: float, left: int) -> bool:
        if 0 < seconds < LEAST_SECONDS or (seconds > 0 and seconds * left < LEAST_WORK):
            return False
        if self._is_safe is None:
            why = unsafe() or self._hooks.unsafe()
            if why is not None and self.isolates and unforkable() is None:
                # A crash here would end everything: that is what was to be prevented.
                raise EngineError(
                    f"the test cannot run in its own process: {why}\n"
                    "  given  isolate\n"
                    "  help   run it where that is not the case, such as alone; or leave out isolate, and "
                    "a crash ends this process"
                )
            self._is_safe = why is None
            if why is not None:
                what = "its own process" if self.isolates else f"{self._jobs} processes"
                self._say(f"ran here and not in {what}: {why}")
        return self._is_safe

    def start(self, ticket: int, seed: int, first: int, last: int, attempt: int) -> None:
        self._ask(ticket, _REQUEST.pack(ticket, seed, first, last, attempt))

    def _ask(self, ticket: int, request: bytes) -> None:
        # An idle worker, a new one while there may be more, or the one with the least to do.
        worker = min(self._workers.values(), key=lambda worker: len(worker.asked), default=None)
        if worker is None or (worker.asked and len(self._workers) < self._jobs):
            worker = self._fork()
        worker.asked[ticket] = request
        # One that is gone by now is found by `wait`.
        with contextlib.suppress(BrokenPipeError):
            os.write(worker.requests, request)

    def _fork(self) -> _Worker:
        if self._poll is None:
            self._poll = select.poll()
            self._hooks.before()
        number = next(number for number in range(self._jobs) if number not in self._workers)
        self._board.leave(number)
        asked, requests = os.pipe()
        replies, answers = os.pipe()
        faults = tempfile.TemporaryFile()  # noqa: SIM115 (lives as long as the worker)
        worker = _Worker(number, 0, requests, replies, faults, self._hooks.files())
        try:
            worker.pid = fork(lambda: self._begin(worker, asked, answers))
        except OSError as error:
            for descriptor in (asked, requests, replies, answers):
                os.close(descriptor)
            raise EngineError(f"a process for executions could not start: {error}") from None
        os.close(asked)
        os.close(answers)
        os.set_blocking(replies, False)
        self._poll.register(replies, select.POLLIN)
        self._workers[number] = worker
        return worker

    # In a worker.

    def _begin(self, worker: _Worker, asked: int, answers: int) -> None:
        try:
            for other in (worker, *self._workers.values()):
                os.close(other.requests)
                os.close(other.replies)
            # What is there already is not looked through again: it would be copied.
            gc.freeze()
            faulthandler.enable(worker.faults)
            self._hooks.inside(worker.number, worker.files)
            self._around.engine = None
            self._around.seeded = False
            self._around.describe = self._hooks.describe
            self._live(worker, asked, answers)
        except BrokenPipeError:
            # The process of the test is gone.
            pass
        except BaseException:
            with contextlib.suppress(BaseException):
                worker.faults.write(traceback.format_exc().encode())
                worker.faults.flush()
            os._exit(_FAILED)

    def _live(self, worker: _Worker, asked: int, answers: int) -> None:
        while True:
            request = read_whole(functools.partial(os.read, asked), _REQUEST.size)
            if request is None:
                return
            ticket, seed, first, last, attempt = _REQUEST.unpack(request)
            answer = self._run.make_range(
                self._body, self._around, seed, first, last, attempt, self._board, worker.number
            )
            try:
                _write_whole(answers, _REPLY.pack(ticket, len(answer)) + answer)
            except BrokenPipeError:
                raise
            except OSError:
                os._exit(CLOSED)

    # In the process of the test.

    def wait(self, timeout: float) -> list[tuple[int, bytes | Died | None]]:
        found, self._answers = self._answers, []
        if found or self._poll is None:
            return found
        ready = {descriptor for descriptor, _ in self._poll.poll(timeout * 1000)}
        for worker in list(self._workers.values()):
            if worker.replies in ready:
                is_over = self._receive(worker, found)
            else:
                # A process that the body has left behind may keep its pipe open.
                is_over = not ready and has_ended(worker.pid)
            if is_over:
                found += self._bury(worker)
        return found

    def _receive(self, worker: _Worker, found: list[tuple[int, bytes | Died | None]]) -> bool:
        """Read what a worker has written; say whether it will write no more."""
        try:
            data = os.read(worker.replies, 1 << 20)
        except BlockingIOError:
            return False
        received = worker.received
        received += data
        while len(received) >= _REPLY.size:
            ticket, size = _REPLY.unpack_from(received)
            end = _REPLY.size + size
            if len(received) < end:
                break
            found.append((ticket, bytes(received[_REPLY.size : end])))
            del received[:end]
            del worker.asked[ticket]
        return not data

    def _bury(self, worker: _Worker) -> list[tuple[int, bytes | Died | None]]:
        """Learn how a worker has ended, and what becomes of its ranges."""
        words, certain, code = ending(worker.pid)
        del self._workers[worker.number]
        self._poll.unregister(worker.replies)
        os.close(worker.requests)
        os.close(worker.replies)
        faults = text_of(worker.faults)
        if code == _FAILED and self._board.at(worker.number)[0] == 0 and faults:
            raise EngineError(f"a process for executions failed:\n{faults}")
        index, attempt = self._board.at(worker.number)
        if code == CLOSED and not index:
            words = CLOSING
        asked = list(worker.asked.items())
        # What it has not begun, another one makes.
        for ticket, request in asked[1:]:
            self._ask(ticket, request)
        answer: Died | None = None
        if index or certain:
            # Without an index, the core finds the execution that ended it by halving the range.
            parts = [(title, text_of(file)) for title, file in worker.files]
            shown = [_without_ours(faults), *(f"--- {title} ---\n{text}" for title, text in parts if text)]
            details = "\n".join(text.rstrip() for text in shown if text)
            answer = Died(words, index or None, attempt, certain, details)
        for _, file in (("", worker.faults), *worker.files):
            file.close()
        return [(ticket, answer) for ticket, _ in asked[:1]]

    def stop_after(self, index: int) -> None:
        self._board.stop_after(index)

    def close(self) -> None:
        self._board.stop_after(0)
        workers, self._workers = list(self._workers.values()), {}
        try:
            for worker in workers:
                os.close(worker.requests)
            until = time.monotonic() + GRACE_SECONDS
            for worker in workers:
                _drain(worker, until)
        finally:
            for worker in workers:
                end_now(worker.pid)
                os.close(worker.replies)
                for _, file in (("", worker.faults), *worker.files):
                    file.close()
            if self._poll is not None:
                self._hooks.after()


def engine(jobs: int, isolates: bool, **rest: Any) -> Forked | None:
    """Return what executes a test elsewhere; None where neither processes nor isolation are asked for."""
    return Forked(jobs, isolates=isolates, **rest) if jobs > 1 or isolates else None


def fork(live: Callable[[], object]) -> int:
    """Fork off a process that calls a function and ends, with this one at the latest; return its id."""
    for stream in (sys.stdout, sys.stderr):
        # What is not written yet would be written by both.
        with contextlib.suppress(Exception):
            stream.flush()
    parent = os.getpid()
    with warnings.catch_warnings():
        # That threads are alive was looked at, as far as they are known.
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid != 0:
        # Both processes do it, since either may be first.
        with contextlib.suppress(OSError):
            os.setpgid(pid, pid)
        return pid
    try:
        _native.die_with_parent()
        if os.getppid() != parent:
            os._exit(0)
        # A Ctrl-C is for the process that the user has started.
        with contextlib.suppress(OSError):
            os.setpgid(0, 0)
        close_input()
        live()
    finally:
        os._exit(0)


def close_input() -> None:
    """Let what this process reads as its input be empty."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)


def cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def unforkable() -> str | None:
    """Say why no process can be forked on this system; None where it can."""
    if not hasattr(os, "fork"):
        return "this system has no fork"
    if sys.platform == "darwin":
        return "forking is not safe on macOS, where frameworks start threads"
    return None


def unsafe() -> str | None:
    """Say why this process must not be forked; None where nothing is known against it."""
    system = unforkable()
    if system is not None:
        return system
    others = processes.other_threads()
    if others:
        return f"other threads are running ({', '.join(others[:3])})"
    torch: Any = sys.modules.get("torch")
    with contextlib.suppress(Exception):
        if torch is not None and torch.cuda.is_initialized():
            return "CUDA is initialised"
    return "CUDA is initialised" if has_open("/dev/nvidia") else None


def has_open(begins: str) -> bool:
    """Say whether this process has a file open whose name begins so, as far as the system tells."""
    with contextlib.suppress(OSError):
        for name in os.listdir("/proc/self/fd"):
            with contextlib.suppress(OSError):
                if os.readlink(f"/proc/self/fd/{name}").startswith(begins):
                    return True
    return False


_said: set[str] = set()


def _warn(words: str) -> None:
    if words not in _said:
        _said.add(words)
        warnings.warn(ExecutedHere(words), stacklevel=2)


def read_whole(read: Callable[[int], bytes], size: int) -> bytes | None:
    """Read so many bytes; None if the input ends before that."""
    data = b""
    while len(data) < size:
        more = read(size - len(data))
        if not more:
            return None
        data += more
    return data


def _write_whole(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def text_of(file: Any) -> str:
    """Return the end of what a process has written to a file."""
    with contextlib.suppress(OSError, ValueError):
        size = os.fstat(file.fileno()).st_size
        data = os.pread(file.fileno(), _MOST_SHOWN, max(0, size - _MOST_SHOWN))
        return data.decode(errors="replace")
    return ""


def _without_ours(faults: str) -> str:
    """Leave out the calls that have led to the worker, from where Python says in which call it ended."""
    lines = faults.splitlines(keepends=True)
    end = next((number for number, line in enumerate(lines) if f'"{__file__}"' in line), len(lines))
    return "".join(lines[:end])


def has_ended(pid: int) -> bool:
    """Say whether a child has ended; it stays to be asked how."""
    try:
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:
        return True


def end_now(pid: int) -> int | None:
    """End a child and all that it has started, if it has not ended, and return its status."""
    for kill in (os.killpg, os.kill):
        with contextlib.suppress(OSError):
            kill(pid, signal.SIGKILL)
    # Other code may have waited for any child.
    with contextlib.suppress(ChildProcessError):
        return os.waitpid(pid, 0)[1]
    return None


def ending(pid: int) -> tuple[str, bool, int]:
    """Say how a worker has ended, whether no other process can have done that, and its exit code."""
    until = time.monotonic() + GRACE_SECONDS
    while not has_ended(pid):
        if time.monotonic() > until:
            end_now(pid)
            return CLOSING, True, 0
        time.sleep(0.001)
    status = end_now(pid)
    if status is None:
        return "its process has ended", False, 0
    code = os.waitstatus_to_exitcode(status)
    return *ended_with(code), code


def ended_with(code: int) -> tuple[str, bool]:
    """Say how a process has ended, by its exit code, and whether no other process can have done that."""
    if code >= 0:
        return f"its process ended with exit code {code}", True
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = "a signal"
    return f"its process was killed by {name} (signal {-code})", -code not in _SENT


def _drain(worker: _Worker, until: float) -> None:
    """Let a worker end what it is at, and throw away what it writes."""
    poll = select.poll()
    poll.register(worker.replies, select.POLLIN)
    while not has_ended(worker.pid) and (left := until - time.monotonic()) > 0:
        # Its end closes the pipe, unless it has left a process behind.
        if poll.poll(min(left, 0.05) * 1000):
            with contextlib.suppress(BlockingIOError):
                if not os.read(worker.replies, 1 << 20):
                    break
    while not has_ended(worker.pid) and time.monotonic() < until:
        time.sleep(0.0005)
