"""Failures that a body is not told of: in threads, and in tasks that nobody awaits."""

from __future__ import annotations

import pytest

from .conftest import Run

LOST = {
    "thread": """
        import threading, random, pytest

        def work(): assert random.random() > 2, "lost in a thread"

        @pytest.mark.probtest(p=0.5)
        def test_lost():
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
    """,
    "task": """
        import asyncio, random, pytest

        async def work(): assert random.random() > 2, "lost in a task"

        async def body():
            asyncio.create_task(work())
            await asyncio.sleep(0)

        @pytest.mark.probtest(p=0.5)
        def test_lost():
            asyncio.run(body())
    """,
}


@pytest.mark.parametrize("where", LOST)
def test_a_failure_that_the_body_is_not_told_of_is_a_doubt_and_a_violation_where_the_run_is_strict(
    run: Run, where: str
) -> None:
    result = run(LOST[where])
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        [f"doubt: a thread or a task failed during execution 1, * AssertionError: lost in a {where}*"]
    )
    strict = run(LOST[where], "--probtest-strict")
    strict.assert_outcomes(failed=1)
    strict.stdout.fnmatch_lines([f"*lost in a {where}*", "*violated at execution 1 of 6*"])


def test_a_thread_whose_failure_the_body_looks_at_is_no_doubt(run: Run) -> None:
    source = """
        import concurrent.futures, random, pytest

        @pytest.mark.probtest(p=0.5)
        def test_looked_at():
            with concurrent.futures.ThreadPoolExecutor() as pool:
                future = pool.submit(lambda: random.random() / 0)
            assert isinstance(future.exception(), ZeroDivisionError)
    """
    result = run(source)
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*doubt: a thread*")
