"""What drives an engine: ranges come back in any order, late, never, or with the end of a process."""

from __future__ import annotations

import random
from typing import Any

import pytest

import probtest
from probtest import _native
from probtest.batches import in_batches
from probtest.engines import Died
from probtest.planning import given_by
from probtest.sources import Sources, Surroundings


class Odd:
    """An engine in this process that answers in any order, loses ranges, and whose workers die."""

    slots = 5
    chunk = 1e-4

    def __init__(self, order: int, *deadly: int, isolates: bool = True, tells: bool = True) -> None:
        self.isolates = isolates
        self.run: Any = None
        self.body: Any = None
        self.around: Any = None
        self._order = random.Random(order)
        self._deadly, self._tells = deadly, tells
        self._open: list[tuple[int, int, int, int, int]] = []
        self._killed: set[int] = set()
        self.horizon = 1 << 62
        self.closed = 0
        self.opened = 0

    def open(self, seconds: float, left: int) -> bool:  # noqa: ARG002
        self.opened += 1
        return True

    def start(self, ticket: int, seed: int, first: int, last: int, attempt: int) -> None:
        self._open.append((ticket, seed, first, last, attempt))

    def wait(self, timeout: float) -> list[tuple[int, bytes | Died | None]]:  # noqa: ARG002
        ticket, seed, first, last, attempt = self._open.pop(self._order.randrange(len(self._open)))
        if self._order.random() < 0.3:
            return [(ticket, None)]
        met = next((index for index in self._deadly if first <= index <= last), None)
        if met is not None:
            return [(ticket, Died("it died", met if self._tells else None))]
        at = self._order.randint(first, last)
        if self._order.random() < 0.1 and at not in self._killed:
            # A kill that has nothing to do with the body.
            self._killed.add(at)
            return [(ticket, Died("it was killed", at))]
        answer = self.run.make_range(self.body, self.around, seed, first, last, attempt)
        return [(ticket, answer)]

    def stop_after(self, index: int) -> None:
        assert index < self.horizon
        self.horizon = index

    def close(self) -> None:
        self.closed += 1


def came_to(body: Any, engine: Odd | None = None, **options: Any) -> dict[str, Any]:
    run = _native.TestRun(given_by(seed=7, **options), "elsewhere")
    if run.batch is not None:
        body = in_batches(body, run.batch, run.claim.outcomes is not None)
    sources = Sources()
    around = Surroundings(sources.seeders, sources.imported, engine=engine)
    if engine is not None:
        engine.run, engine.body, engine.around = run, body, Surroundings(sources.seeders, sources.imported)
    try:
        run.execute(body, around)
    finally:
        sources.restore_all()
    assert run.report is not None
    facts: dict[str, Any] = probtest.Result(run.report).to_dict()
    del facts["seconds"]
    return facts


def rare() -> None:
    probtest.assume(random.random() < 0.8)
    assert random.random() > 0.02


def batch_of_twenty() -> Any:
    return [None if random.random() < 0.1 else random.random() > 0.004 for _ in range(20)]


CLAIMS: dict[str, tuple[Any, dict[str, Any]]] = {
    "detect": (rare, {"p": 0.01}),
    "passes": (lambda: random.random() >= 0, {"p": 0.05}),
    "cover": (lambda: random.randrange(3), {"outcomes": [0.3, 0.3, 0.3]}),
    "tolerate": (rare, {"tolerate": 0.02, "p": 0.06}),
    "mean": (random.random, {"claim": probtest.mean(between=(0, 1), within=(0.4, 0.6), margin=0.2)}),
    "fit": (
        lambda: random.choice("ab"),
        {"claim": probtest.fit(outcomes={"a": 0.5, "b": 0.5}, distance=0.3)},
    ),
    "estimate": (rare, {"claim": probtest.estimate(width=0.15)}),
    "batches": (batch_of_twenty, {"p": 0.01, "batch": 20}),
    "batches_cut": (batch_of_twenty, {"tolerate": 0.01, "p": 0.05, "batch": 20, "max_executions": 130}),
    "too_many_rejections": (lambda: probtest.assume(False), {"p": 0.1, "max_rejections": 40}),
}


@pytest.mark.parametrize("isolates", [True, False])
@pytest.mark.parametrize("name", CLAIMS)
def test_an_engine_that_loses_and_mixes_up_ranges_comes_to_the_same(name: str, isolates: bool) -> None:
    body, options = CLAIMS[name]
    expected = came_to(body, **options)
    for order in range(20):
        engine = Odd(order, isolates=isolates)
        assert came_to(body, engine, **options) == expected
        assert engine.closed == 1


@pytest.mark.parametrize("tells", [True, False])
def test_an_execution_that_ends_its_process_twice_is_a_violation(tells: bool) -> None:
    for order in range(20):
        found = came_to(lambda: random.random() >= 0, Odd(order, 77, 78, 90, tells=tells), p=0.01)
        assert (found["verdict"], found["index"], found["executed"]) == ("violated", 77, 77)
        # It was made again, and ended its process again, whatever others have done meanwhile.
        assert found["confirmed"] is True
        assert found["finding"]["message"] == "it died"
