"""`--probtest-audit`: how flaky is each test of the suite?

The machine in the core says which test to execute with which seeds. Here each such order gets a process
that is forked off this one, which never executes a test itself: so every process is one that has not
executed the test, whatever a test does to its process.
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import select
import sys
import traceback
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import pytest

from .. import _native
from ..engines.forked import CLOSED, CLOSING, cores, end_now, ending, has_ended, unsafe
from ..generators import frozen
from ..planning import given_by
from ..sources import now
from .audited import live
from .leftovers import Leftovers
from .lines import Lines
from .markers import marks_of
from .options import Settings, unwritten
from .places import place_of
from .workers import ItemHooks

#: The options of an audit, with the names that the core has for them.
OPTIONS = ("time", "max_rate", "known", "precision", "confidence")
#: How long an audit may take that is given no time.
TIME = "60s"
#: How long is waited at most before news are told.
PAUSE_SECONDS = 0.2


@dataclass
class _Child:
    slot: int
    pid: int
    answers: int
    order: _native.AuditOrder
    hooks: ItemHooks
    began: float
    files: list[tuple[str, Any]]
    received: bytearray = field(default_factory=bytearray)


class AuditRun:
    """Takes the place of pytest's loop over the tests."""

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        self._config = config
        self._settings = settings
        self._items: list[pytest.Item] = []
        self._children: dict[int, _Child] = {}
        self._limit = "below"
        self._text: str | None = None
        given = {name: config.getoption(f"probtest_audit_{name}") for name in OPTIONS}
        given["time"] = given["time"] or TIME
        self._options = [(name, text) for name, text in given.items() if text is not None]
        _refuse_others(config, settings)
        # What makes no sense is said before anything is collected.
        _native.Audit([("", False)], self._options, 1)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        if session.config.option.collectonly or not session.items:
            return None
        if session.testsfailed and not session.config.option.continue_on_collection_errors:
            return None
        why = unsafe(self._settings.threads)
        if why is not None:
            raise pytest.UsageError(
                f"an audit forks a process for executions, and that would not be safe: {why}\n"
                "  given  --probtest-audit\n"
                "  help   start it on Linux, without what starts threads while tests are collected"
            )
        self._items = list({item.nodeid: item for item in session.items}.values())
        journals = self._settings.journals
        try:
            audit = _native.Audit(
                [(item.nodeid, bool(marks_of(item))) for item in self._items],
                self._options,
                self._settings.given.seed,
                None if journals is None else journals.of_test(self._settings.given.vary_seeds)[:2],
            )
        except _native.ClaimError as error:
            raise pytest.UsageError(str(error)) from None
        self._audit = audit
        try:
            with frozen():
                self._execute(audit)
        except KeyboardInterrupt:
            audit.interrupt()
            raise
        finally:
            for child in list(self._children.values()):
                self._end(child, cut=True)
            self._finish(audit)
        return True

    def _execute(self, audit: _native.Audit) -> None:
        jobs = self._settings.given.jobs
        jobs = 1 if jobs is None else jobs or cores()
        began = now() / 1e9
        while True:
            seconds = now() / 1e9 - began
            while len(self._children) < jobs:
                order = audit.next(seconds)
                if order is None:
                    break
                self._fork(order, jobs)
            if not self._children or (audit.time is not None and seconds >= audit.time):
                audit.next(seconds)
                return
            left = PAUSE_SECONDS if audit.time is None else min(PAUSE_SECONDS, audit.time - seconds)
            self._wait(left)
            self._tell()

    def _fork(self, order: _native.AuditOrder, jobs: int) -> None:
        item = self._items[order.test]
        hooks = ItemHooks(item, None, Leftovers(self._config))
        hooks.before()
        taken = {child.slot for child in self._children.values()}
        slot = next(slot for slot in range(jobs) if slot not in taken)
        answers, writes = os.pipe()
        child = _Child(slot, 0, answers, order, hooks, now() / 1e9, hooks.files())
        parent = os.getpid()
        for stream in (sys.stdout, sys.stderr):
            # What is not written yet would be written by both.
            with contextlib.suppress(Exception):
                stream.flush()
        with warnings.catch_warnings():
            # That threads are alive was looked at, as far as they are known.
            warnings.simplefilter("ignore", DeprecationWarning)
            child.pid = os.fork()
        if child.pid == 0:
            self._begin(child, parent, writes)
        os.close(writes)
        with contextlib.suppress(OSError):
            os.setpgid(child.pid, child.pid)
        self._children[answers] = child

    def _begin(self, child: _Child, parent: int, answers: int) -> NoReturn:
        """Live as a process of executions."""
        try:
            _native.die_with_parent()
            if os.getppid() != parent:
                os._exit(0)
            # A Ctrl-C is for the process that the user has started.
            with contextlib.suppress(OSError):
                os.setpgid(0, 0)
            nothing = os.open(os.devnull, os.O_RDONLY)
            os.dup2(nothing, 0)
            os.close(nothing)
            faulthandler.disable()
            child.hooks.inside(child.slot, child.files)
            live(self._items[child.order.test], self._settings, child.order, answers)
        except BaseException:
            failed = {"seen": {"failed": traceback.format_exc()}}
            with contextlib.suppress(BaseException):
                os.write(answers, json.dumps(failed).encode() + b"\n")
        finally:
            os._exit(0)

    def _wait(self, seconds: float) -> None:
        poll = select.poll()
        for answers in self._children:
            poll.register(answers, select.POLLIN)
        ready = {descriptor for descriptor, _ in poll.poll(max(seconds, 0) * 1000)}
        for answers, child in list(self._children.items()):
            data = os.read(answers, 1 << 20) if answers in ready else b""
            child.received += data
            # A process that the test has left behind may keep the pipe open.
            if (answers in ready and not data) or (not ready and has_ended(child.pid)):
                self._end(child, cut=False)

    def _end(self, child: _Child, cut: bool) -> None:
        """Take what a process has told; the rest of its order is lost where the audit ends it."""
        del self._children[child.answers]
        lines = [json.loads(line) for line in bytes(child.received).split(b"\n")[:-1]]
        seen = [line["seen"] for line in lines if "seen" in line]
        end = next((line for line in lines if "end" in line), None)
        if cut:
            end_now(child.pid)
        else:
            words, _, code = ending(child.pid)
            if end is None:
                seen.append({"failed": CLOSING if code == CLOSED else words})
            elif end["end"] is not None:
                seen = [{"failed": end["end"]} if one in ("passed", "expected") else one for one in seen]
        os.close(child.answers)
        child.hooks.remove(child.slot)
        for _, file in child.files:
            file.close()
        made = {
            "seen": seen,
            "randomness": (end or {}).get("randomness"),
            "shares": (end or {}).get("shares", False),
            "cut": cut and end is None,
            "seconds": now() / 1e9 - child.began,
        }
        self._audit.observe(child.order, json.dumps(made).encode())

    @property
    def _reporter(self) -> Any:
        return self._config.pluginmanager.getplugin("terminalreporter")

    def _tell(self) -> None:
        """Tell of tests that have failed and are decided, as they come."""
        for line in self._audit.news():
            if self._reporter is not None:
                self._reporter.ensure_newline()
                self._reporter.write_line(line)

    def _finish(self, audit: _native.Audit) -> None:
        facts, self._text, self._limit = audit.finish(self._replay)
        if self._reporter is not None:
            self._reporter.stats["audited"] = self._items
        if self._settings.json is not None:
            try:
                Path(self._settings.json).write_text(facts + "\n", encoding="utf-8")
            except OSError as error:
                raise unwritten(self._settings.json, error) from None

    def _replay(self, test: int, seed: int) -> str:
        """Write the line that executes a test with a seed."""
        item: Any = self._items[test]
        # Any claim will do: a replay executes one execution.
        return Lines(item, place_of(item), given_by(p="0.5").claim(), None, self._settings.given).replay(
            seed, 1
        )

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self._text is not None:
            terminalreporter.section("probtest audit")
            terminalreporter.write(self._text)

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if self._limit != "below" and exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _refuse_others(config: pytest.Config, settings: Settings) -> None:
    """Refuse what cannot be done in an audit."""
    others = {
        "--probtest": settings.everywhere,
        "--probtest-replay": settings.given.replay is not None,
        "--probtest-shard": settings.given.shard is not None,
        "-n": bool(config.getoption("numprocesses", None)),
        "--pdb": bool(config.getoption("usepdb", False)),
    }
    for name, is_given in others.items():
        if is_given:
            raise pytest.UsageError(
                f"an audit executes the tests in its own way, and {name} in another one\n"
                f"  given  --probtest-audit {name}\n"
                "  help   leave one of the two out; --probtest-jobs has several processes at the same time"
            )
