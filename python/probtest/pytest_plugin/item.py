"""One pytest item that is executed as often as its claim needs."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Callable
from typing import Any

import pytest

from .. import _native
from ..batches import in_batches
from ..guard import Guard
from ..sources import LEAVING, REJECTING, Exceptions, Seeder, Sources, Surroundings
from .leftovers import Leftovers
from .lines import Lines
from .options import Settings
from .renewal import FixtureSkipped, Renewal
from .reporting import WITHIN_BUDGET, Progress

_REJECTING: Exceptions = (*REJECTING, pytest.skip.Exception)
_REJECTING_ANY: Exceptions = (*_REJECTING, _native.Rejected)
_LEAVING: Exceptions = (*LEAVING, pytest.exit.Exception, FixtureSkipped)


class ItemTest:
    """Takes the place of an item's `setup` and `runtest`."""

    def __init__(self, item: pytest.Function, settings: Settings, marker: pytest.Mark | None) -> None:
        self.item = item
        self._settings = settings
        self._given = settings.given_for(marker)
        self._marked = marker is not None
        self._properties = len(item.user_properties)
        self.sources = Sources(_hooked(item, self))
        self.interrupted = False
        self._begin()

    def _begin(self) -> None:
        """Begin from nothing: plugins that rerun tests set an item up several times."""
        settings, nodeid = self._settings, self.item.nodeid
        self._memory = Memory(self.item.config, nodeid)
        self.run = _native.TestRun(
            self._given,
            nodeid,
            settings.seed,
            tests=settings.sharing,
            suite_time_used=settings.suite_time_used(),
            remembered=self._memory.read(self._given.batch),
        )
        self.batch = self.run.batch
        self._claim = self.run.claim
        self._lines = Lines(self.item, self._claim, self._marked, bool(self._given.suite))
        self.guard = Guard(self.sources, self.run.most)
        self._after_setup: list[tuple[Any, Any]] = []
        self._is_set_up = False
        #: Whether the execution that was executed alone has violated nothing.
        self.shows_no_violation = False
        self._renewal: Renewal | None = None
        del self.item.user_properties[self._properties :]

    @property
    def report(self) -> _native.Report | None:
        """The report of the plan; None where one execution was executed alone."""
        return self.run.report if self.run.replay is None else None

    def setup(self) -> None:
        """Set the item up under the seed of its first execution."""
        if self._is_set_up:
            self._begin()
        self._is_set_up = True
        stream, index, _ = self.run.current
        self.sources.begin(stream.execution_seed(index))
        try:
            type(self.item).setup(self.item)
        except _native.Rejected:
            # A fixture rejects the first execution: it is drawn again in `runtest`.
            self._renewal = Renewal(self.item)
            self._renewal.is_static = False
            self._renewal.tear_down()
        except LEAVING:
            self.interrupted = True
            raise
        self._after_setup = self.sources.save()

    def runtest(self) -> None:
        """Execute and raise what decides."""
        # Plugins may have seeded the sources between set-up and call.
        self.sources.restore(self._after_setup)
        try:
            stopped = self._execute()
        except FixtureSkipped as skipped:
            index = self.run.current[1]
            raise pytest.skip.Exception(
                f"{skipped.cause} (in a fixture, at execution {index} of {self.run.planned})"
            ) from None
        except LEAVING:
            self.interrupted = True
            raise
        report = self.run.report
        assert report is not None
        if self.run.replay is not None:
            self._finish_replay(report, *self.run.replay)
        else:
            self._finish(report, stopped)

    def _execute(self) -> BaseException | None:
        """Execute what the machine asks for; return the exception of pytest-timeout where that ends it."""
        renewal, leftovers = self._renewal or Renewal(self.item), Leftovers(self.item.config)
        renewal.between_phases = leftovers.clear_logs
        renewal.before_body = self.guard.body_begins
        body = leftovers.watch_memory_streams(
            renewal.static_body() if renewal.is_static else self._renewing(renewal)
        )
        if self.batch is not None:
            body = in_batches(body, self.batch, self._claim.outcomes is not None)
        progress = Progress(self.item.config, self.run.most)

        def tick(executed: int) -> None:
            progress.show(executed)
            leftovers.merge_warnings()

        settings = self._settings
        around = Surroundings(
            self.sources.seeders,
            lambda: self._imported(renewal),
            rejecting=_REJECTING,
            leaving=_LEAVING,
            ends=_is_timeout,
            seeded=self._renewal is None,
            cleaner=leftovers.cleaner(),
            probe=self.guard.probe,
            doubts=self.guard.doubts,
            tick=tick,
            # With other fixtures of wider scope it is another execution, which says nothing
            # about the counterexample.
            differs=lambda seed: seed != settings.seed and settings.wide_fixtures_drew,
        )
        try:
            self.run.execute(body, around)
        except pytest.fail.Exception as timeout:
            return timeout
        finally:
            progress.close()
            leftovers.merge_warnings(whatever=True)
        return None

    def _renewing(self, renewal: Renewal) -> Callable[[], object]:
        """Return a body that has fresh fixtures in each execution."""
        run, goes_on = self.run, not self._claim.first_violation_decides

        def body() -> object:
            __tracebackhide__ = True
            try:
                result = renewal.execute()
            except _REJECTING_ANY:
                renewal.tear_down()
                raise
            except _LEAVING:
                raise
            except BaseException as violation:
                # The next execution may come, under a seed of its own.
                if goes_on and not _is_timeout(violation):
                    renewal.tear_down()
                raise
            if not run.is_last:
                renewal.tear_down()
            return result

        return body

    def _imported(self, renewal: Renewal) -> list[Seeder] | None:
        seeders = self.sources.imported()
        if seeders is not None and not renewal.is_static:
            # The execution is drawn again, on fresh fixtures.
            renewal.tear_down()
        return seeders

    def _finish(self, report: _native.Report, stopped: BaseException | None) -> None:
        report.annotate(**self._lines.of(report))
        self._memory.update(self.batch, *report.memory)
        self.item.user_properties.extend(self._to_report())
        if self.run.odd_return is not None:
            warnings.warn(
                pytest.PytestReturnNotNoneWarning(
                    f"{self.item.nodeid} returned {self.run.odd_return}, which is neither None nor a bool. "
                    "Did you mean to use `assert` instead of `return`?"
                ),
                stacklevel=2,
            )
        if stopped is not None:
            raise stopped
        if report.verdict == WITHIN_BUDGET:
            return
        if report.exception is not None:
            raise report.exception
        if not report.accepted:
            raise pytest.fail.Exception(self.section(), pytrace=False)

    def _finish_replay(self, report: _native.Report, seed: int, index: int) -> None:
        if report.violating_index is not None:
            if report.exception is not None:
                raise report.exception
            raise pytest.fail.Exception(self._false(index), pytrace=False)
        # Whatever is raised from here on is no violation, which is all that xfail expects.
        self.shows_no_violation = True
        if report.refusal is not None:
            if report.exception is not None:
                raise report.exception
            raise pytest.fail.Exception(f"probtest: error: {report.refusal}", pytrace=False)
        if report.returned is not None:
            self.item.add_report_section("call", "probtest", f"the execution returned {report.returned}")
        assert self._given.replay is not None
        if self._settings.tests > 1 and not self._given.replay[2]:
            raise pytest.fail.Exception(self._lines.alone(seed, index), pytrace=False)

    def section(self) -> str:
        """Return the words for people, without the violation itself."""
        assert self.run.report is not None
        return self.run.report.section.rstrip() + self._place(self.run.report)

    def _place(self, report: _native.Report) -> str:
        """Say which entry of which batch decided, or how to execute a broken batch again."""
        if self.batch is None:
            return ""
        index = report.violating_index
        if index is None:
            if (self.facts()["reason"] or {}).get("kind") != "broken":
                return ""
            stream, first, _ = self.run.current
            return f"\n  replay    {self._lines.replay(stream.seed, first)}"
        position = (index - 1) % self.batch
        first = index - position
        last = first + self.batch - 1
        return f"\n  batch     entry {position} (from 0) of executions {first} to {last} is False"

    def _false(self, index: int) -> str:
        if self.batch is None:
            return "the test returned False"
        return f"entry {(index - 1) % self.batch} of the batch, execution {index}, is False"

    def setup_section(self) -> str:
        """Say how to repeat an execution whose set-up has failed."""
        stream, index, _ = self.run.current
        return (
            f"probtest: the set-up of execution {index} of {self.run.planned} failed\n"
            f"  seed      {stream.seed:#x}, execution {index}\n"
            f"  replay    {self._lines.replay(stream.seed, index)}"
        )

    def _to_report(self) -> list[tuple[str, object]]:
        facts = self.facts()
        claim, attained = facts["claim"], facts["attained"]
        chances = ((name, claim.get(f"{name}_exact")) for name in ("epsilon", "tolerate", "false_alarm"))
        p = claim.get("p_exact") or ",".join(claim.get("outcomes_exact", []))
        return [
            ("probtest_verdict", facts["verdict"]),
            ("probtest_claim", facts["claim_words"]),
            *([("probtest_p", p)] if p else []),
            *((f"probtest_{name}", chance) for name, chance in chances if chance is not None),
            ("probtest_planned", facts["planned"]),
            ("probtest_executions", facts["executed"]),
            ("probtest_seed", facts["seed"]),
            ("probtest_index", facts["index"] if facts["index"] is not None else ""),
            *([] if attained is None else [("probtest_attained", attained["words"])]),
        ]

    def facts(self) -> dict[str, Any]:
        assert self.run.report is not None
        found: dict[str, Any] = json.loads(self.run.report.json)
        return found


class Memory:
    """The remembered counterexamples of one test, kept in pytest's cache."""

    #: How many are kept, newest first.
    KEPT = 8

    def __init__(self, config: pytest.Config, nodeid: str) -> None:
        self._cache: Any = getattr(config, "cache", None)
        self._nodeid = nodeid

    def _key(self, batch: int | None) -> str:
        # In batches of another size the same address is another execution, which says
        # nothing about the counterexample.
        name = self._nodeid if batch is None else f"{self._nodeid} in batches of {batch}"
        # One file for each test: workers of xdist write side by side.
        return f"probtest/{hashlib.sha256(name.encode()).hexdigest()[:24]}"

    def read(self, batch: int | None) -> list[str]:
        kept = self._cache.get(self._key(batch), None) if self._cache is not None else None
        found = kept.get("counterexamples", []) if isinstance(kept, dict) else []
        return [address for address in found if isinstance(address, str)]

    def update(self, batch: int | None, found: str | None, fixed: list[str]) -> None:
        if self._cache is None or (found is None and not fixed):
            return
        kept = [address for address in self.read(batch) if address not in fixed and address != found]
        if found is not None:
            kept.insert(0, found)
        content = {"test": self._nodeid, "counterexamples": kept[: self.KEPT]}
        self._cache.set(self._key(batch), content)


def _is_timeout(exception: BaseException) -> bool:
    """Say whether pytest-timeout has stopped the test: that is no counterexample."""
    return isinstance(exception, pytest.fail.Exception) and "pytest-timeout" in str(exception)


def _hooked(item: pytest.Function, test: ItemTest) -> list[Seeder]:
    """Return a seeder for projects that have sources of their own."""
    hook = item.ihook.pytest_probtest_seed
    if not hook.get_hookimpls():
        return []

    def seed(number: int) -> None:
        hook(item=item, seed=number, index=test.run.current[1])

    return [(seed, 64)]
