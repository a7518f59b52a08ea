"""Claims on what a test returns: `probtest.mean` and `probtest.fit`."""

from __future__ import annotations

import random

import pytest

import probtest

from .conftest import Run
from .words import address_of, error, fact, violated_at, written

FAIR = {"heads": 0.5, "tails": 0.5}


def coin() -> str:
    return random.choice(["heads", "tails"])


def test_a_mean_that_is_kept_passes_before_the_planned_executions() -> None:
    claim = probtest.mean(between=(0, 1), within=(0.45, 0.55), margin=0.1)
    result = probtest.check(random.random, claim=claim, seed=7)
    assert result
    assert result.executed < result.planned == claim.planned
    assert result.observed["low"] < 0.5 < result.observed["high"]
    assert str(result).startswith("probtest: ")
    assert "would have passed with probability at most 0.05" in repr(result)


def test_a_mean_that_is_missed_raises_with_the_side() -> None:
    claim = probtest.mean(between=(0, 1), below=0.3, margin=0.1)
    with pytest.raises(probtest.Violated, match=r"missed: the mean is above 0\.3") as caught:
        probtest.check(random.random, claim=claim, seed=7)
    result = caught.value.result
    assert result.verdict == "violated"
    assert result.to_dict()["finding"]["direction"] == "high"
    assert fact("replay", "probtest.replay(.., 0x7, ") in str(result)


def test_labels_that_fit_pass_and_others_are_named() -> None:
    assert probtest.check(coin, claim=probtest.fit(outcomes=FAIR, distance=0.1), seed=7)
    biased = probtest.fit(outcomes={"heads": 0.8, "tails": 0.2}, distance=0.1)
    result = probtest.check(coin, claim=biased, seed=7, raises=False)
    assert 'missed: label "' in str(result)
    impossible = probtest.fit(outcomes={"heads": 0.5, "edge": 0.5}, distance=0.1)
    result = probtest.check(coin, claim=impossible, seed=7, raises=False)
    assert 'returned the label "tails", which has no probability' in str(result)


def test_labels_are_compared_by_their_text_and_the_rest_is_for_others() -> None:
    claim = probtest.fit(outcomes={1: "1/6", 2: "1/6"}, distance=0.1)
    assert probtest.check(lambda: random.randint(1, 6), claim=claim, seed=7)


def test_booleans_and_whole_numbers_are_numbers() -> None:
    claim = probtest.mean(between=(0, 1), above=0.85, margin=0.1)
    assert probtest.check(lambda: random.random() < 0.9, claim=claim, seed=7)
    claim = probtest.mean(between=(1, 6), within=(3.5, 3.5), margin=0.5)
    assert probtest.check(lambda: random.randint(1, 6), claim=claim, seed=7)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (1.5, "execution 1 returned 1.5, outside between = (0, 1)"),
        (float("nan"), "execution 1 returned NaN, outside between"),
        (None, "execution 1 returned no number"),
        ("text", "the body returned 'text', which is not a number"),
    ],
)
def test_what_is_no_number_in_range_ends_the_test_and_names_the_execution(value: object, words: str) -> None:
    claim = probtest.mean(between=(0, 1), above=0.5, margin=0.1)
    with pytest.raises(probtest.Inconclusive) as caught:
        probtest.check(lambda: value, claim=claim, seed=7)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "arguments",
    [
        {"between": (0, 1), "margin": 0.1},
        {"between": 1, "margin": 0.1, "above": 0.5},
        {"between": "01", "margin": 0.1, "above": 0.5},
        {"between": {0, 1}, "margin": 0.1, "above": 0.5},
        {"between": (False, True), "margin": 0.1, "above": 0.5},
        {"between": (0, 1), "margin": "0.1", "above": 0.5},
        {"between": (0, 1), "margin": 0.1, "above": "0.5"},
        {"between": (0, 1), "margin": 0.1, "below": True},
        {"between": (0, 9), "margin": 0.1, "within": "45"},
        {"between": (0, 1), "margin": 0.1, "above": 0.5, "false_alarm": 0.0},
    ],
)
def test_means_that_make_no_sense_are_refused(arguments: dict[str, object]) -> None:
    with pytest.raises(probtest.ClaimError, match=r"\n  given  .*\n  help   "):
        probtest.mean(**arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("outcomes", "distance"),
    [
        ({}, 0.1),
        ({"a": 0.5}, 0),
        ([0.5, 0.5], 0.1),
        ({"a": 0.5}, None),
    ],
)
def test_fits_that_make_no_sense_are_refused(outcomes: object, distance: float) -> None:
    with pytest.raises(probtest.ClaimError, match=r"\n  given  .*\n  help   "):
        probtest.fit(outcomes=outcomes, distance=distance)  # type: ignore[arg-type]


SUITE = """
    import random, probtest, pytest

    @pytest.fixture
    def fresh():
        opened = [random.random()]
        yield opened
        opened.clear()

    @pytest.mark.probtest(claim=probtest.mean(between=(0, 1), within=(0.45, 0.55), margin=0.1))
    def test_kept(): return random.random()

    @pytest.mark.probtest(claim=probtest.mean(between=(0, 1), within=(0.45, 0.55), margin=0.1))
    def test_fresh_fixture(fresh):
        assert len(fresh) == 1
        return fresh[0]

    @pytest.mark.probtest(claim=probtest.mean(between=(0, 1), above=0.7, margin=0.1))
    def test_missed(): return random.random()

    @pytest.mark.probtest(claim=probtest.fit(outcomes={"a": "1/2", "b": "1/2"}, distance=0.1))
    def test_labels(probtest_rng): return "a" if probtest_rng.random() < 0.5 else "b"

    @pytest.mark.probtest(claim=probtest.mean(between=(0, 1), above=0.3, margin=0.01))
    def test_raises():
        value = random.random()
        assert value < 0.8
        return value
"""


def test_markers_take_a_claim_and_the_facts_are_written(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(SUITE)
    options = ("--probtest-seed=7", "--probtest-json=facts.json")
    # 8.4.0 has only the wider one.
    warning = getattr(pytest, "PytestReturnNotNoneWarning", pytest.PytestWarning)
    result = pytester.runpytest(*options, "-W", f"error::pytest.{warning.__name__}")
    result.assert_outcomes(passed=3, failed=2)
    result.stdout.fnmatch_lines(
        [
            "*probtest: missed: the mean is below 0.7, after * of at most * executions",
            "*meaning   a program with a mean of 0.7 or more would have failed with probability at most 1e-6",
            fact("replay", "pytest *::test_missed --probtest-replay 0x7:*"),
        ]
    )
    # Other plugins may change the order of tests.
    result.stdout.fnmatch_lines(["*- probtest -*", violated_at("*", "at most *")])
    facts, _ = written(pytester)
    missed, kept = facts["test_missed"], facts["test_kept"]
    assert (missed["kind"], missed["verdict"], missed["finding"]["direction"]) == ("mean", "violated", "low")
    assert kept["verdict"] == "passed"
    assert kept["executed"] < kept["planned"]


def test_a_replay_of_an_extreme_execution_shows_what_it_returned(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(SUITE)
    result = pytester.runpytest("--probtest-seed", "7", "-k", "missed")
    line = next(line for line in result.stdout.lines if "which returned the smallest number" in line)
    number = line.rsplit(" ", 1)[1]
    address = f"0x7:{line.split('execution ')[1].split(',')[0]}"
    again = pytester.runpytest("-k", "missed", "--probtest-replay", address, "-rP")
    again.assert_outcomes(passed=1)
    again.stdout.fnmatch_lines([f"the execution returned {number[:10]}*"])


def test_a_replay_of_what_cannot_be_returned_never_passes(run: Run) -> None:
    claims = {
        "1.5 + random.random()": "probtest.mean(between=(0, 1), above=0.2, margin=0.1)",
        "None": "probtest.mean(between=(0, 1), above=0.2, margin=0.1)",
        "'neither'": "probtest.fit(outcomes={'heads': 0.5, 'tails': 0.5}, distance=0.1)",
    }
    for returned, claim in claims.items():
        source = f"""
            import random, probtest, pytest

            @pytest.mark.probtest(claim={claim})
            def test_it(): return {returned}
        """
        result = run(source)
        result.assert_outcomes(failed=1)
        again = run(source, "--probtest-replay", address_of(result))
        again.assert_outcomes(failed=1)
        again.stdout.fnmatch_lines(
            ["probtest: error: execution * returned *", "  given  0x*:*", "  help   *"]
        )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("claim=3", "claim is not a claim"),
        ("claim=MEAN, p=0.1", "claim is the only claim of a test"),
        ("claim=MEAN, batch=10", "a batch is for claims on *"),
    ],
)
def test_a_marker_has_one_claim(run: Run, arguments: str, words: str) -> None:
    result = run(f"""
        import probtest, pytest
        MEAN = probtest.mean(between=(0, 1), above=0.5, margin=0.1)

        @pytest.mark.probtest({arguments})
        def test_one(): return 0.5
    """)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(error(words))


def test_a_label_that_is_no_valid_text_is_still_a_label() -> None:
    claim = probtest.fit(outcomes={"a": 0.5, "b": 0.5}, distance=0.2)
    result = probtest.check(lambda: "\ud800", claim=claim, seed=1, raises=False)
    assert (result.verdict, result.executed, result.index) == ("violated", 1, 1)
