"""Journals and shards: runs that die and go on, and parts that are merged."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest

import probtest
from probtest import _native
from probtest.planning import given_by
from probtest.sources import Sources, Surroundings

from .command import probtest as command
from .conftest import WITHOUT_OTHERS

SUITE = """
    import os, random, signal, time
    import pytest
    import probtest

    calls = 0

    def work():
        # A millisecond, so that a journal is written now and then.
        global calls
        calls += 1
        if os.environ.get("DIES") == str(calls):
            os.kill(os.getpid(), signal.SIGKILL)
        end = time.perf_counter() + 0.001
        while time.perf_counter() < end:
            pass

    @pytest.fixture(scope="module")
    def wide():
        return random.random()

    @pytest.fixture
    def fresh(wide):
        return random.random() + wide * 1e-9

    @pytest.mark.probtest(p=0.02)
    def test_passes(fresh):
        work()
        assert fresh < 2

    @pytest.mark.probtest(p=0.02)
    def test_violates(fresh):
        work()
        assert fresh > 0.01, f"drew {fresh}"

    @pytest.mark.probtest(tolerate=0.02, p=0.1)
    def test_tolerates():
        work()
        probtest.assume(random.random() > 0.1)
        assert random.random() > 0.01

    @pytest.mark.probtest(tolerate=0.01, p=0.1, shrink=False)
    def test_does_not_tolerate():
        work()
        drawn = random.random()
        assert drawn > 0.3

    @pytest.mark.probtest(claim=probtest.mean(between=(0, 1), within=(0.45, 0.55), margin=0.2))
    def test_mean():
        work()
        return random.random()

    @pytest.mark.probtest(p=0.01, batch=50)
    def test_batch(probtest_rng, probtest_batch):
        work()
        return [probtest_rng.random() > 0.001 for _ in range(probtest_batch)]

    @pytest.mark.probtest(p=0.02)
    def test_skips():
        pytest.skip("not here")
"""


def told(pytester: pytest.Pytester, file: str = "facts.json") -> dict[str, Any]:
    """Return the facts of each test, but for its time."""
    found = json.loads(Path(pytester.path, file).read_text())
    return {facts["nodeid"]: facts | {"seconds": 0} for facts in found["tests"]}


def sections(result: pytest.RunResult) -> list[str]:
    """Return what pytest shows of failures, without the time."""
    text = "\n".join(result.outlines)
    begin, end = text.find("= FAILURES ="), text.rfind("\n=")
    return text[begin:end].splitlines()


def start(pytester: pytest.Pytester, *words: str) -> pytest.RunResult:
    return pytester.runpytest_subprocess(
        *WITHOUT_OTHERS, "--probtest-memory", "off", "--probtest-json", "facts.json", *words
    )


def test_a_suite_that_is_killed_goes_on_and_ends_as_if_it_had_not(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makepyfile(test_it=SUITE)
    whole = start(pytester, "--probtest-seed", "5")
    expected = told(pytester)
    verdicts = {name.partition("::")[2]: facts["verdict"] for name, facts in expected.items()}
    assert verdicts == {
        "test_passes": "passed",
        "test_violates": "violated",
        "test_tolerates": "passed",
        "test_does_not_tolerate": "violated",
        "test_mean": "passed",
        "test_batch": "passed",
    }
    choice = random.Random(29)
    killed = 0
    for _ in range(3):
        journal = pytester.mkdir(f"journal{killed}")
        for _ in range(8):
            monkeypatch.setenv("DIES", str(choice.randrange(1, 200)))
            seed = [] if os.listdir(journal) else ["--probtest-seed", "5"]
            result = start(pytester, "--probtest-journal", str(journal), *seed)
            if result.ret >= 0:
                break
            killed += 1
        else:
            monkeypatch.delenv("DIES")
            result = start(pytester, "--probtest-journal", str(journal))
        monkeypatch.delenv("DIES", raising=False)
        for name, facts in told(pytester).items():
            assert facts == expected[name], name
        assert sections(result) == sections(whole)
        assert result.ret == whole.ret
        assert not Path(journal, "run-under-way.txt").exists()
    assert killed >= 3


def test_a_run_that_is_left_between_two_attempts_draws_the_second_one_next(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makepyfile(
        """
        import os, random, pytest, probtest
        rejected = False

        @pytest.fixture
        def drawn():
            return random.random()

        @pytest.mark.probtest(claim=probtest.mean(between=(0, 1), within=(0.45, 0.75), margin=0.1))
        def test_it(drawn):
            global rejected
            if rejected and "LEAVES" in os.environ:
                raise KeyboardInterrupt
            rejected = drawn < 0.2
            probtest.assume(not rejected)
            return drawn
        """
    )
    start(pytester, "--probtest-seed", "5")
    expected = told(pytester)
    monkeypatch.setenv("LEAVES", "1")
    start(pytester, "--probtest-seed", "5", "--probtest-journal", "journal")
    monkeypatch.delenv("LEAVES")
    start(pytester, "--probtest-journal", "journal").assert_outcomes(passed=1)
    assert told(pytester) == expected


def test_a_check_that_is_left_at_any_moment_goes_on_and_comes_to_the_same(tmp_path: Path) -> None:
    choice = random.Random(31)
    claims: list[dict[str, Any]] = [
        {"p": 0.05},
        {"p": 0.01},
        {"tolerate": 0.02, "p": 0.1},
        {"claim": probtest.mean(between=(0, 1), within=(0.45, 0.55), margin=0.2)},
        {"p": 0.02, "batch": 7},
    ]
    for moment in range(100):
        leave_and_go_on(claims[moment % len(claims)], choice.randrange(1, 60), tmp_path / str(moment))


def leave_and_go_on(options: dict[str, Any], leaves: int, folder: Path) -> None:
    calls = 0

    def body() -> object:
        nonlocal calls
        calls += 1
        if calls == leaves:
            raise KeyboardInterrupt
        if "batch" in options:
            return json_bytes([random.random() for _ in range(7)])
        drawn = random.random()
        if "claim" in options:
            return drawn
        probtest.assume(drawn > 0.1)
        return drawn > 0.12

    def facts(journal: tuple[str, str, int | None, str | None] | None) -> dict[str, Any]:
        run = _native.TestRun(given_by(**options), "moments", 3, journal=journal)
        sources = Sources()
        try:
            run.execute(body, Surroundings(sources.seeders, sources.imported))
        except KeyboardInterrupt:
            return {}
        finally:
            sources.restore_all()
        assert run.report is not None
        found: dict[str, Any] = json.loads(run.report.json)
        return found | {"seconds": 0}

    journal = (str(folder), "code", None, None)
    first = facts(journal)
    second = first or facts(journal)
    calls = leaves
    assert second == facts(None)
    assert len(list(folder.iterdir())) == 1


def json_bytes(drawn: list[float]) -> bytes:
    """Return the codes of a batch: 1 passed, 0 violated."""
    return bytes(number > 0.002 for number in drawn)


def test_merged_shards_are_the_whole_suite(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it=SUITE)
    start(pytester, "--probtest-seed", "5")
    expected = told(pytester)
    for shards in (1, 3):
        files = []
        for number in range(1, shards + 1):
            result = start(pytester, "--probtest-seed", "5", "--probtest-shard", f"{number}/{shards}")
            result.stdout.fnmatch_lines([f"shard {number}/{shards}: * of 6 tests are partial*"])
            assert " partial" in result.outlines[-1]
            assert " passed" not in result.outlines[-1]
            files.append(Path(pytester.path, "facts.json").rename(Path(pytester.path, f"{number}.json")))
        merged = command("merge", "--json-file", "facts.json", *files)
        assert merged.returncode == 1, merged.stderr
        assert told(pytester) == expected
        only = command("merge", *files[1:])
        if shards > 1:
            assert only.returncode == 2
            assert "shard 1/3 of test_it.py::test_passes is missing" in only.stderr


def test_under_xdist_a_shard_and_a_journal_are_the_same(pytester: pytest.Pytester) -> None:
    pytest.importorskip("xdist")
    pytester.makepyfile(test_it=SUITE)
    words = ("--probtest-seed", "5", "--probtest-shard", "2/3")
    start(pytester, *words)
    expected = told(pytester)
    pytester.runpytest_subprocess(
        *("-p", "no:randomly", "-n", "2", "--probtest-memory", "off", "--probtest-json", "facts.json"),
        *("--probtest-journal", "journal", *words),
    )
    found = told(pytester)

    def but_for_lines(facts: dict[str, Any]) -> dict[str, Any]:
        # How pytest was started is part of them, and where a journal was written.
        part = {key: facts["part"][key] for key in ("shard", "shards", "version")}
        return facts | {"part": part, "replay": None, "rerun": None}

    assert {name: but_for_lines(facts) for name, facts in found.items()} == {
        name: but_for_lines(facts) for name, facts in expected.items()
    }


def test_what_cannot_be_a_shard_or_a_journal_is_refused(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it=SUITE)
    result = start(pytester, "--probtest-shard", "1/2")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*a shard has no seed*", "*given  shard 1/2, no seed"])
    result = start(pytester, "--probtest-shard", "3/2", "--probtest-seed", "5")
    result.stderr.fnmatch_lines(["*a shard is not two numbers*", "*given  3/2"])
    pytester.makefile(".txt", here="")
    result = start(pytester, "--probtest-journal", "here.txt")
    result.stderr.fnmatch_lines(["*the journal cannot be written*"])


def test_a_journal_of_changed_code_begins_anew_and_of_another_seed_is_refused(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = pytester.makepyfile(test_it=SUITE)
    monkeypatch.setenv("DIES", "20")
    words = ("-k", "test_passes", "--probtest-journal", "journal")
    start(pytester, *words, "--probtest-seed", "5")
    monkeypatch.delenv("DIES")
    result = start(pytester, *words, "--probtest-seed", "6")
    result.stdout.fnmatch_lines(
        ["*the journal belongs to a different seed: it has 0x5, and this run has 0x6*"]
    )
    file.write_text(file.read_text() + "\n# changed\n")
    result = start(pytester, *words, "--probtest-seed", "6")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        ["*is from different code, which does not count here, so a new journal begins"]
    )


def test_projects_with_one_test_id_keep_journals_apart_and_results_belong_to_their_journals(
    pytester: pytest.Pytester,
) -> None:
    # Each violates with probability 0.5 to the 29th: 2e-9, and the seed is fixed.
    for package, bound in (("alpha", -1), ("beta", 0.5)):
        folder = pytester.mkdir(package)
        (folder / "pyproject.toml").write_text(f'[project]\nname = "{package}"\n')
        (folder / "test_it.py").write_text(
            "import random, pytest\n@pytest.mark.probtest(p=0.1)\n"
            f"def test_it():\n    assert random.random() > {bound}\n"
        )
        keep = ("--probtest-journal=../journal", "--probtest-journal-key=commit", "--probtest-seed=1")
        os.chdir(folder)
        pytester.runpytest_subprocess(*keep, f"--probtest-json=../{package}.json")
        os.chdir(pytester.path)
    told = command("report", "beta.json", "alpha.json", "--earlier", "journal", "--json")
    found = {one["test"]: one for one in json.loads(told.stdout)["evidence"]}
    assert {name: (one["runs"], one["violated"]) for name, one in found.items()} == {
        "alpha: test_it.py::test_it": (1, 0),
        "beta: test_it.py::test_it": (1, 1),
    }
