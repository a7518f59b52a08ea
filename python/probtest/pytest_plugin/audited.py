"""Executions of one item in a process of their own, for an audit: pytest's own protocol, again and again."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Callable
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from .. import _native, vary
from ..engines.forked import CLOSED
from ..guard import FIRST, Guard
from ..sources import Seeder, Sources, now
from .options import Settings
from .places import place_of
from .renewal import Renewal
from .reporting import short
from .subtests import Subtests

#: An outcome as the core reads it.
Outcome = Any


class Audited:
    """Executes one item several times, one after the other, and tells what each execution did."""

    def __init__(
        self, item: pytest.Item, settings: Settings, tell: Callable[[dict[str, Any]], object]
    ) -> None:
        self._item = item
        self._settings = settings
        self._tell = tell
        self._reports: list[Any] = []
        self._sources = Sources(_hooked(item), [vary.source()] if settings.given.vary_seeds else [])
        self._guard = Guard(self._sources, MOST_LOOKED_AT)
        self._looks_at: int | None = None
        #: Whether an execution has left pytest's protocol before its end.
        self._was_left = False
        self._properties = list(item.user_properties)
        self._marks = list(item.own_markers)
        self._renewal = (
            Renewal(item, Subtests(item), self._marks) if isinstance(item, pytest.Function) else None
        )

    def execute(self, seeds: list[int], soon: float | None, watches: bool) -> None:
        """Execute with these seeds; begin nothing after so many seconds; look where randomness comes from."""
        self._looks_at = 1 if watches else None
        config = self._item.config
        # What is reported while nobody reports is a subtest.
        config.pluginmanager.register(self, "probtest-audited")
        # A traceback is longer to write than most tests are to execute, and nobody reads it.
        for name in ("repr_failure", "_repr_failure_py"):
            setattr(self._item, name, _in_a_line)
        # pytest tears an item down when another one comes, and what both share stays.
        another = copy.copy(self._item)
        began = now() / 1e9
        outcome: Outcome = None
        for number, seed in enumerate(seeds, 1):
            if outcome is not None:
                self._tell({"seen": outcome})
            outcome = self._execute(number, seed, another)
            if self._sources.find_new():
                # It was imported in the execution, which could not be given a seed.
                outcome = self._execute(number, seed, another)
            is_late = soon is not None and now() / 1e9 - began > soon
            if is_late or self._was_left:
                break
        ended = None
        try:
            self._item.session._setupstate.teardown_exact(None)
        except BaseException as error:
            # It belongs to each of them: which one came last depends on us.
            ended = f"at the end of what tests share: {_words(error)}"
        self._tell({"seen": outcome})
        shares = self._settings.wide_fixtures_drew
        self._tell({"end": ended, "randomness": self._randomness(), "shares": shares})

    def pytest_runtest_logreport(self, report: Any) -> None:
        self._reports.append(report)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        self._reports += runtestprotocol(item, log=False, nextitem=nextitem)
        return True

    def _execute(self, number: int, seed: int, another: pytest.Item) -> Outcome:
        item: Any = self._item
        self._reports = []
        if number > 1:
            self._renew()
        self._settings.set_seed(seed)
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
        try:
            item.ihook.pytest_runtest_protocol(item=item, nextitem=another)
        except BaseException as error:
            self._was_left = True
            return {"failed": _words(error)}
        finally:
            if looks:
                self._looks_at = self._guard.probe(False, number)
            for name in ("setup", "runtest"):
                item.__dict__.pop(name, None)
        return _outcome(self._reports)

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
            if doubt["kind"] == "fixed_seeds":
                return {"fixed": list(doubt["places"])}
        return None


#: How many executions the guard is told of: it follows functions for longer where there are many.
MOST_LOOKED_AT = 1000 * FIRST


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
    return "passed"


def _in_a_line(excinfo: pytest.ExceptionInfo[BaseException], *_: object, **__: object) -> str:
    return excinfo.exconly(tryshort=True)


def _words(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".rstrip(": ")


def _hooked(item: pytest.Item) -> list[Seeder]:
    """Return a seeder for projects that have sources of their own."""
    hook = item.ihook.pytest_probtest_seed
    if not hook.get_hookimpls():
        return []
    return [(lambda number: hook(item=item, seed=number, index=1), 64)]


def live(item: pytest.Item, settings: Settings, order: _native.AuditOrder, answers: int) -> None:
    """Execute an order in a process that was forked for it, and write what came of it as lines."""

    def tell(what: dict[str, Any]) -> None:
        try:
            os.write(answers, json.dumps(what).encode() + b"\n")
        except OSError:
            os._exit(CLOSED)

    Audited(item, settings, tell).execute(order.seeds, order.soon, order.watches)
