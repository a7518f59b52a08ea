"""Surprises that were met once: odd returns, odd folders, odd fixtures."""

from __future__ import annotations

import os

import pytest

from .conftest import WITHOUT_OTHERS, Run, needs_subtests
from .test_verdicts import SEVEN
from .words import arguments_of, fact, no_violation, replay_line, violated_again, written


def test_a_violation_is_shown_when_pytest_is_started_in_another_folder(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makeini("[pytest]\n")
    folder = pytester.mkdir("inner")
    (folder / "test_it.py").write_text(
        "import pytest\n@pytest.mark.probtest(p=0.1)\ndef test_it(): assert 1 > 2\n"
    )
    monkeypatch.chdir(folder)
    result = pytester.runpytest(*WITHOUT_OTHERS, "--probtest-seed", "1")
    result.stdout.fnmatch_lines(["E * assert 1 > 2", replay_line("test_it", "0x1:1")])
    again = pytester.runpytest(*WITHOUT_OTHERS, "test_it.py::test_it", "--probtest-replay", "0x1:1")
    again.assert_outcomes(failed=1)


def test_the_replay_line_has_the_root_folder_that_was_given(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(SEVEN)
    root = str(pytester.path.parent)
    result = pytester.runpytest(*WITHOUT_OTHERS, "--probtest-seed", "1", "--rootdir", root)
    again = pytester.runpytest(*WITHOUT_OTHERS, *arguments_of(result, "replay"))
    again.assert_outcomes(failed=1)
    again.stdout.fnmatch_lines(["E       assert 7 != 7"])


def test_a_folder_that_pytest_has_not_made_is_never_removed(run: Run, pytester: pytest.Pytester) -> None:
    precious = pytester.mkdir("precious")
    run("""
        import pathlib, pytest

        @pytest.fixture
        def tmp_path(): return pathlib.Path(__file__).parent / "precious"

        @pytest.mark.probtest(p=0.1)
        def test_it(tmp_path): assert tmp_path.exists()
    """).assert_outcomes(passed=1)
    assert precious.exists()


@pytest.mark.parametrize(
    "body",
    [
        "import numpy\n    return numpy.all(numpy.array([1]) < 0)",
        "async def inner(): assert False\n    return inner()",
        "return (x for x in [1])",
        # Written for batches, without `batch`.
        "import numpy\n    return numpy.ones(5, bool)",
        "return [True, False]",
        "return (False,)",
    ],
)
def test_what_is_returned_is_never_a_silent_pass(run: Run, body: str) -> None:
    source = f"import pytest\n@pytest.mark.probtest(p=0.1)\ndef test_it():\n    {body}\n"
    run(source, "-W", "ignore").assert_outcomes(failed=1)
    # Nor in a replay.
    run(source, "-W", "ignore", "--probtest-replay", "0x1:3").assert_outcomes(failed=1)


def test_another_value_that_is_returned_is_warned_about_and_in_doubt(run: Run) -> None:
    source = "import random, pytest\n@pytest.mark.probtest(p=0.1)\ndef test_it(): return random.random()\n"
    result = run(source)
    result.assert_outcomes(passed=1, warnings=1)
    result.stdout.fnmatch_lines(
        ["*neither None nor a bool*", "doubt: the body returned*which is not checked*"]
    )
    strict = run(source, "-W", "ignore", "--probtest-strict")
    strict.assert_outcomes(failed=1)


def test_false_from_unittest_and_async_tests_is_a_violation(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        import unittest, pytest

        class Case(unittest.TestCase):
            @pytest.mark.probtest(p=0.1)
            def test_it(self): return False

        @pytest.mark.asyncio
        @pytest.mark.probtest(p=0.1)
        async def test_async(): return False

        @pytest.mark.asyncio
        @pytest.mark.probtest(outcomes=["1/2", "1/2"])
        async def test_outcome(): return 0
    """)
    pytester.runpytest("-p", "no:randomly", "-W", "ignore").assert_outcomes(failed=3)


@needs_subtests
def test_a_failed_subtest_violates_its_execution(run: Run, pytester: pytest.Pytester) -> None:
    result = run(
        """
        import random, unittest, pytest

        @pytest.mark.probtest(p=0.1)
        def test_it(subtests):
            with subtests.test("part"):
                assert random.random() < 0.5

        @pytest.mark.probtest(p=0.1)
        class Case(unittest.TestCase):
            def test_unit(self):
                with self.subTest("part"):
                    self.assertLess(random.random(), 0.5)
        """,
        "--probtest-json=facts.json",
    )
    assert result.ret == 1
    assert {facts["verdict"] for facts in written(pytester)[0].values()} == {"violated"}


def test_a_lazily_imported_module_is_seeded_in_replays_and_remembered_executions(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile("""
        import pytest

        @pytest.mark.probtest(p=0.1)
        def test_it():
            import numpy
            value = numpy.random.random()
            print("value", value)
            assert value < 0.8
    """)
    options = ["-p", "no:randomly", "-p", "no:hypothesispytest", "-p", "no:pytest_cov"]
    first = pytester.runpytest_subprocess(*options, "--probtest-seed", "1")
    (value,) = [line for line in first.outlines if line.startswith("value ")]
    again = pytester.runpytest_subprocess(*options, *arguments_of(first, "replay"))
    again.assert_outcomes(failed=1)
    again.stdout.fnmatch_lines([value])
    fresh = pytester.runpytest_subprocess(*options)
    fresh.stdout.fnmatch_lines([violated_again()])


def test_a_fixture_may_reject(run: Run) -> None:
    source = """
        import random, pytest, probtest

        @pytest.fixture
        def even():
            number = random.randrange(10)
            probtest.assume(number % 2 == 0)
            return number

        @pytest.mark.probtest(p=0.1)
        def test_it(even): assert even % 2 == 0
        """
    result = run(source, "-v")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines([no_violation("test_it", 29, rejected=True)])


def test_an_error_in_the_first_set_up_can_be_replayed(run: Run) -> None:
    source = """
        import random, pytest

        @pytest.fixture
        def fragile(): raise RuntimeError(f"drew {random.random()}")

        @pytest.mark.probtest(p=0.1)
        def test_it(fragile): pass
        """
    result = run(source)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["probtest: the setup of execution 1 of 29 failed", fact("replay", "pytest *0x1:1")]
    )
    (drew,) = [line for line in result.outlines if line.startswith("E   ") and "drew" in line]
    run(source, "--probtest-replay", "1:1").stdout.fnmatch_lines([drew])


def test_session_fixtures_draw_the_same_whoever_asks_first(run: Run) -> None:
    source = """
        import random, pytest

        @pytest.fixture(scope="session")
        def world(): return random.random()

        def test_first(world): print("world", world)

        @pytest.mark.probtest(p=0.1, seed=7)
        def test_it(world):
            print("world", world)
            assert random.random() < 0.5
        """

    def worlds(*options: str) -> set[str]:
        return {line for line in run(source, *options).outlines if line.startswith("world ")}

    assert worlds("-rA") == worlds("-rA", "test_it.py::test_it")


def test_logs_of_fixtures_are_not_those_of_the_body(run: Run) -> None:
    run("""
        import logging, random, pytest

        @pytest.fixture
        def loud(): logging.warning("set-up")

        @pytest.mark.probtest(p=0.1)
        def test_it(loud, caplog):
            assert random.random() < 1
            assert not caplog.records
    """).assert_outcomes(passed=1)


def test_what_pytest_keeps_of_each_execution_does_not_grow(run: Run, pytester: pytest.Pytester) -> None:
    run(
        """
        import random, warnings, pytest

        @pytest.fixture(scope="session")
        def widest(): return 1

        @pytest.fixture(scope="module")
        def wide(widest): return 1

        @pytest.fixture
        def narrow(wide): return wide

        def look(request):
            known = request._pyfuncitem._fixtureinfo.name2fixturedefs
            ends = [definition._finalizers for name in ("wide", "widest") for definition in known[name]]
            ends += [finalizers for finalizers, _ in request.session._setupstate.stack.values()]
            assert max(map(len, ends)) < 12

        @pytest.mark.probtest(p=0.001)
        def test_it(narrow, record_property, request):
            record_property("drawn", random.random())
            warnings.warn(f"number {random.random()}")
            look(request)

        @pytest.mark.probtest(p=0.1, concurrency=2, threads=True)
        def test_at_once(narrow, request): look(request)
        """,
        "--junitxml=report.xml",
    ).assert_outcomes(passed=2, warnings=100)
    assert os.path.getsize(pytester.path / "report.xml") < 5000


def test_wider_fixtures_end_once_also_where_a_later_execution_asks_for_them(run: Run) -> None:
    result = run(
        """
        import pytest

        executed = []

        @pytest.fixture(scope="module")
        def outer():
            yield
            print("\\nouter ends")

        @pytest.fixture(scope="module")
        def inner(outer):
            yield
            print("\\ninner ends")

        @pytest.fixture
        def narrow(): pass

        @pytest.mark.probtest(p=0.1)
        def test_it(narrow, request):
            executed.append(1)
            if len(executed) > 2: request.getfixturevalue("inner")
        """,
        "-s",
    )
    result.assert_outcomes(passed=1)
    ends = [line for line in result.outlines if line.endswith("ends")]
    assert ends == ["inner ends", "outer ends"]


def test_xfail_does_not_hide_a_claim_that_makes_no_sense(run: Run) -> None:
    result = run("import pytest\n@pytest.mark.xfail\n@pytest.mark.probtest(p=2)\ndef test_it(): pass\n")
    result.assert_outcomes(errors=1)


def test_a_plugin_may_rerun_the_whole_test(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makeconftest("""
        from _pytest.runner import runtestprotocol

        def pytest_runtest_protocol(item, nextitem):
            item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
            for _ in range(2):
                item._initrequest()
                runtestprotocol(item, nextitem=nextitem)
            return True
    """)
    result = run(SEVEN)
    result.assert_outcomes(failed=2)
    assert result.stdout.str().count("E       assert 7 != 7") == 2


def test_a_boolean_in_an_array_without_dimensions_is_a_boolean(run: Run) -> None:
    # torch's booleans are numbers too: False must not become outcome 0.
    run("""
        import pytest

        class Truth:
            ndim, dtype = 0, "torch.bool"
            def __init__(self, value): self.value = value
            def __bool__(self): return self.value
            def __index__(self): return int(self.value)

        @pytest.mark.probtest(p=0.5)
        def test_violated(): return Truth(False)

        @pytest.mark.probtest(outcomes=[0.5, 0.5])
        def test_no_outcome(): return Truth(False)

        @pytest.mark.probtest(outcomes=[0.5, 0.5], batch=5)
        def test_no_outcome_in_a_batch(): return [Truth(False)] * 5

        @pytest.mark.probtest(p=0.5)
        def test_passed(): return Truth(True)
    """).assert_outcomes(passed=1, failed=3)
