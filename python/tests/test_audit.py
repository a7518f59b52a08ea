"""`--probtest-audit`: how flaky is each test, and what does that depend on?

Runs are seeded, so what they find is the same each time.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from probtest.pytest_plugin.memory import code_of

Facts = dict[str, Any]

SUITE = """
import os, pathlib, random, time, pytest

COUNT = []

def test_half():
    assert random.random() < 0.5

def test_state():
    COUNT.append(1)
    assert len(COUNT) == 1
    # Only the first one comes to this.
    assert random.random() < 2

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

def test_fixed_but_for_the_clock():
    assert random.Random(3).random() < time.time()

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
    monkeypatch.delenv("PYTHONHASHSEED", raising=False)


def audit(
    pytester: pytest.Pytester, *options: str, inside: bool = True
) -> tuple[pytest.RunResult, dict[str, Facts], Facts]:
    run = pytester.runpytest_inprocess if inside else pytester.runpytest_subprocess
    result = run(*AUDIT, *FEW, "--probtest-json", "facts.json", *options)
    facts = json.loads(Path(pytester.path, "facts.json").read_text())
    return result, {test["test"].partition("::")[2]: test for test in facts["audited"]}, facts


#: Time stands still, so that what is executed does not depend on it.
STILL = "import probtest.sources; probtest.sources.clock = lambda: 0\n"
#: A plugin that seeds before each phase, as some do.
SEEDS = """
import random

def seed(item):
    random.seed(1)

pytest_runtest_setup = pytest_runtest_call = pytest_runtest_teardown = seed
"""
# A highest rate of 0.9 is soon decided for all of them.
SOON = ("--probtest-audit-max-rate", "0.9", "--probtest-audit-time", "10m")
#: As few interpreters as there may be: each takes a while to start.
FEW = ("--probtest-audit-interpreters", "2")


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
        "test_fixed_but_for_the_clock": ("never_failed", None),
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
    # Above 0.9 lies the one that always fails, and it was not known.
    assert tests["test_always"]["limit"] == "above"
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*test_half: fails with rate*", "6 of 15 tests are flaky, 1 always fails"])


def replayed(pytester: pytest.Pytester, test: Facts) -> str:
    """Return what the line of a test prints: it fails."""
    *variables, words = test["replay"].partition("pytest ")[::2]
    given = dict(variable.split("=") for variable in variables[0].split())
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", *shlex.split(words), *PLUGIN],
        cwd=pytester.path,
        env=os.environ | given,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == pytest.ExitCode.TESTS_FAILED, ran.stdout + ran.stderr
    return ran.stdout


def test_a_line_to_copy_makes_the_execution_fail_again(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_suite=SUITE, conftest=STILL)
    _, tests, _ = audit(pytester, *SOON, "-k", "half or shared or counter")
    for name in ("test_half", "test_shared"):
        assert tests[name]["message"] in replayed(pytester, tests[name])
    assert tests["test_counter"]["replay"] is None


EXPECTING = """
import random, pytest

def test_value():
    assert random.Random(3).random() == 0.23796462709189137

def test_wrong():
    assert random.Random(3).random() == 0.5

@pytest.fixture(scope="module")
def wide():
    return random.Random(3).random()

def test_lucky(wide):
    assert wide < 0.25
"""


def test_hard_coded_expected_values_are_told_from_lucky_seeds_and_listed_apart(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(test_suite=EXPECTING, conftest=STILL)
    # Above the highest rate lies only what is wrong with its own seeds, too.
    result, tests, facts = audit(pytester, *SOON, "--probtest-vary-seeds")
    kinds = {
        name: (test["outcome"], test["depends_on"], test["own_seeds"], test["limit"])
        for name, test in tests.items()
    }
    assert kinds == {
        "test_value": ("fails", "expected_values", True, None),
        "test_lucky": ("fails", "seed", True, "below"),
        "test_wrong": ("fails_always", None, False, "above"),
    }
    assert "--probtest-vary-seeds" in tests["test_lucky"]["replay"]
    # Executions that share what a varied seed made are one.
    assert tests["test_lucky"]["executed"] <= facts["processes"]
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        [
            "1 of 3 tests is flaky, 1 always fails, 1 has hard-coded expected values",
            "Hard-coded expected values",
            "  These tests pass *Leave them out when you vary seeds*",
            "test_suite.py::test_value: passes with its own seeds but fails with nearly all others*",
        ]
    )


def test_seeds_of_plugins_make_no_copy_random(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_suite="def test_nothing(): pass", conftest=STILL + SEEDS)
    _, tests, _ = audit(pytester, "--probtest-vary-seeds")
    assert tests["test_nothing"]["depends_on"] == "nothing"


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


HANGING = """
import pathlib, random, signal

def test_hangs():
    if random.random() < {rate}:
        pathlib.Path(f"hangs-{{random.random()}}").touch()
        signal.pause()
"""
#: An hour is over for each execution that hangs, and no time otherwise.
HOURS = """
import pathlib, probtest.sources

probtest.sources.clock = lambda: 3600 * 10**9 * len(list(pathlib.Path().glob("hangs-*")))
"""


def test_an_execution_that_hangs_is_no_pass(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_suite=HANGING.format(rate=0.05), conftest=HOURS)
    options = ("--probtest-audit-max-rate", "0.04", "--probtest-audit-time", "10m")
    result, tests, facts = audit(pytester, *options)
    hangs = tests["test_hangs"]
    assert (hangs["outcome"], hangs["failed"], hangs["unended"]) == ("never_failed", 0, 1)
    assert hangs["limit"] == "undecided"
    assert facts["ended"] == "time"
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        ["*never failed in * executions in 1 interpreter: *; 1 still running at the end, after 3600.0 s"]
    )


def test_an_execution_that_takes_longer_than_its_timeout_has_failed(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_suite=HANGING.format(rate=1), conftest=HOURS)
    options = ("--probtest-audit-max-rate", "0.01", "--probtest-audit-time", "999h")
    _, tests, facts = audit(pytester, *options, "--probtest-audit-timeout", "30m")
    hangs = tests["test_hangs"]
    assert (hangs["outcome"], hangs["unended"]) == ("fails_always", 0)
    assert hangs["message"] == "it took longer than 1800 s"
    assert facts["ended"] == "decided"


def test_an_audit_goes_on_where_its_journal_ends(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("import random\ndef test_first(): assert random.random() < 2")
    # Somebody stops it when three orders were observed.
    pytester.makeconftest("""
        import pathlib, probtest.sources

        def clock():
            file = pathlib.Path("journal", "audit.journal")
            if not pathlib.Path("go").exists() and file.exists() and len(file.read_text().splitlines()) > 3:
                raise KeyboardInterrupt
            return 0

        def pytest_configure(config):
            if config.getoption("probtest_audit_channel") is None:
                probtest.sources.clock = clock
    """)
    options = (
        *("--probtest-journal", "journal", "--probtest-journal-key", "same"),
        *("--probtest-audit-precision", "0.3"),
    )
    result, first, facts = audit(pytester, *options, inside=False)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert facts["ended"] == "interrupted"
    Path(pytester.path, "go").touch()
    _, later, facts = audit(pytester, *options)
    assert facts["ended"] == "decided"
    assert later["test_first"]["executed"] > first["test_first"]["executed"] > 0
    lines = Path(pytester.path, "journal", "audit.journal").read_text().splitlines()
    # One beginning, for both of them.
    assert sum('{"begin":' in line for line in lines) == 1


EDITED = """
import pathlib, random, {module}

def test_edited():
    assert random.random() < 2
    file = pathlib.Path("count.txt")
    count = int(file.read_text()) + 1 if file.exists() else 1
    file.write_text(str(count))
    # Neither of these is new code.
    pathlib.Path("written.py").write_text(str(count))
    pathlib.Path("helper.py").touch()
    if count == 3:
        pathlib.Path("helper.py").write_text({text!r})
"""


@pytest.mark.parametrize("text", ["VALUE = 2", "VALUE ="])
@pytest.mark.parametrize("module", ["helper", "decimal"])
def test_an_audit_ends_when_code_changes_and_counts_nothing_of_the_new_code(
    pytester: pytest.Pytester, module: str, text: str
) -> None:
    pytester.makepyfile(helper="VALUE = 1", test_edited=EDITED.format(module=module, text=text))
    journal = ("--probtest-journal", "journal") if module == "decimal" else ()
    result, tests, facts = audit(pytester, "--probtest-audit-time", "20s", *journal)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert facts["ended"] == "interrupted"
    assert facts["interpreters"] > 1 == tests["test_edited"]["interpreters"]
    result.stdout.fnmatch_lines(
        [
            "probtest: helper.py changed while the audit ran, so the audit stopped",
            "  help   start the audit again to measure the new code",
            "*= probtest audit =*",
        ]
    )
    assert "uncollected" not in tests["test_edited"]["summary"]
    if journal:
        lines = Path(pytester.path, "journal", "audit.journal").read_text()
        assert lines.count('{"made":') == facts["processes"]


def test_what_was_seen_under_other_options_is_of_other_code(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makeconftest('def pytest_addoption(parser): parser.addoption("--backend")')
    monkeypatch.delenv("PYTHONHASHSEED", raising=False)

    def code(*options: str) -> str:
        config = pytester.parseconfig(*AUDIT, *options)
        return code_of(config, SimpleNamespace(journal=(None, None), vary_seeds=False))

    plain = code()
    assert code("-v", "-k", "it", "--probtest-audit-time", "9s") == plain
    others = {
        plain,
        code("--backend", "a"),
        code("--backend", "b"),
        code("--probtest-audit-timeout", "1s"),
        code("-o", "xfail_strict=true"),
    }
    monkeypatch.setenv("PYTHONHASHSEED", "1")
    others.add(code())
    assert len(others) == 6


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--probtest-audit-time", "soon"), "soon"),
        (("--probtest-audit-timeout", "late"), "late"),
        (("--probtest-audit-max-rate", "2"), "--probtest-audit-max-rate"),
        (("--probtest-audit-known", "nowhere.txt"), "the file of known tests cannot be read"),
        (("--probtest", "--probtest-p", "0.5"), "combined with --probtest\n"),
        (("--setup-only",), "combined with --setup-only\n"),
        (("--setup-plan",), "combined with --setup-plan\n"),
        (("--trace",), "combined with --trace\n"),
        (("--junitxml", "out.xml"), "combined with --junitxml\n"),
        (("--tx", "2*popen", "-p", "xdist"), "combined with --tx\n"),
        (("--dist", "load", "-p", "xdist"), "combined with --dist\n"),
        (("--cov", "-p", "pytest_cov"), "add --no-cov"),
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
import os, random, sys, unittest, pytest

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
    pytester.makeconftest(STILL + SEEDS)
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


TELLING = """
import os, random

def test_half_a_character():
    assert random.random() < 0.5, "bad name \\udc80"

def test_writes_everywhere():
    for descriptor in range(3, 100):
        try:
            os.write(descriptor, b'{"seen": 5}\\n[]\\n{\\n')
        except OSError:
            pass
"""


def test_whatever_a_test_says_is_no_crash_of_the_audit(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_suite=TELLING, conftest=STILL)
    _, tests, facts = audit(pytester, *SOON)
    said = tests["test_half_a_character"]
    assert (said["outcome"], said["depends_on"]) == ("fails", "seed")
    assert said["message"].startswith("AssertionError: bad name ?")
    assert tests["test_writes_everywhere"]["message"] == "its result could not be read"
    assert facts["ended"] == "decided"


UNNOTICED = """
import random, threading, pytest

def check():
    assert random.random() < 0.5

def in_thread():
    thread = threading.Thread(target=check)
    thread.start()
    thread.join()

@pytest.fixture
def begins(): in_thread()

@pytest.fixture
def ends():
    yield
    in_thread()

def test_thread(): in_thread()
def test_begins(begins): pass
def test_ends(ends): pass

def test_returns():
    return random.random() < 0.5

def test_called():
    assert random.random() < 2
"""
#: A plugin that takes the place of the call of one test.
UNCALLED = """
import pytest

@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if call.when == "call" and item.name == "test_called":
        report.when = "setup"
    return report
"""


def test_a_pass_needs_a_call_that_passed_and_what_nobody_noticed_is_told(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_suite=UNNOTICED, conftest=STILL + UNCALLED)
    result, tests, _ = audit(pytester, *SOON)
    for name, words in (
        ("test_thread", "AssertionError"),
        ("test_begins", "AssertionError"),
        ("test_ends", "AssertionError"),
        ("test_returns", "returned"),
    ):
        test = tests[name]
        if name == "test_returns" and not hasattr(pytest, "PytestReturnNotNoneWarning"):
            # pytest 8.4.0 fails a test that returns something.
            assert (test["outcome"], words in test["message"]) == ("fails_always", True)
            continue
        assert (test["outcome"], test["limit"]) == ("never_failed", "undecided"), name
        assert test["unnoticed"] > 0
        assert words in test["unnoticed_message"], test
    assert (tests["test_called"]["outcome"], tests["test_called"]["message"]) == (
        "skipped",
        "pytest did not call it",
    )
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*something failed unnoticed in *"])


LAZY = """
import pathlib, random, pytest

REGISTERED = []

def test_imports_once():
    import numpy
    assert "x" not in REGISTERED
    REGISTERED.append("x")

def test_draws():
    import numpy
    assert numpy.random.rand() < 0.5

def test_finds_its_own_library(monkeypatch):
    monkeypatch.syspath_prepend(pathlib.Path(__file__).with_name("elsewhere"))
    import cupy
    assert cupy.random.get_random_state() < random.random()
"""
CUPY = """
import sys, types
random = types.ModuleType("cupy.random")
random.set_random_state = lambda state: None
random.get_random_state = lambda: 0.5
sys.modules["cupy.random"] = random
"""


def test_a_library_that_a_test_imports_has_a_seed_and_the_test_a_process(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_suite=LAZY, conftest=STILL)
    Path(pytester.path, "elsewhere").mkdir()
    Path(pytester.path, "elsewhere", "cupy.py").write_text(CUPY)
    _, tests, _ = audit(pytester, *SOON, "-p", "no:randomly")
    kinds = {name: (test["outcome"], test["depends_on"]) for name, test in tests.items()}
    assert kinds["test_imports_once"] == ("never_failed", "earlier_executions")
    assert kinds["test_draws"] == ("fails", "seed")
    assert kinds["test_finds_its_own_library"][0] == "fails"


COPIES = """
import os

def test_set():
    assert next(iter({"alpha", "beta"})) in ("alpha", "beta")

def test_pid():
    assert os.getpid() > 0
"""


def test_what_processes_do_not_share_is_no_copy_and_copies_say_how_many_interpreters_agreed(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(test_suite=COPIES, conftest=STILL)
    result, tests, _ = audit(pytester, *SOON)
    kinds = {name: (test["depends_on"], test["limit"]) for name, test in tests.items()}
    # Copies have no rate that could be below another.
    assert kinds == {"test_set": ("nothing", None), "test_pid": (None, "below")}
    result.stdout.fnmatch_lines(
        [
            "*2 interpreters, each with its own hash seed and its own random numbers on import",
            "*test_set: passes, and all executions are the same in 2 interpreters",
        ]
    )


DOCTESTS = """
def number():
    \'\'\'
    >>> import random
    >>> random.random() < 0.5
    True
    \'\'\'

def error():
    \'\'\'
    >>> 1 / 0
    1
    \'\'\'
"""


def test_a_doctest_that_fails_says_which_line(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(documented=DOCTESTS, conftest=STILL)
    _, tests, _ = audit(pytester, *SOON, "--doctest-modules", "documented.py")
    assert "False" in replayed(pytester, tests["documented.number"])
    assert tests["documented.number"]["message"].endswith("random.random() < 0.5 gave False, not True")
    assert tests["documented.error"]["message"].endswith("1 / 0 raised ZeroDivisionError: division by zero")
