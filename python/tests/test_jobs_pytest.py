"""Executions in several processes under pytest: what is seen looks as if they had run in one."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from .conftest import WITHOUT_OTHERS, Run, needs_subtests, without_others

pytestmark = pytest.mark.skipif(
    not hasattr(os, "fork") or sys.platform == "darwin", reason="there is nothing to fork safely"
)

#: Forks for bodies of any duration.
EAGER = """
    from probtest.engines import forked

    forked.LEAST_SECONDS = forked.LEAST_WORK = 0.0
"""

#: A body that takes so long, on any machine, that it is known after two executions what one takes.
LONG = """
    import os, random, time, pytest

    HERE = os.getpid()

    def long_enough(): time.sleep(0.001)
"""


@pytest.fixture
def outside(pytester: pytest.Pytester) -> Run:
    """Write a test file, and run it in a process that forks for bodies of any duration."""
    pytester.makeconftest(EAGER)

    def outside(source: str, *options: str, others: Sequence[str] = WITHOUT_OTHERS) -> pytest.RunResult:
        pytester.makepyfile(test_it=LONG + source)
        return pytester.runpytest_subprocess(*others, *options)

    return outside


@pytest.fixture
def both(pytester: pytest.Pytester) -> Run:
    """Run a file in one process and in several; return the second, which must look like the first."""
    pytester.makeconftest(EAGER)

    def both(
        source: str, *options: str, jobs: tuple[str, ...] = ("--probtest-jobs", "2")
    ) -> pytest.RunResult:
        pytester.makepyfile(test_it=LONG + source)
        shared = (*WITHOUT_OTHERS, "-p", "no:cacheprovider", "--probtest-seed", "1", *options)
        one = pytester.runpytest_subprocess(*shared, "--probtest-json", "one.json")
        many = pytester.runpytest_subprocess(*shared, "--probtest-json", "many.json", *jobs)
        assert seen(many) == seen(one)
        assert facts(pytester.path / "many.json") == facts(pytester.path / "one.json")
        return many

    return both


def seen(result: pytest.RunResult) -> list[str]:
    """Return what was printed, but times, addresses in memory, and how folders are numbered."""
    other = r"in \d+\.\d+s|0x[0-9a-f]{8,}|(?<=runpytest-)\d+/\w+"
    return [re.sub(other, "", line).strip("= ") for line in result.outlines]


def facts(file: Path) -> list[dict[str, Any]]:
    tests: list[dict[str, Any]] = json.loads(file.read_text())["tests"]
    for test in tests:
        del test["seconds"]
        if isinstance(test.get("finding"), dict):
            test["finding"]["message"] = re.sub(r"0x[0-9a-f]{8,}", "", test["finding"].get("message") or "")
    return tests


def test_what_a_violation_has_printed_logged_and_warned_is_shown_once(both: Run) -> None:
    result = both("""
    import logging, sys, warnings

    @pytest.mark.probtest(p=0.01)
    def test_it():
        long_enough()
        drawn = random.random()
        print("drew", drawn)
        print("to errors", drawn, file=sys.stderr)
        logging.getLogger("it").warning("logged %s", drawn)
        warnings.warn("warned")
        assert drawn > 0.03
    """)
    result.assert_outcomes(failed=1, warnings=1)
    for words in (r"drew 0\.\d+", r"to errors 0\.\d+", r"WARNING .* logged 0\.\d+", ".*UserWarning: warned"):
        assert len([line for line in result.outlines if re.fullmatch(words, line)]) == 1, words


def test_fixtures_of_functions_and_folders_are_fresh_and_wide_ones_shared(both: Run) -> None:
    result = both("""
    import os

    made = []

    @pytest.fixture(scope="module")
    def wide(tmp_path_factory):
        made.append(os.getpid())
        return tmp_path_factory.mktemp("wide")

    @pytest.fixture
    def narrow(wide, tmp_path):
        open_file = tmp_path / "file"
        assert not open_file.exists()
        open_file.write_text("x")
        yield open_file
        assert open_file.read_text() == "x"

    class TestIt:
        @pytest.mark.probtest(p=0.03)
        def test_it(self, narrow, wide, capsys):
            assert not hasattr(self, "seen") and len(made) == 1
            self.seen = True
            long_enough()
            print("out")
            assert capsys.readouterr().out == "out\\n"
            assert random.random() >= 0

        @pytest.mark.probtest(p=0.03)
        def test_folders(self, tmp_path):
            long_enough()
            assert random.random() > 0.02
            assert not list(tmp_path.iterdir())
    """)
    result.assert_outcomes(passed=1, failed=1)


def test_skips_expected_failures_and_subtests_are_as_in_one_process(both: Run) -> None:
    result = both("""
    import unittest

    @pytest.mark.probtest(p=0.03)
    def test_skips():
        long_enough()
        pytest.skip("never")

    @pytest.mark.probtest(p=0.03)
    def test_rejects():
        long_enough()
        if random.random() < 0.3:
            pytest.skip("sometimes")

    @pytest.mark.xfail(strict=True)
    @pytest.mark.probtest(p=0.03)
    def test_expected():
        long_enough()
        assert random.random() > 0.05

    class TestUnits(unittest.TestCase):
        @pytest.mark.probtest(p=0.03)
        def test_units(self):
            long_enough()
            self.assertGreater(random.random(), 0.04)

    @pytest.mark.probtest(tolerate=0.1, p=0.3)
    @pytest.mark.parametrize("rate", [0.02, 0.5])
    def test_tolerates(rate):
        long_enough()
        assert random.random() > rate
    """)
    result.assert_outcomes(passed=2, skipped=1, xfailed=1, failed=2)


@needs_subtests
def test_failures_of_subtests_are_told_where_their_execution_decides(both: Run) -> None:
    result = both(
        """
    @pytest.mark.probtest(p=0.01)
    def test_it(subtests):
        long_enough()
        drawn = random.random()
        with subtests.test("first"):
            assert drawn > 0.03
    """,
        "-q",
    )
    result.stdout.fnmatch_lines(["*assert * > 0.03*"])


def test_a_crash_is_one_failed_test_and_its_line_fails_the_same_way(outside: Run) -> None:
    source = """
    import ctypes

    @pytest.mark.probtest(p=0.01)
    def test_crashes():
        print("before", flush=True)
        if random.random() < 0.05:
            ctypes.string_at(0)

    @pytest.mark.probtest(p=0.1)
    def test_next(): assert random.random() >= 0
    """
    result = outside(source, "--probtest-seed", "1", "--probtest-isolate")
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(
        [
            "its process was killed by SIGSEGV (signal 11)",
            "*in test_crashes",
            "before",
            "probtest: violated at execution * of 299",
            "  replay *",
        ]
    )
    (line,) = (line.split(None, 1)[1] for line in result.outlines if line.strip().startswith("replay"))
    assert line.endswith("--probtest-isolate")
    again = outside(source, *line.split()[1:])
    again.assert_outcomes(failed=1)
    again.stdout.fnmatch_lines(["its process was killed by SIGSEGV (signal 11)"])
    # What is remembered is tried in another process first.
    next_run = outside(source, "--probtest-jobs", "2")
    next_run.assert_outcomes(failed=1, passed=1)
    next_run.stdout.fnmatch_lines(["its process was killed by SIGSEGV (signal 11)"])


def test_what_only_another_process_has_seen_is_shown_in_its_words(outside: Run) -> None:
    source = """
    @pytest.mark.probtest(p=0.01)
    def test_it():
        long_enough()
        drawn = random.random()
        print("in", "this" if os.getpid() == HERE else "another", "process")
        assert drawn > 0.05 or os.getpid() == HERE
    """
    result = outside(source, "--probtest-seed", "1", "--probtest-jobs", "2")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "AssertionError: assert *",
            ">  *assert drawn > 0.05 or os.getpid() == HERE",
            "--- Captured stdout call ---",
            "in another process",
            "probtest: violated at execution * of 299",
        ]
    )
    assert "in this process" not in result.outlines
    result.stdout.no_fnmatch_line("*--probtest-replay*")


def test_remembered_executions_begin_with_fresh_fixtures(outside: Run) -> None:
    source = """
    @pytest.fixture
    def drawn(): return random.random()

    @pytest.mark.probtest(p=0.01)
    def test_it(drawn):
        long_enough()
        assert drawn + random.random() > 0.3
    """
    first = outside(source, "--probtest-seed", "1")
    first.assert_outcomes(failed=1)
    for options in ((), ("--probtest-jobs", "2"), ("--probtest-isolate",)):
        again = outside(source, *options)
        again.assert_outcomes(failed=1)
        (line,) = [line for line in first.outlines if line.startswith("E  ") and "> 0.3" in line]
        assert line in again.outlines
        again.stdout.fnmatch_lines(["probtest: violated again by the remembered execution 0x1:*"])


def test_isolated_tests_look_like_others(both: Run) -> None:
    both(
        """
    @pytest.fixture
    def narrow(tmp_path): return tmp_path

    @pytest.mark.probtest(p=0.03, shrink=False)
    def test_violates(narrow):
        drawn = random.random()
        print("drew", drawn)
        assert drawn > 0.03

    @pytest.mark.probtest(p=0.03)
    def test_passes(narrow): assert random.random() >= 0

    @pytest.mark.probtest(p=0.03)
    def test_skips(): pytest.skip("never")

    @pytest.mark.probtest(p=0.03)
    def test_draws_nothing(): pass
    """,
        jobs=("--probtest-isolate",),
    )


def test_coverage_has_the_lines_of_the_deciding_execution(outside: Run, pytester: pytest.Pytester) -> None:
    pytest.importorskip("pytest_cov")
    pytester.makepyfile(
        code_="""
    def rare(drawn):
        if drawn < 0.03:
            return False
        return True
    """
    )
    source = """
    import code_ as code

    @pytest.mark.probtest(p=0.01)
    def test_it():
        long_enough()
        assert code.rare(random.random())
    """
    options = ("--probtest-seed", "1", "--probtest-jobs", "2", "--cov=code_", "--cov-report=term-missing")
    result = outside(source, *options, others=without_others("pytest_cov"))
    result.assert_outcomes(failed=1)
    result.stdout.re_match_lines([r"code_\.py\s+4\s+0\s+100%.*"])


#: A thread that runs as long as the tests of a module.
THREAD = """
    import threading

    @pytest.fixture(scope="module", autouse=True)
    def thread():
        over = threading.Event()
        thread = threading.Thread(target=over.wait, name="of-a-fixture")
        thread.start()
        yield
        over.set()
        thread.join()
"""


def test_beside_a_thread_of_a_fixture_it_says_so_once_and_executes_here(outside: Run) -> None:
    source = """
    @pytest.mark.probtest(p=0.05)
    @pytest.mark.parametrize("number", [1, 2])
    def test_it(number):
        long_enough()
        assert os.getpid() == HERE
        assert random.random() >= 0
    """
    result = outside(THREAD + source, "--probtest-jobs", "2")
    result.assert_outcomes(passed=2)
    words = "note: ran here and not in 2 processes: other threads are running (of-a-fixture)"
    assert result.outlines.count(words) == 1


#: A plugin that starts a thread when it is configured, after ours; pytest-rerunfailures does so beside xdist.
STARTS_A_THREAD = """
    import threading, pytest

    @pytest.hookimpl(trylast=True)
    def pytest_configure():
        threading.Thread(target=threading.Event().wait, name="of-a-plugin", daemon=True).start()
"""

CRASHES = """
    @pytest.mark.probtest(p=0.2, isolate=True)
    def test_crashes():
        if random.random() < 0.3:
            os.abort()

    @pytest.mark.probtest(p=0.05)
    def test_next():
        long_enough()
        assert random.random() >= 0
"""


def test_a_thread_that_a_plugin_has_started_does_not_count(outside: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(starts_a_thread=STARTS_A_THREAD)
    plugin = ("-p", "starts_a_thread", "--probtest-seed", "1")
    isolated = outside(CRASHES, *plugin, "--probtest-jobs", "2")
    isolated.assert_outcomes(failed=1, passed=1)
    isolated.stdout.fnmatch_lines(["its process was killed by SIGABRT (signal 6)"])
    isolated.stdout.no_fnmatch_line("*ran here*")
    checked = outside(
        """
    def test_checks():
        import probtest
        with pytest.raises(probtest.Violated, match="violated"):
            probtest.check(lambda: random.random() > 0.3 or os.abort(), p=0.2, isolate=True)
    """,
        *plugin,
    )
    checked.assert_outcomes(passed=1)
    audit = ("--probtest-audit", "--probtest-audit-max-rate", "0.9", "--probtest-audit-interpreters", "2")
    audited = outside(
        """
    def test_it(): assert random.random() >= 0
    """,
        *plugin,
        *audit,
    )
    audited.stdout.fnmatch_lines(["*= probtest audit =*"])
    assert audited.ret == pytest.ExitCode.OK


def test_beside_a_thread_an_isolated_test_is_inconclusive_and_does_not_run_here(
    outside: Run, pytester: pytest.Pytester
) -> None:
    source = """
    @pytest.mark.xfail
    @pytest.mark.probtest(p=0.2, isolate=True)
    def test_xfails(): os.abort()
    """
    result = outside(THREAD + source + CRASHES, "--probtest-json", "results.json")
    result.assert_outcomes(failed=2, passed=1)
    result.stdout.fnmatch_lines(
        [
            "probtest: error: the test cannot run in its own process: other threads are *(of-a-fixture)",
            "  given  isolate",
            "  help   *",
        ]
    )
    found = json.loads((pytester.path / "results.json").read_text())["tests"]
    assert [test["verdict"] for test in found] == ["inconclusive", "inconclusive", "passed"]
    assert [test["executed"] for test in found[:2]] == [0, 0]
    assert {test["reason"]["kind"] for test in found[:2]} == {"broken"}
    assert "cannot run in its own process" in found[0]["reason"]["message"]


def test_with_xdist_there_are_no_more_processes_than_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    from probtest.planning import given_by
    from probtest.pytest_plugin import workers

    monkeypatch.setattr(workers, "cores", lambda: 8)
    monkeypatch.delenv("PYTEST_XDIST_WORKER_COUNT", raising=False)
    nothing, four, auto = given_by(), given_by(jobs=4), given_by(jobs="auto")
    assert [workers.jobs_of(given, nothing) for given in (nothing, four, auto)] == [1, 4, 8]
    monkeypatch.setenv("PYTEST_XDIST_WORKER_COUNT", "4")
    assert [workers.jobs_of(given, nothing) for given in (nothing, four, auto)] == [1, 2, 2]
    # The run asks for it.
    assert workers.jobs_of(four, four) == 4
    monkeypatch.setenv("PYTEST_XDIST_WORKER_COUNT", "16")
    assert [workers.jobs_of(given, nothing) for given in (nothing, four, auto)] == [1, 1, 1]


@needs_subtests
def test_under_xdist_it_comes_to_the_same(outside: Run) -> None:
    pytest.importorskip("xdist")
    source = """
    @pytest.mark.probtest(p=0.01)
    def test_violates(subtests):
        long_enough()
        with subtests.test("part"):
            assert random.random() >= 0
        assert random.random() > 0.03

    @pytest.mark.probtest(p=0.01)
    def test_crashes():
        long_enough()
        if random.random() < 0.05 and os.getpid() != HERE:
            os.abort()
    """
    options = ("-n", "1", "--probtest-seed", "1", "--probtest-jobs", "2")
    result = outside(source, *options, others=without_others("xdist"))
    result.stdout.fnmatch_lines(["its process was killed by SIGABRT (signal 6)"])
    result.stdout.fnmatch_lines(["*2 failed*"])
    assert "crashed while running" not in result.stdout.str()


ENDLESS = """
    import signal

    @pytest.mark.probtest(p=0.001)
    def test_it():
        random.random()
        if os.getpid() != HERE:
            os.write(int(os.environ["TELL"]), f"{os.getpid()}\\n".encode())
            signal.pause()
        long_enough()
"""


@pytest.mark.parametrize("kill", [signal.SIGINT, signal.SIGKILL, signal.SIGTERM])
def test_no_process_is_left_when_pytest_is_ended(pytester: pytest.Pytester, kill: signal.Signals) -> None:
    from .test_jobs import has_ended

    pytester.makeconftest(EAGER)
    pytester.makepyfile(test_it=LONG + ENDLESS)
    reading, writing = os.pipe()
    command = [sys.executable, "-m", "pytest", *WITHOUT_OTHERS, "-s", "--probtest-jobs", "2"]
    process = subprocess.Popen(
        command,
        cwd=pytester.path,
        env={**os.environ, "TELL": str(writing)},
        pass_fds=[writing],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(writing)
    with os.fdopen(reading) as told:
        pids = {int(told.readline()), int(told.readline())}
        process.send_signal(kill)
        process.wait()
        # Both ends are closed when nobody is left.
        assert told.read() == ""
    assert len(pids) == 2
    for pid in pids:
        has_ended(pid)
