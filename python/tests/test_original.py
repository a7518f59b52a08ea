"""The original plugin's command line works unchanged."""

from __future__ import annotations

import pytest

from .words import arguments_of, no_violation, violated_at

DIE = """
    import random, pytest

    @pytest.fixture
    def die(): return random.randint(1, 6)

    def test_die_is_at_most_six(die): assert die <= 6
"""


@pytest.mark.parametrize(
    ("options", "count"),
    [
        (["--p", "0.5,0.5"], 6),
        (["--p", "1/2,1/2", "--epsilon", "1/32"], 7),
        (["--minp", "0.1", "--N", "2"], 29),
        (["--minp", "1/6", "--N", "6"], 27),
        (["--Pbug", "0.1"], 29),
        (["--Pbug", "0.1", "--epsilon", "0.05"], 29),
        (["--p", "0.01,0.99", "--epsilon", "0.02"], 390),
        (["--probtest-pbug", "0.1", "--probtest-epsilon", "0.05"], 29),
    ],
)
def test_its_options_say_how_often_tests_are_executed(
    pytester: pytest.Pytester, options: list[str], count: int
) -> None:
    pytester.makepyfile(DIE)
    result = pytester.runpytest("--probtest", *options, "-v")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines([f"Your tests are being run {count} times.", no_violation("*", count)])


def test_its_example_finds_a_die_that_shows_a_six_and_replays_it(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(DIE.replace("<= 6", "< 6"))
    # A six is missed in all 29 executions with probability (5/6)^29 = 0.005; the seed is fixed.
    result = pytester.runpytest("--probtest", "--Pbug", "0.1", "--probtest-seed", "1")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E * assert 6 < 6", violated_at("*", 29)])
    # The claim comes from the command line, so the line to copy has it too.
    again = pytester.runpytest(*arguments_of(result, "replay"))
    again.assert_outcomes(failed=1)
    again.stdout.fnmatch_lines(["E * assert 6 < 6"])
