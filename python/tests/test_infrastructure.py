"""Executions that prove nothing, the rate of starts, and what executions cost; by a clock that tests move."""

from __future__ import annotations

import asyncio
import builtins
import itertools
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

# At the top: inner runs forget what they import, and NumPy is imported only once.
import numpy  # noqa: F401
import pytest

import probtest
from probtest import sources
from probtest.engines import forked

from .conftest import Run


class RateLimitError(Exception):
    pass


class Clock:
    """Moves when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0
        sources.clock = lambda: int(self.now * 1e9)
        sources.sleep = self.sleep

    def sleep(self, seconds: float) -> None:
        # A clock of whole nanoseconds must not stand still.
        self.now += seconds + 1e-9


@pytest.fixture
def clock() -> Clock:
    return Clock()


def facts(result: probtest.Result) -> dict[str, Any]:
    names = ("verdict", "executed", "passed", "violated", "rejected", "index", "address", "confirmed")
    return {name: result.to_dict()[name] for name in names}


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize("concurrency", [None, 1, 50])
@pytest.mark.parametrize("limit", [0.0, 0.03])
def test_failures_of_infrastructure_change_nothing_but_their_own_count(
    concurrency: int | None, limit: float
) -> None:
    def draw() -> None:
        generator = probtest.rng()
        probtest.assume(generator.random() > 0.1)
        assert generator.random() >= limit

    def check(body: Callable[[], object], **options: Any) -> probtest.Result:
        return probtest.check(body, p=0.01, epsilon=0.02, seed=5, name="net", raises=False, **options)

    expected = check(draw)
    network = random.Random(1)

    def ask() -> None:
        # One of 500 attempts fails eleven times in a row with probability 500 * 0.08^11 = 4e-10.
        if network.random() < 0.04:
            raise RateLimitError("429") if network.random() < 0.5 else ConnectionError("reset")

    async def body() -> None:
        ask()
        for _ in range(network.randrange(5)):
            await asyncio.sleep(0)
        ask()
        draw()

    def serial() -> None:
        ask()
        draw()

    kinds = (RateLimitError, ConnectionError)
    found = (
        check(serial, infrastructure=kinds)
        if concurrency is None
        else check(body, concurrency=concurrency, infrastructure=kinds, max_unavailable=10_000)
    )
    assert facts(found) == facts(expected)
    counted = {each["kind"]: each["count"] for each in found.to_dict()["unavailable"]}
    assert set(counted) == {"RateLimitError", "ConnectionError"}
    assert "proved nothing and did not count: " in str(found)


def test_infrastructure_that_never_answers_ends_without_a_verdict(clock: Clock) -> None:
    calls: list[float] = []

    def body() -> None:
        calls.append(clock.now)
        raise ConnectionRefusedError("nobody is there")

    found = probtest.check(body, p=0.01, infrastructure=ConnectionError, raises=False)
    reason = found.to_dict()["reason"]
    assert (found.verdict, found.executed, reason["kind"]) == ("inconclusive", 0, "unavailable")
    assert "ConnectionRefusedError: nobody is there" in reason["message"]
    # Not as fast as it can, where nobody answers.
    assert 11 <= len(calls) <= 400
    assert clock.now > len(calls) - 20


@pytest.mark.usefixtures("clock")
def test_a_group_counts_where_all_of_it_is_infrastructure() -> None:
    group: Any = getattr(builtins, "ExceptionGroup", None)
    if group is None:
        pytest.skip("groups of exceptions came with Python 3.11")
    first = [True, True]

    def body() -> None:
        probtest.rng().random()
        if first:
            first.pop()
            raise group("both", [ConnectionError("a"), group("inner", [TimeoutError("b")])])

    kinds = (ConnectionError, TimeoutError)
    found = probtest.check(body, p=0.1, infrastructure=kinds)
    assert found.to_dict()["unavailable"] == [{"kind": "ConnectionError", "count": 2}]

    def mixed() -> None:
        raise group("both", [ConnectionError("a"), AssertionError("wrong")])

    assert probtest.check(mixed, p=0.1, infrastructure=kinds, raises=False).verdict == "violated"


@pytest.mark.parametrize("options", [{}, {"concurrency": 20}, {"jobs": 2}])
def test_a_rate_limits_starts(clock: Clock, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    # No body is worth another process, so that all starts are seen here.
    monkeypatch.setattr(forked, "LEAST_SECONDS", float("inf"))
    starts: list[float] = []

    async def body() -> None:
        starts.append(clock.now)
        probtest.rng().random()

    def serial() -> None:
        starts.append(clock.now)
        probtest.rng().random()

    called = body if "concurrency" in options else serial
    probtest.check(called, p=0.1, rate="20/s", **options)
    gaps = [later - earlier for earlier, later in itertools.pairwise(starts)]
    assert len(starts) == 29
    assert all(0.05 - 1e-6 <= gap <= 0.05 + 1e-3 for gap in gaps), gaps


@pytest.mark.parametrize("concurrency", [None, 1, 20])
def test_a_cost_ends_the_test_at_the_same_execution_however_many_are_under_way(
    concurrency: int | None,
) -> None:
    def spend() -> None:
        probtest.cost(0.1 + probtest.rng().random() / 10)

    async def body() -> None:
        await asyncio.sleep(0)
        spend()

    called = spend if concurrency is None else body
    found = probtest.check(
        called, p=0.01, seed=3, name="dear", max_cost=5.0, concurrency=concurrency, raises=False
    )
    assert found.verdict == "inconclusive"
    assert found.executed == 34
    assert found.to_dict()["reason"]["kind"] == "cost"
    assert 5.0 <= found.to_dict()["cost"]["spent"] <= 5.2 + 0.2 * (concurrency or 1)
    assert "achieved" in str(found)


def test_a_cost_that_is_none_is_refused() -> None:
    for wrong in (-1, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="of 0 or more"):
            probtest.cost(wrong)


def test_answers_of_a_cache_are_a_doubt() -> None:
    kept: dict[str, float] = {}

    def answer(cached: bool) -> float:
        drawn = float(probtest.rng().random())
        return kept.setdefault("answer", drawn) if cached else drawn

    def body(cached: bool) -> None:
        found = answer(cached)
        probtest.record({"answer": found})
        assert found < 2

    with pytest.warns(probtest.InDoubt, match="recorded exactly the same"):
        result = probtest.check(lambda: body(True), p=0.05)
    assert [doubt.kind for doubt in result.doubts] == ["repeated"]
    assert probtest.check(lambda: body(False), p=0.05).doubts == []


def test_the_next_run_says_what_the_plan_costs(run: Run) -> None:
    source = """
        import pytest, probtest

        @pytest.mark.probtest(p=0.1)
        def test_dear(probtest_rng):
            probtest_rng.random()
            probtest.cost(0.25)

        @pytest.mark.probtest(p=0.01, max_cost=2, on_budget="pass")
        def test_dearer(probtest_rng):
            probtest_rng.random()
            probtest.cost(0.5)

        @pytest.mark.probtest(p=0.1)
        def test_free(probtest_rng): probtest_rng.random()
        """
    run(source).stdout.no_fnmatch_line("*planned cost*")
    run(source).stdout.fnmatch_lines(
        [
            "probtest: planned cost up to 9.25, estimated from an earlier run",
            "  test_it.py::test_dear: 7.25, 29 executions at 0.25",
            "  test_it.py::test_dearer: 2, its max_cost",
        ]
    )
    run(source, "-k", "free").stdout.no_fnmatch_line("*planned cost*")


def test_the_marker_takes_all_of_them(run: Run) -> None:
    result = run(
        """
        import asyncio, pytest, probtest
        from probtest import sources
        now = 0.0
        def sleep(seconds):
            global now
            now += seconds + 1e-9
        sources.clock, sources.sleep = lambda: int(now * 1e9), sleep
        calls = 0

        @pytest.fixture
        def client():
            global calls
            calls += 1
            if calls % 5 == 0:
                raise ConnectionError("busy")
            yield

        @pytest.mark.probtest(
            p=0.1, infrastructure=(ConnectionError,), rate="100/s", max_cost=50, concurrency=5
        )
        async def test_it(client, probtest_rng):
            probtest.cost(0.25)
            await asyncio.sleep(0)

        @pytest.mark.probtest(p=0.1, infrastructure=ConnectionError)
        def test_serial(client, probtest_rng): probtest_rng.random()

        @pytest.mark.probtest(p=0.1, infrastructure="ConnectionError")
        def test_refused(): ...

        @pytest.mark.probtest(p=0.1, rate="often")
        def test_refused_too(): ...
        """,
        "-v",
        "--probtest-json=facts.json",
    )
    result.assert_outcomes(passed=2, errors=2)
    result.stdout.fnmatch_lines(
        ["*infrastructure must list exception types*", "*rate is not a number of executions*"]
    )
    tests = json.loads(Path("facts.json").read_text())["tests"]
    assert [test["unavailable"] for test in tests if "unavailable" in test] == [
        [{"kind": "ConnectionError", "count": 7}],
        [{"kind": "ConnectionError", "count": 7}],
    ]
    assert tests[0]["cost"] == {"spent": 7.25, "max": 50.0}
