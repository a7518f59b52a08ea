"""Does the trained agent keep away from the cliff?"""

from __future__ import annotations

import random
from typing import Any

import pytest

from ..policies import asking
from ..policies.learning import Policy
from .cliff_walking import START, exact, falls, make, train

#: The paper has 15 000 and more; after 60 the policy of our seed has no way to fall any more.
EPISODES = asking.episodes("CLIFF_WALKING_EPISODES", 1000)

RIGHT, LEFT = 1, 3

#: The exact violation probability after so many episodes.
Q = {1: 0.0984544137, 20: 0.1884289681, 40: 0.0272790715, 60: 0.0, 1000: 0.0}


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
    found = {episodes: exact(policy) for episodes, policy in train(Q).items()}
    assert found == pytest.approx(Q, abs=1e-10)


def test_walking_along_the_edge_falls_soon() -> None:
    # Left keeps the agent at the start or lifts it by one row; there, right slips
    # down with probability 1/3 and back up with 1/3.
    edge = tuple(LEFT if state == START else RIGHT for state in range(48))
    assert exact(edge, steps=1) == 0.0
    # Up, right, down: below the first column is the start, not the cliff.
    assert exact(edge, steps=3) == pytest.approx(1 / 27)
    assert exact(edge, steps=30) == pytest.approx(0.8046587863)


def test_an_episode_falls_as_often_as_the_chain_says() -> None:
    policy, samples = train([20])[20], 5_000
    env = make()
    found = sum(falls(env, policy, seed) for seed in range(samples)) / samples
    probability = exact(policy)
    # The seeds are fixed. With others, six and a half standard deviations are
    # left with probability 1e-10.
    deviation = (probability * (1 - probability) / samples) ** 0.5
    assert found == pytest.approx(probability, abs=6.5 * deviation)
