"""What markers, options and ini keys mean, and how bad ones are refused."""

from __future__ import annotations

import subprocess
import sys

import pytest

import probtest
from probtest.planning import OPTIONS, Options

from .conftest import Run
from .words import error

COUNT = """
    import pytest
    executed = []

    {mark}
    def test_counted(): executed.append(1)

    def test_count(): assert len(executed) == {count}
"""


def counted(mark: str, count: int) -> str:
    return COUNT.format(mark=mark, count=count)


@pytest.mark.parametrize(
    ("mark", "count"),
    [
        ("@pytest.mark.probtest(p=0.01, epsilon=0.02)", 390),
        ("@pytest.mark.probtest(p=0.01)", 299),
        ("@pytest.mark.probtest(p='1/1024', epsilon='0.02')", 4004),
        ("@pytest.mark.probtest(p=__import__('fractions').Fraction(1, 1024), epsilon=0.02)", 4004),
        ("@pytest.mark.probtest(p=__import__('decimal').Decimal('0.01'), epsilon=0.02)", 390),
        ("", 1),
    ],
)
def test_a_marked_test_is_executed_as_often_as_its_claim_needs(run: Run, mark: str, count: int) -> None:
    run(counted(mark, count)).assert_outcomes(passed=2)


def test_options_apply_to_unmarked_tests_only_with_probtest(run: Run) -> None:
    run(counted("", 1), "--probtest-p", "0.5").assert_outcomes(passed=2)
    source = """
        executed = []
        def test_unmarked(): executed.append(1)
        def test_last():
            executed.append(1)
            assert len(executed) <= 12
        """
    run(source, "--probtest", "--probtest-p", "0.5").assert_outcomes(passed=2)


def test_the_types_of_options_have_a_row_for_each_that_a_test_takes() -> None:
    assert list(Options.__annotations__) == OPTIONS


def test_check_refuses_an_option_that_is_not_there() -> None:
    with pytest.raises(
        TypeError, match="there is no option epsilonn\n  given  p, epsilonn\n  help   did you mean `epsilon`"
    ):
        probtest.check(lambda: None, p=0.1, epsilonn=0.1)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("mark", "words"),
    [
        ("@pytest.mark.probtest(0.1)", "*by name*"),
        ("@pytest.mark.probtest(p=float('nan'))", "*NaN*"),
        ("@pytest.mark.probtest(p=None)", "*does not say which violation probability*"),
        ("@pytest.mark.probtest(p=0.1, outcomes=[0.5])", "*both p and outcomes*"),
        ("@pytest.mark.probtest(outcomes=3)", "*outcomes is not a list of probabilities"),
        ("@pytest.mark.probtest(p=0.1, batch=2.5)", "*batch is not a whole number of 1 or more"),
        ("@pytest.mark.probtest(p=0.1, epsilonn=0.1)", "*did you mean `epsilon`[?]"),
        ("@pytest.mark.probtest(p=0.1, repeat=9)", "*the options are `p`, `epsilon`, *"),
        ("@pytest.mark.probtest(p=0.1, seed='x')", "*not a seed*"),
        ("@pytest.mark.probtest(p=0.1, max_time='30')", "*max_time has no unit"),
        ("@pytest.mark.probtest(p=0.1, on_budget=True)", "*on_budget is neither pass nor fail"),
        ("@pytest.mark.probtest(p=1e-300, epsilon=1e-300)", "*executions*"),
    ],
)
def test_a_claim_that_makes_no_sense_is_an_error_and_nothing_is_executed(
    run: Run, mark: str, words: str
) -> None:
    result = run(counted(mark, 0))
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(error("*"))
    result.stdout.fnmatch_lines([words])


@pytest.mark.parametrize(
    "options",
    [
        ["--probtest"],
        ["--probtest", "--p", "1.5"],
        ["--probtest", "--p", "0.5,-0.5"],
        ["--probtest", "--p", "0.5,0"],
        ["--probtest", "--Pbug", "1.5"],
        ["--probtest", "--p", "1", "--epsilon", "0"],
        ["--probtest", "--p", "0.5", "--epsilon", "2"],
        ["--probtest", "--minp", "0.1"],
        ["--probtest", "--minp", "0.6", "--N", "2"],
        ["--probtest", "--minp", "0.1", "--N", "x"],
        ["--probtest", "--minp", "0.1", "--N", "2", "--Pbug", "0.5"],
        ["--probtest", "--p", "0.1", "--Pbug", "0.1"],
        ["--probtest", "--p", "1e-300", "--epsilon", "1e-300"],
        ["--probtest-seed", "x"],
        ["--probtest-replay", "7"],
        ["--probtest-max-executions", "0"],
        ["--probtest-epsilon", "nonsense"],
        ["--probtest-max-time", "30"],
        ["--probtest-suite-max-time", "off"],
        ["--probtest-on-budget", "warn"],
        ["--probtest-suite-epsilon", "5%"],
        ["--probtest-false-alarm", "2"],
    ],
)
def test_options_that_make_no_sense_are_usage_errors(pytester: pytest.Pytester, options: list[str]) -> None:
    pytester.makepyfile("def test_it(): pass")
    result = pytester.runpytest(*options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *"])
    assert "Traceback" not in result.stderr.str()


def test_markers_are_registered(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("import pytest\n@pytest.mark.probtest(p=0.5)\ndef test_it(): pass")
    pytester.runpytest("--strict-markers").assert_outcomes(passed=1)
    pytester.runpytest("--markers").stdout.fnmatch_lines(["@pytest.mark.probtest(p, epsilon*"])


def test_short_names_are_left_to_a_plugin_that_has_them(pytester: pytest.Pytester) -> None:
    pytester.makeconftest("")
    pytester.makepyfile(
        other="""
        def pytest_addoption(parser): parser.addoption("--N", default="theirs")

        def pytest_report_header(config):
            return f"N is {config.getoption('--N')}, ours is {config.getoption('--probtest-n')}"
        """,
        test_it="def test_it(): pass",
    )
    pytester.syspathinsert()
    result = pytester.runpytest("-p", "other", "--probtest-n", "3", "--probtest-minp", "0.1", "--N", "4")
    result.stdout.fnmatch_lines(["N is 4, ours is 3"])
    result.assert_outcomes(passed=1)


def test_a_number_beyond_all_bounds_is_an_error_of_its_test_alone(run: Run) -> None:
    options = ["max_time=10**400", "batch=10**5000", "max_executions=10**5000", "seed=10**5000"]
    marks = [f"p=0.5, {option}" for option in options] + ["p=10**5000"]
    odd = [f"@pytest.mark.probtest({mark})\ndef test_{at}(): pass\n" for at, mark in enumerate(marks)]
    result = run("import pytest\n" + "".join(odd) + "def test_other(): pass\n")
    result.assert_outcomes(errors=5, passed=1)
    assert sum(line.startswith("probtest: error: ") for line in result.outlines) == 5
    result.stdout.no_fnmatch_line("*INTERNALERROR*")


@pytest.mark.parametrize("name", ["suite-epsilon", "epsilon", "max-time", "replay", "json", "pbug"])
def test_an_option_whose_value_is_empty_is_refused(run: Run, name: str) -> None:
    # What a script makes of a variable that is not set.
    result = run(counted("@pytest.mark.probtest(p=0.1)", 29), f"--probtest-{name}", "")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: --probtest-{name} has no value", "  given *", "  help *"])


def test_variables_that_other_doors_read_are_told_and_not_read(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("REPORT", "EXECUTION"):
        monkeypatch.setenv(f"PROBTEST_{name}", "no number")
    result = run(counted("@pytest.mark.probtest(p=0.1)", 29))
    result.assert_outcomes(passed=2)
    (told,) = [line for line in result.outlines if "no effect under pytest" in line]
    assert "warning: PROBTEST_REPORT: no effect" in told


def test_flags_win_over_variables_and_these_over_ini_keys(
    run: Run, monkeypatch: pytest.MonkeyPatch, pytester: pytest.Pytester
) -> None:
    pytester.makeini("[pytest]\nprobtest_p = 0.01")
    run(counted("@pytest.mark.probtest", 299)).assert_outcomes(passed=2)
    monkeypatch.setenv("PROBTEST_P", "0.1")
    run(counted("@pytest.mark.probtest", 29)).assert_outcomes(passed=2)
    run(counted("@pytest.mark.probtest", 6), "--p", "0.5").assert_outcomes(passed=2)
    # A list of outcomes is a p, too, and p of the marker wins over all of them.
    run(counted("@pytest.mark.probtest(epsilon=0.1)", 5), "--p", "0.5,0.5").assert_outcomes(passed=2)
    run(counted("@pytest.mark.probtest(p=0.5)", 6), "--p", "0.5,0.5").assert_outcomes(passed=2)


def test_importing_probtest_imports_neither_pytest_nor_what_few_tests_need() -> None:
    # Each start of pytest pays for what is imported here.
    modules = {"pytest", "_pytest", "numpy", "asyncio", "concurrent.futures", "multiprocessing"}
    program = f"import sys, probtest; found = {modules} & set(sys.modules); assert not found, found"
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("quiet", [[], ["-q"], ["-qq"]])
def test_a_variable_with_a_typing_error_is_told_also_without_a_header(
    run: Run, monkeypatch: pytest.MonkeyPatch, quiet: list[str]
) -> None:
    monkeypatch.setenv("PROBTEST_SUITE_EPSILN", "0.05")
    monkeypatch.setenv("PROBTEST_SEED", "1")
    result = run(counted("@pytest.mark.probtest(p=0.1)", 29), *quiet)
    (told,) = [line for line in result.outlines if "has no effect here" in line]
    assert "warning: PROBTEST_SUITE_EPSILN has" in told
    result.stdout.fnmatch_lines([told, "  help   did you mean `PROBTEST_SUITE_EPSILON`[?]"])


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (["--probtest-epsilom", "0.1"], "--probtest-epsilon"),
        (["--probtest-max_time=1s"], "--probtest-max-time"),
        (["--probtest-audit-tiem=1s"], "--probtest-audit-time"),
        (["-o", "probtest_epsilom=0.1"], "probtest_epsilon"),
        ([], "probtest_seed"),
    ],
)
def test_a_misspelled_flag_or_ini_key_is_refused_with_the_one_that_was_meant(
    pytester: pytest.Pytester, given: list[str], meant: str
) -> None:
    pytester.makepyfile("def test_it(): pass")
    if not given:
        pytester.makeini("[pytest]\nprobtest_seeed = 7\n")
    result = pytester.runpytest(*given)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: there is no *", f"  help   did you mean `{meant}`[?]"])


def test_names_that_a_conftest_file_registers_are_its_own(pytester: pytest.Pytester) -> None:
    pytester.makeconftest("""
        def pytest_addoption(parser):
            parser.addoption("--probtest-epsilom")
            parser.addini("probtest_epsilom", "ours")
    """)
    pytester.makeini("[pytest]\nprobtest_epsilom = 7\n")
    pytester.makepyfile("def test_it(): pass")
    pytester.runpytest("--probtest-epsilom=1").assert_outcomes(passed=1)


def test_what_is_off_goes_with_everything() -> None:
    async def body() -> None:
        probtest.rng().random()

    assert probtest.check(body, p=0.1, concurrency=5, jobs=1, isolate=False).passed


def test_what_the_run_says_is_for_the_tests_that_can(run: Run) -> None:
    result = run(
        """
        import os, random, pytest

        @pytest.mark.probtest(p=0.1, batch=10)
        def test_batch(): return [random.random() < 1] * 10

        here = os.getpid()

        @pytest.mark.probtest(p=0.1, concurrency=5)
        async def test_waiting(probtest_rng):
            probtest_rng.random()
            assert os.getpid() == here
        """,
        *("--probtest-rate", "1000000/s", "--probtest-max-cost", "5", "--probtest-isolate"),
    )
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(
        [
            "note: ran here and not in its own process: executions that wait at the same time *",
            "  test_it.py::test_waiting",
        ]
    )
