"""The code in the how-to guides does what the guides say."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

import probtest

# At the top: the runs below forget what they import, and NumPy is imported only once.
from examples.frozen_lake.frozen_lake import LAKES

from .conftest import Run
from .words import IN_DOUBT, NO_LONGER_VIOLATES, facts_said, no_violation, violated_at

HOW_TO = Path(__file__).resolve().parents[2] / "docs" / "how-to"


def blocks_of(name: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", (HOW_TO / name).read_text(), re.DOTALL | re.MULTILINE)


def python_blocks(name: str) -> str:
    blocks = blocks_of(name)
    assert blocks
    return "\n".join(blocks)


@pytest.mark.timeout(60)
def test_the_tutorial_fails_and_passes_after_its_fix(run: Run) -> None:
    # The run after the fix plays the small execution too, whose draws are all zero: the fix has to end there.
    test, fix = blocks_of("../tutorial/first-test-python.md")
    run(test).stdout.fnmatch_lines([violated_at(planned=390)])
    fixed = re.sub(
        r"^def primary_and_backup.*?\n\n\n", lambda _: f"{fix}\n\n", test, flags=re.DOTALL | re.MULTILINE
    )
    result = run(fixed, "-v")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        [no_violation("test_the_backup_is_another_server", 390), NO_LONGER_VIOLATES],
    )


def test_the_guide_to_policies_is_a_test_file_that_passes(run: Run) -> None:
    result = run(python_blocks("policies.md"), "-v", "-W", "ignore::DeprecationWarning")
    result.assert_outcomes(passed=5)
    result.stdout.fnmatch_lines(
        [
            no_violation("test_the_agent_never_falls_into_a_hole", 299),
            # The agent of the guide fails in 17 of 10 000 episodes.
            "*test_the_agent_reaches_the_goal_in_most_episodes: *passed after * of at most 865 executions*",
            no_violation("test_no_agent_falls_into_a_hole", 299),
            no_violation("test_the_walk_stays_below_sixty", 29956),
        ],
    )
    result.stdout.no_fnmatch_line(IN_DOUBT)


def test_a_worse_policy_is_found_in_both_forms_and_can_be_replayed(run: Run) -> None:
    # That of 20 episodes of training: it falls with probability 0.1187.
    worse = ", ".join(map(str, LAKES["4x4"].train([20])[20]))
    source = re.sub(r"np\.array\(\[3, .*?\]\)", f"np.array([{worse}])", python_blocks("policies.md"))
    result = run(source, "-k", "hole")
    result.assert_outcomes(failed=2)
    replays = re.findall(r"test_it\.py::(\w+) --probtest-replay (\S+)", result.stdout.str())
    assert len({name for name, _ in replays}) == 2
    for name, address in set(replays):
        again = run(source, "-k", name, "--probtest-replay", address)
        again.assert_outcomes(failed=1)


def test_the_guide_to_random_inputs_finds_its_bug_on_a_list_of_three(run: Run) -> None:
    # Of short lists, so that the story of the draws is short too.
    source = python_blocks("random-inputs-python.md")
    source = source.replace("st.lists(st.integers(0, 100))", "st.lists(st.integers(0, 9), max_size=5)")
    result = run(source, "--probtest-shrink-time", "1h", "-k", "not every")
    result.assert_outcomes(passed=2, failed=1, deselected=1)
    (small,) = facts_said(result, "smaller")
    assert len(small.split(",")) == 3
    run(source, "-o", "probtest_shrink=no", "-k", "every").assert_outcomes(failed=1, deselected=3)


@pytest.mark.parametrize(("page", "tests"), [("cores.md", 1), ("ml-metrics.md", 3), ("samplers.md", 2)])
def test_the_guide_is_a_test_file_that_passes(run: Run, page: str, tests: int) -> None:
    run(python_blocks(page), "--probtest-seed", "7").assert_outcomes(passed=tests)


def test_the_numbers_of_the_guides_to_metrics_samplers_and_migration_are_right() -> None:
    assert [probtest.plan(p=p).executions for p in (0.5, 0.3, 0.1, 0.03, 0.003)] == [6, 9, 29, 99, 998]
    plans = [
        probtest.plan(tolerate=0.05, p=0.5),
        probtest.plan(tolerate=0.05, p=0.5, false_alarm=0.01),
        probtest.plan(tolerate=0.1, p=0.2),
    ]
    assert [(plan.fewest, plan.executions) for plan in plans] == [(5, 42), (5, 16), (26, 726)]
    assert probtest.mean(between=(0, 1), above=0.9, margin=0.05).planned == 2788
    assert probtest.plan(outcomes=["1/6"] * 6, epsilon=0.001).executions == 48
    assert round(probtest.smallest_p(100), 4) == 0.0295


def test_the_guide_to_labels_is_a_test_file_that_passes_and_says_its_shares(run: Run) -> None:
    # Height 20 comes once in 500 000 executions, fewer than 5 % tall ones of 25 % in far fewer runs.
    result = run(python_blocks("labels.md"), "-v", "--probtest-seed", "7")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        [
            no_violation("test_tower", 299),
            "  height from 1 to *, half of them from 1 to *",
            "  tall in * % (*)",
        ]
    )


def test_the_numbers_of_the_guide_to_policies_are_right() -> None:
    assert probtest.plan(p=0.01, epsilon=0.05).executions == 299
    assert probtest.plan(p=0.001, epsilon=0.05).executions == 2995
    assert round(probtest.smallest_p(60_000), 5) == 0.00005
    assert probtest.plan(p=0.05, epsilon=0.05, tolerate=0.01).executions == 865
    one_of_ten_thousand_is_found = 1 - (1 - 1e-4) ** 2995
    assert one_of_ten_thousand_is_found == pytest.approx(0.26, abs=0.005)


def test_the_page_that_leads_to_a_claim_is_a_test_file_that_passes(run: Run) -> None:
    result = run(python_blocks("choose-a-claim.md"), "-v", "-W", "ignore::DeprecationWarning")
    result.assert_outcomes(passed=6)
    result.stdout.fnmatch_lines(
        [
            no_violation("test_never", 299),
            "*test_now_and_then: tolerates 1 in 1000, catches 1 in 100; passed after * of at most 2727*",
            "*test_every_case: 27 executions*",
        ],
    )


def test_the_executions_of_the_page_that_leads_to_a_claim_are_those_of_python_too() -> None:
    page = (HOW_TO / "choose-a-claim.md").read_text()
    mean = probtest.mean(between=(0, 1), within=(0.45, 0.55), margin=0.05)
    fit = probtest.fit(outcomes={"heads": 0.5, "tails": 0.5}, distance=0.1)
    assert f"| {mean.planned} at most, often a fraction |" in page
    assert f"| {fit.planned} at most |" in page
    assert f"| {probtest.plan(outcomes=['1/6'] * 6).executions} |" in page


def test_the_guide_to_prompts_is_a_test_file_that_passes(run: Run) -> None:
    result = run(python_blocks("prompts.md"))
    result.assert_outcomes(passed=3)
    result.stdout.no_fnmatch_line(IN_DOUBT)


def test_the_numbers_of_the_guide_to_prompts_are_right() -> None:
    plan = probtest.plan(tolerate=0.02, p=0.1)
    assert (plan.fewest, plan.executions) == (36, 412)

    def eight_of_ten(right: float) -> float:
        return sum(
            math.comb(10, count) * right**count * (1 - right) ** (10 - count) for count in range(8, 11)
        )

    assert round(eight_of_ten(0.7), 2) == 0.38
    assert round(1 - eight_of_ten(0.9), 2) == 0.07


def test_the_guide_to_fixed_seeds_shows_a_test_that_passes_for_its_own_alone(run: Run) -> None:
    source = python_blocks("vary-seeds.md")
    run(source).assert_outcomes(passed=2)
    result = run(source, "--probtest-vary-seeds")
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(["probtest: violated at execution 9 of 29", "*0x1:9 --probtest-vary-seeds"])
    run(source, "--probtest", "--probtest-p=0.1", "--probtest-vary-seeds").assert_outcomes(failed=2)
