"""`--probtest-audit`: how flaky is each test of the suite?

The machine in the core says which test to execute with which seeds, and in which interpreter. Here these are
started, each with a hash seed of its own and with seeds for what is drawn on import, and replaced by
fresh ones. What they do is in `interpreter`; this process executes nothing.
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
import time
from pathlib import Path
from typing import Any

import pytest

from .. import _native
from ..engines.forked import cores, text_of, unforkable
from ..planning import given_by
from ..sources import now
from .interpreter import MOST_READ, PAUSE_SECONDS, encoded
from .lines import Lines, place_of
from .markers import marks_of
from .memory import Code
from .options import Settings, unwritten

#: The options of an audit, with the names that the core has for them.
OPTIONS = ("time", "timeout", "max_rate", "known", "precision", "confidence", "interpreters")
#: How long an audit may take that is given no time.
TIME = "60s"
#: An interpreter is replaced when its executions took so many times what its start took. In the long
#: run starting takes a fifth of the time; the first ones are replaced sooner, so that there are some.
WORN = 4
#: How long interpreters may take to end.
GRACE_SECONDS = 5.0
#: How many interpreters may fail to start in a row.
MOST_UNSTARTED = 2
#: Flags of pytest and its plugins that an audit cannot have, with the names of the options.
_STEPPING = {"--pdb": "usepdb", "--trace": "trace", "--setup-plan": "setupplan", "--setup-only": "setuponly"}
#: These write what pytest reports, and it reports nothing here.
_WRITING = {"--junitxml": "xmlpath", "--report-log": "report_log", "--html": "htmlpath"}
#: Leaves nothing of its own in the process before pytest begins.
BOOT = """
import json, sys
sys.path[:], sys.argv[:], words = json.loads(sys.argv[1])
import pytest
sys.exit(pytest.main(words))
"""


class _Started:
    """An interpreter, with the order that it has."""

    def __init__(
        self,
        config: pytest.Config,
        order: _native.AuditOrder,
        seed: int,
        said: dict[str, Any],
        attempt: int = 1,
    ) -> None:
        self.number = order.interpreter
        #: The order that it makes, or will make when it has collected the tests.
        self.order: _native.AuditOrder | None = order
        #: How many interpreters have had this order.
        self.attempt = attempt
        self.is_ready = False
        self._began = now()
        #: How long it took to start, and all its orders.
        self._start, self._worked = 0, 0
        self._received = bytearray()
        self.log = tempfile.TemporaryFile()  # noqa: SIM115 (closed at the end)
        self.folder: str | None = said["folder"]
        self.seed = seed
        self.channel, theirs = socket.socketpair()
        words = ["--probtest-import-seed", str(seed), "--probtest-audit-channel", str(theirs.fileno())]
        words += map(str, config.invocation_params.args)
        flags: Any = getattr(subprocess, "_args_from_interpreter_flags", list)
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, *flags(), "-c", BOOT, json.dumps([sys.path, sys.argv, words])],
                stdin=subprocess.DEVNULL,
                stdout=self.log,
                stderr=self.log,
                cwd=config.invocation_params.dir,
                env=os.environ | ({} if given_hash_seed() is not None else {"PYTHONHASHSEED": str(seed)}),
                pass_fds=[theirs.fileno()],
                # A Ctrl-C at a terminal is for the process that the user has started.
                start_new_session=True,
            )
        self._send(said)

    def _send(self, what: dict[str, Any]) -> None:
        # One that is gone by now is found when it is read from.
        with contextlib.suppress(OSError):
            self.channel.sendall(encoded(what) + b"\n")

    @property
    def is_worn(self) -> bool:
        return self._worked > min(WORN, self.number) * self._start

    def ask(self, order: _native.AuditOrder, test: str) -> None:
        self.order, self._began = order, now()
        asked = {name: getattr(order, name) for name in ("seeds", "soon", "watches", "varies")}
        self._send(asked | {"test": test})

    def receive(self) -> tuple[list[bytes], bool]:
        """Return lines that it has written, and whether it will write no more."""
        try:
            data = self.channel.recv(MOST_READ)
        except OSError:
            data = b""
        self._received += data
        *lines, rest = bytes(self._received).split(b"\n")
        self._received = bytearray(rest)
        return lines, not data

    def begin(self) -> None:
        self.is_ready, self._start = True, now() - self._began

    def end_order(self) -> _native.AuditOrder:
        assert self.order is not None
        order, self.order = self.order, None
        self.attempt = 1
        self._worked += now() - self._began
        return order

    def stop(self) -> None:
        """Let it end what it is at, and itself."""
        with contextlib.suppress(OSError):
            self.channel.shutdown(socket.SHUT_WR)

    def close(self, until: float) -> int:
        """End it, after a while by force; return its exit code."""
        self.stop()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(max(until - time.monotonic(), 0))
        with contextlib.suppress(OSError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.channel.close()
        code = self.process.wait()
        self.log.close()
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)
        return code


class AuditRun:
    """Takes the place of pytest's loop over the tests."""

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        self._config = config
        self._settings = settings
        self._items: list[pytest.Item] = []
        #: The interpreters that make orders or wait for some, and those that were told to end.
        self._started: list[_Started | None] = []
        self._ending: list[_Started] = []
        self._starts = 0
        #: How many interpreters could not start, until one did.
        self._unstarted: int | None = 0
        self._limit = "below"
        self._text: str | None = None
        given = {name: config.getoption(f"probtest_audit_{name}") for name in OPTIONS}
        given["time"] = given["time"] or TIME
        self._options = [(name, text) for name, text in given.items() if text is not None]
        _refuse_others(config, settings)
        # A journal knows code by all files of the project, unless it is told what to know it by.
        by_files = settings.journals is not None and settings.given.journal[1] is None
        self._code = Code(config.rootpath, True) if by_files else None
        # Options that make no sense are refused before anything is collected.
        _native.Audit([("", False)], self._options, 1)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        if session.config.option.collectonly or not session.items:
            return None
        if session.testsfailed and not session.config.option.continue_on_collection_errors:
            return None
        _refuse_unsafe(unforkable())
        self._items = list({item.nodeid: item for item in session.items}.values())
        self._code = self._code or Code(session.config.rootpath, False)
        journals, varies = self._settings.journals, self._settings.given.vary_seeds
        try:
            audit = _native.Audit(
                [(item.nodeid, bool(marks_of(item))) for item in self._items],
                self._options,
                self._settings.given.seed,
                None if journals is None else journals.of_test()[:2],
                varies,
                given_hash_seed(),
            )
        except _native.ClaimError as error:
            raise pytest.UsageError(str(error)) from None
        self._audit = audit
        try:
            self._execute(audit)
        except (KeyboardInterrupt, pytest.UsageError):
            audit.interrupt()
            raise
        finally:
            self._stop()
            self._finish(audit)
        return True

    def _execute(self, audit: _native.Audit) -> None:
        jobs = self._settings.given.jobs
        self._started = [None] * (1 if jobs is None else jobs or cores())
        began = now() / 1e9
        while True:
            seconds = now() / 1e9 - began
            for slot, started in enumerate(self._started):
                if started is None or started.order is None:
                    self._hand_out(slot, seconds)
            is_busy = any(started is not None and started.order is not None for started in self._started)
            if not is_busy or (audit.time is not None and seconds >= audit.time):
                audit.next(seconds, None, [])
                return
            left = PAUSE_SECONDS if audit.time is None else min(PAUSE_SECONDS, audit.time - seconds)
            self._wait(max(left, 0))
            self._print(self._audit.news())

    def _hand_out(self, slot: int, seconds: float) -> None:
        """Give an order to the interpreter of a slot, or to a fresh one in its place."""
        present = self._started[slot]
        others = [other.number for other in self._started if other is not None and other is not present]
        number = None if present is None or present.is_worn else present.number
        order = self._audit.next(seconds, number, others)
        if order is None:
            return
        if present is not None and order.interpreter == number:
            present.ask(order, self._items[order.test].nodeid)
            return
        if present is not None:
            present.stop()
            self._ending.append(present)
        self._start(slot, order)

    def _start(self, slot: int, order: _native.AuditOrder, attempt: int = 1) -> None:
        factory: Any = getattr(self._config, "_tmp_path_factory", None)
        folder = None
        if factory is not None:
            folder = str(factory.getbasetemp() / f"probtest-interpreter-{self._starts}")
        self._starts += 1
        said = {"folder": folder, "timeout": self._audit.timeout}
        seed = self._audit.interpreter_seed(order.interpreter)
        self._started[slot] = _Started(self._config, order, seed, said, attempt)

    def _wait(self, seconds: float) -> None:
        poll = select.poll()
        for started in self._started:
            if started is not None:
                poll.register(started.channel, select.POLLIN)
        ready = {descriptor for descriptor, _ in poll.poll(seconds * 1000)}
        for slot, started in enumerate(self._started):
            if started is not None and started.channel.fileno() in ready and self._receive(started):
                self._started[slot] = None
                self._bury(slot, started)
        for started in [one for one in self._ending if one.process.poll() is not None]:
            started.close(0)
            self._ending.remove(started)

    def _receive(self, started: _Started) -> bool:
        """Take what an interpreter has to tell; say whether it will tell no more."""
        lines, is_over = started.receive()
        for line in lines:
            if not started.is_ready:
                self._refuse_edited()
                _refuse_unsafe(json.loads(line)["unsafe"])
                started.begin()
                self._unstarted = None
                assert started.order is not None
                started.ask(started.order, self._items[started.order.test].nodeid)
            elif started.order is not None:
                self._audit.observe(started.end_order(), line)
        return is_over

    def _bury(self, slot: int, started: _Started) -> None:
        """Say how an interpreter has ended that was not told to, and what becomes of its order."""
        printed, order, attempt = text_of(started.log).strip(), started.order, started.attempt
        code = started.close(time.monotonic() + GRACE_SECONDS)
        words = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
        if order is None:
            return
        if not started.is_ready:
            try:
                self._refuse_edited()
            except KeyboardInterrupt:
                self._audit.take_back(order)
                raise
            self._refuse(f"{words} before it had collected the tests", started.seed, printed)
            self._audit.observe(order, encoded({"uncollected": True}))
        elif attempt == 1:
            # Another process may have killed it; a test that ends it does so again.
            self._start(slot, order, attempt + 1)
        else:
            self._audit.observe(order, encoded({"seen": [{"failed": f"its interpreter {words}"}]}))

    def _refuse(self, why: str, seed: int, printed: str) -> None:
        """Tell that an interpreter did not start, and end the audit where none does."""
        lines = [
            f"probtest: an interpreter of the audit {why}",
            f"  given  PYTHONHASHSEED={seed if given_hash_seed() is None else given_hash_seed()}",
            f"  help   fix what it printed:\n{printed}",
        ]
        if self._unstarted is not None:
            self._unstarted += 1
            if self._unstarted >= MOST_UNSTARTED:
                raise pytest.UsageError("\n".join(lines))
        self._print(lines)

    def _refuse_edited(self) -> None:
        """End the audit where an interpreter may have imported other code than those before it."""
        edited = self._code and self._code.edited()
        if edited:
            self._print(
                [
                    f"probtest: {edited} changed while the audit ran, so the audit stopped",
                    "  help   start the audit again to measure the new code",
                ]
            )
            raise pytest.Session.Interrupted("the code changed")

    def _stop(self) -> None:
        """End all interpreters, and take what they have made so far."""
        started = [one for one in self._started if one is not None]
        for one in started:
            one.stop()
        until = time.monotonic() + GRACE_SECONDS
        for one in started:
            while one.is_ready and one.order is not None and time.monotonic() < until:
                if select.select([one.channel], [], [], PAUSE_SECONDS)[0] and self._receive(one):
                    break
            if one.order is not None:
                self._audit.take_back(one.order)
        for one in started + self._ending:
            one.close(until)

    @property
    def _reporter(self) -> Any:
        return self._config.pluginmanager.getplugin("terminalreporter")

    def _print(self, lines: list[str]) -> None:
        """Tell of tests that have failed and are decided, as they come."""
        for line in lines:
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

    def _replay(self, test: int, seed: int, interpreter: int | None) -> str:
        """Write the line that executes a test with a seed, in an interpreter with a seed."""
        item: Any = self._items[test]
        # Any claim will do: a replay executes one execution.
        lines = Lines(item, place_of(item), given_by(p="0.5").claim(), None, self._settings.given)
        lines.interpreter = interpreter
        return lines.replay(seed, 1)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self._text is not None:
            terminalreporter.section("probtest audit")
            terminalreporter.write(self._text)

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if self._limit != "below" and exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


def given_hash_seed() -> int | None:
    """Return the hash seed that the user has fixed."""
    given = os.environ.get("PYTHONHASHSEED", "")
    return int(given) if given.isdecimal() else None


def _refuse_unsafe(why: str | None) -> None:
    if why is not None:
        raise pytest.UsageError(
            f"an audit forks processes, and that would not be safe here: {why}\n"
            "  given  --probtest-audit\n"
            "  help   run it on Linux, and don't start threads while tests are collected; "
            "-p no:NAME leaves out a plugin that does"
        )


def _refuse_others(config: pytest.Config, settings: Settings) -> None:
    """Refuse what cannot be done in an audit."""
    others = {
        "--probtest": settings.everywhere,
        "--probtest-replay": settings.given.replay is not None,
        "--probtest-shard": settings.given.shard is not None,
        "-n": config.getoption("numprocesses", None),
        "--dist": config.getoption("dist", "no") != "no",
        "--tx": config.getoption("tx", None),
        **{flag: config.getoption(name, None) for flag, name in (_STEPPING | _WRITING).items()},
    }
    if config.getoption("cov_source", None) and not config.getoption("no_cov", False):
        raise pytest.UsageError(
            "coverage is measured in one process, but an audit runs the tests in others\n"
            "  given  --probtest-audit --cov\n"
            "  help   leave out --cov, or add --no-cov if it comes from a configuration file"
        )
    for name, is_given in others.items():
        if is_given:
            raise pytest.UsageError(
                f"an audit runs the tests in its own way, so it cannot be combined with {name}\n"
                f"  given  --probtest-audit {name}\n"
                "  help   leave out one of them; use --probtest-jobs for several processes, "
                "and --probtest-json for a file of the results"
            )
