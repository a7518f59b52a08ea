"""An interpreter of an audit: it collects the suite, as the audit does, and makes orders.

It was started afresh, with a hash seed of its own. Each order gets a process that is forked off this one,
which never executes a test itself: so every process is one that has not executed the test, whatever a
test does to its process. The audit talks to it in lines of JSON; where these end, it ends.
"""

from __future__ import annotations

import contextlib
import faulthandler
import importlib
import json
import os
import select
import socket
import traceback
from dataclasses import dataclass, field
from typing import Any

import pytest

from .. import _native
from ..engines.forked import CLOSED, CLOSING, end_now, ending, fork, has_ended, unsafe
from ..generators import frozen
from ..sources import now
from .audited import encoded, live
from .leftovers import Leftovers
from .options import Settings
from .workers import ItemHooks

#: How long is waited at most before a look at the clock.
PAUSE_SECONDS = 0.2
#: How much is read at once.
MOST_READ = 1 << 20

Order = dict[str, Any]
Made = dict[str, Any]


@dataclass
class _Child:
    pid: int
    answers: int
    hooks: ItemHooks
    files: list[tuple[str, Any]]
    #: When it has told something last.
    told: float
    received: bytearray = field(default_factory=bytearray)


class Interpreter:
    """Takes the place of pytest's loop over the tests."""

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        _native.die_with_parent()
        self._config = config
        self._settings = settings
        self._channel = socket.socket(fileno=int(config.getoption("probtest_audit_channel")))
        self._received = bytearray()
        self._items: dict[str, pytest.Item] = {}
        #: Libraries that an execution has imported, and that are imported here since.
        self._imported: set[str] = set()
        said = self._asked() or {}
        self._timeout: float | None = said.get("timeout")
        if said.get("folder") is not None:
            # pytest empties the folder that it is given, and there may be several of us.
            config.option.basetemp = said["folder"]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        if session.testsfailed and not session.config.option.continue_on_collection_errors:
            return None
        self._items = {item.nodeid: item for item in session.items}
        self._tell({"unsafe": unsafe(self._settings.threads)})
        with frozen():
            while (order := self._asked()) is not None:
                self._tell(self._make(order))
        return True

    def _asked(self) -> dict[str, Any] | None:
        """Return what the audit says next; None where it is gone, or has no more to say."""
        while b"\n" not in self._received:
            data = self._channel.recv(MOST_READ)
            if not data:
                return None
            self._received += data
        line, _, self._received = self._received.partition(b"\n")
        asked: dict[str, Any] = json.loads(line)
        return asked

    def _tell(self, what: dict[str, Any]) -> None:
        with contextlib.suppress(OSError):
            self._channel.sendall(encoded(what) + b"\n")
        # What was printed so far explains no end of this process.
        for stream in (1, 2):
            with contextlib.suppress(OSError):
                os.ftruncate(stream, 0)
                os.lseek(stream, 0, os.SEEK_SET)

    def _make(self, order: Order) -> Made:
        item = self._items.get(order["test"])
        if item is None:
            return {"uncollected": True}
        began = now() / 1e9
        made = None
        while made is None:
            child = self._fork(item, order)
            made = self._end(child, *self._wait(child))
        return made | {"seconds": now() / 1e9 - began}

    def _fork(self, item: pytest.Item, order: Order) -> _Child:
        hooks = ItemHooks(item, None, Leftovers(self._config))
        hooks.before()
        answers, writes = os.pipe()
        child = _Child(0, answers, hooks, hooks.files(), now() / 1e9)
        child.pid = fork(lambda: self._begin(child, item, order, writes))
        os.close(writes)
        return child

    def _begin(self, child: _Child, item: pytest.Item, order: Order, answers: int) -> None:
        """Live as a process of executions."""
        try:
            # A test must not talk to the audit.
            self._channel.close()
            faulthandler.disable()
            child.hooks.inside(0, child.files)
            live(item, self._settings, order, answers, frozenset(self._imported))
        except BaseException:
            failed = {"seen": {"failed": traceback.format_exc()}}
            with contextlib.suppress(BaseException):
                os.write(answers, encoded(failed) + b"\n")

    def _wait(self, child: _Child) -> tuple[bool, bool]:
        """Read what a process tells; say whether it is to be ended, and whether it is late."""
        poll = select.poll()
        for descriptor in (child.answers, self._channel.fileno()):
            poll.register(descriptor, select.POLLIN)
        while True:
            ready = {descriptor for descriptor, _ in poll.poll(PAUSE_SECONDS * 1000)}
            data = os.read(child.answers, MOST_READ) if child.answers in ready else b""
            child.received += data
            # A process that the test has left behind may keep the pipe open.
            if (child.answers in ready and not data) or (not ready and has_ended(child.pid)):
                return False, False
            if data:
                child.told = now() / 1e9
            elif self._timeout is not None and now() / 1e9 - child.told > self._timeout:
                return True, True
            # The audit says nothing meanwhile: only its end comes.
            if self._channel.fileno() in ready:
                return True, False

    def _end(self, child: _Child, cut: bool, is_late: bool) -> Made | None:
        """Return what a process has told; None where the order needs another one.

        Where it is ended, the rest of its order is lost.
        """
        lines = [_read(line) for line in bytes(child.received).split(b"\n")[:-1]]
        seen = [line["seen"] for line in lines if "seen" in line]
        end = next((line for line in lines if "end" in line), None)
        imports: list[str] = next((line["imports"] for line in lines if "imports" in line), [])
        if cut:
            end_now(child.pid)
            if is_late and end is None:
                seen.append({"failed": f"it took longer than {self._timeout:g} s"})
        else:
            words, _, code = ending(child.pid)
            if imports:
                self._import(imports)
            elif end is None:
                seen.append({"failed": CLOSING if code == CLOSED else words})
            elif end["end"] is not None:
                seen = [{"failed": end["end"]} if one in ("passed", "expected") else one for one in seen]
        os.close(child.answers)
        child.hooks.remove(0)
        for _, file in child.files:
            file.close()
        if imports and not seen and not cut:
            # No execution counts yet.
            return None
        return {
            "seen": seen,
            "randomness": (end or {}).get("randomness"),
            "shares": (end or {}).get("shares", False),
            "unnoticed": (end or {}).get("unnoticed", []),
            "cut": cut and end is None and not is_late,
        }

    def _import(self, names: list[str]) -> None:
        """Import what an execution has imported: the next process can give it a seed."""
        self._imported.update(names)
        for name in names:
            # The test may know where to find it, and we may not.
            with contextlib.suppress(Exception):
                importlib.import_module(name)


def _read(line: bytes) -> dict[str, Any]:
    """Return what a process has told in a line; a test may write to its pipe as well."""
    with contextlib.suppress(ValueError):
        read = json.loads(line)
        if isinstance(read, dict):
            return read
    return {"seen": {"failed": "its result could not be read"}}
