"""What all tests of a run promise together."""

from __future__ import annotations

import pytest

import probtest

from .conftest import WITHOUT_OTHERS, Run
from .words import arguments_of, written

#: Four tests of ours and one that is not.
FOUR = """
    import random, pytest

    @pytest.mark.probtest(p=0.01)
    def test_default(): random.random()

    @pytest.mark.probtest(p=0.01, epsilon=0.02)
    def test_larger(): random.random()

    @pytest.mark.probtest(p=0.01, epsilon=1e-6)
    def test_smaller(): random.random()

    @pytest.mark.probtest(outcomes=[0.5, 0.5])
    def test_outcomes(): return int(random.random() < 0.5)

    def test_of_another_kind(): pass
"""

#: What a suite with epsilon = 0.05 promises.
PROMISE = "the probability that any of them passes even though its claim does not hold is at most 0.05"


def shared(chance: object, rest: str = "*", tests: int = 4, of: str = "epsilon") -> str:
    return f"suite: {tests} tests share {of} = {chance}, {rest}"


def test_epsilon_is_divided_exactly_and_the_summary_states_the_promise(
    run: Run, pytester: pytest.Pytester
) -> None:
    assert "suite" not in run(FOUR).stdout.str()
    result = run(FOUR, "--probtest-suite-epsilon", "0.05", "--probtest-json", "facts.json")
    result.assert_outcomes(passed=5)
    result.stdout.fnmatch_lines(
        [
            "probtest: epsilon = 0.05 is divided among the tests of this run",
            shared(0.05, f"0.0125 or less for each: {PROMISE}"),
        ]
    )
    tests, suite = written(pytester)
    epsilons = {name: test["claim"]["epsilon_exact"] for name, test in tests.items()}
    assert epsilons == {
        "test_default": "0.0125",
        "test_larger": "0.0125",
        "test_smaller": "1e-6",
        "test_outcomes": "0.0125",
    }
    assert tests["test_default"]["planned"] == probtest.plan(0.01, "0.0125").executions
    assert tests["test_default"]["executed"] == tests["test_default"]["planned"]
    assert tests["test_smaller"]["planned"] == probtest.plan(0.01, 1e-6).executions
    assert suite["epsilon"]["tests"] == suite["epsilon"]["executed"] == 4
    assert (suite["epsilon"]["total_exact"], suite["epsilon"]["each_exact"]) == ("0.05", "0.0125")
    assert suite["epsilon"]["bound"] == 0.05


def test_tests_without_a_marker_are_counted_under_probtest(run: Run) -> None:
    result = run(FOUR, "--probtest", "--probtest-p", "0.1", "--probtest-suite-epsilon", "0.05")
    result.stdout.fnmatch_lines([shared(0.05, f"0.01 or less for each: {PROMISE}", tests=5)])


def test_under_xdist_the_promise_is_that_of_the_whole_run(pytester: pytest.Pytester) -> None:
    pytest.importorskip("xdist")
    pytester.makepyfile(test_it=FOUR)
    result = pytester.runpytest_subprocess(
        "-n", "2", "-p", "no:randomly", "--probtest-suite-epsilon", "0.05", "--probtest-json", "facts.json"
    )
    result.assert_outcomes(passed=5)
    result.stdout.fnmatch_lines([shared(0.05, f"0.0125 or less for each: {PROMISE}")])
    assert written(pytester)[1]["epsilon"]["executed"] == 4


def test_a_test_that_is_skipped_is_told_and_one_that_is_violated_changes_nothing(run: Run) -> None:
    source = FOUR.replace(
        "@pytest.mark.probtest(p=0.01)", "@pytest.mark.skip\n    @pytest.mark.probtest(p=0.01)"
    )
    source = source.replace("def test_larger(): random.random()", "def test_larger(): assert False")
    result = run(source, "--probtest-suite-epsilon", "0.05")
    result.assert_outcomes(failed=1, passed=3, skipped=1)
    result.stdout.fnmatch_lines([shared(0.05, f"*: {PROMISE}"), "suite: 1 of them did not run"])


def test_tests_that_try_again_promise_nothing(pytester: pytest.Pytester) -> None:
    # What plugins that rerun tests do: the same item goes through the protocol twice.
    pytester.makeconftest("""
        from _pytest.runner import runtestprotocol

        def pytest_runtest_protocol(item, nextitem):
            for _ in range(2 if item.name == "test_default" else 1):
                runtestprotocol(item, nextitem=nextitem)
            return True
    """)
    pytester.makepyfile(test_it=FOUR)
    result = pytester.runpytest(*WITHOUT_OTHERS, "--probtest-suite-epsilon", "0.05")
    result.stdout.fnmatch_lines(
        [
            "suite: 1 of them ran more than once; *",
            "suite: there is no bound on the probability that any of them "
            "passes even though its claim does not hold",
        ]
    )


def test_a_replay_promises_nothing(run: Run) -> None:
    result = run(FOUR, "--probtest-suite-epsilon", "0.05", "--probtest-replay", "1:1")
    assert "suite: " not in result.stdout.str()


#: Two tests with a tolerated rate, and two without.
RATES = """
    import random, pytest

    @pytest.mark.probtest(tolerate=0.01, p=0.1)
    def test_default(): random.random()

    @pytest.mark.probtest(tolerate=0.01, p=0.1, false_alarm=1e-12)
    def test_smaller(): random.random()

    @pytest.mark.probtest(p=0.1)
    def test_strict(): random.random()

    @pytest.mark.probtest(p=0.1)
    def test_strict_too(): random.random()
"""


def test_false_alarms_are_divided_and_it_is_said_for_whom(run: Run, pytester: pytest.Pytester) -> None:
    result = run(RATES, "--probtest-suite-false-alarm", "1e-7", "--probtest-json", "facts.json")
    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(
        [
            "probtest: false_alarm = 1e-7 is divided among the tests of this run",
            "suite: 4 tests share false_alarm = 1e-7, 2.5e-8 or less for each: the probability that "
            "any of the 2 that tolerate a rate fails "
            "even though its program stays within it is at most 1e-7",
            "suite: the other 2 tolerate nothing and fail at their first violation, "
            "so they promise nothing about false alarms",
        ]
    )
    tests, suite = written(pytester)
    assert tests["test_default"]["claim"]["false_alarm_exact"] == "2.5e-8"
    assert tests["test_smaller"]["claim"]["false_alarm_exact"] == "1e-12"
    assert tests["test_default"]["suite"]["false_alarm"]["each_exact"] == "2.5e-8"
    assert (suite["false_alarm"]["tolerating"], suite["false_alarm"]["strict"]) == (2, 2)
    assert "epsilon" not in suite


def test_the_line_of_missed_labels_has_the_parts_of_the_suite_and_fails_again(run: Run) -> None:
    # Between what must pass and what must fail: with the usual epsilon this seed passes, with a
    # smaller one it goes on until it fails.
    source = """
        import random, probtest, pytest
        @pytest.mark.probtest(claim=probtest.fit(outcomes={"a": 0.5, "b": 0.5}, distance=0.1))
        def test_fit(): return "a" if random.random() < 0.565 else "b"
    """
    run(source, "--probtest-seed", "1").assert_outcomes(passed=1)
    missed = run(source, "--probtest-seed", "1", "--probtest-suite-epsilon", "1e-9")
    missed.assert_outcomes(failed=1)
    again = run(source, *arguments_of(missed, "rerun"))
    again.assert_outcomes(failed=1)
    again.stdout.fnmatch_lines(['probtest: missed: label "a" occurs with probability above *'])


def test_an_estimate_has_no_share_of_what_the_suite_may_get_wrong(
    run: Run, pytester: pytest.Pytester
) -> None:
    source = """
        import random, probtest, pytest

        @pytest.mark.probtest(claim=probtest.estimate(width=0.2))
        def test_measured(): assert random.random() < 0.7

        @pytest.mark.probtest(p=0.05)
        def test_claimed(): random.random()
    """
    options = ("--probtest-suite-epsilon", "0.01", "--probtest-json", "facts.json")
    run(source, *options).assert_outcomes(passed=2)
    tests, suite = written(pytester)
    assert tests["test_measured"]["suite"] is None
    assert tests["test_claimed"]["suite"]["epsilon"]["each_exact"] == "0.01"
    assert suite["epsilon"]["tests"] == 1
