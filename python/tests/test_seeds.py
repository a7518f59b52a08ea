"""Seeds, replay, memory."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable

import numpy
import pytest

from probtest.sources import _random_source

from .conftest import WITHOUT_OTHERS, Run
from .test_verdicts import SEVEN
from .words import COPIES, NO_LONGER_VIOLATES, NOT_THE_PLAN, index_of, no_violation, violated_again, written


@pytest.mark.parametrize("seed", [0, 1, 0x5EED, 2**32, 2**64 - 1])
def test_random_is_seeded_as_its_own_seed_does(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def begun(function: Callable[[int], object]) -> object:
        # The second number of a pair that is drawn together must not be left over.
        random.gauss(0, 1)
        function(seed)
        return random.getstate()

    before = random.getstate()
    ours, _ = _random_source().seeder
    assert begun(ours) == begun(random.seed)
    random.setstate(before)
    # Where another generator is in its place, that one is asked.
    asked: list[int] = []
    monkeypatch.setattr(random, "seed", asked.append)
    _random_source().seeder[0](seed)
    assert asked == [seed]


def test_random_and_numpy_draw_the_same_for_the_same_seed(run: Run) -> None:
    source = """
        import random, pytest, numpy

        @pytest.mark.probtest(p=0.5)
        def test_it(probtest_rng):
            with open("drawn", "a") as file:
                print(random.random(), numpy.random.random(), probtest_rng.random(), file=file)
        """
    for _ in range(2):
        run(source).assert_outcomes(passed=1)
    with open("drawn") as file:
        lines = file.read().splitlines()
    assert len(lines) == 12
    assert lines[:6] == lines[6:]
    numbers = {number for line in lines[:6] for number in line.split()}
    assert len(numbers) == 18


def test_a_fresh_run_has_another_seed(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        import random, pytest

        @pytest.mark.probtest(p=0.5)
        def test_it():
            with open("drawn", "a") as file:
                print(random.random(), file=file)
    """)
    for _ in range(2):
        pytester.runpytest("-p", "no:randomly").assert_outcomes(passed=1)
    lines = (pytester.path / "drawn").read_text().splitlines()
    assert len(set(lines)) == 12


def test_replay_executes_exactly_the_execution_that_decided(run: Run) -> None:
    index = index_of(run(SEVEN))
    again = run(SEVEN, "--probtest-replay", f"0x1:{index}", "test_it.py::test_no_seven")
    again.assert_outcomes(failed=1)
    again.stdout.fnmatch_lines(["*replaying execution*", "E       assert 7 != 7", "drew 7", NOT_THE_PLAN])
    other = run(SEVEN, "--probtest-replay", f"0x1:{index - 1}")
    other.assert_outcomes(passed=1)
    other.stdout.fnmatch_lines([NOT_THE_PLAN])


def test_a_replay_of_several_tests_never_passes(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    source = """
        import random, pytest

        @pytest.mark.probtest(p=0.5)
        def test_first(): random.random()

        @pytest.mark.probtest(p=0.5)
        def test_second(): random.random()

        def test_without_a_claim(): pass
    """
    monkeypatch.setenv("PROBTEST_REPLAY", "1:1")
    result = run(source)
    result.assert_outcomes(failed=2, passed=1)
    result.stdout.fnmatch_lines(
        [
            "probtest: execution 0x1:1 passed, but that is not the plan, and several tests are selected",
            "  help      name the test, as in pytest test_it.py::test_first --probtest-replay 0x1:1; *",
        ]
    )
    run(source, "-k", "first").assert_outcomes(passed=1, deselected=2)


def test_a_replay_that_names_its_test_leaves_the_others_to_their_plans(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The third part is that of test_it.py::test_one, as under cargo.
    monkeypatch.setenv("PROBTEST_REPLAY", "0x1:2:27b72ac9")
    result = run(
        """
        import random, pytest
        one, other = [], []

        @pytest.mark.probtest(p=0.5)
        def test_one(): one.append(random.random())

        @pytest.mark.probtest(p=0.5)
        def test_other(): other.append(random.random())

        def test_counts(): assert (len(one), len(other)) == (1, 6)
    """,
        "-p",
        "no:randomly",
    )
    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(
        ["probtest: replaying execution 2 of seed 0x1 alone; other tests run as usual", NOT_THE_PLAN]
    )


def test_a_replay_that_names_no_test_of_the_run_says_that_plans_were_executed(run: Run) -> None:
    source = """
        import random, pytest
        calls = []

        @pytest.mark.probtest(p=0.5)
        def test_one(): calls.append(random.random())

        def test_count(): assert len(calls) == 6
    """
    result = run(source, "-p", "no:randomly", "--probtest-replay", "0x5:1:deadbeef")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["warning: the replay names no test of this run, so every test ran its plan"])
    result.stdout.no_fnmatch_line(f"*{NOT_THE_PLAN}*")


def test_a_remembered_counterexample_is_written_with_the_seed_of_its_run(pytester: pytest.Pytester) -> None:
    source = """
        import random, pytest

        @pytest.mark.probtest(p=0.02)
        def test_it(): assert random.random() < 0.9
    """
    pytester.makepyfile(test_it=source)
    pytester.runpytest(*WITHOUT_OTHERS, "--probtest-seed", "3").assert_outcomes(failed=1)
    # Not under a fixed seed: there only counterexamples of that seed come first.
    pytester.runpytest(*WITHOUT_OTHERS, "--probtest-json", "facts.json").assert_outcomes(failed=1)
    facts = written(pytester)[0]["test_it"]
    assert facts["remembered"]["kind"] == "again"
    assert facts["seed"] == "0x3"
    assert facts["address"] == f"0x3:{facts['index']}"


def test_replay_with_function_and_session_fixtures_repeats_their_draws(run: Run) -> None:
    source = """
        import random, pytest

        @pytest.fixture(scope="session")
        def offset(): return random.randrange(1000)

        @pytest.fixture
        def die(): return random.randint(1, 6)

        @pytest.mark.probtest(p=0.1)
        def test_before(offset): assert offset >= 0

        @pytest.mark.probtest(p=0.1)
        def test_it(offset, die):
            print("offset", offset)
            assert die < 6
        """
    result = run(source, "--probtest-seed", "2")
    result.assert_outcomes(passed=1, failed=1)
    (offset,) = [line for line in result.outlines if re.fullmatch(r"offset \d+", line)]
    index = index_of(result)
    assert index > 1
    again = run(source, "--probtest-replay", f"2:{index}", "test_it.py::test_it")
    again.assert_outcomes(failed=1)
    again.stdout.fnmatch_lines(["E       assert 6 < 6", offset])


UNTIL_FIXED = """
    import os, random, pytest

    @pytest.mark.probtest(p=0.01, epsilon=0.02)
    def test_it():
        number = random.randrange(50)
        assert number != 7 or "FIXED" in os.environ
"""


@pytest.mark.parametrize("by_a_change", [True, False])
def test_a_counterexample_is_executed_first_next_time_and_forgotten_when_fixed(
    run: Run, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, by_a_change: bool
) -> None:
    index = index_of(run(UNTIL_FIXED))
    fresh = pytester.runpytest("-p", "no:randomly")
    fresh.assert_outcomes(failed=1)
    short = f"FAILED test_it.py::test_it - remembered execution {index} fails again: *"
    fresh.stdout.fnmatch_lines([violated_again(f"0x1:{index}"), short])
    if by_a_change:
        file = pytester.path / "test_it.py"
        file.write_text(file.read_text().replace("number != 7", "number != 70"))
    else:
        monkeypatch.setenv("FIXED", "1")
    fixed = pytester.runpytest("-p", "no:randomly", "-v")
    fixed.assert_outcomes(passed=1)
    # What did not change was not fixed.
    became = (
        "no longer violates" if by_a_change else "did not violate, although the program has not changed: *"
    )
    first = "*::test_it: the counterexample from an earlier run ran first and "
    fixed.stdout.fnmatch_lines([no_violation("test_it", 390), first + became])
    later = pytester.runpytest("-p", "no:randomly", "-v")
    later.stdout.no_fnmatch_line("*counterexample from an earlier run*")


def test_counterexamples_of_the_source_stay_and_those_that_are_off_are_not_kept(
    run: Run, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = index_of(run(UNTIL_FIXED, "--probtest-memory", "source"))
    (file,) = (pytester.path / "probtest-regressions").iterdir()
    head, line = file.read_text().splitlines()
    address, _, tape = line.partition(" ")
    assert head.startswith("# Executions that violated test_it.py::test_it.")
    assert address == f"0x1:{index}"
    assert tape.startswith("t1.")
    monkeypatch.setenv("FIXED", "1")
    fixed = pytester.runpytest("-p", "no:randomly", "-v", "--probtest-memory", "source")
    fixed.assert_outcomes(passed=1)
    fixed.stdout.no_fnmatch_line("*counterexample from an earlier run*")
    assert file.exists()
    monkeypatch.delenv("FIXED")
    again = pytester.runpytest("-p", "no:randomly", "--probtest-memory", "source")
    again.stdout.fnmatch_lines([violated_again(f"0x1:{index}")])
    file.unlink()
    for _ in range(2):
        off = run(UNTIL_FIXED, "--probtest-memory", "off")
        off.stdout.fnmatch_lines([f"*violated at execution {index} of 390*"])
    assert list((pytester.path / "probtest-regressions").iterdir()) == []


def test_states_are_restored_after_the_test(run: Run) -> None:
    random.seed(5)
    numpy.random.seed(5)
    before = random.getstate(), numpy.random.get_state()[1].tolist()
    run(SEVEN)
    assert random.getstate() == before[0]
    assert numpy.random.get_state()[1].tolist() == before[1]


def test_a_module_imported_in_the_body_is_seeded_from_the_first_execution_on(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile("""
        import pytest

        @pytest.mark.probtest(p=0.5)
        def test_it():
            import numpy
            with open("drawn", "a") as file:
                print(numpy.random.random(), file=file)
    """)
    for _ in range(2):
        options = ("-p", "no:randomly", "-p", "no:hypothesispytest", "--probtest-seed", "1")
        pytester.runpytest_subprocess(*options).assert_outcomes(passed=1)
    lines = (pytester.path / "drawn").read_text().splitlines()
    # The first execution, in which numpy was not seeded yet, is drawn again.
    assert len(lines) == 14
    assert lines[1:7] == lines[8:14]


def test_the_hook_seeds_other_sources(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makeconftest("""
        seeds = []

        def pytest_probtest_seed(item, seed, index): seeds.append((item.name, index, seed))
    """)
    run("""
        import pytest, conftest

        @pytest.mark.probtest(p=0.5)
        def test_it(): pass

        def test_seeds():
            assert [index for _, index, _ in conftest.seeds] == [1, 2, 3, 4, 5, 6]
            assert len({seed for *_, seed in conftest.seeds}) == 6
    """).assert_outcomes(passed=2)


def test_the_generator_fixture_works_in_unmarked_tests(run: Run) -> None:
    run("def test_it(probtest_rng): assert 0 <= probtest_rng.random() < 1").assert_outcomes(passed=1)


def test_without_numpy_and_matplotlib_the_generator_is_one_of_random(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        numpy="raise ImportError('no numpy here')",
        matplotlib="raise ImportError('no matplotlib here')",
        test_it="""
        import random, pytest

        @pytest.mark.probtest(p=0.5)
        def test_it(probtest_rng):
            assert isinstance(probtest_rng, random.Random)
            assert 0 <= probtest_rng.random() < 1
            assert 1 <= probtest_rng.randint(1, 6) <= 6
            assert len(probtest_rng.sample(range(10), 3)) == 3
        """,
    )
    pytester.syspathinsert()
    options = ("-p", "no:randomly", "-p", "no:hypothesispytest", "-p", "no:pytest_cov")
    pytester.runpytest_subprocess(*options).assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("more", "body"),
    [("", "random.random()"), ("", "probtest.assume(False)"), (", batch=3", "return [random.random()]")],
)
def test_a_replay_that_shows_no_violation_is_not_what_xfail_expects(run: Run, more: str, body: str) -> None:
    # Two tests are selected, so that one that passes is no pass.
    result = run(
        f"""
        import probtest, pytest, random

        @pytest.mark.xfail
        @pytest.mark.probtest(p=0.1{more})
        def test_one(): {body}

        @pytest.mark.xfail
        @pytest.mark.probtest(p=0.1)
        def test_other(): random.random()
        """,
        "--probtest-replay",
        "0x1:5",
    )
    result.assert_outcomes(failed=2)


@pytest.mark.parametrize("memory", [(), ("--probtest-memory", "folder")])
def test_a_program_is_the_same_whatever_is_imported_when_it_is_asked(
    pytester: pytest.Pytester, memory: tuple[str, ...]
) -> None:
    pytester.makeini("[pytest]")
    pytester.makepyfile(
        test_it="""
        import os, random, pytest
        @pytest.mark.probtest(p=0.05)
        def test_it():
            import late
            assert os.path.exists("passes") or late.number() < 0.2
        """,
        test_other="import other",
        other="",
        late="import random\ndef number(): return random.random()",
    )

    def run(*arguments: str) -> pytest.RunResult:
        return pytester.runpytest_subprocess("-v", "-p", "no:randomly", *memory, *arguments)

    # 0.2 ** 59 < 1e-40.
    run().assert_outcomes(failed=1)
    passes = pytester.path / "passes"
    passes.touch()
    # Written again, as by a checkout, and another module is not imported this time.
    (pytester.path / "late.py").write_text((pytester.path / "late.py").read_text())
    os.utime(pytester.path / "late.py", (1, 1))
    result = run("test_it.py")
    result.stdout.fnmatch_lines(["*did not violate, although the program has not changed*"])
    result.stdout.no_fnmatch_line(NO_LONGER_VIOLATES)
    passes.unlink()
    run().assert_outcomes(failed=1)
    passes.touch()
    with (pytester.path / "late.py").open("a") as late:
        late.write("\n")
    run("test_it.py").stdout.fnmatch_lines([NO_LONGER_VIOLATES])


def test_a_remembered_execution_does_not_count_as_the_first_one_that_drew(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        import os, numpy, pytest
        @pytest.mark.probtest(p=0.05)
        def test_it(): assert os.environ.get("PASSES") or numpy.arange(3).sum() == 4
    """)
    pytester.runpytest("-p", "no:randomly").assert_outcomes(failed=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PASSES", "1")
        result = pytester.runpytest("-p", "no:randomly")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines([COPIES])
