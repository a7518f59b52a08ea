"""An interpreter of an audit: it collects the suite, as the audit does, and makes orders.

It was started afresh, with a hash seed of its own. Each order gets a process that is forked off this one,
which never executes a test itself: so every process is one that has not executed the test, whatever a
test does to its process. There, pytest's own protocol runs again and again. The audit talks to the
interpreter in lines of JSON; where these end, it ends.
"""

from __future__ import annotations

import contextlib
import copy
import doctest
import faulthandler
import importlib
import json
import os
import select
import socket
import sys
import traceback
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from .. import _native, vary
from ..engines.forked import CLOSED, CLOSING, end_now, ending, fork, has_ended, unsafe
from ..guard import FIRST, Guard, frozen
from ..saying import Lost
from ..sources import Sources, now
from .leftovers import RETURNED, Leftovers, Subtests
from .lines import place_of
from .options import Settings
from .renewal import Renewal, hooked
from .reporting import short
from .workers import ItemHooks

#: How long is waited at most before a look at the clock.
PAUSE_SECONDS = 0.2
#: How much is read at once.
MOST_READ = 1 << 20

Order = dict[str, Any]
Made = dict[str, Any]
#: An outcome as the core reads it.
Outcome = Any
#: How many executions the guard is told to expect: it follows functions for longer where there are many.
MOST_LOOKED_AT = 1000 * FIRST


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
        self._lines = self._channel.makefile("rb")
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
        self._send({"unsafe": unsafe()})
        with frozen():
            while (order := self._asked()) is not None:
                self._send(self._make(order))
        return True

    def _asked(self) -> dict[str, Any] | None:
        """Return what the audit says next; None where it is gone, or has no more to say."""
        line = self._lines.readline()
        asked: dict[str, Any] | None = json.loads(line) if line.endswith(b"\n") else None
        return asked

    def _send(self, what: dict[str, Any]) -> None:
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
        try:
            # A test must not talk to the audit.
            self._lines.close()
            self._channel.close()
            faulthandler.disable()
            child.hooks.inside(0, child.files)

            def send(what: dict[str, Any]) -> None:
                try:
                    os.write(answers, encoded(what) + b"\n")
                except OSError:
                    os._exit(CLOSED)

            audited = Audited(item, self._settings, order["varies"], send)
            audited.execute(order["seeds"], order["soon"], order["watches"], frozenset(self._imported))
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
            # The audit sends nothing meanwhile; it can only end.
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
        child.hooks.after()
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


class Audited:
    """Executes one item several times, one after the other, and tells what each execution did."""

    def __init__(
        self, item: pytest.Item, settings: Settings, varies: bool, send: Callable[[dict[str, Any]], object]
    ) -> None:
        self._item = item
        self._settings = settings
        self._send = send
        self._reports: list[Any] = []
        #: Failures in each execution that did not reach it.
        self._unnoticed: list[str] = []
        self._lost = Lost()
        self._returned: str | None = None
        self._sources = Sources(hooked(item, lambda: 1), [vary.source()] if varies else [])
        self._guard = Guard(self._sources, MOST_LOOKED_AT)
        self._looks_at: int | None = None
        self._varies = varies
        #: Whether an execution has left pytest's protocol before its end.
        self._was_left = False
        self._properties = list(item.user_properties)
        self._marks = list(item.own_markers)
        self._renewal = (
            Renewal(item, Subtests(item), self._marks) if isinstance(item, pytest.Function) else None
        )

    def execute(self, seeds: list[int], soon: float | None, watches: bool, imported: frozenset[str]) -> None:
        """Execute with these seeds; begin nothing after so many seconds; look where randomness comes from.

        Libraries with generators that an execution imports, beyond those that are `imported`, could not be
        given a seed in it: it does not count, and the libraries are reported.
        """
        self._looks_at = 1 if watches else None
        config = self._item.config
        # Only subtests are reported here while a test runs.
        config.pluginmanager.register(self, "probtest-audited")
        # A traceback is longer to write than most tests are to execute, and it is not shown.
        for name in ("repr_failure", "_repr_failure_py"):
            setattr(self._item, name, _in_a_line)
        # pytest tears an item down when another one comes, and what both share stays.
        another = copy.copy(self._item)
        began = now() / 1e9
        outcome: Outcome = None
        known, missing = self._libraries(), frozenset[str]()
        for number, seed in enumerate(seeds, 1):
            if outcome is not None:
                self._send({"seen": outcome})
            outcome = self._execute(number, seed, another)
            missing = self._libraries() - known - imported
            if missing:
                break
            is_late = soon is not None and now() / 1e9 - began > soon
            if is_late or self._was_left:
                break
        ended = None
        try:
            self._item.session._setupstate.teardown_exact(None)
        except BaseException as error:
            # It belongs to each of them: which one came last depends on us.
            ended = f"in the teardown of a shared fixture: {_words(error)}"
        if missing:
            self._send({"imports": sorted(missing)})
            return
        self._send({"seen": outcome})
        shares = self._settings.wide_fixtures_drew or ended is not None
        randomness, unnoticed = self._randomness(), self._unnoticed
        self._send({"end": ended, "randomness": randomness, "shares": shares, "unnoticed": unnoticed})

    def pytest_runtest_logreport(self, report: Any) -> None:
        self._reports.append(report)

    def pytest_warning_recorded(self, warning_message: Any, nodeid: str) -> None:
        # A plugin that is registered late gets those of the collection again.
        if warning_message.category is RETURNED and nodeid == self._item.nodeid:
            self._returned = str(warning_message.message).partition("\n")[0]

    # Just inside of what pytest before 8.4 puts around a phase, which comes last here and first below.
    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_setup(self) -> Generator[None, object, object]:
        with self._lost.on_top():
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Generator[None, object, object]:
        with self._lost.on_top():
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self) -> Generator[None, object, object]:
        with self._lost.on_top():
            return (yield)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        self._reports += runtestprotocol(item, log=False, nextitem=nextitem)
        return True

    def _execute(self, number: int, seed: int, another: pytest.Item) -> Outcome:
        item: Any = self._item
        self._reports = []
        if number > 1:
            self._renew()
        self._settings.seed = seed
        own = _native.Stream(seed, place_of(item)).execution_seed(1)
        states: list[Any] = []
        looks = self._looks_at == number

        def setup() -> None:
            self._sources.begin(own)
            if looks:
                self._guard.probe(True, number)
            type(item).setup(item)
            states.extend(self._sources.save())
            self._guard.pause()

        def finish() -> None:
            self._sources.restore(states)
            self._guard.go_on()

        def runtest() -> None:
            __tracebackhide__ = True
            # Plugins may have seeded the sources between set-up and call.
            self._sources.restore(states)
            if looks:
                self._guard.go_on()
                self._guard.body_begins()
            try:
                Renewal.in_this_process(lambda: type(item).runtest(item))
            finally:
                states[:] = self._sources.save()
                self._guard.pause()
                # The last one comes first, before those of fixtures.
                item.addfinalizer(finish)

        item.setup, item.runtest = setup, runtest
        self._lost, self._returned = Lost(), None
        try:
            with self._lost:
                item.ihook.pytest_runtest_protocol(item=item, nextitem=another)
        except BaseException as error:
            self._was_left = True
            return {"failed": _words(error)}
        finally:
            if looks:
                self._looks_at = self._guard.probe(False, number)
            for name in ("setup", "runtest"):
                item.__dict__.pop(name, None)
        outcome = _outcome(self._reports)
        unnoticed = [f"{message}, at {place}" if place else message for message, place in self._lost.failures]
        if self._returned is not None:
            unnoticed.append(self._returned)
        if unnoticed and outcome in ("passed", "expected"):
            self._unnoticed.append(unnoticed[0])
        return outcome

    def _libraries(self) -> frozenset[str]:
        """Name the libraries that are imported and whose generators get seeds, or seeds that vary."""
        self._sources.find_new()
        found = {source.name for source in self._sources.sources if source.name in sys.modules}
        return frozenset(found | vary.imported() if self._varies else found)

    def _renew(self) -> None:
        """Leave nothing of the last execution on the item."""
        item = self._item
        item.user_properties[:] = self._properties
        item.own_markers[:] = self._marks
        item._report_sections.clear()
        if self._renewal is not None:
            self._renewal.renew_instance()

    def _randomness(self) -> Outcome:
        """Say where the executions had their randomness from, if there was none that is fresh."""
        if self._settings.wide_fixtures_drew or "probtest_rng" in getattr(self._item, "fixturenames", ()):
            return None
        for doubt in self._guard.doubts():
            if doubt["kind"] == "copies":
                return "nothing"
            # What decides may be something else than what it draws, such as the clock.
            if doubt["kind"] == "fixed_seeds" and self._guard.saw_all:
                return {"fixed": list(doubt["places"])}
        return None


def _outcome(reports: list[Any]) -> Outcome:
    """Say what an execution did, from pytest's reports of its phases and subtests."""
    for report in reports:
        if report.failed:
            where = "" if report.when == "call" else f"at its {report.when}: "
            return {"failed": where + short(report)}
    for report in reports:
        if report.skipped and hasattr(report, "wasxfail"):
            return "expected"
        if report.skipped:
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
            return {"skipped": str(reason).removeprefix("Skipped: ")}
    if any(report.when == "call" and report.passed for report in reports):
        return "passed"
    return {"skipped": "pytest did not call it"}


def _in_a_line(excinfo: pytest.ExceptionInfo[BaseException], *_: object, **__: object) -> str:
    # pytest has one exception for all failures of a doctest.
    found = getattr(excinfo.value, "failures", None)
    first: Any = found[0] if found else excinfo.value
    if isinstance(first, doctest.DocTestFailure):
        return f"{first.example.source.strip()} gave {first.got.strip()}, not {first.example.want.strip()}"
    if isinstance(first, doctest.UnexpectedException):
        return f"{first.example.source.strip()} raised {_words(first.exc_info[1])}"
    return excinfo.exconly(tryshort=True)


def _words(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".rstrip(": ")


def give_seed(item: pytest.Item, settings: Settings) -> None:
    """Give an item that is not a function, such as a doctest, the seed of the execution that is replayed."""
    assert settings.given.replay is not None
    seed, index, _ = settings.given.replay
    sources = Sources(hooked(item, lambda: 1), [vary.source()] if settings.given.vary_seeds else [])
    own = _native.Stream(seed, place_of(item)).execution_seed(index)
    states: list[Any] = []

    def setup() -> None:
        sources.seed(own)
        type(item).setup(item)
        states.extend(sources.save())

    def runtest() -> None:
        # Plugins may have seeded the sources between set-up and call.
        sources.restore(states)
        type(item).runtest(item)

    item.setup, item.runtest = setup, runtest  # type: ignore[method-assign]


def encoded(what: object) -> bytes:
    """Write JSON that the core reads: a message of a test may hold halves of characters."""
    return json.dumps(what, ensure_ascii=False).encode("utf-8", "replace")
