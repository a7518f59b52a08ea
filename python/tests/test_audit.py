"""`--probtest-audit`: how flaky is each test, and what does that depend on?

Runs are seeded, so what they find is the same each time.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

Facts = dict[str, Any]

SUITE = """
import os, pathlib, random
import pytest

COUNT = []

def test_half():
    assert random.random() < 0.5

def test_state():
    COUNT.append(1)
    assert len(COUNT) == 1

def test_counter():
    file = pathlib.Path(__file__).with_name("counter.txt")
    count = int(file.read_text()) if file.exists() else 0
    file.write_text(str(count + 1))
    assert count % 3

def test_nothing():
    assert sum(range(10)) == 45

GENERATOR = random.Random(5)

def test_kept():
    assert GENERATOR.random() < 2

def test_fixed():
    assert random.Random(3).random() < 0.9

def test_always():
    raise ValueError("always the same")

def test_ends_its_process():
    if random.random() < 0.5:
        os._exit(3)

@pytest.mark.skip(reason="not here")
def test_skipped():
    pass

@pytest.mark.xfail
def test_expected():
    assert random.random() < -1

@pytest.mark.probtest(p=0.5)
def test_claimed():
    pass

@pytest.fixture(scope="module")
def data():
    return random.random()

def test_shared(data):
    assert data < 0.5

@pytest.fixture
def broken():
    if random.random() < 0.5:
        raise OSError("no set-up")

def test_set_up(broken):
    pass

class TestFresh:
    def test_instance(self):
        assert not hasattr(self, "used")
        self.used = random.random()
"""
PLUGIN = ("-p", "probtest.pytest_plugin")
AUDIT = (*PLUGIN, "--probtest-audit", "--probtest-seed", "7")


@pytest.fixture(autouse=True)
def _no_other_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


def audit(pytester: pytest.Pytester, *options: str) -> tuple[pytest.RunResult, dict[str, Facts], Facts]:
    result = pytester.runpytest_subprocess(*AUDIT, "--probtest-json", "facts.json", *options)
    facts = json.loads(Path(pytester.path, "facts.json").read_text())
    return result, {test["test"].partition("::")[2]: test for test in facts["audited"]}, facts


#: Time stands still, so that what is executed does not depend on it.
STILL = "import probtest.sources; probtest.sources.clock = lambda: 0\n"
# A highest rate of 0.9 is soon decided for all of them.
SOON = ("--probtest-audit-max-rate", "0.9", "--probtest-audit-time", "10m")


def test_every_kind_of_test_is_told_from_the_others(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_suite=SUITE, conftest=STILL)
    result, tests, facts = audit(pytester, *SOON)
    kinds = {name: (test["outcome"], test["depends_on"]) for name, test in tests.items()}
    assert kinds == {
        "test_half": ("fails", "seed"),
        "test_state": ("never_failed", "earlier_executions"),
        "test_counter": ("fails", "something_else"),
        "test_nothing": ("never_failed", "nothing"),
        "test_kept": ("never_failed", None),
        "test_fixed": ("never_failed", "nothing"),
        "test_always": ("fails_always", "nothing"),
        "test_ends_its_process": ("fails", "seed"),
        "test_skipped": ("skipped", None),
        "test_expected": ("never_failed", None),
        "test_claimed": ("claimed", None),
        "test_shared": ("fails", "seed"),
        "test_set_up": ("fails", "seed"),
        "TestFresh::test_instance": ("never_failed", None),
    }
    assert facts["ended"] == "decided"
    for name in ("test_half", "test_ends_its_process", "test_shared", "test_set_up"):
        rate = tests[name]["rate"]
        assert rate["low"] < 0.5 < rate["high"], name
    assert "Random(3)" in tests["test_fixed"]["fixed_seeds"][0]
    assert tests["test_always"]["message"] == "ValueError: always the same"
    assert tests["test_ends_its_process"]["message"] == "its process ended with exit code 3"
    assert tests["test_skipped"]["message"] == "not here"
    assert tests["test_set_up"]["message"] == "at its setup: OSError: no set-up"
    assert tests["test_expected"]["expected"] == tests["test_expected"]["executed"]
    # Above 0.9 lies the one that fails always, and it was not known.
    assert tests["test_always"]["limit"] == "above"
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*test_half: fails with rate*", "6 of 14 tests are flaky, 1 fails always"])


def test_a_line_to_copy_makes_the_execution_fail_again(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_suite=SUITE, conftest=STILL)
    _, tests, _ = audit(pytester, *SOON, "-k", "half or shared or counter")
    for name in ("test_half", "test_shared"):
        words = shlex.split(tests[name]["replay"])[1:]
        replayed = subprocess.run(
            [sys.executable, "-m", "pytest", *words, *PLUGIN],
            cwd=pytester.path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert tests[name]["message"] in replayed.stdout, replayed.stdout
    assert tests["test_counter"]["replay"] is None


def test_with_varied_seeds_a_fixed_seed_is_one_of_many(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        test_suite="import random\ndef test_lucky(): assert random.Random(3).random() < 0.5", conftest=STILL
    )
    _, tests, _ = audit(pytester, *SOON, "--probtest-vary-seeds")
    assert (tests["test_lucky"]["outcome"], tests["test_lucky"]["depends_on"]) == ("fails", "seed")
    assert "--probtest-vary-seeds" in tests["test_lucky"]["replay"]


def test_known_tests_are_no_failure_and_those_that_are_gone_are_told(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_suite=SUITE, conftest=STILL)
    Path(pytester.path, "known.txt").write_text(
        "# flaky\ntest_suite.py::test_always\ntest_suite.py::test_gone\n"
    )
    known = ("--probtest-audit-known", "known.txt")
    result, tests, facts = audit(pytester, *SOON, *known, "-k", "always or nothing")
    assert tests["test_always"]["known"]
    assert facts["unknown"] == ["test_suite.py::test_gone"]
    assert result.ret == pytest.ExitCode.OK


def test_an_audit_that_is_out_of_time_has_not_passed(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import random, signal

        def test_hangs():
            random.random()
            signal.pause()
        """
    )
    options = ("--probtest-audit-max-rate", "0.5", "--probtest-audit-time", "50ms")
    result, tests, facts = audit(pytester, *options)
    assert tests["test_hangs"]["outcome"] == "unfinished"
    assert facts["ended"] == "time"
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_an_audit_goes_on_where_its_journal_ends(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("import random\ndef test_first(): assert random.random() < 2")
    # Somebody stops it when three orders were observed.
    pytester.makeconftest(
        """
        import pathlib
        import probtest.sources

        def clock():
            file = pathlib.Path("journal", "audit.journal")
            if not pathlib.Path("go").exists() and file.exists() and len(file.read_text().splitlines()) > 3:
                raise KeyboardInterrupt
            return 0

        probtest.sources.clock = clock
        """
    )
    options = ("--probtest-journal", "journal", "--probtest-journal-key", "same")
    result, first, facts = audit(pytester, *options)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert facts["ended"] == "interrupted"
    Path(pytester.path, "go").touch()
    _, later, facts = audit(pytester, *options)
    assert facts["ended"] == "decided"
    assert later["test_first"]["executed"] > first["test_first"]["executed"] > 0
    lines = Path(pytester.path, "journal", "audit.journal").read_text().splitlines()
    # One beginning, for both of them.
    assert sum('{"begin":' in line for line in lines) == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--probtest-audit-time", "soon"), "soon"),
        (("--probtest-audit-max-rate", "2"), "--probtest-audit-max-rate"),
        (("--probtest-audit-known", "nowhere.txt"), "the file of known tests cannot be read"),
        (("--probtest", "--probtest-p", "0.5"), "--probtest in another one"),
    ],
)
def test_options_that_make_no_sense_are_refused(
    pytester: pytest.Pytester, options: tuple[str, ...], said: str
) -> None:
    pytester.makepyfile("def test_nothing(): pass")
    result = pytester.runpytest_inprocess(*AUDIT, *options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert said in result.stderr.str()


ODD = """
import os, random, sys, unittest
import pytest

def test_interrupt():
    if random.random() < 0.5:
        raise KeyboardInterrupt

def test_exit():
    if random.random() < 0.5:
        pytest.exit("bye")

@pytest.fixture
def late():
    yield
    assert random.random() < 0.5

def test_end_of_a_fixture(late):
    pass

@pytest.fixture(scope="class")
def wide():
    yield
    raise OSError("no end")

class TestWide:
    def test_end_of_a_wide_fixture(self, wide):
        pass

def test_closes_files():
    os.closerange(3, 200)

class TestOld(unittest.TestCase):
    def test_subtests(self):
        with self.subTest():
            self.assertLess(random.random(), 0.5)

def test_sometimes_skips():
    if random.random() < 0.5:
        pytest.skip("coin")
"""


def test_whatever_a_test_does_to_its_process_is_no_crash_of_the_audit(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_odd=ODD)
    # A plugin that seeds before each phase, as some do.
    pytester.makeconftest(
        """
        import random
        import probtest.sources

        probtest.sources.clock = lambda: 0

        def seed(item):
            random.seed(1)

        pytest_runtest_setup = pytest_runtest_call = pytest_runtest_teardown = seed
        """
    )
    _, tests, facts = audit(pytester, *SOON)
    kinds = {name: (test["outcome"], test["depends_on"]) for name, test in tests.items()}
    assert kinds == {
        "test_interrupt": ("fails", "seed"),
        "test_exit": ("fails", "seed"),
        "test_end_of_a_fixture": ("fails", "seed"),
        "TestWide::test_end_of_a_wide_fixture": ("fails_always", "nothing"),
        "test_closes_files": ("fails_always", None),
        "TestOld::test_subtests": ("fails", "seed"),
        "test_sometimes_skips": ("never_failed", None),
    }
    assert facts["ended"] == "decided"
    for name in ("test_interrupt", "test_exit", "test_end_of_a_fixture"):
        rate = tests[name]["rate"]
        assert rate["low"] < 0.5 < rate["high"], name
    assert tests["test_closes_files"]["message"] == "the execution closed the files of its process"
    assert tests["test_sometimes_skips"]["skipped"] > 0
