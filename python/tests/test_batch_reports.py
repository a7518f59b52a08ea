"""What pytest shows of a batch, remembers of it and executes again."""

from __future__ import annotations

import pytest

from .conftest import Run
from .test_batches import COIN
from .words import NO_LONGER_VIOLATES, index_of, replay_line, violated_again


def test_a_violation_in_a_batch_is_shown_replayed_and_remembered(run: Run, pytester: pytest.Pytester) -> None:
    source = COIN.replace("LIMIT", "0.98")
    result = run(source)
    result.assert_outcomes(failed=1)
    index = index_of(result)
    first = index - (index - 1) % 100
    place = f"  batch     entry {index - first} (from 0) of executions {first} to {first + 99} is False"
    result.stdout.fnmatch_lines([f"*--probtest-replay 0x1:{index}*", place])
    again = run(source, "--probtest-replay", f"0x1:{index}")
    again.assert_outcomes(failed=1)
    again.stdout.fnmatch_lines([f"entry {(index - 1) % 100} of the batch, execution {index}, is False"])
    if (index - 1) % 100:
        run(source, "--probtest-replay", f"0x1:{index - 1}").assert_outcomes(passed=1)
    # From the memory it is executed first, also under another seed.
    remembered = pytester.runpytest("-p", "no:randomly")
    remembered.assert_outcomes(failed=1)
    remembered.stdout.fnmatch_lines([f"*0x1:{index}*", place])


def test_a_counterexample_is_remembered_for_its_size_of_a_batch(run: Run) -> None:
    source = COIN.replace("LIMIT", "0.98")
    run(source).assert_outcomes(failed=1)
    # Execution 13, say, of batches of 50 is another one: that it passes fixes nothing.
    other = run(source.replace("batch=100", "batch=50").replace("0.98", "1"), "-v")
    other.assert_outcomes(passed=1)
    other.stdout.no_fnmatch_line(NO_LONGER_VIOLATES)
    run(source).stdout.fnmatch_lines([violated_again("0x1:*")])


def test_an_exception_in_a_batch_shows_its_traceback_and_the_batch(run: Run) -> None:
    source = """
        import pytest

        @pytest.mark.probtest(p=0.1, epsilon=0.05, batch=10)
        def test_all(): assert all([True] * 9 + [False]), "not all"
    """
    result = run(source)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*AssertionError: not all*", "*the batch of executions 1 to 10 raised AssertionError: not all*"]
    )
    result.stdout.fnmatch_lines([replay_line("test_all", "0x1:1")])
    run(source, "--probtest-replay", "0x1:3").assert_outcomes(failed=1)


def test_xfail_does_not_take_a_broken_batch_for_a_violation(run: Run) -> None:
    run("""
        import pytest

        @pytest.mark.xfail
        @pytest.mark.probtest(p=0.1, batch=10)
        def test_short(): return [False] * 9

        @pytest.mark.xfail
        @pytest.mark.probtest(p=0.1, batch=10)
        def test_violated(): return [False] * 10
    """).assert_outcomes(failed=1, xfailed=1)


def test_a_test_that_returns_nothing_is_not_passed(run: Run) -> None:
    result = run("""
        import pytest

        @pytest.mark.probtest(p=0.1, batch=10)
        def test_nothing(): assert True
    """)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*the batch of executions 1 to 10 returned None, not 10 booleans",
            "*  given  None",
            "*  help   return an array with an entry for each of the 10 executions instead of asserting",
        ]
    )


def test_a_replay_of_a_broken_batch_says_what_is_wrong(run: Run) -> None:
    source = """
        import pytest

        @pytest.mark.probtest(p=0.1, batch=10)
        def test_short(): return [True] * 9
    """
    result = run(source, "--probtest-replay", "0x1:12")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*the batch of executions 11 to 20 returned 9 entries, not 10 booleans"])
