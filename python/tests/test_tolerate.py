"""Tests that tolerate a violation rate."""

from __future__ import annotations

import random

import pytest

import probtest

from .words import NO_LONGER_VIOLATES, arguments_of, drawn, fact

SOMETIMES = """
    import random, pytest

    @pytest.mark.probtest(tolerate=0.01, p=0.1, epsilon=0.05{more})
    def test_sometimes({fixture}): assert random.random() >= {rate}, "too small"
"""


def sometimes(rate: float, more: str = "", fixture: str = "") -> str:
    return SOMETIMES.format(rate=rate, more=more, fixture=fixture)


def test_a_program_that_violates_too_often_fails_with_its_rate(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(sometimes(0.4))
    result = pytester.runpytest("--probtest-seed", "7")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*AssertionError: too small*",
            "probtest: violated too often: * of * executions",
            "  claim     tolerate = 0.01, p = 0.1, epsilon = 0.05, false_alarm = 1e-6",
            "  rate      * of * violated; the violation rate is between * and * with confidence 0.95",
            "  meaning   tolerates 1 in 100, catches 1 in 10; *",
            "  shown     execution *, which decided; the first violation was execution *",
            fact("replay", "pytest *--probtest-replay 0x7:*"),
        ]
    )
    again = pytester.runpytest(*arguments_of(result, "replay"))
    again.assert_outcomes(failed=1)
    again.stdout.fnmatch_lines(["*AssertionError: too small*"])


def test_output_and_traceback_are_those_of_the_deciding_execution(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        import random, pytest

        @pytest.mark.probtest(tolerate=0.01)
        def test_noisy():
            number = random.random()
            print("drew", number)
            assert number > 2, f"got {number}"
    """)
    result = pytester.runpytest("--probtest-seed", "7")
    result.assert_outcomes(failed=1)
    (line,) = drawn(result)
    assert f"AssertionError: got {line.split()[1]}" in result.stdout.str()


def test_fixtures_are_rebuilt_after_a_violation(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        import random, pytest

        log = []

        @pytest.fixture
        def thing():
            log.append("up")
            yield len(log)
            log.append("down")

        @pytest.mark.probtest(tolerate=0.05, p=0.5, seed=3)
        def test_thing(thing): assert random.random() > 0.05

        def test_log(): assert log == ["up", "down"] * (len(log) // 2) and len(log) > 4
    """)
    pytester.runpytest("-p", "no:randomly").assert_outcomes(passed=2)


def test_a_counterexample_is_not_remembered(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(sometimes(0.4))
    pytester.runpytest("--probtest-seed", "7").assert_outcomes(failed=1)
    pytester.makepyfile(sometimes(0))
    result = pytester.runpytest("-rA")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line(NO_LONGER_VIOLATES)


def test_options_and_ini_keys_make_the_claim_of_tests_that_make_none(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_it(): pass")
    result = pytester.runpytest("--probtest", "--probtest-tolerate", "0.001", "-v")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        ["*tolerates 1 in 1000, catches 1 in 100; passed after 336 of at most 2727 executions*"]
    )
    pytester.makeini("[pytest]\nprobtest_tolerate = 0.001\nprobtest_p = 0.02\nprobtest_false_alarm = 0.05\n")
    result = pytester.runpytest("--probtest", "-v")
    result.stdout.fnmatch_lines(["*tolerates 1 in 1000, catches 1 in 50; *"])


def test_check_and_plan_know_tolerate() -> None:
    plan = probtest.plan(tolerate=0.001, p=0.01, epsilon=0.05)
    assert (plan.fewest, plan.executions) == (336, 2727)
    assert plan.false_alarm is not None
    assert plan.false_alarm <= 1e-6
    passing = plan.chance_of_passing(0.01)
    assert passing is not None
    assert passing <= 0.05
    assert probtest.plan(outcomes="1/6x6").chance_of_passing(0.1) is None
    with pytest.raises(probtest.ClaimError, match="must be between 0 and 1"):
        plan.expected_executions(2)
    result = probtest.check(lambda: random.random() > 0.001, tolerate=0.01, p=0.1, seed=1)
    assert result.passed
    assert result.exception is None
    assert result.rate is not None
    assert result.rate.low <= 0.001 <= result.rate.high
    with pytest.raises(probtest.Violated, match="violated too often"):
        probtest.check(lambda: random.random() > 0.5, tolerate=0.01, p=0.1, seed=1)


def test_a_timeout_ends_the_test(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        import pytest

        executed = []

        @pytest.mark.probtest(tolerate=0.01)
        def test_slow():
            executed.append(1)
            if len(executed) == 3:
                # As pytest-timeout does it, from inside a signal handler.
                pytest.fail("Timeout (>1.0s) from pytest-timeout.")

        def test_executed(): assert len(executed) == 3
    """)
    result = pytester.runpytest("-p", "no:randomly")
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(["*Timeout (>1.0s) from pytest-timeout.*"])
