"""`probtest.estimate`: the violation rate of a callable."""

from __future__ import annotations

import random

import pytest

import probtest

from .conftest import Run
from .words import fact, written


def one_in_ten() -> bool:
    return random.random() >= 0.1


def rate_of(found: probtest.Result) -> probtest.Rate:
    assert found.rate is not None
    return found.rate


def test_an_estimate_has_its_facts_and_is_a_claim_of_check_too() -> None:
    found = probtest.estimate(one_in_ten, width=0.1, seed=7, name="ten")
    rate = rate_of(found)
    assert (found.verdict, found.hoeffding, found.seed) == ("estimated", 738, 7)
    assert rate.low < 0.1 < rate.high <= rate.low + 0.1
    assert (rate.seen, rate.confidence) == (found.violated / found.executed, 0.95)
    assert found.to_dict()["claim"]["width"] == 0.1
    claim = probtest.estimate(width=0.1)
    assert claim.kind == "estimate"
    assert rate_of(probtest.check(one_in_ten, claim=claim, seed=7, name="ten")) == rate
    with pytest.raises(AssertionError, match="returned False"):
        probtest.replay(one_in_ten, 7, found.index or 0, name="ten")


def test_its_repr_is_a_sentence_and_its_text_the_report() -> None:
    found = probtest.estimate(one_in_ten, width=0.2, seed=7, name="ten")
    assert repr(found).startswith("<probtest: the violation rate is between 0.")
    assert repr(found).endswith(" executions>")
    assert "            for comparison, Hoeffding's inequality needs 185 executions" in str(found)
    assert fact("replay", f"probtest.replay(.., 0x7, {found.index}, name='ten')") in str(found)
    assert found.to_dict()["kind"] == "estimate"


def test_ctrl_c_ends_it_with_the_interval_so_far() -> None:
    calls = []

    def stopped() -> bool:
        calls.append(1)
        if len(calls) == 200:
            raise KeyboardInterrupt
        return True

    found = probtest.estimate(stopped, width=0.001, seed=7)
    assert found.verdict == "inconclusive"
    assert found.to_dict()["reason"]["kind"] == "cancelled"
    assert rate_of(found).high < 0.2


def test_progress_is_told_with_the_most_executions() -> None:
    told: list[tuple[int, int]] = []
    found = probtest.estimate(lambda: True, width=0.002, progress=lambda *numbers: told.append(numbers))
    assert told
    assert found.hoeffding is not None
    assert all(executed <= found.executed < found.hoeffding < most for executed, most in told)


@pytest.mark.parametrize(("width", "confidence"), [(-1, 0.9), (0.1, 1.5)])
def test_widths_and_confidences_that_make_no_sense_are_refused(width: float, confidence: float) -> None:
    with pytest.raises(probtest.ClaimError, match=r"strictly between 0 and 1\n  given  .*\n  help   "):
        probtest.estimate(one_in_ten, width=width, confidence=confidence)


@pytest.mark.parametrize("width", ["0.1", None, True, [0.1]])
def test_a_width_that_is_no_number_is_refused_with_what_was_given(width: object) -> None:
    with pytest.raises(probtest.ClaimError, match=r"width is not a number\n  given  .*\n  help   "):
        probtest.estimate(one_in_ten, width=width)  # type: ignore[arg-type]


def test_bodies_that_return_something_else_are_refused() -> None:
    with pytest.raises(TypeError, match="it must assert, or return a bool"):
        probtest.estimate(lambda: "text", width=0.5)
    with pytest.raises(TypeError, match="needs a callable"):
        probtest.estimate(3, width=0.5)  # type: ignore[arg-type]


def test_a_marker_may_ask_for_a_rate(run: Run, pytester: pytest.Pytester) -> None:
    result = run(
        """
        import random, probtest, pytest

        @pytest.fixture
        def drawn(): yield random.random()

        @pytest.mark.probtest(claim=probtest.estimate(width=0.2), batch=None)
        def test_rate(drawn): assert drawn > 0.1

        @pytest.mark.probtest(claim=probtest.estimate(width=0.2), batch=50)
        def test_batches(): return [random.random() > 0.1 for _ in range(50)]

        @pytest.mark.probtest(claim=probtest.estimate(width=0.01), max_executions=20)
        def test_too_few(drawn): assert drawn > 0.1
        """,
        "-v",
        "--probtest-json=facts.json",
    )
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*test_rate: the violation rate is between 0*"])
    tests, _ = written(pytester)
    assert [test["verdict"] for test in tests.values()] == ["estimated", "estimated", "inconclusive"]
    assert tests["test_rate"]["rate"]["low"] < 0.1 < tests["test_rate"]["rate"]["high"]
