"""Does the trained agent keep away from the cliff?"""

from __future__ import annotations

import random
from typing import Any

import pytest

from ..policies import asking
from ..policies.learning import Policy
from .cliff_walking import START, exact, falls, make, train, walk

#: The paper has 15 000 and more; after 60 the policy of our seed has no way to fall any more.
EPISODES = asking.episodes("CLIFF_WALKING_EPISODES", 1000)

UP, RIGHT, DOWN, LEFT = range(4)
GOAL = 47

#: The exact violation probability after so many episodes.
Q = {1: 0.0984544137, 20: 0.1884289681, 40: 0.0272790715, 60: 0.0, 1000: 0.0}
#: The same of agents that walk on from the goal.
PAST_THE_GOAL = {1: 0.0984544137, 20: 0.1885051847, 40: 0.0273125022, 60: 0.0008680059, 1000: 0.0061111539}


@pytest.fixture(scope="session")
def policy() -> Policy:
    """The trained agent: the same for all executions."""
    return train([EPISODES])[EPISODES]


@pytest.fixture(scope="session")
def cliff() -> Any:
    """The environment: an execution begins an episode of its own in it."""
    return make()


@pytest.mark.probtest(p=0.001, epsilon=0.05)
def test_q_the_agent_does_not_fall_within_thirty_steps(cliff: Any, policy: Policy) -> None:
    assert not falls(cliff, policy, seed=random.getrandbits(32))


def test_the_policies_of_our_seed_have_these_exact_violation_probabilities() -> None:
    policies = train(Q)
    found = {episodes: exact(policy) for episodes, policy in policies.items()}
    assert found == pytest.approx(Q, abs=1e-10)
    found = {episodes: exact(policy, past_the_goal=True) for episodes, policy in policies.items()}
    assert found == pytest.approx(PAST_THE_GOAL, abs=1e-10)


def test_one_step_past_the_goal_in_three_falls() -> None:
    # At the goal nothing is learned, so that the lowest action is taken: up, which slips to the left.
    assert {policy[GOAL] for policy in train(Q).values()} == {UP}
    outcomes = make().unwrapped.P[GOAL][UP]
    assert [(int(after), reward) for _, after, reward, _ in outcomes] == [(START, -100), (35, -1), (GOAL, -1)]


def test_walking_along_the_edge_falls_soon() -> None:
    # Left keeps the agent at the start or lifts it by one row; there, right slips
    # down with probability 1/3 and back up with 1/3.
    edge = tuple(LEFT if state == START else RIGHT for state in range(48))
    assert exact(edge, steps=1) == 0.0
    # Up, right, down: below the first column is the start, not the cliff.
    assert exact(edge, steps=3) == pytest.approx(1 / 27)
    assert exact(edge, steps=30) == pytest.approx(0.8046587863)


#: Up to the highest row, along it, and down at its end: the way of a trained agent.
ROUND = tuple(
    LEFT if state == START else DOWN if state in (11, 23, 35) else RIGHT if state < 11 else UP
    for state in range(48)
)


@pytest.mark.parametrize("past_the_goal", [False, True])
@pytest.mark.parametrize("kind", ["trained for 20 episodes", "round the cliff"])
def test_an_episode_falls_as_often_as_the_chain_says(kind: str, past_the_goal: bool) -> None:
    policy = ROUND if kind == "round the cliff" else train([20])[20]
    env, samples = make(), 5_000
    found = sum(walk(env, policy, seed)[past_the_goal] for seed in range(samples)) / samples
    probability = exact(policy, past_the_goal=past_the_goal)
    # The seeds are fixed. With others, six and a half standard deviations are
    # left with probability 1e-10; where no fall is possible, none is found.
    deviation = (probability * (1 - probability) / samples) ** 0.5
    assert found == pytest.approx(probability, abs=6.5 * deviation)
    assert (probability == 0.0) == (kind == "round the cliff" and not past_the_goal)


def test_a_walk_is_an_episode_until_it_arrives() -> None:
    env, policy = make(), train([20])[20]
    seeds = range(300)
    on_the_way = [falls(env, policy, seed) for seed in seeds]
    assert [walk(env, policy, seed)[0] for seed in seeds] == on_the_way
    assert [walk(env, policy, seed, past_the_goal=False) for seed in seeds] == [
        (fell, fell) for fell in on_the_way
    ]
    assert True in on_the_way
    # Some fall after they have arrived, and only in the walk.
    assert any(walk(env, ROUND, seed) == (False, True) for seed in range(1000))
    assert not any(falls(env, ROUND, seed) for seed in range(1000))
