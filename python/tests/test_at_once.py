"""Executions at the same time come to the same as one after the other; outside of pytest."""

from __future__ import annotations

import asyncio
import contextvars
import random
import sys
import threading
from collections.abc import Awaitable, Callable
from typing import Any

# At the top: inner runs forget what they import, and NumPy is imported only once.
import numpy  # noqa: F401
import pytest

import probtest

Body = Callable[[], Awaitable[object]]


def facts(result: probtest.Result) -> tuple[Any, ...]:
    """Return everything that must not depend on how executions were made."""
    found = result.to_dict()
    names = "verdict executed passed violated rejected index address confirmed observed"
    return (*(found[name] for name in names.split()), str(result.exception))


def steps(generator: Any) -> int:
    """Return how often an execution lets others go first: they end in another order than they begin."""
    return int(generator.integers(12))


async def pausing(count: int) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


CLAIMS: list[dict[str, Any]] = [
    {"p": 0.01, "epsilon": 0.02},
    {"tolerate": 0.02, "p": 0.1, "false_alarm": 0.01},
    {"claim": probtest.mean(between=(0, 1), within=(0.4, 0.6), margin=0.1)},
    {"claim": probtest.estimate(width=0.2)},
    {"outcomes": [0.5, 0.5], "epsilon": 1e-6},
]


@pytest.mark.parametrize("options", CLAIMS, ids=lambda options: "-".join(options))
@pytest.mark.parametrize("rarely", [0.0, 0.005, 0.2])
def test_verdict_index_counts_and_address_are_those_of_one_after_the_other(
    options: dict[str, Any], rarely: float
) -> None:
    async def body() -> object:
        generator = probtest.rng()
        await pausing(steps(generator))
        drawn = generator.random()
        probtest.assume(generator.random() > 0.1)
        await pausing(steps(generator))
        assert drawn >= rarely, f"drew {drawn}"
        if "outcomes" in options:
            return int(drawn < 0.5)
        return drawn if "claim" in options and options["claim"].kind == "mean" else None

    def serial() -> object:
        return asyncio.run(body())  # type: ignore[arg-type]

    def check(called: Callable[[], object], **more: Any) -> tuple[Any, ...]:
        return facts(probtest.check(called, name="same", seed=9, raises=False, **options, **more))

    expected = check(serial)
    for most in (1, 2, 50):
        assert check(body, concurrency=most) == expected


def test_a_slow_violation_is_not_overtaken_by_a_fast_one() -> None:
    begun = 0

    async def body() -> None:
        nonlocal begun
        begun += 1
        index = begun
        # The first ten end last, and all of them violate but one.
        await pausing(40 - index if index <= 10 else 1)
        assert index in (1, 2, 3, 5, 6), str(index)

    result = probtest.check(body, p=0.01, concurrency=20, confirm=False, raises=False)
    assert (result.index, str(result.exception).splitlines()[0]) == (4, "4")
    assert result.executed == 4


def test_executions_that_are_not_needed_are_cancelled_and_awaited() -> None:
    begun: list[int] = []
    cancelled: list[int] = []
    forever = asyncio.Event()

    async def body() -> None:
        index = len(begun) + 1
        begun.append(index)
        if index == 7:
            raise AssertionError("seventh")
        if index < 7:
            return
        try:
            await forever.wait()
        except asyncio.CancelledError:
            # What they do at their end is waited for.
            await pausing(3)
            cancelled.append(index)
            raise

    result = probtest.check(body, p=0.01, concurrency=20, confirm=False, raises=False)
    assert result.index == 7
    assert cancelled == [index for index in begun if index > 7]
    assert len(cancelled) >= 13


def test_each_execution_has_a_context_of_its_own() -> None:
    seen: list[int | None] = []
    variable: contextvars.ContextVar[int | None] = contextvars.ContextVar("variable", default=None)

    async def body() -> None:
        seen.append(variable.get())
        drawn = int(probtest.rng().integers(1 << 40))
        variable.set(drawn)
        await pausing(5)
        assert variable.get() == drawn

    assert probtest.check(body, p=0.1, concurrency=10).passed
    assert set(seen) == {None}
    assert variable.get() is None


def test_outcomes_costs_and_records_belong_to_their_execution() -> None:
    async def body() -> None:
        drawn = int(probtest.rng().integers(2))
        probtest.cost(0.5)
        await pausing(1 + drawn * 7)
        probtest.outcome(drawn)
        probtest.cost(0.5)
        probtest.record(drawn)

    found = [
        probtest.check(body, outcomes=[0.5, 0.5], epsilon=1e-9, seed=4, concurrency=most).to_dict()
        for most in (1, 30)
    ]
    assert found[0]["cost"] == found[1]["cost"] == {"spent": 31.0, "max": None}
    assert found[0]["verdict"] == found[1]["verdict"] == "passed"


def test_generators_that_executions_share_are_told_once() -> None:
    async def shared() -> None:
        await pausing(2)
        random.random()

    async def own() -> None:
        await pausing(2)
        probtest.rng().random()

    kinds = [note.kind for note in probtest.check(shared, p=0.1, concurrency=5).notes]
    assert kinds == ["shared_generators"]
    assert probtest.check(own, p=0.1, concurrency=5).notes == []
    # One after the other each has its seed, as always.
    assert probtest.check(shared, p=0.1, concurrency=1).notes == []


def test_a_body_that_says_so_runs_on_threads() -> None:
    together = threading.Barrier(4)
    threads = set()

    def body() -> None:
        threads.add(threading.get_ident())
        drawn = probtest.rng().random()
        together.wait()
        assert drawn < 0.98, str(drawn)

    # 4 divides the plan, so that no execution waits for others that never come.
    options: dict[str, Any] = {"max_executions": 28, "on_budget": "pass", "confirm": False, "raises": False}
    found = probtest.check(body, p=0.1, seed=2, concurrency=4, threads=True, **options)
    assert len(threads) == 4
    assert threading.get_ident() not in threads
    assert found.executed <= 28


def test_threads_come_to_the_same_as_one_after_the_other() -> None:
    def body() -> None:
        generator = probtest.rng()
        probtest.assume(generator.random() > 0.2)
        drawn = generator.random()
        assert drawn < 0.95, str(drawn)

    def check(**more: Any) -> tuple[Any, ...]:
        return facts(probtest.check(body, p=0.01, seed=6, name="same", raises=False, **more))

    expected = check()
    assert expected[0] == "violated"
    assert check(concurrency=8, threads=True) == expected


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"concurrency": 5}, "the body is not async"),
        ({"infrastructure": "ConnectionError"}, "must list exception types"),
        ({"infrastructure": Exception}, "failed assertion"),
        ({"infrastructure": ()}, "must list exception types"),
        ({"rate": 20}, "a number of executions per"),
        ({"max_cost": 0}, "above 0"),
        ({"infrastructure": OSError, "batch": 10}, "given  batch and infrastructure"),
        ({"max_unavailable": 5}, "no exception means that it did"),
        ({"concurrency": 5, "jobs": 2}, "concurrency and jobs do not go together: .* share one process"),
        ({"concurrency": 5, "executor": "dask:local"}, "given  concurrency and executor"),
        ({"concurrency": 5, "batch": 10, "threads": True}, "one call makes the whole batch"),
        ({"concurrency": 5, "isolate": True}, "leave out concurrency or isolate"),
        ({"max_cost": 5, "batch": 10}, "batch and max_cost do not go together"),
        ({"rate": "20/s", "batch": 10}, "leave out batch or rate"),
        ({"inputs": 5, "batch": 2}, "batch and inputs do not go together"),
        ({"inputs": 5, "concurrency": 2, "threads": True}, "inputs and concurrency do not go together"),
        ({"threads": "perhaps"}, "threads"),
    ],
)
def test_what_makes_no_sense_is_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(probtest.ClaimError, match=words):
        probtest.check(lambda: None, p=0.1, **options)


def test_a_check_inside_of_a_running_loop_says_what_to_do() -> None:
    async def body() -> None: ...

    async def notebook() -> None:
        with pytest.raises(probtest.ClaimError, match="to_thread"):
            probtest.check(body, p=0.1, concurrency=2)
        result = await asyncio.to_thread(lambda: probtest.check(body, p=0.1, concurrency=2))
        assert result.passed

    asyncio.run(notebook())


def test_an_execution_of_an_async_body_is_replayed() -> None:
    async def body() -> None:
        await pausing(1)
        drawn = probtest.rng().random()
        assert drawn < 0.98, str(drawn)

    result = probtest.check(body, p=0.01, seed=1, concurrency=20, raises=False, name="again")
    assert result.index is not None
    with pytest.raises(AssertionError) as raised:
        probtest.replay(body, result.seed, result.index, name="again")
    assert str(raised.value) == str(result.exception)


def test_an_interrupt_ends_everything_under_way() -> None:
    ended: list[int] = []
    begun: list[int] = []

    async def body() -> None:
        index = len(begun) + 1
        begun.append(index)
        try:
            await pausing(5)
            if index == 3:
                raise KeyboardInterrupt
            await pausing(1000)
        finally:
            ended.append(index)

    with pytest.raises(KeyboardInterrupt):
        probtest.check(body, p=0.01, concurrency=10)
    assert sorted(ended) == begun


def test_a_body_that_leaves_the_interpreter_has_violated() -> None:
    def leaves() -> None:
        if probtest.rng().random() < 0.1:
            sys.exit(0)

    async def waits_and_leaves() -> None:
        await pausing(2)
        leaves()

    options: dict[str, Any] = {"p": 0.05, "seed": 9, "name": "leaves", "raises": False}
    alone = probtest.check(leaves, **options)
    found = probtest.check(waits_and_leaves, concurrency=4, **options)
    assert facts(found) == facts(alone)
    assert found.verdict == "violated"
    assert type(found.exception) is SystemExit


def test_a_body_that_cancels_itself_has_violated() -> None:
    async def body() -> None:
        raise asyncio.CancelledError

    result = probtest.check(body, p=0.1, concurrency=4, raises=False)
    assert (result.verdict, result.index) == ("violated", 1)
