"""Kinds of tests: classes, parametrize, unittest, async, doctest."""

from __future__ import annotations

import pytest

from .conftest import Run
from .words import no_violation, violated_at


def test_parametrized_tests_each_execute_their_plan(run: Run) -> None:
    run("""
        import pytest
        from collections import Counter
        seen = Counter()

        @pytest.mark.parametrize("n", [1, 2])
        @pytest.mark.probtest(p=0.1)
        def test_it(n): seen[n] += 1

        @pytest.mark.parametrize("p", [pytest.param(0.5, marks=pytest.mark.probtest(p=0.5))])
        def test_marked_parameter(p): seen["marked"] += 1

        def test_seen(): assert seen == {1: 29, 2: 29, "marked": 6}
    """).assert_outcomes(passed=4)


def test_unittest_cases_execute_their_plan_with_a_fresh_set_up(run: Run) -> None:
    result = run(
        """
        import random, unittest, pytest
        calls = []

        @pytest.mark.probtest(p=0.1)
        class Case(unittest.TestCase):
            def setUp(self):
                calls.append("up")
                self.assertFalse(hasattr(self, "used"))
                self.used = True

            def tearDown(self): calls.append("down")

            def test_passes(self): calls.append("body")

            def test_violates(self): self.assertLess(random.random(), 0.9)

            def test_rejects(self):
                if random.random() < 0.5:
                    self.skipTest("not this one")

        def test_calls(): assert calls[:87] == ["up", "body", "down"] * 29
        """,
        "-v",
    )
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(["E * AssertionError: 0.9* not less than 0.9", violated_at("*", 29)])
    result.stdout.fnmatch_lines([no_violation("test_rejects", 29, rejected=True)])


def test_outcomes_must_all_be_seen(run: Run) -> None:
    result = run("""
        import random, pytest, probtest

        @pytest.mark.probtest(outcomes=["1/6"] * 6)
        def test_all(): probtest.outcome(random.randrange(6))

        @pytest.mark.probtest(outcomes=["1/6"] * 6)
        def test_no_six(): probtest.outcome(random.randrange(5))

        @pytest.mark.probtest(outcomes=["1/6"] * 6)
        def test_returned(): return random.randrange(6)

        @pytest.mark.probtest(outcomes=["1/6"] * 6)
        def test_unlisted(): return 6
    """)
    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines(["probtest: outcome* 5 w* not seen in 27 executions"])
    result.stdout.fnmatch_lines(["*returned outcome 6, but the claim lists the outcomes 0 to 5"])


@pytest.mark.parametrize("plugin", ["asyncio", "anyio"])
def test_async_tests_execute_their_plan(pytester: pytest.Pytester, plugin: str) -> None:
    backend = "@pytest.fixture\ndef anyio_backend(): return 'asyncio'\n" if plugin == "anyio" else ""
    pytester.makepyfile(f"""
import asyncio, random, pytest
executed = []
{backend}
@pytest.mark.{plugin}
@pytest.mark.probtest(p=0.1)
async def test_passes():
    await asyncio.sleep(0)
    executed.append(1)

@pytest.mark.{plugin}
@pytest.mark.probtest(p=0.1)
async def test_violates():
    await asyncio.sleep(0)
    assert random.random() < 0.9

def test_executed(): assert len(executed) == 29
    """)
    other = "anyio" if plugin == "asyncio" else "asyncio"
    result = pytester.runpytest(
        "-p", f"no:{other}", "-p", "no:randomly", "--probtest-seed", "1", "-W", "ignore"
    )
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines([violated_at("*", 29)])
