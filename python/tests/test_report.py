"""What pytest writes can be reported by the command."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from .command import probtest

SUITE = """
import random
import pytest

@pytest.mark.probtest(p=0.1, epsilon=0.05)
def test_draws_stay_below_one():
    assert random.random() < 1

@pytest.mark.probtest(p=0.1, epsilon=0.05)
@pytest.mark.parametrize("limit", ["<b>", "|"])
def test_a_bit_stays_zero(limit):
    assert random.getrandbits(2) == 0, limit

@pytest.mark.probtest(p=0.1, epsilon=0.05, max_executions=3)
def test_is_cut_short():
    random.random()

def test_without_a_claim():
    pass
"""


def test_a_run_of_pytest_is_reported_with_its_ids_and_replay_lines(
    run: Callable[..., pytest.RunResult], pytester: pytest.Pytester
) -> None:
    run(SUITE, "--probtest-json", "results/run.json")
    told = probtest("report", pytester.path / "results", "--check")
    assert told.returncode == 1, told.stderr
    assert told.stdout.startswith("3 of 4 tests need attention\n")
    assert "\nviolated: test_it.py::test_a_bit_stays_zero[<b>]\n" in told.stdout
    assert "  replay    pytest 'test_it.py::test_a_bit_stays_zero[<b>]' --probtest-replay 0x1:" in told.stdout
    assert "\ninconclusive: test_it.py::test_is_cut_short\n" in told.stdout
    assert "\npassed: test_it.py::test_draws_stay_below_one\n" in told.stdout
    assert "test_without_a_claim" not in told.stdout


def test_two_runs_with_different_claims_are_not_put_together(
    run: Callable[..., pytest.RunResult], pytester: pytest.Pytester
) -> None:
    source = "def test_one(): pass"
    run(source, "--probtest-json", "a.json", "--probtest", "--Pbug", "0.1")
    run(source, "--probtest-json", "b.json", "--probtest", "--Pbug", "0.2")
    refused = probtest("report", pytester.path / "a.json", pytester.path / "b.json")
    assert refused.returncode == 2
    assert "the test test_it.py::test_one has results for different claims" in refused.stderr
    assert "p = 0.1, epsilon = 0.05 in " in refused.stderr
    assert "p = 0.2, epsilon = 0.05 in " in refused.stderr


def test_a_run_without_tests_of_probtest_is_no_green_report(
    run: Callable[..., pytest.RunResult], pytester: pytest.Pytester
) -> None:
    run("def test_one(): pass", "--probtest-json", "none.json")
    refused = probtest("report", pytester.path / "none.json")
    assert refused.returncode == 2
    assert "the results hold no test" in refused.stderr
