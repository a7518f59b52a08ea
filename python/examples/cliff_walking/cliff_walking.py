"""The slippery cliff of Gymnasium, and an agent that learned to walk along it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import gymnasium

from ..policies.chains import after_steps
from ..policies.learning import Learner, Policy

#: The square where an episode begins, in a world of 4 x 12.
START = 36
#: The reward of a fall, which ends nothing: the agent is put back to the start.
FALL = -100
#: The steps that the agent has to survive.
STEPS = 30
#: The episodes after which the paper looks at the policy.
EPISODES = (15000, 20000, 25000)
#: The paper's exploration had no seed, so its agents are lost: any seed gives one that is as good.
EXPLORATION_SEED = 42


def make(steps: int = 100) -> Any:
    """Make the environment; its episodes end after so many steps."""
    return gymnasium.make(
        "CliffWalking-v1", is_slippery=True, max_episode_steps=steps, disable_env_checker=True
    )


def train(
    episodes: Collection[int],
    progress: Callable[[int], object] | None = None,
    exploration_seed: int = EXPLORATION_SEED,
) -> dict[int, Policy]:
    """Return the policy after each of the numbers of episodes."""
    learner = Learner(
        learning_rate=0.1,
        discount=0.99,
        exploration=0.2,
        exploration_seed=exploration_seed,
        episode_seed=42,
    )
    return learner.train(make(), episodes, progress)


def exact(policy: Policy, steps: int = STEPS, past_the_goal: bool = False) -> float:
    """Return the exact probability of a fall within so many steps.

    The agent stops at the goal, where the episode is over. The paper's numbers
    were made with agents that walk on `past_the_goal`.
    """
    _, fallen = after_steps(
        make().unwrapped.P,
        policy,
        START,
        steps,
        catches=lambda reward: reward == FALL,
        past_the_end=past_the_goal,
    )
    return fallen


def falls(env: Any, policy: Policy, seed: int, steps: int = STEPS) -> bool:
    """Walk by the policy to the goal and say whether the agent falls within so many steps."""
    fell, _ = walk(env, policy, seed, steps, past_the_goal=False)
    return fell


def walk(
    env: Any, policy: Policy, seed: int, steps: int = STEPS, past_the_goal: bool = True
) -> tuple[bool, bool]:
    """Walk by the policy and say whether the agent falls before it arrives, and whether it falls at all.

    Gymnasium lets an agent walk on from the goal, and so do the paper's numbers.
    """
    state, _ = env.reset(seed=seed)
    arrived = False
    for _ in range(steps):
        state, reward, terminated, truncated, _ = env.step(policy[state])
        if reward == FALL:
            return not arrived, True
        arrived = arrived or terminated
        if truncated or (arrived and not past_the_goal):
            break
    return False, False
