"""Tabular Q-learning: which action in which state, learned from episodes.

An agent sees what Gymnasium shows to any agent: states, actions, rewards and
ends. Nothing here looks at the tables inside an environment.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, TypeAlias

#: The action for each state.
Policy: TypeAlias = tuple[int, ...]


def unshaped(reward: float, ended: bool) -> float:  # noqa: ARG001
    """Return the reward as the environment gives it."""
    return reward


@dataclass(frozen=True)
class Learner:
    """How an agent learns, and the seeds that decide everything it does."""

    learning_rate: float
    discount: float
    #: The probability of an action at random, the same in every episode.
    exploration: float
    #: Decides when to explore, and seeds the action space once.
    exploration_seed: int
    #: The environment begins every episode with this seed.
    episode_seed: int
    #: What the agent is told instead of (reward, whether the episode has ended).
    shape: Callable[[float, bool], float] = unshaped

    def train(
        self,
        env: Any,
        episodes: Collection[int],
        progress: Callable[[int], object] | None = None,
    ) -> dict[int, Policy]:
        """Train once, and return the policy after each of the numbers of episodes.

        Nothing depends on how long the training goes on: the policy after 10
        episodes is the same, whether 90 more follow or not.
        """
        chance = random.Random(self.exploration_seed)
        env.action_space.seed(self.exploration_seed)
        # Lists: for four actions they are several times faster than arrays.
        values = [[0.0] * int(env.action_space.n) for _ in range(int(env.observation_space.n))]
        policies: dict[int, Policy] = {}
        for episode in range(1, max(episodes) + 1):
            self._episode(env, values, chance)
            if episode in episodes:
                policies[episode] = tuple(best(row) for row in values)
            if progress is not None:
                progress(episode)
        return policies

    def _episode(self, env: Any, values: list[list[float]], chance: random.Random) -> None:
        state, _ = env.reset(seed=self.episode_seed)
        ended = False
        while not ended:
            row = values[state]
            explores = chance.random() < self.exploration
            action = int(env.action_space.sample()) if explores else best(row)
            after, reward, terminated, truncated, _ = env.step(action)
            ended = terminated or truncated
            # Running out of time is no property of the state: what may follow still counts.
            future = 0.0 if terminated else self.discount * max(values[after])
            row[action] += self.learning_rate * (self.shape(reward, ended) + future - row[action])
            state = after


def best(row: list[float]) -> int:
    """Return the action with the highest value, the lowest number among equals.

    >>> best([0.0, 2.0, 2.0, 1.0])
    1
    """
    return row.index(max(row))
