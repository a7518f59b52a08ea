"""One pytest item that is executed as often as its claim needs."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from typing import Any

import pytest

from . import _native, budgets
from .batching import in_batches
from .checking import is_deciding
from .clearing import Clearing
from .executing import LEAVING, REJECTING, Exceptions
from .guarding import Guard
from .memory import Memory
from .numeric import NumericSession, as_session
from .options import Request, Settings
from .progress import Progress
from .renewing import FixtureSkipped, Renewal
from .replaying import alone, cut_line, replay_line, rerun_line
from .seeding import Seeder, Sources
from .surrounding import Surroundings

_REJECTING: Exceptions = (*REJECTING, pytest.skip.Exception)
_REJECTING_ANY: Exceptions = (*_REJECTING, _native.Rejected)
_LEAVING: Exceptions = (*LEAVING, pytest.exit.Exception, FixtureSkipped)


class _TimedOut(BaseException):
    """pytest-timeout has stopped an execution: no further one may come."""


class ItemTest:
    """Takes the place of an item's `setup` and `runtest`."""

    def __init__(self, item: pytest.Function, settings: Settings, request: Request, marked: bool) -> None:
        self.item = item
        self._settings = settings
        self._marked = marked
        self._request = request
        #: The executions that one call of the test makes, where that is a batch.
        self.batch = request.batch
        self._fixed = settings.fixed_seed if settings.fixed_seed is not None else request.seed
        self.seed = self._fixed if self._fixed is not None else settings.seed
        if settings.replay is not None:
            self.seed = settings.replay[0]
        self._properties = len(item.user_properties)
        self.sources = Sources(_hooked(item, self))
        self.interrupted = False
        #: One counterexample does not break a claim that tolerates a rate.
        self._tolerates = request.claim.tolerate is not None
        # No single execution speaks against a tolerated rate or a claim on a mean.
        self._remembers = not self._tolerates and request.numeric is None
        self._begin()

    def _begin(self) -> None:
        """Begin from nothing: plugins that rerun tests set an item up several times."""
        request = self._request
        self.session = _native.Session(
            request.claim,
            self.item.nodeid,
            self.seed,
            request.max_executions,
            request.max_rejections,
            request.batch,
        )
        deciding: _native.Session | _native.NumericTest = self.session
        if request.numeric is not None:
            limits = (request.max_executions, request.max_rejections)
            numeric = NumericSession(self.session, request.numeric, *limits)
            deciding, self.session = numeric.test, as_session(numeric)
        request.limits.apply(deciding)
        self._settings.suite.apply(deciding)
        self.guard = Guard(self.sources)
        self._memory = Memory(self.item.config, self.item.nodeid, self.batch)
        self._remembered = self._to_execute_first()
        self._after_setup: list[tuple[Any, Any]] = []
        self._timed_out: BaseException | None = None
        #: Whether the execution that was executed alone has violated nothing.
        self.shows_no_violation = False
        self._renewal: Renewal | None = None
        del self.item.user_properties[self._properties :]

    def _to_execute_first(self) -> list[tuple[int, int]]:
        if self._settings.replay is not None or not self._remembers:
            return []
        # Under a fixed seed only what belongs to it is executed first: whether the
        # test passes then depends on the seed alone.
        return [found for found in self._memory.read() if self._fixed in (None, found[0])]

    def setup(self) -> None:
        """Set the item up under the seed of its first execution."""
        self._begin()
        first = self._settings.replay or (self._remembered[0] if self._remembered else (self.seed, 1))
        self.session.choose(*first)
        self.sources.seed(self.session.execution_seed())
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
        """Execute the plan and raise what decides."""
        # Plugins may have seeded the sources between set-up and call.
        self.sources.restore(self._after_setup)
        seeded = self._renewal is None
        renewal = self._renewal or Renewal(self.item)
        clearing = Clearing(self.item.config)
        renewal.between_phases = clearing.clear_logs
        renewal.before_body, renewal.after_body = self.guard.body_begins, self.guard.body_ends
        self.guard.waits_for_body = not renewal.is_static
        try:
            if self._settings.replay is not None:
                self._replay(renewal, seeded)
                return
            mended = self._execute_remembered(renewal, seeded)
            if mended is not None:
                self._execute_plan(renewal, clearing, seeded and not self._remembered)
            self._finish(mended or [])
        except FixtureSkipped as skipped:
            index = self.session.current[0]
            raise pytest.skip.Exception(
                f"{skipped.cause} (in a fixture, at execution {index} of {self.session.planned})"
            ) from None
        except LEAVING:
            self.interrupted = True
            raise

    def _execute_one(self, renewal: Renewal, seeded: bool) -> str:
        around = self._surroundings(renewal, seeded)
        return self.session.execute_one(self._read(lambda: self._execute(renewal, last=False)), around)

    def _surroundings(self, renewal: Renewal, seeded: bool) -> Surroundings:
        return Surroundings(
            self.sources.seeders,
            lambda: self._imported(renewal),
            rejecting=_REJECTING,
            leaving=_LEAVING,
            seeded=seeded,
        )

    def _read(self, body: Callable[[], object]) -> Callable[[], object]:
        """Return a body that hands over what the core reads."""
        if self.batch is None:
            return body
        return in_batches(body, self.batch, self._request.claim.outcomes is not None)

    def _execute_remembered(self, renewal: Renewal, seeded: bool) -> list[tuple[int, int]] | None:
        """Execute remembered counterexamples; None when one still violates."""
        passed = []
        for number, address in enumerate(self._remembered):
            self.session.choose(*address)
            verdict = self._execute_one(renewal, seeded and number == 0)
            if verdict == "violated":
                self.session.again()
                return None
            # With other fixtures of wider scope it is another execution, which
            # says nothing about the counterexample.
            same = address[0] == self._settings.seed or not self._settings.wide_fixtures_drew
            if verdict == "passed" and same:
                passed.append(address)
        return passed

    def _execute(self, renewal: Renewal, last: bool) -> object:
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
            if self._tolerates and not _is_timeout(violation):
                renewal.tear_down()
            raise
        if not last:
            renewal.tear_down()
        return result

    def _imported(self, renewal: Renewal) -> list[Seeder] | None:
        seeders = self.sources.imported()
        if seeders is not None:
            # The execution is drawn again, on fresh fixtures.
            renewal.tear_down()
        return seeders

    def _execute_plan(self, renewal: Renewal, clearing: Clearing, seeded: bool) -> None:
        session = self.session
        session.choose(self.seed, 1)
        last = min(session.planned, self._request.max_executions or session.planned)
        if renewal.is_static:
            body = renewal.static_body()
        else:

            def body() -> object:
                __tracebackhide__ = True
                # Entries of a batch may be drawn again, on fresh fixtures.
                is_last = self.batch is None and session.current[0] >= last
                return self._execute(renewal, is_last)

        if self._tolerates:
            body = _ending_in_time(body)
        progress = Progress(self.item.config, last)

        def tick(executed: int, _rejected: int) -> None:
            progress.show(executed)
            clearing.merge_warnings()

        around = self._surroundings(renewal, seeded)
        around.leaving = (*_LEAVING, _TimedOut)
        around.cleaner = clearing.cleaner()
        around.probe, around.probes = self.guard.probe, self.guard.probes
        around.tick = tick
        try:
            session.execute(self._read(clearing.watch_memory_streams(body)), around)
        except _TimedOut as stop:
            self._timed_out = stop.__cause__
        finally:
            progress.close()
            clearing.merge_warnings(whatever=True)

    def _finish(self, mended: list[tuple[int, int]]) -> None:
        session = self.session
        if _is_timeout(session.exception):
            session.stopped()
        reseeds, copies = self.guard.reseeds, self.guard.copies
        session.mended(mended)
        session.annotate(replay=self.replay_line(), reseeds=reseeds, copies=copies)
        if self._remembers:
            self._memory.update(self.item.nodeid, session.address, mended)
        self.item.user_properties.extend(self._to_report())
        if session.odd_return is not None:
            warnings.warn(
                pytest.PytestReturnNotNoneWarning(
                    f"{self.item.nodeid} returned {session.odd_return}, which is neither None nor a bool. "
                    "Did you mean to use `assert` instead of `return`?"
                ),
                stacklevel=2,
            )
        if self._timed_out is not None:
            raise self._timed_out
        if session.verdict == budgets.WITHIN_BUDGET:
            return
        raising = is_deciding(session) if self._tolerates else session.verdict != "passed"
        if session.exception is not None and raising:
            raise session.exception
        if session.verdict != "passed":
            raise pytest.fail.Exception(self.section(), pytrace=False)
        if self._settings.strict and (reseeds or copies):
            raise pytest.fail.Exception("\n".join(session.notes), pytrace=False)

    def _replay(self, renewal: Renewal, seeded: bool) -> None:
        assert self._settings.replay is not None
        self.session.choose(*self._settings.replay)
        verdict = self._execute_one(renewal, seeded)
        if verdict == "violated":
            if self.session.exception is not None:
                raise self.session.exception
            raise pytest.fail.Exception(self._false(self._settings.replay[1]), pytrace=False)
        # Whatever is raised from here on is no violation, which is all that xfail expects.
        self.shows_no_violation = True
        if verdict == "broken":
            if self.session.exception is not None:
                raise self.session.exception
            raise pytest.fail.Exception(f"probtest: error: {self.session.broken}", pytrace=False)
        if verdict == "rejected":
            raise pytest.fail.Exception("every attempt of the execution was rejected", pytrace=False)
        if self._request.numeric is not None:
            returned = getattr(self.session, "returned", None)
            self.item.add_report_section("call", "probtest", f"the execution returned {returned!r}")
        if self._settings.suite.tests > 1:
            raise pytest.fail.Exception(alone(self.item, *self._settings.replay), pytrace=False)

    def section(self) -> str:
        """Return the words for people, without the violation itself."""
        return (self.session.section or "").rstrip() + self._place()

    def _place(self) -> str:
        """Say which entry of which batch decided, or how to execute a broken batch again."""
        if self.batch is None:
            return ""
        index = self.session.violating_index
        if index is None:
            reason = self.facts().get("reason") or {}
            if reason.get("kind") != "broken":
                return ""
            address = (self.session.seed, self.session.current[0])
            return f"\n  replay    {replay_line(self.item, address, None if self._marked else self._request)}"
        position = (index - 1) % self.batch
        first = index - position
        last = first + self.batch - 1
        return f"\n  batch     entry {position} (from 0) of executions {first} to {last} is False"

    def _false(self, index: int) -> str:
        if self.batch is None:
            return "the test returned False"
        return f"entry {(index - 1) % self.batch} of the batch, execution {index}, is False"

    def replay_line(self) -> str | None:
        """Return the line to copy for the deciding execution, or for all that a limit of time left."""
        unmarked = None if self._marked else self._request
        in_suite = bool(self._settings.suite.chances)
        if self.session.cut_by_time:
            return cut_line(self.item, self.session, self._request, self._marked, in_suite)
        address = self.session.address
        if address is None and self._request.numeric is not None:
            # No single execution speaks for it: all of them are executed again.
            return rerun_line(self.item, self.session.seed, self._request, in_suite)
        return replay_line(self.item, address, unmarked) if address else None

    def setup_section(self) -> str:
        """Say how to repeat an execution whose set-up has failed."""
        address = (self.session.seed, self.session.current[0])
        line = replay_line(self.item, address, None if self._marked else self._request)
        return (
            f"probtest: the set-up of execution {address[1]} of {self.session.planned} failed\n"
            f"  seed      {address[0]:#x}, execution {address[1]}\n"
            f"  replay    {line}"
        )

    def _to_report(self) -> list[tuple[str, object]]:
        facts = self.facts()
        claim = facts["claim"]
        p = claim.get("p_exact") or ",".join(claim.get("outcomes_exact", []))
        return [
            ("probtest_verdict", facts["verdict"]),
            ("probtest_claim", facts["claim_words"]),
            *([("probtest_p", p)] if p else []),
            ("probtest_epsilon", claim["epsilon_exact"]),
            *(
                (f"probtest_{name}", claim[f"{name}_exact"])
                for name in ("tolerate", "false_alarm")
                if name in claim
            ),
            ("probtest_planned", facts["planned"]),
            ("probtest_executions", facts["executed"]),
            ("probtest_seed", facts["seed"]),
            ("probtest_index", facts["index"] if facts["index"] is not None else ""),
            *budgets.properties(facts),
        ]

    def facts(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.session.json or "{}")
        return found


def _is_timeout(exception: BaseException | None) -> bool:
    """Say whether pytest-timeout has stopped the test: that is no counterexample."""
    return isinstance(exception, pytest.fail.Exception) and "pytest-timeout" in str(exception)


def _ending_in_time(body: Callable[[], object]) -> Callable[[], object]:
    """Wrap a body that may be executed again after a violation."""

    def ending() -> object:
        __tracebackhide__ = True
        try:
            return body()
        except pytest.fail.Exception as violation:
            if _is_timeout(violation):
                raise _TimedOut from violation
            raise

    return ending


def _hooked(item: pytest.Function, test: ItemTest) -> list[tuple[Any, int]]:
    """Return a seeder for projects that have sources of their own."""
    hook = item.ihook.pytest_probtest_seed
    if not hook.get_hookimpls():
        return []

    def seed(number: int) -> None:
        hook(item=item, seed=number, index=test.session.current[0])

    return [(seed, 64)]
