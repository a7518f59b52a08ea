"""Subtests: a test is one item, and only the execution that decides reports its subtests."""

from __future__ import annotations

import gc
import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest

from .conftest import Run, needs_subtests, without_others

pytestmark = needs_subtests

#: Both kinds of subtests: of the fixture, and of unittest.
BODIES = """
    import random, unittest, pytest, probtest

    def parts(sub, limit):
        for number in range(3):
            with sub(str(number)):
                assert random.random() >= 0
        with sub("last"):
            assert random.random() > limit
"""


def reported(result: pytest.RunResult) -> list[str]:
    """Return the words by which pytest has reported subtests, in their order; words differ by its version."""
    words = [word for line in result.outlines for word in line.split() if word.startswith("SUB")]
    return ["failed" if "FAIL" in word else "skipped" if "SKIP" in word else "passed" for word in words]


def in_junit(pytester: pytest.Pytester) -> int:
    """Return how many tests JUnit's file counts."""
    (suite,) = ElementTree.parse(pytester.path / "junit.xml").getroot().iter("testsuite")
    return int(suite.attrib["tests"])


@pytest.mark.parametrize(
    "options", [(), ("--probtest-jobs", "2"), ("--probtest-isolate",), ("-n", "1")], ids=str
)
@pytest.mark.parametrize(
    "test",
    [
        "def test_it(subtests): parts(subtests.test, {limit})",
        "class Case(unittest.TestCase):\n        def test_it(self): parts(self.subTest, {limit})",
    ],
    ids=["fixture", "unittest"],
)
def test_only_the_deciding_execution_reports_its_subtests(
    pytester: pytest.Pytester, test: str, options: tuple[str, ...]
) -> None:
    if "-n" in options:
        pytest.importorskip("xdist")
    for limit, expected in ((-1, []), (0.3, ["passed", "passed", "passed", "failed"])):
        marked = f"\n    @pytest.mark.probtest(p=0.05)\n    {test.format(limit=limit)}\n"
        pytester.makepyfile(test_it=BODIES + marked)
        others = without_others("xdist") if "-n" in options else without_others()
        shared = ("--probtest-seed", "1", "-v", "-rN", "-p", "no:cacheprovider")
        result = pytester.runpytest_subprocess(*others, *shared, "--junit-xml=junit.xml", *options)
        assert reported(result) == expected
        # The test itself, and what it has reported.
        assert in_junit(pytester) == 1 + len(expected)
        summary = result.outlines[-1]
        assert ("subtest" in summary) == bool(expected)
        assert result.ret == (1 if expected else 0)


def test_reports_of_subtests_do_not_pile_up(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makeconftest("""
        import gc, pytest

        @pytest.hookimpl(trylast=True)
        def pytest_runtest_logreport(report):
            if report.when == "call":
                gc.collect()
                alive = gc.get_objects()
                count = sum(isinstance(one, pytest.TestReport) for one in alive)
                print("alive", count)
    """)
    source = f"""{BODIES}
    @pytest.mark.probtest(p=0.005)
    def test_it(subtests): parts(subtests.test, -1)
    """
    result = run(source, "-s")
    result.assert_outcomes(passed=1)
    # Those of one execution, of set-up and call, and of the outer run: 598 executions would have 2392.
    gc.collect()
    (count,) = [int(line.split()[-1]) for line in result.outlines if "alive" in line]
    outer = sum(isinstance(one, pytest.TestReport) for one in gc.get_objects())
    assert count - outer < 20


def test_an_execution_that_fails_after_its_subtests_reports_them_and_no_earlier_ones(run: Run) -> None:
    result = run(
        f"""{BODIES}
    seen = []

    @pytest.mark.probtest(tolerate=0.01, p=0.5, epsilon=0.1, false_alarm=0.01, shrink=False)
    def test_it(subtests):
        seen.append(1)
        random.random()
        with subtests.test(f"number {{len(seen)}}"):
            assert len(seen) > 1
        assert False, f"number {{len(seen)}} ends the test"
    """,
        "-v",
        "-rN",
        "--probtest-confirm=no",
    )
    assert reported(result) == ["passed"]
    (line,) = [line for line in result.outlines if "SUBPASS" in line]
    (failure,) = [line for line in result.outlines if line.startswith("E ") and "ends the test" in line]
    assert line.split("number ")[1].split("]")[0] == failure.split("number ")[1].split()[0]


def test_an_execution_with_a_failed_subtest_that_also_raises_reports_both(run: Run) -> None:
    result = run(
        f"""{BODIES}
    @pytest.mark.probtest(p=0.1)
    def test_it(subtests):
        random.random()
        with subtests.test("first"): assert 1 == 2
        assert 3 == 4
    """,
        "-v",
        "-rN",
    )
    assert reported(result) == ["failed"]
    words = "1 of its subtests failed, see above: AssertionError"
    result.stdout.fnmatch_lines(["E*assert 1 == 2", words, ">*assert 3 == 4", "E*assert 3 == 4"])


def test_other_plugins_hear_of_what_is_reported_after_a_body(run: Run, pytester: pytest.Pytester) -> None:
    """Nobody is left out once the subtests are over, whatever a body does in between."""
    pytester.makeconftest("""
        heard = []

        def pytest_runtest_logreport(report):
            heard.append((report.nodeid.split("::")[-1], report.when, type(report).__name__))

        def pytest_sessionfinish():
            print("heard", *heard)
    """)
    result = run(
        f"""{BODIES}
    @pytest.mark.probtest(p=0.1)
    def test_rejects(subtests):
        with subtests.test("part"): probtest.assume(random.random() < 0.5)
        with subtests.test("part"): pytest.skip("this part")

    def test_plain(subtests):
        with subtests.test("part"): pass
    """,
        "-s",
    )
    heard: Any = next(line for line in result.outlines if "heard" in line)
    assert [word for word in ("test_rejects", "test_plain") for _ in range(heard.count(f"'{word}'"))] == [
        *["test_rejects"] * 3,
        *["test_plain"] * 4,
    ]


def test_an_explicit_example_that_fails_reports_its_subtests(run: Run) -> None:
    pytest.importorskip("hypothesis")
    result = run(
        f"""{BODIES}
    from hypothesis import example, given, strategies as st

    @pytest.mark.probtest(p=0.1)
    @example(7)
    @given(number=st.integers())
    def test_it(subtests, number):
        with subtests.test("part"): assert number != 7
    """,
        "-v",
        "-rN",
    )
    assert reported(result) == ["failed"]
    result.stdout.fnmatch_lines(["E*assert 7 != 7", "*1 of its subtests failed, see above*"])
