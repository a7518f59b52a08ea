"""The tables of `make bench-python`, on measurements that are made up."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

PEERS = Path(__file__).resolve().parents[2] / "benches" / "peers"


@pytest.fixture
def compare(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(PEERS))
    import compare

    return compare


def made_up(compare: Any, peers: list[Any]) -> Any:
    """Return a bench whose every case costs 0.2 s, and 10 us and 100 bytes for each execution."""
    import measuring

    bench = compare.Bench({"plain": Path("python"), "probtest": Path("python")})
    for case, k in compare._plan(peers):
        best = bench.found.setdefault((case.name, k), measuring.Best())
        best.add(0.2 + k * 1e-5, 0.2 + k * 1e-5, 30_000 + k * 100 // 1024)
    bench.coins = {1000: measuring.Coins(4.0, 4.0), 10_000: measuring.Coins(2.0, 2.0)}
    bench.report_size = lambda _case, k: 1600 + len(str(k))
    return bench


def test_a_target_is_met_up_to_its_bound(compare: Any) -> None:
    assert compare.Target("x", 1.0, 1, "us").row() == ["x", "1 us", "", "<= 1 us", "met"]
    assert compare.Target("x", 1.01, 1, "us").verdict == "MISSED"


def test_a_target_missed_on_a_busy_machine_says_so_and_is_not_met(compare: Any) -> None:
    target = compare.Target("x", 2.5, 2, "s", 1.3)
    assert target.row() == ["x", "2.5 s", "1.3 s", "<= 2 s", "MISSED, met by processor time"]
    assert not target.is_met


def test_the_cost_of_an_execution_is_free_of_what_is_paid_once(compare: Any) -> None:
    assert compare.slope(0.5, 3.5, 100, 400) == pytest.approx(0.01)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0049, "0"),
        (-0.51, "-0.51"),
        (0.11, "0.11"),
        (9.8, "9.8"),
        (30, "30"),
        (40.36, "40.4"),
        (455.6, "456"),
    ],
)
def test_numbers_have_the_digits_that_can_be_trusted(compare: Any, value: float, text: str) -> None:
    assert compare.number(value) == text


def test_text_tables_are_aligned(compare: Any) -> None:
    table = compare.render(["tool", "k"], [["flaky", "165 us"], ["ours", "4 us"]], markdown=False)
    assert table == "tool        k\nflaky  165 us\nours     4 us"


def test_markdown_tables_have_a_rule_and_escape_bars(compare: Any) -> None:
    table = compare.render(["tool", "k"], [["a|b", "1"]], markdown=True)
    assert table == "| tool | k |\n| --- | --: |\n| a\\|b | 1 |"


def test_a_row_of_the_wrong_length_is_refused(compare: Any) -> None:
    with pytest.raises(ValueError, match="a row of 1 cells in a table of 2 columns"):
        compare.render(["tool", "k"], [["flaky"]], markdown=False)


def test_every_case_writes_a_test_file_that_compiles(compare: Any) -> None:
    cases = compare.cases
    found = [value for value in vars(cases).values() if isinstance(value, cases.Case)] + list(cases.PEERS)
    assert len(found) > 15
    for case in found:
        assert (PEERS / f"requirements-{case.environment}.txt").exists()
        for count in (False, True):
            text = case.file(299, count)
            compile(text, case.name, "exec")
            assert "COUNT" not in text
            assert "<k>" not in text


@pytest.mark.parametrize("markdown", [False, True])
def test_the_whole_report_has_every_peer_and_every_target(
    compare: Any, capsys: pytest.CaptureFixture[str], markdown: bool
) -> None:
    peers = list(compare.cases.PEERS)
    compare._print(made_up(compare, peers), peers, markdown)
    printed = capsys.readouterr().out
    for peer in peers:
        assert peer.name in printed
    assert "10 us" in printed
    # All cases cost the same here, so the total and the memory are over their bounds, and the smaller batch.
    assert printed.count("MISSED") == 3
    assert "6 of 9 targets met" in printed


def test_a_tool_that_fails_is_left_out_with_the_reason(compare: Any) -> None:
    failing = compare.Case("failing", "plain", lambda _k: "def test_draw():\n    assert False\n")
    bench = compare.Bench({"plain": Path(sys.executable)})
    bench.measure([(failing, 299), (failing, 2995)], rounds=1)
    assert list(bench.broken) == ["failing"]
    assert bench.broken["failing"].startswith("exit code 1 instead of 0 at k = 299: 1 failed")


def test_the_check_of_executions_counts_them(compare: Any) -> None:
    bench = compare.Bench({"plain": Path(sys.executable)})
    assert bench.count(compare.cases.BARE, 299) == 299


def test_coins_that_cannot_be_measured_are_broken_with_the_reason(compare: Any) -> None:
    bench = compare.Bench({"probtest": Path("/bin/false")})
    bench.measure_coins(1)
    assert bench.broken == {"coins in batches": "exit code 1: no output"}
