"""Verdicts, and what is shown and written."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from .conftest import Run
from .words import inconclusive_after, index_of, missed_with, no_violation, replay_line, violated_at

SEVEN = """
    import random, pytest

    @pytest.mark.probtest(p=0.01, epsilon=0.02)
    def test_no_seven():
        number = random.randrange(100)
        print("drew", number)
        assert number != 7
"""

FINE = """
    import random, pytest

    @pytest.mark.probtest(p=0.01, epsilon=0.02)
    def test_fine(): assert random.random() < 1
"""


def test_a_failure_shows_traceback_section_and_short_line(run: Run) -> None:
    result = run(SEVEN)
    result.assert_outcomes(failed=1)
    index = index_of(result)
    result.stdout.fnmatch_lines(
        [
            ">       assert number != 7",
            "E       assert 7 != 7",
            "* probtest *",
            violated_at(index, 390),
            f"  executed  {index - 1} passed, 1 violated, {390 - index} not needed",
            "  claim     p = 0.01, epsilon = 0.02",
            "  meaning   this execution is a counterexample; it does not tell you the violation rate",
            f"  seed      0x1, execution {index}",
            replay_line("test_no_seven", f"0x1:{index}"),
            f"FAILED test_it.py::test_no_seven - execution {index} of 390: assert 7 != 7",
        ]
    )


def test_a_failure_without_a_traceback_has_no_line_about_hidden_frames(run: Run) -> None:
    result = run("import pytest\n@pytest.mark.probtest(p=0.1)\ndef test_it(): return False")
    result.assert_outcomes(failed=1)
    result.stdout.no_fnmatch_line("*traceback entries are hidden*")


@pytest.mark.parametrize("capture", ["fd", "sys"])
def test_captured_output_is_that_of_the_deciding_execution(run: Run, capture: str) -> None:
    result = run(SEVEN, f"--capture={capture}")
    result.stdout.fnmatch_lines(["*Captured stdout call*", "drew 7"])
    assert result.stdout.str().count("drew ") == 1


def test_captured_log_is_that_of_the_deciding_execution(run: Run) -> None:
    result = run("""
        import logging, random, pytest

        @pytest.mark.probtest(p=0.01, epsilon=0.02)
        def test_it(caplog):
            number = random.randrange(100)
            logging.warning("drew %s", number)
            assert len(caplog.records) == 1
            assert number != 7
    """)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*Captured log call*", "WARNING*drew 7"])
    assert result.stdout.str().count("WARNING") == 1


def test_a_warning_of_each_execution_is_reported_once(run: Run) -> None:
    run("""
        import random, warnings, pytest

        @pytest.mark.probtest(p=0.01, epsilon=0.02)
        def test_it():
            warnings.warn("careful")
            assert random.random() < 1
    """).assert_outcomes(passed=1, warnings=1)


def test_verbose_shows_what_a_pass_means(run: Run) -> None:
    line = f"{no_violation('test_fine', 390)}; {missed_with(0.01, 0.01985)}"
    run(FINE, "-v").stdout.fnmatch_lines([line])
    run(FINE).stdout.no_fnmatch_line(line)


def test_xfail_works_on_the_verdict(run: Run) -> None:
    run("""
        import random, pytest, probtest
        mark = pytest.mark.probtest(p=0.1)

        @mark
        @pytest.mark.xfail
        def test_violated(): assert random.random() < 0.5

        @mark
        @pytest.mark.xfail
        def test_passes(): assert random.random() < 1

        @mark
        @pytest.mark.xfail(strict=True)
        def test_strict(): assert random.random() < 1

        @mark
        @pytest.mark.xfail
        def test_undecided(): probtest.assume(False)

        @mark
        @pytest.mark.xfail(raises=ZeroDivisionError)
        def test_other(): assert random.random() < 0.5
    """).assert_outcomes(xfailed=1, xpassed=1, failed=3)


def test_junit_has_one_case_with_properties(run: Run, pytester: pytest.Pytester) -> None:
    result = run(SEVEN, "--junitxml=report.xml")
    tree = ElementTree.parse(pytester.path / "report.xml")
    (case,) = tree.iter("testcase")
    properties = {found.get("name"): found.get("value") for found in case.iter("property")}
    assert properties["probtest_p"] == "0.01"
    assert properties["probtest_epsilon"] == "0.02"
    assert properties["probtest_seed"] == "0x1"
    assert properties["probtest_index"] == str(index_of(result))
    assert (pytester.path / "report.xml").stat().st_size < 5000


def test_json_has_the_facts_of_each_test(run: Run, pytester: pytest.Pytester) -> None:
    result = run(SEVEN, "--probtest-json", "out/facts.json")
    content = json.loads((pytester.path / "out/facts.json").read_text())
    (facts,) = content["tests"]
    assert content["probtest"] == facts["probtest"] == 2
    assert facts["nodeid"] == "test_it.py::test_no_seven"
    assert (facts["verdict"], facts["planned"], facts["index"]) == ("violated", 390, index_of(result))
    assert facts["finding"]["message"].startswith("AssertionError")


def test_a_system_exit_in_the_body_is_a_violation(run: Run) -> None:
    result = run("""
        import random, sys, pytest

        @pytest.mark.probtest(p=0.1)
        def test_it():
            if random.random() < 0.3:
                sys.exit(0)
    """)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*SystemExit*", violated_at("*", 29)])


def test_ctrl_c_says_how_far_each_test_had_come(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        import random, pytest
        pytestmark = pytest.mark.probtest(p=0.1)

        def test_first(): assert random.random() < 1

        executed = []

        def test_second():
            executed.append(1)
            if len(executed) == 8:
                raise KeyboardInterrupt
    """)
    result = pytester.runpytest_subprocess("-p", "no:randomly", "-p", "no:hypothesispytest")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(
        [no_violation("test_first", 29), "*test_second: interrupted after 7 of 29 executions"]
    )


def test_memory_does_not_grow_with_the_executions(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        import resource, random, pytest

        @pytest.mark.probtest(p=0.5)
        def test_few(): random.random()

        def test_before(): global before; before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

        @pytest.mark.probtest(p=1e-5)
        def test_many(): random.random()

        @pytest.mark.probtest(p=1e-3)
        def test_output(): print("x" * 1000)

        def test_after():
            after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            assert after - before < 4096, f"{after - before} KiB more"
    """)
    pytester.runpytest_subprocess("-p", "no:randomly", "-p", "no:hypothesispytest").assert_outcomes(passed=5)


@pytest.mark.parametrize(
    "marker", ["p=0.1", "tolerate=0.01", "claim=probtest.mean(between=(0, 1), above=0.5, margin=0.1)"]
)
def test_what_is_returned_and_cannot_be_read_is_no_verdict_also_under_xfail(run: Run, marker: str) -> None:
    result = run(f"""
        import probtest, pytest

        class Odd:
            def __repr__(self): raise RuntimeError("no words for it")

        @pytest.mark.xfail
        @pytest.mark.probtest({marker})
        def test_odd(): return Odd()
    """)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*RuntimeError: no words for it*",
            inconclusive_after(0),
            "*what the body returned cannot be read: RuntimeError: no words for it",
        ]
    )


def test_facts_that_cannot_be_written_are_refused_before_anything_is_executed(run: Run) -> None:
    result = run("def test_it(): print('executed')", "-s", "--probtest-json", "test_it.py/facts.json")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: the results cannot be written: *", "  given *", "  help *"])
    result.stdout.no_fnmatch_line("*executed*")


def test_facts_that_cannot_be_written_in_the_end_take_no_report_with_them(run: Run) -> None:
    result = run(
        """
        import os, pytest

        @pytest.mark.probtest(p=0.5)
        def test_violated(): assert False

        def test_in_the_way():
            os.remove("facts.json")
            os.mkdir("facts.json")
        """,
        "--probtest-json=facts.json",
    )
    result.assert_outcomes(failed=1, passed=1)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stdout.fnmatch_lines([violated_at(1, 6), "error: the results cannot be written: *", "  help *"])


@pytest.mark.parametrize("returned", ["'heads'", "1.0", "-1", "{'a': 1}"])
def test_what_is_no_number_of_an_outcome_is_no_pass(run: Run, returned: str) -> None:
    # Taken for a plain pass, no outcome would be looked for.
    result = run(f"""
        import pytest, random

        @pytest.mark.probtest(outcomes=[0.5, 0.5])
        def test_it():
            random.random()
            return {returned}
    """)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*neither a boolean nor the number of an outcome", f"*given  {returned}", "*help   return a whole*"]
    )
