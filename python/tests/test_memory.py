"""What is left in memory when a test has ended: nothing of it."""

from __future__ import annotations

import asyncio
import gc
import random
import subprocess
import sys
import weakref
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import probtest

#: How often a test is made; whatever grows with each is found.
TIMES = 20


class Held:
    """What a body holds while it is executed."""


def fails_holding(alive: list[weakref.ref[Held]]) -> Callable[[], None]:
    def body() -> None:
        held = Held()
        alive.append(weakref.ref(held))
        assert random.random() > 0.5

    return body


@pytest.mark.parametrize("options", [{}, {"tolerate": 0.1}, {"shrink": False}, {"isolate": True}], ids=str)
@pytest.mark.parametrize("raises", [True, False])
def test_the_frame_of_a_violation_goes_with_its_result(raises: bool, options: dict[str, Any]) -> None:
    alive: list[weakref.ref[Held]] = []
    p = 0.2 if "tolerate" in options else 0.1
    for _ in range(3):
        try:
            found = probtest.check(fails_holding(alive), p=p, seed=1, raises=raises, **options)
        except probtest.Violated as violated:
            found = violated.result
        assert found.verdict == "violated"
        del found
    gc.collect()
    assert len(alive) >= 3
    assert [one() for one in alive if one() is not None] == []


def passes() -> bool:
    return random.random() < 2


def fails() -> None:
    assert random.random() > 0.5


async def waits() -> None:
    await asyncio.sleep(0)
    assert random.random() < 2


@given(st.integers())
def given_a_number(number: int) -> None:
    assert isinstance(number, int)


def with_numpy() -> None:
    assert pytest.importorskip("numpy").random.default_rng().random() < 2


KINDS: dict[str, Callable[[], object]] = {
    "passes": lambda: probtest.check(passes, p=0.1),
    "fails": lambda: probtest.check(fails, p=0.1, raises=False),
    "raises": lambda: _caught(lambda: probtest.check(fails, p=0.1)),
    "is inconclusive": lambda: probtest.check(passes, p=0.1, max_executions=3, raises=False),
    "tolerates": lambda: probtest.check(passes, p=0.3, tolerate=0.1),
    "draws from numpy": lambda: probtest.check(with_numpy, p=0.1),
    "has inputs": lambda: probtest.check(given_a_number, p=0.1),
    "waits": lambda: probtest.check(waits, p=0.1, concurrency=4),
    "has batches": lambda: probtest.check(lambda: [True] * 5, p=0.1, batch=5, raises=False),
    "is isolated": lambda: probtest.check(passes, p=0.1, isolate=True),
    "measures": lambda: probtest.estimate(passes, width=0.3),
    "compares": lambda: probtest.compare(passes, passes, p_change=0.3),
    "is replayed": lambda: probtest.replay(passes, 1, 2),
    "fails when replayed": lambda: _caught(lambda: probtest.replay(lambda: False, 1, 2)),
}


def _caught(call: Callable[[], object]) -> None:
    try:
        call()
    except Exception:
        return
    raise AssertionError("it did not raise")


@pytest.mark.filterwarnings("ignore::probtest.InDoubt")
@pytest.mark.parametrize("kind", KINDS)
def test_memory_does_not_grow_with_the_number_of_checks(kind: str) -> None:
    make = KINDS[kind]

    def alive() -> Counter[str]:
        gc.collect()
        return Counter(type(one).__qualname__ for one in gc.get_objects())

    # What is kept once for all, by us or by what counts here, is there when counting begins.
    for _ in range(3):
        make()
        alive()
    before = alive()
    for _ in range(TIMES):
        make()
    grown = alive() - before
    assert {name: count for name, count in grown.items() if count >= TIMES} == {}


#: Runs pytest several times in one process, and says how many runs and tests are alive after each.
AGAIN_AND_AGAIN = """
import gc, sys, pytest
for _ in range(4):
    pytest.main(sys.argv[1:])
    gc.collect()
    alive = gc.get_objects()
    kinds = (pytest.Config, pytest.Item, pytest.Session)
    print("alive", *(sum(isinstance(one, kind) for one in alive) for kind in kinds))
"""


def test_a_run_of_pytest_goes_when_it_has_ended(pytester: pytest.Pytester) -> None:
    path = pytester.makepyfile("""
        import random, pytest

        @pytest.mark.probtest(p=0.1)
        def test_fails(tmp_path): assert random.random() > 0.5

        @pytest.mark.probtest(p=0.1)
        def test_passes(): assert random.random() < 2

        @pytest.mark.probtest(p=0.1)
        def test_is_inconclusive(): pytest.skip() if random.random() < 2 else None

        @pytest.mark.probtest(p=2)
        def test_is_refused(): pass
    """)
    words = [str(path), "-p", "no:cacheprovider", "-p", "no:randomly", "-p", "no:xdist"]
    done = subprocess.run(
        [sys.executable, "-c", AGAIN_AND_AGAIN, *words], capture_output=True, text=True, check=True
    )
    counts = [line for line in done.stdout.splitlines() if line.startswith("alive")]
    assert len(counts) == 4, done.stdout + done.stderr
    assert len(set(counts[1:])) == 1, counts
