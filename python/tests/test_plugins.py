"""Other plugins and pytest's own options behave as a pytest user expects."""

from __future__ import annotations

import pytest

from .conftest import Run
from .test_verdicts import FINE, SEVEN
from .words import facts_said, index_of, written

TWO = """
    import random, pytest
    pytestmark = pytest.mark.probtest(p=0.1)

    def test_bad(): assert random.random() < 0.5

    def test_good(): assert random.random() < 1
"""


def test_one_item_whatever_the_number_of_executions(run: Run) -> None:
    result = run(SEVEN, "--collect-only", "-q")
    assert result.outlines[0] == "test_it.py::test_no_seven"
    assert "1 test collected" in result.stdout.str()


def test_the_other_tests_go_on_after_a_violation_unless_x_is_given(run: Run) -> None:
    run(TWO).assert_outcomes(failed=1, passed=1)
    run(TWO, "-x").assert_outcomes(failed=1)


def test_failed_first_and_last_failed_know_the_test(run: Run) -> None:
    run(TWO)
    run(TWO, "--lf").assert_outcomes(failed=1)
    first = run(TWO, "--ff", "-v")
    names = [line.split()[0] for line in first.outlines if line.startswith("test_it.py::") and "%]" in line]
    assert names == ["test_it.py::test_bad", "test_it.py::test_good"]


def test_durations_count_all_executions_as_one_test(run: Run) -> None:
    result = run(TWO, "--durations=0", "-vv")
    calls = [line for line in result.outlines if " call " in line]
    assert len(calls) == 2


@pytest.mark.parametrize("option", ["--pdb", "--trace"])
def test_a_debugger_opens_at_the_deciding_execution(pytester: pytest.Pytester, option: str) -> None:
    pytest.importorskip("pexpect")
    pytester.makepyfile(SEVEN)
    child = pytester.spawn_pytest(f"{option} -p no:randomly --probtest-seed 1")
    child.expect("(Pdb)")
    child.sendline("p 40 + 2")
    child.expect("42")
    child.sendeof()
    child.close(force=True)


def test_pdb_on_a_replay_shows_the_variables_of_that_execution(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        fake_pdb="""
        class Fake:
            def __init__(self, *args, **kwargs): pass
            def reset(self): pass
            def interaction(self, frame, traceback):
                while traceback.tb_next: traceback = traceback.tb_next
                print("number is", traceback.tb_frame.f_locals["number"])
            def __getattr__(self, name): return lambda *args, **kwargs: None
        """
    )
    pytester.syspathinsert()
    result = run(SEVEN, "--pdb", "--pdbcls=fake_pdb:Fake")
    result.stdout.fnmatch_lines(["*number is 7*"])


def test_timeout_ends_a_test_that_takes_too_long_and_is_no_counterexample(pytester: pytest.Pytester) -> None:
    pytest.importorskip("pytest_timeout")
    pytester.makepyfile("""
        import pytest, random

        @pytest.mark.timeout(0.2)
        @pytest.mark.probtest(p=1e-9)
        def test_long(): random.random()

        @pytest.mark.probtest(p=0.1)
        def test_good(): random.random()
    """)
    options = ["-p", "no:randomly", "-p", "no:hypothesispytest", "--probtest-json", "facts.json"]
    result = pytester.runpytest_subprocess(*options)
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(["*Timeout*"])
    facts = written(pytester)[0]["test_long"]
    assert (facts["verdict"], facts["violated"], facts["address"]) == ("inconclusive", 0, None)


def test_coverage_sees_the_body(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        program="import random\ndef draw():\n    return random.random()\n",
        test_it="""
        import pytest, program

        @pytest.mark.probtest(p=0.1)
        def test_it(): assert program.draw() < 1
        """,
    )
    pytester.syspathinsert()
    result = pytester.runpytest_subprocess("--cov=program", "-p", "no:randomly", "-p", "no:hypothesispytest")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["program.py *100%"])


def test_randomly_and_a_fixed_seed_give_the_same_executions(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(SEVEN)
    indices = set()
    for order in ("--randomly-seed=1", "-pno:randomly"):
        # Without a memory, from which the second run would begin.
        result = pytester.runpytest_subprocess(
            "-p", "no:hypothesispytest", "--cache-clear", order, "--probtest-seed", "1"
        )
        result.assert_outcomes(failed=1)
        indices.add(index_of(result))
    assert len(indices) == 1


def test_xdist_workers_share_one_run_seed(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        test_a="import pytest\n@pytest.mark.probtest(p=0.1)\ndef test_a(): assert False\n",
        test_b="import pytest\n@pytest.mark.probtest(p=0.1)\ndef test_b(): assert False\n",
    )
    result = pytester.runpytest_subprocess("-n", "2", "-p", "no:randomly", "-p", "no:hypothesispytest")
    result.assert_outcomes(failed=2)
    seeds = {words.split(",")[0] for words in facts_said(result, "seed")}
    assert len(seeds) == 1


def test_setup_show_and_setup_plan_work(run: Run) -> None:
    run(FINE, "--setup-show").assert_outcomes(passed=1)
    assert run(FINE, "--setup-plan").ret == 0


def test_nothing_but_the_result_is_written_where_there_is_no_terminal(run: Run) -> None:
    result = run(
        "import pytest, random\n@pytest.mark.probtest(p=1e-5)\ndef test_it(): random.random()\n", "-q"
    )
    result.assert_outcomes(passed=1)
    assert "executions" not in result.stdout.str()


def test_importing_the_plugin_does_not_import_numpy(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("import sys\ndef test_it(): assert 'numpy' not in sys.modules\n")
    options = ["-p", "no:randomly", "-p", "no:hypothesispytest", "-p", "no:pytest_cov"]
    pytester.runpytest_subprocess(*options).assert_outcomes(passed=1)
