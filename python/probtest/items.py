"""One pytest item that is executed as often as its claim needs."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest

from . import _native
from .clearing import Clearing
from .executing import LEAVING, REJECTING, Exceptions
from .guarding import Guard
from .memory import Memory
from .options import Request, Settings
from .progress import Progress
from .renewing import FixtureSkipped, Renewal
from .seeding import Sources

_REJECTING: Exceptions = (*REJECTING, pytest.skip.Exception)
_REJECTING_ANY: Exceptions = (*_REJECTING, _native.Rejected)
_LEAVING: Exceptions = (*LEAVING, pytest.exit.Exception, FixtureSkipped)


class ItemTest:
    """Takes the place of an item's `setup` and `runtest`."""

    def __init__(self, item: pytest.Function, settings: Settings, request: Request, marked: bool) -> None:
        self.item = item
        self._settings = settings
        self._marked = marked
        self._request = request
        self._fixed = settings.fixed_seed if settings.fixed_seed is not None else request.seed
        self.seed = self._fixed if self._fixed is not None else settings.seed
        if settings.replay is not None:
            self.seed = settings.replay[0]
        self.session = _native.Session(
            request.claim, item.nodeid, self.seed, request.max_executions, request.max_rejections
        )
        self.sources = Sources(_hooked(item, self))
        self.guard = Guard(self.sources)
        self._memory = Memory(item.config, item.nodeid)
        self._remembered = self._to_remember()
        self._after_setup: list[tuple[Any, Any]] = []
        self.interrupted = False

    def _to_remember(self) -> list[tuple[int, int]]:
        if self._settings.replay is not None:
            return []
        # Under a fixed seed only what belongs to it is executed first: whether the
        # test passes then depends on the seed alone.
        return [found for found in self._memory.read() if self._fixed in (None, found[0])]

    def setup(self) -> None:
        """Set the item up under the seed of its first execution."""
        first = self._settings.replay or (self._remembered[0] if self._remembered else (self.seed, 1))
        self.session.choose(*first)
        self.sources.seed(self.session.execution_seed())
        type(self.item).setup(self.item)
        self._after_setup = self.sources.save()

    def runtest(self) -> None:
        """Execute the plan and raise what decides."""
        # Plugins may have seeded the sources between set-up and call.
        self.sources.restore(self._after_setup)
        renewal = Renewal(self.item)
        try:
            if self._settings.replay is not None:
                self._replay(renewal)
                return
            mended = self._execute_remembered(renewal)
            if mended is None:
                self._finish([])
            else:
                self._execute_plan(renewal, seeded=not self._remembered)
                self._finish(mended)
        except FixtureSkipped as skipped:
            index = self.session.current[0]
            raise pytest.skip.Exception(
                f"{skipped.cause} (in a fixture, at execution {index} of {self.session.planned})"
            ) from None
        except LEAVING:
            self.interrupted = True
            raise

    def _execute_remembered(self, renewal: Renewal) -> list[tuple[int, int]] | None:
        """Execute remembered counterexamples; None when one still violates."""
        for number, address in enumerate(self._remembered):
            self.session.choose(*address)
            verdict = self.session.execute_one(
                lambda: self._execute(renewal, last=False),
                self.sources.seeders,
                _REJECTING,
                _LEAVING,
                number == 0,
            )
            if verdict == "violated":
                self.session.again()
                return None
        return list(self._remembered)

    def _execute(self, renewal: Renewal, last: bool) -> object:
        __tracebackhide__ = True
        try:
            result = renewal.execute()
        except _REJECTING_ANY:
            renewal.tear_down()
            raise
        if not last:
            renewal.tear_down()
        return result

    def _execute_plan(self, renewal: Renewal, seeded: bool) -> None:
        session = self.session
        session.choose(self.seed, 1)
        last = min(session.planned, self._request.max_executions or session.planned)
        if renewal.is_static:
            body = renewal.static_body()
        else:

            def body() -> object:
                __tracebackhide__ = True
                return self._execute(renewal, session.current[0] >= last)

        clearing = Clearing(self.item.config)
        progress = Progress(self.item.config, self.item.nodeid, last)

        def tick(executed: int, _rejected: int) -> None:
            progress.show(executed)
            clearing.merge_warnings()

        try:
            session.execute(
                clearing.watch_memory_streams(body),
                seeders=self.sources.seeders,
                rejecting=_REJECTING,
                leaving=_LEAVING,
                seeded=seeded,
                cleaner=clearing.cleaner(),
                imported=self.sources.imported,
                probe=self.guard.probe,
                probes=self.guard.probes,
                tick=tick,
            )
        finally:
            progress.close()
            clearing.merge_warnings()

    def _finish(self, mended: list[tuple[int, int]]) -> None:
        session = self.session
        reseeds, copies = self.guard.reseeds, self.guard.copies
        session.mended(mended)
        session.annotate(replay=self._replay_line(), reseeds=reseeds, copies=copies)
        self._memory.update(self.item.nodeid, session.address, mended)
        self.item.user_properties.extend(self._properties())
        if session.verdict == "violated" and session.exception is not None:
            raise session.exception
        if session.verdict != "passed":
            raise pytest.fail.Exception((session.section or "").rstrip(), pytrace=False)
        if self._settings.strict and (reseeds or copies):
            raise pytest.fail.Exception("\n".join(session.notes), pytrace=False)

    def _replay(self, renewal: Renewal) -> None:
        assert self._settings.replay is not None
        self.session.choose(*self._settings.replay)
        verdict = self.session.execute_one(
            lambda: self._execute(renewal, last=True), self.sources.seeders, _REJECTING, _LEAVING, True
        )
        if verdict == "violated":
            if self.session.exception is not None:
                raise self.session.exception
            raise pytest.fail.Exception("the test returned False", pytrace=False)
        if verdict == "rejected":
            raise pytest.fail.Exception("every attempt of the execution was rejected", pytrace=False)

    def _replay_line(self) -> str | None:
        address = self.session.address
        if address is None:
            return None
        config: Any = self.item.config
        nodeid = str(config.cwd_relative_nodeid(self.item.nodeid))
        line = f"pytest {shlex.quote(nodeid)} --probtest-replay {address[0]:#x}:{address[1]}"
        if not self._marked:
            claim = self._request.claim
            p = claim.p or ",".join(claim.outcomes or [])
            line += f" --probtest --probtest-p {p}"
        return line

    def _properties(self) -> list[tuple[str, object]]:
        facts = self.facts()
        claim = facts["claim"]
        p = claim.get("p_exact") or ",".join(claim.get("outcomes_exact", []))
        return [
            ("probtest_verdict", facts["verdict"]),
            ("probtest_p", p),
            ("probtest_epsilon", claim["epsilon_exact"]),
            ("probtest_planned", facts["planned"]),
            ("probtest_executions", facts["executed"]),
            ("probtest_seed", facts["seed"]),
            ("probtest_index", facts["index"] if facts["index"] is not None else ""),
        ]

    def facts(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.session.json or "{}")
        return found


def _hooked(item: pytest.Function, test: ItemTest) -> list[tuple[Any, int]]:
    """Return a seeder for projects that have sources of their own."""
    hook = item.ihook.pytest_probtest_seed
    if not hook.get_hookimpls():
        return []

    def seed(number: int) -> None:
        hook(item=item, seed=number, index=test.session.current[0])

    return [(seed, 64)]
