"""Executions of one item in a process of their own, for an audit: pytest's own protocol, again and again."""

from __future__ import annotations

import copy
import doctest
import json
import os
import sys
from collections.abc import Callable
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from .. import _native, vary
from ..engines.forked import CLOSED
from ..guard import FIRST, Guard
from ..lost import Lost
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
        self, item: pytest.Item, settings: Settings, varies: bool, tell: Callable[[dict[str, Any]], object]
    ) -> None:
        self._item = item
        self._settings = settings
        self._tell = tell
        self._reports: list[Any] = []
        #: What failed in each execution that was not told of it.
        self._unnoticed: list[str] = []
        self._returned: str | None = None
        self._sources = Sources(_hooked(item), [vary.source()] if varies else [])
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
        given a seed in it: it does not count, and they are told.
        """
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
        known, missing = self._libraries(), frozenset[str]()
        for number, seed in enumerate(seeds, 1):
            if outcome is not None:
                self._tell({"seen": outcome})
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
            self._tell({"imports": sorted(missing)})
            return
        self._tell({"seen": outcome})
        shares = self._settings.wide_fixtures_drew or ended is not None
        randomness, unnoticed = self._randomness(), self._unnoticed
        self._tell({"end": ended, "randomness": randomness, "shares": shares, "unnoticed": unnoticed})

    def pytest_runtest_logreport(self, report: Any) -> None:
        self._reports.append(report)

    def pytest_warning_recorded(self, warning_message: Any, nodeid: str) -> None:
        # Those of the collection are told once more to who comes late.
        if warning_message.category is pytest.PytestReturnNotNoneWarning and nodeid == self._item.nodeid:
            self._returned = str(warning_message.message).partition("\n")[0]

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
        lost, self._returned = Lost(), None
        try:
            with lost:
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
        unnoticed = [f"{message}, at {place}" if place else message for message, place in lost.failures]
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


def _hooked(item: pytest.Item) -> list[Seeder]:
    """Return a seeder for projects that have sources of their own."""
    hook = item.ihook.pytest_probtest_seed
    if not hook.get_hookimpls():
        return []
    return [(lambda number: hook(item=item, seed=number, index=1), 64)]


def give_seed(item: pytest.Item, settings: Settings) -> None:
    """Let an item that is no function, such as a doctest, have the seed of the execution that is replayed."""
    assert settings.given.replay is not None
    seed, index, _ = settings.given.replay
    sources = Sources(_hooked(item), [vary.source()] if settings.given.vary_seeds else [])
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


def live(
    item: pytest.Item,
    settings: Settings,
    order: dict[str, Any],
    answers: int,
    imported: frozenset[str],
) -> None:
    """Execute an order in a process that was forked for it, and write what came of it as lines."""

    def tell(what: dict[str, Any]) -> None:
        try:
            os.write(answers, encoded(what) + b"\n")
        except OSError:
            os._exit(CLOSED)

    audited = Audited(item, settings, order["varies"], tell)
    audited.execute(order["seeds"], order["soon"], order["watches"], imported)
