"""A process that executes ranges of one test, and nothing else: `python -m probtest.engines.host`.

The worker of a cluster starts it, so that a body that crashes ends this process and not the worker.
Its first message is an address; it finds the test, sets up the fixtures that all executions share,
and answers one range after the other until its input ends.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import struct
import sys
import traceback
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from .. import _native
from ..checking import Body
from ..planning import fit, given_by, mean
from ..saying import infrastructure_of
from ..sources import Surroundings
from . import HOST
from .addresses import Address, load, root_here
from .forked import WorkerHooks, close_input, read_whole

#: The kinds of a message: a request; and the host is ready, a work, an error.
ASK, READY, WORK, ERROR = b"a", b"r", b"w", b"e"
_LENGTH = struct.Struct(">I")


def send(stream: BinaryIO, kind: bytes, content: bytes = b"") -> None:
    stream.write(_LENGTH.pack(len(content) + 1) + kind + content)
    stream.flush()


def receive(read: Callable[[int], bytes]) -> tuple[bytes, bytes] | None:
    """Read one message; None where there will be none."""
    head = read_whole(read, _LENGTH.size)
    message = None if head is None else read_whole(read, _LENGTH.unpack(head)[0])
    return None if message is None else (message[:1], message[1:])


class WorkerPipe:
    """The two ends of the pipe that lead to the worker."""

    def __init__(self) -> None:
        # The body may read its input and write to its output: from here on these are others.
        self._input, self._output = os.fdopen(os.dup(0), "rb", 0), os.fdopen(os.dup(1), "wb")
        close_input()
        os.dup2(2, 1)
        self._log = os.dup(2)
        #: The file that tells the worker which execution is under way.
        self.board = ""
        #: The pipe that ends with the worker.
        self.lifeline = -1
        #: Whether the test was reached, and what kept it from being.
        self.served = False
        self.failures: list[str] = []

    def receive(self) -> dict[str, Any] | None:
        """Return what the worker asks for next; None at the end."""
        message = receive(self._input.read)
        return None if message is None else json.loads(message[1])

    def serve(self, run: _native.TestRun, body: Callable[[], object], around: Surroundings) -> None:
        """Answer one range after the other until the worker has no more."""
        self.served = True
        shared = _native.Board(1, self.board)
        around.describe = around.describe or WorkerHooks().describe
        # What pytest has said so far explains no crash.
        with contextlib.suppress(OSError):
            os.ftruncate(self._log, 0)
            os.lseek(self._log, 0, os.SEEK_SET)
        send(self._output, READY)
        while (asked := self.receive()) is not None:
            try:
                with self._ending_with_worker():
                    kind, content = WORK, run.make_range(body, around, board=shared, **asked)
            except BaseException:
                kind, content = ERROR, traceback.format_exc().encode(errors="replace")
            send(self._output, kind, content)

    @contextlib.contextmanager
    def _ending_with_worker(self) -> Iterator[None]:
        """Let the system end this process when the worker is gone: a body may never return."""
        # Not the pipe of the messages: the signal for a message that was just read may come late.
        descriptor = self.lifeline
        with contextlib.suppress(OSError, AttributeError):
            fcntl.fcntl(descriptor, fcntl.F_SETOWN, os.getpid())
        flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
        # SIGIO ends a process.
        fcntl.fcntl(descriptor, fcntl.F_SETFL, flags | getattr(os, "O_ASYNC", 0))
        try:
            yield
        finally:
            fcntl.fcntl(descriptor, fcntl.F_SETFL, flags)

    def refuse(self, text: str) -> None:
        with contextlib.suppress(OSError):
            send(self._output, ERROR, text.encode(errors="replace"))

    # As a plugin of pytest.

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self.failures.append(str(report.longrepr))

    def pytest_runtest_logreport(self, report: Any) -> None:
        if not self.served and not report.passed:
            self.failures.append(report.longreprtext or str(report.longrepr))


def main() -> None:
    host = WorkerPipe()
    address = host.receive()
    if address is None:
        return
    host.board = os.path.join(address["scratch"], "board")
    host.lifeline = address["lifeline"]
    root = root_here(address)
    # Python has put the working folder there, which says nothing about the project.
    sys.path[:1] = [str(root / entry) for entry in address["path"]]
    try:
        (_serve_item if address["kind"] == "pytest" else _serve_body)(host, address)
    except BaseException:
        host.failures.append(traceback.format_exc())
    shutil.rmtree(address["scratch"], ignore_errors=True)
    if not host.served:
        host.refuse("\n".join(host.failures) or "the test was not found")


def _serve_item(host: WorkerPipe, address: Address) -> None:
    """Let pytest set the item up; its plugin asks for `HOST` then, and serves."""
    import pytest

    root = root_here(address)
    words = [f"{root / address['file']}::{address['node']}", *address["options"], "--rootdir", str(root)]
    if address["ini"] is not None:
        words += ["-c", str(root / address["ini"])]
    if address["remembers"]:
        words += ["-o", f"cache_dir={os.path.join(address['scratch'], 'cache')}"]

    class Plugin:
        @staticmethod
        @pytest.hookimpl(tryfirst=True)
        def pytest_configure(config: Any) -> None:
            config.pluginmanager.register(host, HOST)

        @staticmethod
        def pytest_sessionstart(session: Any) -> None:
            # The process that judges has the clock.
            session.config.pluginmanager.unregister(name="timeout")

    code = pytest.main(words, plugins=[Plugin()])
    if not host.served and not host.failures:
        host.failures.append(f"pytest ended with exit code {int(code)} before it reached the test")


def _serve_body(host: WorkerPipe, address: Address) -> None:
    """Serve the body of a check as `probtest.check` would execute it."""
    body, infrastructure = load(address)
    # What the claim promises is for the process that judges; here it says what a body returns.
    claims: dict[str, dict[str, Any]] = {
        "violations": {"p": "0.5"},
        "outcomes": {"outcomes": "0.5,0.5"},
        "number": {"claim": mean(between=(0, 1), above=0.5, margin=0.1)},
        "label": {"claim": fit(outcomes={"one": "0.5"}, distance=0.1)},
    }
    given = given_by(batch=address["batch"], inputs=address["inputs"], **claims[address["reading"]])
    run = _native.TestRun(given, address["name"], address["seed"])
    made = Body(body, run, address["reading"] == "outcomes", infrastructure_of(infrastructure or None))
    made.look()
    with made.entered():
        host.serve(run, made.read(made.call), made.around)


if __name__ == "__main__":
    main()
