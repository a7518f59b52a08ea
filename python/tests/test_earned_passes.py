"""Passes and skips that would say more than the executions have shown."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import probtest

from .conftest import Run, needs_subtests
from .words import arguments_of, error, no_violation, written


def test_a_marker_of_a_subclass_wins_over_that_of_its_base(counting: Run) -> None:
    result = counting("""
    @marked(p=0.5)
    class Base:
        def test_it(self): seen[type(self).__name__] += 1

    @marked(p=0.01)
    class TestStrict(Base): pass

    class TestPlain(Base): pass

    class TestBoth(TestStrict, TestPlain): pass

    @marked(epsilon=0.001)
    class TestEpsilon(TestStrict): pass

    def test_counts(): assert seen == {"TestStrict": 299, "TestPlain": 6, "TestBoth": 299, "TestEpsilon": 688}
    """)
    result.assert_outcomes(passed=5)


def test_options_that_a_near_marker_does_not_name_come_from_a_far_one(counting: Run) -> None:
    result = counting("""
    pytestmark = marked(epsilon=0.001)

    @marked(p=0.5)
    def test_one(): seen["one"] += 1

    @marked(p=0.1)
    class TestIt:
        def test_two(self): seen["two"] += 1

        @marked(p=0.25)
        def test_near(self): seen["near"] += 1

        # Another claim has nothing of that of the class but its epsilon.
        @marked(tolerate=0.05, p=0.5)
        def test_three(self): seen["three"] += 1

        @marked(claim=probtest.estimate(width=0.5))
        def test_four(self): random.random()

    @pytest.mark.parametrize("n", [1, pytest.param(2, marks=marked(p=0.25))])
    @marked(p=0.5)
    def test_five(n): seen[n] += 1

    @marked(p=0.5)
    def test_counts():
        assert seen["one"] == seen[1] == 11 and seen["two"] == 66 and seen["near"] == seen[2] == 25
    """)
    result.assert_outcomes(passed=8)


def test_two_markers_in_one_place_are_merged_or_refused(counting: Run) -> None:
    result = counting("""
    @marked(p=0.5)
    @marked(epsilon=0.001)
    def test_merged(): seen["merged"] += 1

    @marked(p=0.5)
    @marked(p=0.01)
    def test_refused(): pass

    def test_counts(): assert seen["merged"] == 11
    """)
    result.assert_outcomes(passed=2, errors=1)
    result.stdout.fnmatch_lines(error("two markers in one place disagree on p", "probtest(p=0.01), *"))


def test_a_marker_that_a_hook_adds_is_a_default_unless_it_is_put_first(
    counting: Run, pytester: pytest.Pytester
) -> None:
    pytester.makeconftest("""
        import pytest
        def pytest_collection_modifyitems(items):
            for item in items:
                if "first" in item.name:
                    item.add_marker(pytest.mark.probtest(p=0.01), append=False)
                elif "counts" not in item.name:
                    item.add_marker(pytest.mark.probtest(p=0.25))
    """)
    result = counting("""
    @marked(p=0.5)
    def test_first(): seen["first"] += 1

    @marked(p=0.5)
    def test_behind(): seen["behind"] += 1

    def test_default(): seen["default"] += 1

    def test_counts(): assert seen == {"first": 299, "behind": 6, "default": 11}
    """)
    result.assert_outcomes(passed=4)


@pytest.mark.parametrize("where", ["body", "fixture"])
def test_an_xfail_in_an_execution_rejects_it_and_is_not_remembered(counting: Run, where: str) -> None:
    source = """
    @pytest.fixture
    def maybe():
        number = random.random()
        if WHERE == "fixture" and number < 0.3: pytest.xfail("known")
        return number

    @marked(p=0.1)
    def test_it(maybe):
        seen["all"] += 1
        if WHERE == "body" and maybe < 0.3: pytest.xfail("known")
        seen["counted"] += 1

    def test_count(): assert seen["counted"] == 29
    """.replace("WHERE", repr(where))
    for _ in range(2):
        result = counting(source, "-v")
        result.assert_outcomes(passed=2)
        result.stdout.fnmatch_lines([no_violation("test_it", 29, rejected=True)])


def test_a_mark_that_an_execution_adds_is_about_that_execution(
    counting: Run, pytester: pytest.Pytester
) -> None:
    source = """
    @marked(p=0.1)
    def test_known(request):
        seen["known"] += 1
        if random.random() < 0.3:
            request.applymarker(pytest.mark.xfail(reason="known"))
            assert False
        if BUG and seen["known"] > 20: assert False, "new"

    @marked(p=0.1)
    def test_other_exception(request):
        if random.random() < 0.3:
            request.applymarker(pytest.mark.xfail(raises=KeyError))
            assert False

    @marked(p=0.1)
    def test_always(request):
        request.applymarker(pytest.mark.xfail(reason="always"))
        assert False
    """
    result = counting(source.replace("BUG", "False"), "--probtest-json", "facts.json", "-v")
    result.assert_outcomes(passed=1, failed=1, xfailed=1)
    result.stdout.fnmatch_lines([no_violation("test_known", 29, rejected=True)])
    assert set(written(pytester)[0]) == {"test_known", "test_other_exception"}
    counting(source.replace("BUG", "True"), "-k", "known").assert_outcomes(failed=1)


@pytest.mark.parametrize("where", ["body", "fixture", "module"])
@pytest.mark.parametrize("how", ["pytest.skip('no GPU')", "pytest.importorskip('nothing_here')"])
def test_a_first_execution_that_always_skips_skips_the_test(
    counting: Run, pytester: pytest.Pytester, where: str, how: str
) -> None:
    result = counting(
        f"""
    @pytest.fixture(scope={"module" if where == "module" else "function"!r})
    def needed():
        seen["asked"] += 1
        if {where != "body"}: {how}

    @marked(p=0.1)
    def test_it(needed):
        seen["asked"] += 1
        {how}

    def test_few(): assert seen["asked"] < 50
        """,
        "-rs",
        "--probtest-json=facts.json",
    )
    result.assert_outcomes(skipped=1, passed=1)
    result.stdout.fnmatch_lines(["SKIPPED * *no*"])
    assert written(pytester)[0] == {}


def test_skips_of_unittest_are_those_of_the_test_where_they_come_each_time(counting: Run) -> None:
    result = counting(
        """
    import unittest
    pytestmark = marked(p=0.5)

    @unittest.skip("whole")
    class Whole(unittest.TestCase):
        def test_it(self): pass

    class InSetUpClass(unittest.TestCase):
        @classmethod
        def setUpClass(cls): raise unittest.SkipTest("in setUpClass")
        def test_it(self): pass

    class InSetUp(unittest.TestCase):
        def setUp(self): self.skipTest("in setUp")
        def test_it(self): pass

    class Some(unittest.TestCase):
        @unittest.skip("never")
        def test_it(self): pass

        def test_drawn(self):
            if random.random() < 0.5: raise unittest.SkipTest("this one")
            seen["drawn"] += 1

        def test_expected(self): random.random()

        @unittest.expectedFailure
        def test_failure(self): self.fail()
        """,
        "-v",
    )
    result.assert_outcomes(passed=2, skipped=4, xfailed=1)
    result.stdout.fnmatch_lines([no_violation("Some::test_drawn", 6, rejected=True)])


def test_a_test_of_unittest_that_does_not_begin_is_not_torn_down(counting: Run) -> None:
    source = """
    import unittest

    @marked(p=P)
    class Case(unittest.TestCase):
        def test_it(self): pass
    """
    counting(source.replace("P)", "2)")).assert_outcomes(errors=1)
    late = source.replace("P)", "0.5)") + "\n    from probtest import sources\n    now = iter(range(10**9))\n"
    late += "    sources.clock = lambda: next(now) * 10**12\n"
    counting(late, "--probtest-suite-max-time", "1s").assert_outcomes(skipped=1)


def test_a_skip_that_may_depend_on_what_was_drawn_is_a_rejection(counting: Run) -> None:
    # 0.97^1000 = 6e-14: the chance that the first execution is never accepted.
    result = counting("""
    @marked(p=0.5)
    def test_rare():
        if random.random() < 0.97: pytest.skip("not this one")
        seen["rare"] += 1

    @marked(p=0.5)
    def test_never():
        random.random()
        pytest.skip("never")

    def test_count(): assert seen["rare"] == 6
    """)
    result.assert_outcomes(passed=2, skipped=1)


WRAPPING = """
    import functools
    def pytest_itemcollected(item):
        original = item.obj
        @functools.wraps(original)
        def wrapper(*args, **kwargs):
            item.module.wrapped.append(1)
            return original(*args, **kwargs)
        if "count" not in item.name:
            item.obj = wrapper
"""


def test_what_another_plugin_wraps_around_a_test_is_there_in_every_execution(
    run: Run, pytester: pytest.Pytester
) -> None:
    pytester.makeconftest(WRAPPING)
    source = """
        import pytest, unittest
        wrapped = []
        pytestmark = pytest.mark.probtest(p=0.5)

        def test_plain(): pass

        def test_fixture(tmp_path): assert not list(tmp_path.iterdir())

        class TestIt:
            def test_method(self, tmp_path):
                assert not vars(self)
                self.left = 1

        class Case(unittest.TestCase):
            def setUp(self): self.ready = True
            def test_unit(self):
                assert self.ready and not hasattr(self, "left")
                self.left = 1

        def test_count(): assert len(wrapped) == COUNT
    """
    # Before 8.2 pytest drops what is around a method of unittest.
    kinds = 4 if hasattr(pytest.Function, "_getinstance") else 3
    run(source.replace("COUNT", str(6 * kinds))).assert_outcomes(passed=5)


def test_items_that_cannot_be_repeated_are_refused_or_counted(run: Run, pytester: pytest.Pytester) -> None:
    doctest = '''
        def test_function(): pass

        def documented():
            """
            >>> 1 + 1
            2
            """
    '''
    everywhere = run(doctest, "--doctest-modules", "--probtest", "--probtest-p", "0.5")
    everywhere.assert_outcomes(passed=2)
    everywhere.stdout.fnmatch_lines(
        ["note: 1 item is not a test function and ran once, without a claim", "  test_it.py::test_it.*"]
    )
    pytester.makeconftest(
        "import pytest\n"
        "def pytest_collection_modifyitems(items):\n"
        "    for item in items: item.add_marker(pytest.mark.probtest(p=0.5))\n"
    )
    marked = run(doctest, "--doctest-modules", "--probtest-json", "facts.json")
    marked.assert_outcomes(passed=1, errors=1)
    marked.stdout.fnmatch_lines(error("this item cannot run several times*", "*a DoctestItem"))
    assert {test["verdict"] for test in written(pytester)[0].values()} == {"passed", "inconclusive"}


@pytest.mark.parametrize("marker", ["", "@marked(p=0.5)"])
@pytest.mark.parametrize("scope", ["function", "class"])
def test_a_marker_that_comes_too_late_is_an_error(counting: Run, marker: str, scope: str) -> None:
    result = counting(f"""
    class TestIt:
        @pytest.fixture(autouse=True, scope={scope!r})
        def late(self, request): request.node.add_marker(marked(p=0.01))

        {marker}
        def test_it(self): pass
    """)
    assert result.ret == 1
    result.stdout.fnmatch_lines(error("the marker was added after the test had started*"))


def test_a_test_that_another_plugin_executes_has_not_passed(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makeconftest("""
        import pytest
        @pytest.hookimpl(wrapper=True, tryfirst=True)
        def pytest_runtest_call(item):
            item.runtest = lambda: item.obj()
            return (yield)
    """)
    result = run("import pytest\n@pytest.mark.probtest(p=0.5)\ndef test_it(): pass\n")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(error("another plugin ran the test*"))


def test_the_decorator_fails_without_the_plugin(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        import probtest, pytest, random

        @probtest.probtest(p=0.5)
        def test_function(): random.random()

        @probtest.probtest(p=0.5)
        class TestIt:
            def test_method(self): random.random()

        @pytest.mark.asyncio
        @probtest.probtest(p=0.5)
        async def test_async(): random.random()
    """)
    options = ["-p", "no:randomly", "-p", "no:hypothesispytest", "-W", "ignore"]
    result = pytester.runpytest_subprocess(*options, "-v")
    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines([no_violation("test_async", 6)])
    without = pytester.runpytest_subprocess(*options, "-p", "no:probtest")
    without.assert_outcomes(errors=3)
    without.stdout.fnmatch_lines(["*fixture 'probtest_plugin_is_active' not found"])


def test_a_plugin_that_is_required_must_be_there(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nrequired_plugins = probtest")
    pytester.makepyfile("def test_it(): pass")
    assert pytester.runpytest_subprocess().ret == 0
    assert pytester.runpytest_subprocess("-p", "no:probtest").ret == pytest.ExitCode.USAGE_ERROR


@needs_subtests
def test_a_tolerated_violation_of_a_subtest_does_not_fail_the_run(
    counting: Run, pytester: pytest.Pytester
) -> None:
    result = counting(
        """
    import unittest

    @marked(tolerate=0.3, p=0.4)
    def test_it(subtests):
        with subtests.test("part"):
            assert random.random() < 0.75

    @marked(tolerate=0.3, p=0.4)
    class Case(unittest.TestCase):
        def test_unit(self):
            with self.subTest("part"):
                self.assertLess(random.random(), 0.75)
        """,
        "--probtest-json=facts.json",
    )
    assert result.ret == 0, result.stdout.str()
    result.assert_outcomes(passed=2)
    # Such a plan passes after 20 executions at the soonest; a quarter violates, and the seed is fixed.
    assert all(test["violated"] for test in written(pytester)[0].values())


@needs_subtests
def test_an_assumption_in_a_subtest_rejects_the_execution(counting: Run, pytester: pytest.Pytester) -> None:
    result = counting(
        """
    import unittest

    @marked(p=0.1)
    def test_it(subtests):
        with subtests.test("part"):
            probtest.assume(random.random() < 0.5)
            random.random()
        seen["it"] += 1

    @marked(p=0.1)
    class Case(unittest.TestCase):
        def test_unit(self):
            with self.subTest("part"):
                probtest.assume(random.random() < 0.5)
            seen["unit"] += 1

    @marked(p=0.1)
    def test_found_before(subtests):
        with subtests.test("part"):
            assert False
        probtest.assume(False)

    def test_counts(): assert seen == {"it": 29, "unit": 29}
        """,
        "--probtest-json=facts.json",
    )
    assert result.ret == 1
    facts, _ = written(pytester)
    assert {name: test["verdict"] for name, test in facts.items()} == {
        "test_it": "passed",
        "Case::test_unit": "passed",
        "test_found_before": "violated",
    }
    assert facts["test_it"]["rejected"]
    assert facts["Case::test_unit"]["rejected"]
    # The subtest that decided is told as pytest tells it, and the tests that count are right.
    result.stdout.fnmatch_lines(["*test_found_before*part*", "*SUBFAIL*test_found_before*"])


def test_an_execution_that_is_made_once_more_has_fresh_fixtures_and_takes_nothing_back(counting: Run) -> None:
    result = counting(
        """
    @pytest.fixture
    def fresh(): return []

    @marked(p=0.1)
    def test_again(fresh):
        assert not fresh, "not fresh"
        fresh.append(1)
        assert random.random() < 0.8, "too large"

    @marked(p=0.1)
    def test_skips(fresh):
        seen["skips"] += 1
        assert seen["skips"] != 3
        if seen["skips"] > 3: pytest.skip("by now")
        """,
        "--tb=short",
    )
    result.assert_outcomes(failed=2)
    result.stdout.no_fnmatch_line("*not fresh*")
    result.stdout.fnmatch_lines(["*too large*", "*did not violate when it ran again*"])


BUILTIN = ["tmp_path", "tmp_path_factory", "monkeypatch", "capsys", "capfd", "caplog", "recwarn"]
BUILTIN += ["cache", "pytestconfig", "record_property", "record_testsuite_property", "doctest_namespace"]
BUILTIN += ["capsysbinary", "record_xml_attribute", "probtest_rng", "probtest_batch", "tmpdir"]


@pytest.mark.parametrize("name", BUILTIN)
def test_fixtures_may_be_asked_for_by_name_in_every_execution(counting: Run, name: str) -> None:
    counting(
        f"""
    @pytest.fixture
    def asking(request): return request.getfixturevalue({name!r})

    @marked(p=0.5)
    def test_body(request):
        seen["body"] += 1
        found = request.getfixturevalue({name!r})
        if {name!r} == "tmp_path":
            assert not list(found.iterdir())
            (found / "file").touch()

    @marked(p=0.5)
    def test_fixture(request, asking):
        seen["fixture"] += 1
        request.getfixturevalue({name!r})

    def test_counts(): assert seen == {{"body": 6, "fixture": 6}}
    """,
        "-Wignore",
    ).assert_outcomes(passed=3)


def _run_line(result: pytest.RunResult, folder: Path) -> tuple[int, str]:
    """Copy the replay line of a run into a shell."""
    (line,) = [line for line in result.outlines if line.startswith("  replay ")]
    command = line.split(None, 1)[1].replace("pytest ", f"{shlex.quote(sys.executable)} -m pytest ", 1)
    environment = {name: text for name, text in os.environ.items() if not name.startswith("PROBTEST_")}
    done = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True)
    return done.returncode, done.stdout


DRAWING = """
    import pytest, random, warnings

    @pytest.mark.probtest
    def test_it():
        number = random.random()
        print("drew", number)
        assert number < 0.9
"""


@pytest.mark.parametrize(
    ("options", "variables"),
    [
        (["--probtest-p", "0.05"], {}),
        ([], {"PROBTEST_P": "0.05"}),
        (["-o", "probtest_p=0.05"], {}),
        (["-o", "python_functions=test_* check_*", "--pbug", "0.05"], {}),
        (["--p", "0.05"], {"PYTHONHASHSEED": "3"}),
        (["-c", "other.ini"], {}),
    ],
)
def test_a_replay_line_has_what_the_claim_needs(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, options: list[str], variables: dict[str, str]
) -> None:
    if "--pbug" in options:
        options = [word.replace("--pbug", "--Pbug") for word in options]
    for name, text in variables.items():
        monkeypatch.setenv(name, text)
    pytester.makefile(".ini", other="[pytest]\nprobtest_p = 0.05\n")
    pytester.makepyfile(test_it=DRAWING)
    first = pytester.runpytest("--probtest-seed", "1", "-p", "no:randomly", *options)
    first.assert_outcomes(failed=1)
    (drew,) = [line for line in first.outlines if line.startswith("drew ")]
    for name in variables:
        monkeypatch.delenv(name)
    code, said = _run_line(first, pytester.path)
    assert code == 1
    assert drew in said
    if "PYTHONHASHSEED" in variables:
        assert any("PYTHONHASHSEED=3 pytest " in line for line in first.outlines)


@pytest.mark.parametrize(
    "options",
    [["--size", "a b"], ["--size=3"], ["--quick", "."], ["--sizes", "1", "2", "--quick"]],
)
def test_a_replay_line_has_the_options_of_the_project(pytester: pytest.Pytester, options: list[str]) -> None:
    pytester.makeconftest("""
        def pytest_addoption(parser):
            parser.addoption("--size", default=None)
            parser.addoption("--sizes", nargs="*", default=None)
            parser.addoption("--quick", action="store_true")
    """)
    pytester.makepyfile(
        test_it="""
        import random, pytest
        @pytest.mark.probtest(p=0.05)
        def test_it(request):
            random.random()
            given = [request.config.getoption(name) for name in ("--size", "--sizes", "--quick")]
            assert given == [None, None, False], f"given {given}"
        """
    )
    first = pytester.runpytest("-p", "no:randomly", *options)
    first.assert_outcomes(failed=1)
    (given,) = [line for line in first.outlines if line.startswith("E       AssertionError: given")]
    code, said = _run_line(first, pytester.path)
    assert code == 1
    assert given in said


@pytest.mark.parametrize("ini", ["", "[pytest]\n"])
def test_the_numbers_do_not_depend_on_where_pytest_is_started(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, ini: str
) -> None:
    folder = pytester.mkdir("inner")
    (folder / "test_it.py").write_text(DRAWING.replace("\n    ", "\n"))
    if ini:
        pytester.makeini(ini)
    drawn = []
    for start, path in ((pytester.path, "inner/test_it.py"), (pytester.path, "."), (folder, "test_it.py")):
        monkeypatch.chdir(start)
        options = (
            "-p",
            "no:randomly",
            "-p",
            "no:cacheprovider",
            "--probtest-p",
            "0.05",
            "--probtest-seed",
            "1",
        )
        done = pytester.runpytest(path, *options)
        drawn.append([line for line in done.outlines if line.startswith("drew ")])
    assert drawn[0]
    assert drawn[0] == drawn[1] == drawn[2]


def test_a_replay_line_keeps_warnings_that_are_errors(run: Run) -> None:
    result = run(
        """
        import pytest, random, warnings

        @pytest.mark.probtest(p=0.1)
        def test_it():
            if random.random() < 0.3: warnings.warn("odd")
        """,
        "-Werror",
    )
    result.assert_outcomes(failed=1)
    words = arguments_of(result, "replay")
    assert words[words.index("-W") + 1] == "error"


def test_another_exception_is_not_called_an_assertion(run: Run, pytester: pytest.Pytester) -> None:
    run(
        """
        import pytest, probtest

        @pytest.mark.probtest(claim=probtest.mean(between=(0, 1), above=0.5, margin=0.1))
        def test_it(): raise ValueError("odd")
        """,
        "--probtest-json=facts.json",
    )
    assert "assertion" not in json.dumps(written(pytester)[0])


def test_outcomes_that_no_execution_reports_are_no_pass(counting: Run, pytester: pytest.Pytester) -> None:
    source = """
    @marked(outcomes=['1/6'] * 6)
    def test_silent(): random.random()

    @marked(outcomes=['1/6'] * 6)
    def test_returns_true(): return random.random() < 2
    """
    counting(source, "--probtest-json", "facts.json").assert_outcomes(failed=2)
    facts, _ = written(pytester)
    assert {name: test["verdict"] for name, test in facts.items()} == {
        "test_silent": "inconclusive",
        "test_returns_true": "inconclusive",
    }
    with pytest.raises(probtest.Inconclusive):
        probtest.check(lambda: None, outcomes=[0.5, 0.5], seed=1)


def test_an_outcome_that_is_not_claimed_is_explained_without_types_of_another_language(run: Run) -> None:
    result = run("""
        import pytest, probtest

        @pytest.mark.probtest(p=0.5)
        def test_it(): probtest.outcome(1)
    """)
    assert "Result" not in result.stdout.str()
    assert "()" not in "".join(line for line in result.outlines if "help" in line)


def test_an_execution_that_does_not_violate_again_names_what_was_not_seeded(run: Run) -> None:
    # The chance that a number comes twice is 2^-53.
    source = """
        import numpy, pytest

        seen = []

        @pytest.mark.probtest(p=0.5)
        def test_unseeded():
            seen.append(numpy.random.default_rng().random())
            assert len(seen) < 3 or seen[-1] != seen[2]
    """
    for _ in range(2):
        result = run(source)
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(
            [
                "*violated at execution 3 of 6",
                "*again     did not violate when it ran again alone: * unseeded sources: "
                "numpy.random.default_rng() without a seed, at test_it.py:7*",
                "*rerun     pytest *",
            ]
        )
        result.stdout.no_fnmatch_line("*  replay *")
