"""The file of facts: what a run that ends early, or fails elsewhere, says of its tests."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import WITHOUT_OTHERS, Run
from .words import written

DYING = """
    import os, signal, pytest, random

    @pytest.mark.probtest(p=0.5)
    def test_before(): random.random()

    @pytest.mark.probtest(p=0.5)
    def test_dies(): DIE

    @pytest.mark.probtest(p=0.5)
    def test_behind(): random.random()
"""


@pytest.mark.parametrize(
    "die",
    [
        "os._exit(0)",
        "os.kill(os.getpid(), signal.SIGTERM)",
        "os.kill(os.getpid(), signal.SIGKILL)",
        "raise KeyboardInterrupt",
        "pytest.exit('enough')",
    ],
)
def test_a_test_that_was_begun_and_did_not_end_is_inconclusive(pytester: pytest.Pytester, die: str) -> None:
    pytester.makepyfile(test_it=DYING.replace("DIE", die))
    pytester.runpytest_subprocess(*WITHOUT_OTHERS, "--probtest-json", "facts.json")
    facts, suite = written(pytester)
    assert {name: test["verdict"] for name, test in facts.items()} == {
        "test_before": "passed",
        "test_dies": "inconclusive",
    }
    assert facts["test_dies"]["planned"] == 6
    if die.startswith("os."):
        assert facts["test_dies"]["reason"]["kind"] == "unfinished"
        assert suite is None


def test_a_run_that_dies_early_leaves_no_facts_of_an_earlier_one(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it=DYING.replace("DIE", "random.random()"))
    options = [*WITHOUT_OTHERS, "--probtest-json", "facts.json"]
    pytester.runpytest_subprocess(*options).assert_outcomes(passed=3)
    pytester.makepyfile(test_it="import os\nos._exit(0)\n")
    pytester.runpytest_subprocess(*options)
    assert written(pytester) == ({}, None)


def test_facts_are_written_to_the_folder_of_the_start(pytester: pytest.Pytester) -> None:
    (pytester.path / "inner").mkdir()
    pytester.makepyfile(test_it=DYING.replace("DIE", "os.chdir('inner')"))
    options = [*WITHOUT_OTHERS, "--probtest-json", "facts.json"]
    pytester.runpytest_subprocess(*options)
    assert len(written(pytester)[0]) == 3
    assert not (pytester.path / "inner" / "facts.json").exists()


def test_a_worker_that_dies_leaves_its_test_inconclusive(pytester: pytest.Pytester) -> None:
    pytest.importorskip("xdist")
    pytester.makepyfile(test_it=DYING.replace("DIE", "os._exit(0)"))
    options = ["-p", "no:randomly", "-p", "no:hypothesispytest", "-p", "no:pytest_cov"]
    pytester.runpytest_subprocess(*options, "-n", "1", "--probtest-json", "facts.json")
    facts, _ = written(pytester)
    assert {name: test["verdict"] for name, test in facts.items()} == {
        "test_before": "passed",
        "test_dies": "inconclusive",
        "test_behind": "passed",
    }


def test_the_file_says_what_pytest_says(counting: Run, pytester: pytest.Pytester) -> None:
    pytester.makeconftest("""
        import pytest
        @pytest.hookimpl(wrapper=True)
        def pytest_runtest_makereport(item, call):
            report = yield
            if item.name == "test_soft" and call.when == "call":
                report.outcome, report.longrepr = "failed", "soft failure"
            return report
    """)
    result = counting(
        """
    import threading

    @marked(p=0.5)
    def test_soft(): random.random()

    @marked(p=0.5)
    def test_thread():
        def work(): raise RuntimeError("in a thread")
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()

    @pytest.fixture
    def broken():
        yield
        seen["ended"] += 1
        assert seen["ended"] < 6

    @marked(p=0.5)
    def test_teardown(broken): random.random()

    @pytest.fixture
    def unready(): raise RuntimeError("not ready")

    @marked(p=0.5)
    def test_setup(unready): random.random()

    @marked(p=2)
    def test_refused(): random.random()

    @pytest.mark.xfail(strict=True)
    @marked(p=0.5)
    def test_xpass(): random.random()

    @marked(p=0.5)
    def test_fine(): random.random()
        """,
        "-Werror",
        "--probtest-json=facts.json",
        "--junitxml=junit.xml",
    )
    assert result.parseoutcomes() == {"failed": 3, "errors": 3, "passed": 2}
    facts, _ = written(pytester)
    kinds = {name: (test["verdict"], (test["reason"] or {}).get("kind")) for name, test in facts.items()}
    elsewhere = ("inconclusive", "failed_elsewhere")
    assert kinds == {
        "test_soft": elsewhere,
        "test_thread": elsewhere,
        "test_teardown": elsewhere,
        "test_setup": ("inconclusive", "setup"),
        "test_refused": ("inconclusive", "setup"),
        "test_xpass": elsewhere,
        "test_fine": ("passed", None),
    }
    assert (pytester.path / "junit.xml").read_text().count('"probtest_verdict" value="inconclusive"') == 3
    # What does not apply is there all the same, and says nothing of any claim.
    assert {frozenset(test) for test in facts.values()} == {frozenset(facts["test_fine"])}
    refused = {name: value for name, value in facts["test_refused"].items() if value}
    given = {"nodeid", "probtest", "test", "code", "package", "verdict", "reason", "summary"}
    assert set(refused) <= given


def test_runs_of_the_same_code_have_one_code_and_a_key_is_taken_as_it_is(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("import random\ndef test_it(): random.random()")

    def code(*options: str) -> str:
        pytester.runpytest_inprocess("--probtest", "--p", "0.5", "--probtest-json", "facts.json", *options)
        found: str = json.loads(Path("facts.json").read_text())["tests"][0]["code"]
        return found

    before = code()
    assert code() == before
    assert code("--probtest-journal-key", "v1") == "v1"
    pytester.makepyfile("import random\ndef test_it(): assert random.random() >= 0")
    assert code() != before
