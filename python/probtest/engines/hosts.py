"""The side of a cluster's worker: hands ranges to processes that execute them, and keeps these processes.

`make` is what engines call on the worker. It never calls a body here.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from typing import Any

from .. import _native
from .addresses import Address, difference, root_here
from .forked import ended_with, text_of
from .host import ASK, ERROR, WORK, receive, send

#: How long a process that has nothing to do is kept, and how many of them, in seconds.
IDLE, MOST_IDLE = 60.0, 64
#: How long a process may take to tear down what its executions shared.
ENDING = 10.0
_NO_HORIZON = (1 << 64) - 1

#: What a range came to: the bytes of the core, the fields of `probtest.engines.Died`, or an error.
Answer = tuple[str, Any]


class Ended(Exception):
    """The process has ended: how, whether it did that itself, and what it printed last."""

    def __init__(self, words: str, certain: bool, printed: str) -> None:
        super().__init__(words)
        self.words, self.certain, self.printed = words, certain, printed


class Differs(Exception):
    """The address of a test means something else on this worker."""


class HostProcess:
    """One process that executes ranges of one test."""

    def __init__(self, address: Address) -> None:
        self.run: str = address["run"]
        self.session: str = address["session"]
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 (closed at the end)
        self._scratch = tempfile.mkdtemp(prefix="probtest-")
        #: Knows the execution under way, and up to which one they are of use.
        self.board = _native.Board(1, os.path.join(self._scratch, "board"))
        self.idle_since = 0.0
        self._deadline: float | None = None
        root = root_here(address)
        # Without the variables of a pytest that has started this worker.
        kept = {
            key: value for key, value in os.environ.items() if not key.startswith(("PROBTEST_", "PYTEST_"))
        }
        folder = root / address["folder"]
        # Nothing is ever written to it: it tells the process when this one has ended.
        ends, self._lifeline = os.pipe()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "probtest.engines.host"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            bufsize=0,
            cwd=folder if folder.is_dir() else root,
            env=kept | address["environment"] | {"PYTEST_DEBUG_TEMPROOT": self._scratch},
            # A Ctrl-C at a terminal is for the process that judges.
            start_new_session=True,
            pass_fds=[ends],
        )
        os.close(ends)
        #: What the process is asked for first: to find the test and set up what all executions share.
        self.first = address | {"scratch": self._scratch, "lifeline": ends}

    def ask(self, message: dict[str, Any]) -> bytes:
        """Have a range executed, and return the work; raises `Ended` where the process ends."""
        assert self._process.stdin is not None
        try:
            send(self._process.stdin, ASK, json.dumps(message).encode())  # type: ignore[arg-type]
        except OSError:
            raise self._ended() from None
        return self._answer()

    def _answer(self) -> bytes:
        message = receive(self._read)
        if message is None:
            raise self._ended()
        kind, content = message
        if kind == ERROR:
            raise RuntimeError(content.decode(errors="replace").strip())
        return content if kind == WORK else b""

    def _read(self, size: int) -> bytes:
        assert self._process.stdout is not None
        output = self._process.stdout.fileno()
        # A process that the body has started may hold the pipe open when this one is gone.
        while not select.select([output], [], [], 0.1)[0]:
            if self._process.poll() is not None and not select.select([output], [], [], 0)[0]:
                return b""
            if self._deadline is not None and time.monotonic() > self._deadline:
                raise TimeoutError
        return os.read(output, size)

    def _ended(self) -> Ended:
        """Say how the process has ended, with how it crashed or the end of what it has printed."""
        words, certain = ended_with(self._process.wait())
        text = text_of(self._log).strip()
        crash = text.rfind("Fatal Python error")
        # The frames of pytest come after those of the body.
        shown = "\n".join(text[crash:].splitlines()[:15]) if crash >= 0 else text[-2000:]
        return Ended(words, certain, shown)

    def close(self) -> None:
        """End the process as pytest ends: what is shared is torn down."""
        process = self._process
        with contextlib.suppress(OSError):
            assert process.stdin is not None
            process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(ENDING)
        self.kill()

    def abandon(self) -> None:
        """End a process that is in the middle of a range: after the execution under way, or by force."""
        self.board.stop_after(0)
        self._deadline = time.monotonic() + ENDING
        with contextlib.suppress(Ended, RuntimeError, OSError):
            self._answer()
            self.close()
            return
        self.kill()

    def end(self) -> None:
        """End the process, and those that it has started, without waiting for it."""
        with contextlib.suppress(OSError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def kill(self) -> None:
        """End the process, and those that it has started, now."""
        process = self._process
        self.end()
        process.wait()
        lifeline, self._lifeline = self._lifeline, -1
        if lifeline >= 0:
            os.close(lifeline)
        for file in (process.stdin, process.stdout, self._log):
            with contextlib.suppress(OSError):
                file.close()  # type: ignore[union-attr]
        shutil.rmtree(self._scratch, ignore_errors=True)


class _WorkerHosts:
    """The processes of this worker: those that wait for a range, and those that execute one."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.idle: list[HostProcess] = []
        self.busy: set[HostProcess] = set()
        #: By run: the last execution that is still of use. Those that are over stay here for a while.
        self.horizons: dict[str, int] = {}
        self._reaper: threading.Thread | None = None

    def take(self, address: Address) -> HostProcess:
        """Return a process for a range: one that waits, or else a new one."""
        with self.lock:
            host = next((host for host in self.idle if host.run == address["run"]), None)
            if host is not None:
                self.idle.remove(host)
                self._begin(host)
            # A session that asks for another test is done with the one before.
            of_session = [found for found in self.idle if found.session == address["session"]]
            over = [found for found in of_session if found.run != address["run"]]
            self.idle = [found for found in self.idle if found not in over]
        _close(over)
        return host or self._start(address)

    def _start(self, address: Address, *, again: bool = True) -> HostProcess:
        """Start a process for a test whose address means the same here."""
        differs = difference(address)
        if differs is not None:
            raise Differs(differs)
        host = HostProcess(address)
        with self.lock:
            self._begin(host)
        try:
            host.ask(host.first)
        except BaseException as error:
            self.give_back(host, alive=False)
            host.kill()
            if isinstance(error, Ended) and again and self.horizons.get(host.run) != 0:
                # Another process may have killed it; a test that ends its process does so again.
                return self._start(address, again=False)
            raise
        return host

    def _begin(self, host: HostProcess) -> None:
        self.busy.add(host)
        host.board.leave(0)
        host.board.stop_after(self.horizons.get(host.run, _NO_HORIZON))

    def give_back(self, host: HostProcess, *, alive: bool) -> None:
        """Keep a process for the next range, unless its run is over."""
        with self.lock:
            self.busy.discard(host)
            kept = alive and self.horizons.get(host.run) != 0
            if kept:
                host.idle_since = time.monotonic()
                self.idle.append(host)
            if self._reaper is None or not self._reaper.is_alive():
                self._reaper = threading.Thread(target=self._reap, daemon=True)
                self._reaper.start()
        if alive and not kept:
            host.close()

    def stop_after(self, run: str, index: int) -> None:
        """Note that executions of a run after this one are of no use; 0: it is over."""
        with self.lock:
            self.horizons[run] = index
            while len(self.horizons) > 1000:
                del self.horizons[next(iter(self.horizons))]
            over = [host for host in self.idle if host.run == run and index == 0]
            self.idle = [host for host in self.idle if host not in over]
            for host in self.busy:
                if host.run == run:
                    host.board.stop_after(index)
            busy = [host for host in self.busy if host.run == run and index == 0]
        _close(over)
        if busy:
            # A body that does not return would keep the worker.
            timer = threading.Timer(ENDING, self._kill, [busy])
            timer.daemon = True
            timer.start()

    def _kill(self, hosts: list[HostProcess]) -> None:
        for host in hosts:
            with self.lock:
                if host in self.busy:
                    host.end()

    def _reap(self) -> None:
        """End processes that have been idle for a long time: the test that used them is gone."""
        while True:
            time.sleep(IDLE / 10)
            with self.lock:
                newest = sorted(self.idle, key=lambda host: host.idle_since, reverse=True)
                earliest = time.monotonic() - IDLE
                self.idle = [host for host in newest[:MOST_IDLE] if host.idle_since > earliest]
                over = [host for host in newest if host not in self.idle]
                if not self.idle and not self.busy:
                    self._reaper = None
            for host in over:
                host.close()
            if self._reaper is None:
                return


def _close(over: list[HostProcess]) -> None:
    """End processes without waiting for what they tear down."""
    for host in over:
        threading.Thread(target=host.close, daemon=True).start()


_kept = _WorkerHosts()
stop_after = _kept.stop_after


def make(sent: str, seed: int, first: int, last: int, attempt: int) -> Answer:
    """Execute a range of a test in a process of its own, and say what it came to."""
    address = json.loads(sent)
    if first > _kept.horizons.get(address["run"], _NO_HORIZON):
        return "lost", None
    try:
        host = _kept.take(address)
    except Ended as ended:
        return "refused", _cannot(address, f"{ended.words} while it was set up\n{ended.printed}")
    except Differs as error:
        return "refused", str(error)
    except RuntimeError as error:
        return "refused", _cannot(address, str(error))
    try:
        work = host.ask({"seed": seed, "first": first, "last": last, "attempt": attempt})
    except Ended as ended:
        index, rejected = host.board.at(0)
        _kept.give_back(host, alive=False)
        host.kill()
        # Between two executions only another process can have ended it.
        certain = ended.certain and index > 0
        return "died", (ended.words, index or None, rejected, certain, ended.printed or None)
    except RuntimeError as error:
        _kept.give_back(host, alive=True)
        return "refused", _cannot(address, str(error))
    except BaseException:
        # The engine takes the range back.
        _kept.give_back(host, alive=False)
        threading.Thread(target=host.abandon, daemon=True).start()
        raise
    _kept.give_back(host, alive=True)
    return "work", work


def _cannot(address: Address, why: str) -> str:
    test = address.get("node") or address.get("qualname")
    return (
        f"the worker {socket.gethostname()} cannot run {test}\n"
        f"  given  {address['file']} in {root_here(address)}\n"
        f"  help   fix what it printed:\n{why}"
    )
