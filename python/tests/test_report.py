"""What pytest writes can be reported by the command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from probtest.pytest_plugin import lines

from .command import probtest
from .conftest import Run

SUITE = """
import random, pytest

@pytest.mark.probtest(p=0.1, epsilon=0.05)
def test_draws_stay_below_one(): assert random.random() < 1

@pytest.mark.probtest(p=0.1, epsilon=0.05)
@pytest.mark.parametrize("limit", ["<b>", "|"])
def test_a_bit_stays_zero(limit): assert random.getrandbits(2) == 0, limit

@pytest.mark.probtest(p=0.1, epsilon=0.05, max_executions=3)
def test_is_cut_short(): random.random()

def test_without_a_claim(): pass
"""


def test_a_run_of_pytest_is_reported_with_its_ids_and_replay_lines(
    run: Run, pytester: pytest.Pytester
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


KINDS = """
import random, pytest, probtest

@pytest.mark.probtest(p=0.1, max_executions=20, on_budget="pass")
def test_within(): random.random()

@pytest.mark.probtest(tolerate=0.01, p=0.2)
def test_tolerates(): assert random.random() < 2

@pytest.mark.probtest(claim=probtest.mean(between=(0, 1), within=(0.4, 0.6), margin=0.2))
def test_mean(): return random.random()

@pytest.mark.probtest(claim=probtest.fit(outcomes={"a": 0.9, "b": 0.1}, distance=0.05))
def test_labels(): return random.choice("ab")

@pytest.mark.probtest(claim=probtest.mean(between=(0, 1), above=0.4, margin=0.01), max_time="0.000001ms")
def test_cut(): return random.random()
"""


def test_every_kind_of_claim_is_reported_with_what_the_run_promises(
    run: Run, pytester: pytest.Pytester
) -> None:
    ran = run(KINDS, "--probtest-json", "run.json", "--probtest-suite-epsilon", "0.05")
    told = probtest("report", pytester.path / "run.json", "--check")
    assert told.returncode == 1, told.stderr
    text = " ".join(told.stdout.split())
    for words in (
        "3 of 5 tests need attention tests 1 violated, 1 inconclusive, 1 passed within budget, 2 passed",
        "violated: test_it.py::test_labels",
        "claim a 0.9, b 0.1, distance = 0.05, epsilon = 0.01, false_alarm = 1e-6",
        "inconclusive: test_it.py::test_cut verdict inconclusive after 1 of at most",
        "reason max_time = 0.000001ms ran out before the decision",
        "claim mean 0.4 to 0.6, margin = 0.2, between 0 and 1, epsilon = 0.01, false_alarm = 1e-6",
        "observed mean 0.",
    ):
        assert words in text, told.stdout
    # In the words of pytest's own summary.
    promised = [line.removeprefix("suite: ") for line in ran.outlines if line.startswith("suite: ")]
    assert promised
    for line in promised:
        assert f"the run {line}." in text


ONE = """
import random, pytest

@pytest.mark.probtest(p={p}, epsilon=0.05)
def test_draws(): assert random.random() < 1
"""


@pytest.mark.parametrize("named_by", ["pyproject.toml", "pytest.ini"])
def test_suites_of_two_packages_with_one_id_are_two_tests(
    run: Run, pytester: pytest.Pytester, named_by: str
) -> None:
    files = []
    for package, p in (("alpha", "0.1"), ("beta", "0.2")):
        texts = {
            "pyproject.toml": f'[project]\nname = "{package}"\n[tool.pytest.ini_options]\n',
            "pytest.ini": f"[pytest]\nprobtest_package = {package}\n",
        }
        (pytester.path / named_by).write_text(texts[named_by])
        files.append(pytester.path / f"{package}.json")
        run(ONE.format(p=p), "--probtest-json", files[-1].name)
    told = probtest("report", *files)
    assert told.returncode == 0, told.stderr
    assert "all 2 tests passed" in told.stdout
    assert "\npassed: alpha: test_it.py::test_draws\n  claim     p = 0.1," in told.stdout
    assert "\npassed: beta: test_it.py::test_draws\n  claim     p = 0.2," in told.stdout


def test_what_two_packages_promise_is_said_for_each(run: Run, pytester: pytest.Pytester) -> None:
    for package in ("alpha", "beta"):
        options = ("-o", f"probtest_package={package}", "--probtest-suite-epsilon", "0.05")
        run(ONE.format(p="0.1"), "--probtest-json", f"results/{package}.json", *options)
    told = probtest("report", pytester.path / "results")
    assert told.returncode == 0, told.stderr
    for package in ("alpha", "beta"):
        assert f"  the run       {package}: " in told.stdout


@pytest.mark.parametrize("text", ["", "[project]\n", "[project]\nname = 7\n", "project = 1\n"])
def test_a_project_without_a_name_names_no_package(run: Run, pytester: pytest.Pytester, text: str) -> None:
    (pytester.path / "pyproject.toml").write_text(text)
    run(ONE.format(p="0.1"), "--rootdir", str(pytester.path), "--probtest-json", "run.json")
    written = json.loads((pytester.path / "run.json").read_text())
    assert [test["package"] for test in written["tests"]] == [None]


def test_a_project_file_that_cannot_be_read_names_no_package(tmp_path: Path) -> None:
    for broken in (b"= broken", b"\xff", b'[project]\nname = "a'):
        (tmp_path / "pyproject.toml").write_bytes(broken)
        assert lines.project(tmp_path / "pyproject.toml") is None
    assert lines.project(tmp_path) is None


def test_runs_of_one_package_in_two_folders_are_results_of_one_test(
    run: Run, pytester: pytest.Pytester
) -> None:
    first = pytester.path / "first.json"
    run(ONE.format(p="0.1"), "--probtest-json", str(first))
    elsewhere = pytester.mkdir("elsewhere")
    (elsewhere / "pytest.ini").write_text("[pytest]\n")
    (elsewhere / "test_it.py").write_text(ONE.format(p="0.1"))
    second = pytester.path / "second.json"
    pytester.runpytest(str(elsewhere), "--rootdir", str(elsewhere), "--probtest-json", str(second))
    told = probtest("report", first, second)
    assert "the test passed" in told.stdout, told.stdout + told.stderr
    assert "2 results: 2 passed;" in told.stdout
