"""`check`, `replay`, `plan` and their kin outside pytest."""

from __future__ import annotations

import doctest
import random
import warnings
from decimal import Decimal
from fnmatch import fnmatchcase
from fractions import Fraction
from types import ModuleType

import pytest

import probtest
from probtest import batches, checking, planning, saying

from .words import no_violation, violated_at


def below(limit: float) -> bool:
    return random.random() < limit


def always() -> bool:
    return below(2)


def rarely_violated() -> None:
    assert random.randrange(50) != 7, "a seven"


@pytest.mark.parametrize("module", [batches, checking, planning, saying])
def test_examples_in_the_documentation_are_right(module: ModuleType) -> None:
    ran = doctest.testmod(module)
    assert ran.failed == 0
    assert ran.attempted > 0


def test_a_check_that_passes_has_the_facts_and_prints_as_the_report() -> None:
    result = probtest.check(always, p=0.01, epsilon=0.02, seed=7)
    assert result.passed
    assert result
    assert (result.executed, result.violated, result.planned) == (390, 0, 390)
    assert (result.seed, result.index) == (7, None)
    assert fnmatchcase(str(result), no_violation("probtest", 390))
    assert result.to_dict()["verdict"] == "passed"


def test_a_violation_raises_with_its_cause_and_can_be_replayed() -> None:
    with pytest.raises(probtest.Violated) as caught:
        probtest.check(rarely_violated, p=0.01, epsilon=0.02, seed=7)
    result = caught.value.result
    assert isinstance(caught.value.__cause__, AssertionError)
    assert (result.verdict, result.violated, result.seed) == ("violated", 1, 7)
    assert result.index is not None
    assert str(caught.value).startswith(violated_at(result.index, 390))
    assert result.executed == result.index
    with pytest.raises(AssertionError, match="a seven"):
        probtest.replay(rarely_violated, result.seed, result.index)
    probtest.replay(rarely_violated, result.seed, result.index - 1)


def test_a_replay_returns_what_the_execution_returned() -> None:
    claim = probtest.mean(between=(0, 1), above=0.9, margin=0.1)
    drawn: list[float] = []

    def body() -> float:
        drawn.append(random.random())
        return drawn[-1]

    result = probtest.check(body, claim=claim, seed=5, raises=False)
    assert result.verdict == "violated"
    # The report names the one with the least number.
    assert result.index is not None
    found = probtest.replay(body, 5, result.index)
    assert found == drawn[-1] == min(drawn)


def test_a_violation_does_not_raise_when_told_so() -> None:
    result = probtest.check(lambda: below(0.5), p=0.1, seed="0x7", raises=False)
    assert not result.passed
    assert not result
    assert result.exception is None
    assert "seed      0x7" in str(result)


def test_an_inconclusive_check_is_no_pass() -> None:
    with pytest.raises(probtest.Inconclusive, match="1000 rejected"):
        probtest.check(lambda: probtest.assume(False), p=0.1)
    result = probtest.check(always, p=0.1, max_executions=5, raises=False)
    assert (result.verdict, result.executed) == ("inconclusive", 5)


def test_states_are_restored_after_a_check() -> None:
    random.seed(1)
    before = random.getstate()
    probtest.check(always, p=0.1)
    assert random.getstate() == before


def test_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    probtest.check(always, p=1e-5, progress=lambda executed, planned: told.append((executed, planned)))
    assert told == sorted(told)
    assert {planned for _, planned in told} <= {299572}


def test_ctrl_c_leaves_a_check() -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        probtest.check(interrupted, p=0.1)


def test_numbers_may_be_floats_texts_fractions_and_decimals() -> None:
    assert {
        probtest.plan(p=p, epsilon=epsilon).executions
        for p, epsilon in [(0.01, 0.02), ("0.01", "1/50"), (Fraction(1, 100), Decimal("0.02"))]
    } == {390}
    assert probtest.plan(outcomes=[Fraction(1, 6)] * 6).executions == 27
    assert probtest.plan(outcomes="1/6x6").executions == 27


def test_inverse_questions() -> None:
    assert probtest.smallest_p(390, 0.02) <= 0.01 < probtest.smallest_p(389, 0.02)
    assert probtest.epsilon_attained(390, 0.01) < 0.02 <= probtest.epsilon_attained(389, 0.01)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"p": "x"},
        {"p": 0.1, "outcomes": [0.5]},
        {"p": 0.1, "seed": "x"},
    ],
)
def test_a_claim_that_makes_no_sense_is_a_value_error(options: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="given"):
        probtest.check(always, **options)  # type: ignore[arg-type]


def test_what_is_no_callable_is_refused() -> None:
    with pytest.raises(TypeError, match="callable"):
        probtest.check(3, p=0.1)  # type: ignore[arg-type]


@pytest.mark.parametrize("seven", ["7", Decimal(7), Fraction(7)])
def test_a_whole_number_may_be_given_as_text_and_in_any_type(seven: object) -> None:
    limits: dict[str, object] = {"max_executions": seven, "max_rejections": seven}
    cut = probtest.check(always, p=0.01, raises=False, **limits)  # type: ignore[arg-type]
    estimated = probtest.estimate(always, width=0.1, **limits)  # type: ignore[arg-type]
    claim = probtest.mean(between=(0, 1), above=0.5, margin=0.1)
    mean = probtest.check(random.random, claim=claim, raises=False, **limits)  # type: ignore[arg-type]
    assert (cut.executed, estimated.executed, mean.executed) == (7, 7, 7)
    probtest.replay(lambda: [True] * 7, 1, seven, batch=seven)  # type: ignore[arg-type]


@pytest.mark.parametrize("power", [400, 5000])
def test_a_number_beyond_all_bounds_is_refused_in_words(power: int) -> None:
    huge = 10**power
    with pytest.raises(probtest.ClaimError, match="max_time must be above 0 and at most a year"):
        probtest.check(always, p=0.1, max_time=huge)
    with pytest.raises(probtest.ClaimError, match="width is not a number"):
        probtest.estimate(always, width=huge)
    with pytest.raises(probtest.ClaimError, match="max_executions is not a whole number"):
        probtest.check(always, p=0.1, max_executions=huge)


def test_a_pass_in_doubt_is_a_warning() -> None:
    def fixed() -> None:
        random.Random(0).random()

    with pytest.warns(probtest.InDoubt, match=r"fixed passed in doubt: .* random\.Random\(0\) at "):
        result = probtest.check(fixed, p=0.1)
    assert [doubt.kind for doubt in result.doubts] == ["fixed_seeds"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not probtest.check(lambda: random.random() < 2, p=0.1).doubts
        # Who does not want to be told looks at the result.
        assert probtest.check(fixed, p=0.1, raises=False).doubts
