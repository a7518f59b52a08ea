"""Batches: one call of the test is many executions."""

from __future__ import annotations

import random
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import probtest

from .conftest import Run
from .words import IN_DOUBT, no_violation

#: 299 executions.
CLAIM = "p=0.01, epsilon=0.05"


def entries_below(limit: float, size: int) -> list[bool]:
    return [random.random() < limit for _ in range(size)]


def test_a_batch_counts_as_many_executions_and_the_rest_is_thrown_away() -> None:
    calls = []

    def body() -> list[bool]:
        calls.append(1)
        # What lies past the plan is not looked at, were it a violation.
        return [True] * 100 if len(calls) < 3 else [True] * 99 + [False]

    result = probtest.check(body, p=0.01, epsilon=0.05, batch=100, seed=1)
    assert (result.executed, result.planned, len(calls)) == (299, 299, 3)


def test_a_batch_larger_than_the_plan_is_drawn_once() -> None:
    calls = []
    result = probtest.check(
        lambda: calls.append(1) or [True] * 1000, p=0.01, epsilon=0.05, batch=1000, seed=1
    )
    assert (result.executed, len(calls)) == (299, 1)


@pytest.mark.parametrize("position", [0, 7, 8, 41, 99])
def test_a_violation_has_the_number_of_its_place(position: int) -> None:
    calls = []

    def body() -> list[bool]:
        calls.append(1)
        return [len(calls) < 3 or place != position for place in range(100)]

    result = probtest.check(body, p=0.001, epsilon=0.05, batch=100, seed=1, confirm=False, raises=False)
    assert (result.verdict, result.index) == ("violated", 200 + position + 1)
    assert (result.executed, result.to_dict()["passed"], result.violated) == (
        201 + position,
        200 + position,
        1,
    )
    assert len(calls) == 3


def test_a_batch_of_one_draws_the_same_as_a_single_execution() -> None:
    single = probtest.check(lambda: random.random() < 0.99, p=0.001, seed=7, name="x", raises=False)
    batched = probtest.check(
        lambda: [random.random() < 0.99], p=0.001, seed=7, name="x", batch=1, raises=False
    )
    assert single.index == batched.index
    assert single.index is not None


def test_the_first_violation_in_the_order_of_entries_decides_and_is_replayed() -> None:
    def body() -> list[bool]:
        return entries_below(0.99, 50)

    with pytest.raises(probtest.Violated, match=r"replay .*batch=50\)") as caught:
        probtest.check(body, p=0.001, epsilon=0.05, batch=50, seed=3)
    index = caught.value.result.index
    assert index is not None
    with pytest.raises(
        AssertionError, match=f"entry {(index - 1) % 50} of the batch, execution 0x3:{index}, is False"
    ):
        probtest.replay(body, 3, index, batch=50)
    for other in range(index - (index - 1) % 50, index):
        # Those before it, in the same batch.
        probtest.replay(body, 3, other, batch=50)


def test_batches_draw_different_numbers_and_the_same_again() -> None:
    def drawn() -> list[tuple[float, ...]]:
        seen: list[tuple[float, ...]] = []

        def body() -> list[bool]:
            seen.append((random.random(), float(np.random.random())))
            return [True] * 100

        probtest.check(body, p=0.01, epsilon=0.05, batch=100, seed=5, name="x")
        return seen

    once = drawn()
    assert len(set(once)) == 3
    assert drawn() == once


def test_a_rejected_entry_is_drawn_again_and_keeps_its_number() -> None:
    attempts: list[int] = []

    def body() -> list[bool | None]:
        attempts.append(1)
        if len(attempts) == 1:
            return [True, None, True, None]
        # Only places 1 and 3 are looked at here; and in the third attempt only 3.
        return [False, True, False, None] if len(attempts) == 2 else [False, False, False, False]

    result = probtest.check(body, p=0.01, epsilon=0.05, batch=4, seed=1, confirm=False, raises=False)
    assert (result.verdict, result.index, result.executed, result.rejected) == ("violated", 4, 4, 3)
    assert len(attempts) == 3


def test_a_violation_before_a_rejected_entry_decides_without_drawing_again() -> None:
    calls = []
    result = probtest.check(
        lambda: calls.append(1) or [True, False, None],
        p=0.01,
        batch=3,
        seed=1,
        confirm=False,
        raises=False,
    )
    assert (result.index, result.rejected, len(calls)) == (2, 0, 1)


def test_rejected_entries_count_as_rejected_single_executions_do() -> None:
    def entry() -> bool | None:
        return None if random.random() < 0.5 else True

    result = probtest.check(lambda: [entry() for _ in range(64)], p=0.01, batch=64, seed=1)
    assert result.executed == 299
    # 299 on average, with a standard deviation of 24.5; the seed is fixed.
    assert 200 < result.rejected < 400


def test_assume_in_a_batch_rejects_all_of_it() -> None:
    calls = []

    def body() -> list[bool]:
        calls.append(1)
        probtest.assume(len(calls) % 2 == 0)
        return [True] * 100

    result = probtest.check(body, p=0.01, epsilon=0.05, batch=100, seed=1)
    assert (result.executed, result.rejected, len(calls)) == (299, 299, 6)


def test_a_batch_that_is_always_rejected_is_inconclusive() -> None:
    for body in (lambda: [None] * 10, lambda: probtest.assume(False)):
        result = probtest.check(body, p=0.01, batch=10, seed=1, raises=False)
        assert (result.verdict, result.executed) == ("inconclusive", 0)


def test_outcomes_of_a_batch_are_numbers() -> None:
    die = {"outcomes": ["1/6"] * 6, "epsilon": 0.05, "seed": 1}

    def throw() -> np.ndarray:
        return np.random.randint(6, size=10)

    assert probtest.check(throw, batch=10, **die).executed == 27  # type: ignore[arg-type]
    loaded = probtest.check(lambda: throw() % 5, batch=10, raises=False, **die)  # type: ignore[arg-type]
    assert (loaded.verdict, loaded.index) == ("violated", None)
    assert "outcome 5" in str(loaded)
    unknown = probtest.check(lambda: throw() + 1, batch=10, raises=False, **die)  # type: ignore[arg-type]
    assert unknown.verdict == "inconclusive"


def test_booleans_and_rejections_stand_beside_outcomes() -> None:
    calls = []

    def body() -> list[object]:
        calls.append(1)
        return [0, 1, None, True] if len(calls) == 1 else [0, 0, False, 0]

    result = probtest.check(body, outcomes=[0.5, 0.5], batch=4, seed=1, raises=False)
    assert (result.verdict, result.index, result.rejected) == ("violated", 3, 1)


def test_an_exception_in_a_batch_is_no_violation_of_one_execution() -> None:
    def body() -> list[bool]:
        if random.random() < 0.5:
            raise ValueError("the simulator is out of memory")
        return [True] * 10

    with pytest.raises(probtest.Inconclusive, match="the batch of executions") as caught:
        probtest.check(body, p=0.01, epsilon=0.05, batch=10, seed=2)
    result = caught.value.result
    assert (result.verdict, result.violated, result.executed % 10) == ("inconclusive", 0, 0)
    assert isinstance(caught.value.__cause__, ValueError)
    first = result.executed + 1
    assert f"the batch of executions {first} to {first + 9} raised ValueError: the simulator" in str(result)
    with pytest.raises(
        RuntimeError, match=f"the batch of executions {first} to {first + 9} raised ValueError"
    ):
        probtest.replay(body, 2, first + 3, batch=10)


@pytest.mark.parametrize("name", ["cost", "record", "outcome", "label"])
def test_what_belongs_to_one_execution_cannot_be_said_for_a_whole_batch(name: str) -> None:
    def body() -> list[bool]:
        getattr(probtest, name)(*(("height", 3) if name == "label" else (0,)))
        return [random.random() < 2] * 5

    claim = {"outcomes": [0.5, 0.5]} if name == "outcome" else {"p": 0.1}
    with pytest.raises(probtest.Inconclusive, match=rf"called probtest\.{name}"):
        probtest.check(body, batch=5, seed=1, **claim)  # type: ignore[arg-type]


@pytest.mark.parametrize("given", [0, -1, 1.5, True, "many"])
def test_the_size_of_a_batch_is_a_whole_number(given: object) -> None:
    with pytest.raises(ValueError, match="batch is not a whole number of 1 or more\n  given  "):
        probtest.check(lambda: [], p=0.01, batch=given)  # type: ignore[arg-type]


def test_progress_is_told_of_executions() -> None:
    told: list[int] = []

    options: dict[str, Any] = {"p": 0.0001, "batch": 100, "seed": 1}
    probtest.check(lambda: [True] * 100, progress=lambda done, _planned: told.append(done), **options)
    # Once more at the end of the plan, within a batch.
    assert all(done % 100 == 0 for done in told[:-1])
    assert told[-1] == 29956


def test_without_numpy_a_list_is_enough_and_numpy_is_not_imported() -> None:
    program = (
        "import sys, random, probtest\n"
        "body = lambda: [random.random() < 2 for _ in range(100)]\n"
        "assert probtest.check(body, p=0.01, batch=100, seed=1).executed == 299\n"
        "numbers = lambda: memoryview(bytes(random.randrange(2) for _ in range(100)))\n"
        "assert probtest.check(numbers, outcomes=[.5, .5], batch=100, seed=1).passed\n"
        "assert 'numpy' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_replay_without_the_size_of_the_batch_is_refused() -> None:
    def body() -> list[bool]:
        return [False] * 10

    with pytest.raises(RuntimeError, match="the body returned 10 booleans"):
        probtest.replay(body, 1, 3)
    with pytest.raises(probtest.Inconclusive, match="write batch=10 to make each of them an execution"):
        probtest.check(body, p=0.1)
    # Any other value is handed back: a claim may be about it.
    assert probtest.replay(lambda: 0.5, 1, 3) == 0.5
    assert probtest.replay(lambda: 1, 1, 3) == 1


# Under pytest.

COIN = """
    import numpy as np, pytest

    @pytest.mark.probtest(p=0.01, epsilon=0.05, batch=100)
    def test_coin(probtest_rng, probtest_batch):
        print("batch of", probtest_batch)
        return probtest_rng.random(probtest_batch) < LIMIT
"""


def test_a_batch_passes_under_pytest_with_its_fixtures(run: Run) -> None:
    result = run(COIN.replace("LIMIT", "1"), "-v")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines([no_violation("test_coin", 299)])


def test_fixtures_are_fresh_for_each_batch_and_each_attempt(run: Run) -> None:
    run("""
        import pytest

        made = []

        @pytest.fixture
        def simulator():
            made.append("made")
            yield len(made)
            made.append("ended")

        @pytest.mark.probtest(p=0.1, epsilon=0.05, batch=7)
        def test_fresh(simulator):
            # Of the fifth batch only the first entry is needed, the last of 29 executions.
            return [None if made.count("made") == 5 else True] + [True] * 6

        def test_after(): assert made == ["made", "ended"] * 6
    """).assert_outcomes(passed=2)


def test_the_generator_of_a_batch_is_that_of_its_first_execution(run: Run) -> None:
    # Four executions; then two batches of two, which begin with the first and the third.
    source = """
        import pytest

        @pytest.mark.probtest(p=0.5, epsilon=0.2{batch})
        def test_it(probtest_rng, probtest_batch):
            with open("drawn", "a") as file:
                print(probtest_rng.random(), file=file)
            return [True] * probtest_batch if {is_batch} else True
    """
    run(source.format(batch="", is_batch=False)).assert_outcomes(passed=1)
    run(source.format(batch=", batch=2", is_batch=True)).assert_outcomes(passed=1)
    with open("drawn") as file:
        drawn = file.read().split()
    assert len(drawn) == 4 + 2
    assert drawn[4:] == [drawn[0], drawn[2]]


def test_reseeding_in_each_batch_is_seen(run: Run) -> None:
    result = run("""
        import random, pytest

        @pytest.mark.probtest(p=0.01, epsilon=0.05, batch=10)
        def test_reseeds():
            random.seed(4)
            return [random.random() < 1 for _ in range(10)]
    """)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines([IN_DOUBT])


def test_methods_and_unittest_cases_return_batches_too(run: Run) -> None:
    run("""
        import unittest, pytest

        class TestPlain:
            @pytest.mark.probtest(p=0.1, batch=10)
            def test_it(self): return [True] * 10

            @pytest.mark.probtest(p=0.1, batch=10)
            def test_violated(self): return [True] * 9 + [False]

        class TestCase(unittest.TestCase):
            @pytest.mark.probtest(p=0.1, batch=10)
            def test_case(self): return [True] * 10

            @pytest.mark.probtest(p=0.1, batch=10)
            def test_case_violated(self): return [True] * 9 + [False]
    """).assert_outcomes(passed=2, failed=2)


def test_an_async_test_returns_a_batch(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        import pytest

        @pytest.mark.asyncio
        @pytest.mark.probtest(p=0.1, batch=10)
        async def test_it(): return [True] * 10

        @pytest.mark.asyncio
        @pytest.mark.probtest(p=0.1, batch=10)
        async def test_violated(): return [False] * 10
    """)
    pytester.runpytest("-p", "no:randomly").assert_outcomes(passed=1, failed=1)


def test_without_a_batch_the_fixture_is_one(run: Run) -> None:
    run("""
        import pytest

        @pytest.mark.probtest(p=0.5)
        def test_marked(probtest_batch): assert probtest_batch == 1

        def test_unmarked(probtest_batch): assert probtest_batch == 1
    """).assert_outcomes(passed=2)
