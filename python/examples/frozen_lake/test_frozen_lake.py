"""Does the trained agent cross the lake, without falling in and in time?"""

from __future__ import annotations

import functools
import random
from typing import Any

import pytest

from ..policies import asking
from ..policies.learning import Policy
from ..policies.rows import Row, all_rows, select
from .frozen_lake import LAKES, cross

LAKE = LAKES[asking.choice("FROZEN_LAKE", LAKES, "4x4")]
EPISODES = asking.episodes("FROZEN_LAKE_EPISODES", LAKE.episodes[-1])

#: The exact violation probabilities of the paper's policies, within 100 steps.
Q1 = {
    "4x4": {10: 0.5283725760, 20: 0.1187327226, 30: 0.0171230150, **dict.fromkeys(range(40, 101, 10), 0.0)},
    "7x7": {10000: 0.0549334919, 15000: 0.0119517501, 20000: 0.0, 25000: 0.0},
}
Q2 = {
    "4x4": {
        10: 0.0105050368,
        20: 0.0938378790,
        30: 0.7167339297,
        40: 0.2252470578,
        50: 0.0019773984,
        60: 0.0017069562,
        70: 0.0017054378,
        80: 0.0017054378,
        90: 0.0017069562,
        100: 0.0017069562,
    },
    "7x7": {10000: 0.0820222560, 15000: 0.0512039213, 20000: 0.0819361517, 25000: 0.0602028610},
}


@pytest.fixture(scope="session")
def policy() -> Policy:
    """The trained agent: the same for all executions of all tests."""
    return LAKE.train([EPISODES])[EPISODES]


@pytest.fixture(scope="session")
def lake() -> Any:
    """The environment: an execution begins an episode of its own in it."""
    return LAKE.make()


@pytest.mark.probtest(p=0.01, epsilon=0.05)
def test_q1_the_agent_never_falls_into_a_hole(lake: Any, policy: Policy) -> None:
    fell, _ = cross(lake, policy, seed=random.getrandbits(32))
    assert not fell


# The paper's policy lingers on the ice in 17 of 10 000 episodes, and this test is
# right to find that: 2995 executions miss it with probability 0.006. The seed is
# fixed so that the suite is the same every day.
@pytest.mark.xfail(reason="the policy needs more than 100 steps too often", strict=True)
@pytest.mark.probtest(p=0.001, epsilon=0.05, seed=317)
def test_q2_the_agent_arrives_somewhere_in_time(lake: Any, policy: Policy) -> None:
    _, late = cross(lake, policy, seed=random.getrandbits(32))
    assert not late


@functools.cache
def paper_policies(board: str) -> dict[int, Policy]:
    """Train once for all tests of a process: on the 7x7 lake it takes several seconds."""
    return LAKES[board].train(LAKES[board].episodes)


@pytest.mark.parametrize("board", LAKES)
def test_the_policies_of_the_paper_have_these_exact_violation_probabilities(board: str) -> None:
    exact = {episodes: LAKES[board].exact(policy, 100) for episodes, policy in paper_policies(board).items()}
    assert {episodes: found["Q1"] for episodes, found in exact.items()} == pytest.approx(Q1[board], abs=1e-10)
    assert {episodes: found["Q2"] for episodes, found in exact.items()} == pytest.approx(Q2[board], abs=1e-10)


@pytest.mark.parametrize("board", LAKES)
def test_every_published_number_agrees_with_the_exact_one_of_a_hundred_steps(board: str) -> None:
    rows = [row for row in select(all_rows(), [board]) if row.steps == 100]
    assert len(rows) == {"4x4": 20, "7x7": 8}[board]
    assert [row.name for row in rows if verdict_on(row) != "agrees"] == []


def test_the_published_numbers_of_the_large_lake_are_not_those_of_two_hundred_steps() -> None:
    rows = [row for row in select(all_rows(), ["7x7:Q2"]) if row.steps == 200]
    assert [verdict_on(row) for row in rows] == ["differs"] * 4


def verdict_on(row: Row) -> str:
    policy = paper_policies(row.environment)[row.episodes]
    return row.verdict(LAKES[row.environment].exact(policy, row.steps)[row.property])


def test_an_episode_ends_in_a_hole_at_the_goal_or_by_time() -> None:
    lake = LAKES["4x4"]
    env, policy = lake.make(), lake.train([10])[10]
    assert {cross(env, policy, seed) for seed in range(300)} == {(True, False), (False, False), (False, True)}


def test_the_longer_limit_of_the_text_is_another_property() -> None:
    lake = LAKES["7x7"]
    right, down = 2, 1
    policy = tuple(right if state % 7 < 6 else down for state in range(49))
    assert lake.exact(policy, 200)["Q1"] > lake.exact(policy, 100)["Q1"]
    assert lake.exact(policy, 200)["Q2"] < lake.exact(policy, 100)["Q2"]
