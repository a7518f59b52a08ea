"""Does the comparison say what it computes, and refuse what it cannot?"""

from __future__ import annotations

import csv
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ..cliff_walking import cliff_walking
from ..frozen_lake.frozen_lake import LAKES
from . import asking, comparing
from .__main__ import INTERRUPTED, UNFINISHED, main
from .rows import CLIFF, NoSuchRow, Row, all_rows, published_interval, select


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_all_published_rows_are_there_and_those_whose_text_and_numbers_differ_twice() -> None:
    rows = all_rows()
    assert len(rows) == 31 + 8 + 3
    assert len({(row.environment, row.property, row.episodes) for row in rows}) == 31 + 3
    assert {row.published for row in rows if row.environment == CLIFF} == {"0.007"}
    assert {row.steps for row in rows if row.environment == "7x7"} == {100, 200}


def test_a_small_comparison_has_these_columns_and_numbers(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = tmp_path / "rows.csv"
    assert (
        main(["--rows", "4x4:Q1:10,4x4:Q1:40", "--samples", "200", "--repeats", "3", "--out", str(out)]) == 0
    )
    printed = capsys.readouterr()
    assert printed.out == out.read_text()
    first, second = rows_of(printed.out)
    assert ",".join(first) == (
        "environment,property,episodes,steps,p,epsilon,executions,published,exact,estimate,estimate_low,"
        "estimate_high,samples,published_found,found_exact,found_measured,repeats,verdict"
    )
    assert (first["exact"], first["executions"], first["found_measured"]) == ("0.528373", "299", "1.000")
    assert float(first["estimate_low"]) < 0.528373 < float(first["estimate_high"])
    assert {second[name] for name in ("exact", "estimate", "found_exact")} == {"0.000000"}
    assert (second["found_measured"], second["verdict"]) == ("0.000", "agrees")
    assert "lakes, 100 steps: 2 of 2 published numbers agree" in printed.err


def test_the_same_comparison_again_prints_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    printed = []
    for _ in range(2):
        main(["--rows", "4x4:Q2:20", "--samples", "100", "--repeats", "2"])
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]


def test_a_published_number_allows_for_rounding_and_for_its_sampling_error_only() -> None:
    low, high = published_interval("0.060")
    # 0.0005 of rounding and 3.3 standard deviations of 0.00075.
    assert low == pytest.approx(0.0571, abs=1e-4)
    assert high == pytest.approx(0.0630, abs=1e-4)
    row = Row("7x7", "Q2", 25000, 200, "0.001", "0.060", "1.000")
    assert [row.verdict(exact) for exact in (0.0007, 0.0570, 0.0602, 0.0631)] == [
        "differs",
        "differs",
        "agrees",
        "differs",
    ]


def test_the_cliff_differs_in_what_is_counted_and_one_agent_does_not_speak_for_a_mean() -> None:
    as_the_text, as_the_numbers = select(all_rows(), ["cliffwalk:Q:15000", "cliffwalk:Q past the goal:15000"])
    assert as_the_text.verdict(0.0) == "differs"
    assert as_the_numbers.verdict(0.007) == "another policy"


def test_both_properties_of_the_cliff_are_counted_in_the_same_walks(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # After 20 episodes an agent falls on the way; after 15 000 the training takes a while.
    policy = cliff_walking.train([20])[20]
    monkeypatch.setattr(comparing.table, "train", lambda *_: dict.fromkeys([15000], policy))
    rows = "cliffwalk:Q:15000,cliffwalk:Q past the goal:15000"
    assert main(["--rows", rows, "--samples", "500", "--repeats", "2"]) == 0
    printed = capsys.readouterr()
    on_the_way, past_the_goal = rows_of(printed.out)
    for row in (on_the_way, past_the_goal):
        # The seeds are fixed: an interval of level 0.95 either has the number or not.
        assert float(row["estimate_low"]) < float(row["exact"]) < float(row["estimate_high"])
        assert (row["steps"], row["executions"], row["found_measured"]) == ("30", "2995", "1.000")
    assert float(on_the_way["exact"]) < float(past_the_goal["exact"])
    assert float(on_the_way["estimate"]) <= float(past_the_goal["estimate"])
    assert "Q: the published numbers count falls after the goal was reached" in printed.err
    assert "Q past the goal: the published numbers are means of 100 agents" in printed.err


def test_an_unknown_row_is_refused_with_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(NoSuchRow):
        select(all_rows(), ["4x"])
    assert main(["--rows", "5x5"]) == 2
    assert capsys.readouterr().err == (
        "error: no row of the table is called '5x5'\n"
        "  given  5x5\n"
        "  help   write ENVIRONMENT[:PROPERTY[:EPISODES[:STEPS]]], such as 4x4, 7x7:Q2 or cliffwalk:Q:15000\n"
    )


def test_a_table_that_cannot_be_written_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["--out", str(tmp_path / "nowhere" / "rows.csv")]) == 2
    assert "name a file in a folder that exists" in capsys.readouterr().err


@pytest.mark.parametrize("given", ["0", "-1", "many", "1.5"])
def test_a_number_of_samples_is_whole_and_positive(given: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main([f"--samples={given}"])
    assert left.value.code == 2
    assert f"given  {given}" in capsys.readouterr().err


def test_ctrl_c_keeps_the_rows_that_are_done(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    finds = comparing._finds

    def interrupted(row: Row, *others: object) -> int:
        if row.episodes == 20:
            raise KeyboardInterrupt
        return finds(row, *others)  # type: ignore[arg-type]

    monkeypatch.setattr(comparing, "_finds", interrupted)
    out = tmp_path / "rows.csv"
    assert main(["--rows", "4x4:Q1", "--samples", "10", "--repeats", "1", "--out", str(out)]) == INTERRUPTED
    assert capsys.readouterr().err == "interrupted: 1 of 10 rows are written\n"
    assert len(rows_of(out.read_text())) == 1


def test_a_disk_that_is_full_ends_the_table_with_what_was_written(
    capsys: pytest.CaptureFixture[str],
) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no device that is always full")
    assert (
        main(["--rows", "4x4:Q1:10", "--samples", "1", "--repeats", "1", "--out", "/dev/full"]) == UNFINISHED
    )
    assert capsys.readouterr().err == (
        "error: the table cannot be written any further\n"
        "  given  No space left on device; 0 of 1 rows are written\n"
        "  help   keep what reads the table open, and look for space\n"
    )


def test_a_reader_that_goes_away_ends_the_table_without_a_traceback() -> None:
    words = [
        sys.executable,
        "-m",
        "examples.policies",
        "--rows",
        "4x4:Q1",
        "--samples",
        "1",
        "--repeats",
        "1",
    ]
    root = Path(__file__).parents[2]
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(words, cwd=root, stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write)
    assert done.returncode == UNFINISHED
    assert "Traceback" not in done.stderr
    assert "given  Broken pipe; 0 of 10 rows are written" in done.stderr


def test_a_word_of_the_environment_that_makes_no_sense_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for given in ("0", "-1", "many", "1.5", ""):
        monkeypatch.setenv("FROZEN_LAKE_EPISODES", given)
        with pytest.raises(pytest.UsageError, match=f"at least 1\n  given  {given}\n  help   .*such as 100"):
            asking.episodes("FROZEN_LAKE_EPISODES", 100)
    monkeypatch.setenv("FROZEN_LAKE", "5x5")
    with pytest.raises(pytest.UsageError, match="given  5x5\n  help   write one of 4x4, 7x7"):
        asking.choice("FROZEN_LAKE", LAKES, "4x4")
