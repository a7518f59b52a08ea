"""The two lakes of the paper, in Gymnasium, and the agent that learned to cross them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

import gymnasium

from ..policies.chains import after_steps
from ..policies.learning import Learner, Policy


@dataclass(frozen=True)
class Lake:
    """A map, and the rewards that the agent is told on it."""

    rows: tuple[str, ...]
    #: Instead of 0, for a step that leads nowhere.
    step_reward: float
    #: For an episode that ends anywhere but at the goal, by a hole or by time.
    lost_reward: float
    #: The episodes after which the paper looks at the policy.
    episodes: tuple[int, ...]
    #: The steps within which the agent has to arrive; the environment's own limit first.
    steps: tuple[int, ...]

    def make(self, steps: int | None = None) -> Any:
        """Make the environment; its episodes end after so many steps."""
        return gymnasium.make(
            "FrozenLake-v1",
            desc=list(self.rows),
            is_slippery=True,
            max_episode_steps=self.steps[0] if steps is None else steps,
            # It checks each step of a well-tested environment, for a third of the time.
            disable_env_checker=True,
        )

    def train(
        self, episodes: Collection[int], progress: Callable[[int], object] | None = None
    ) -> dict[int, Policy]:
        """Return the paper's policy after each of the numbers of episodes."""
        learner = Learner(
            learning_rate=0.1,
            discount=0.95,
            exploration=0.1,
            exploration_seed=317,
            episode_seed=317,
            shape=self.shape,
        )
        return learner.train(self.make(), episodes, progress)

    def shape(self, reward: float, ended: bool) -> float:
        """Return what the agent is told instead of Gymnasium's 1 at the goal and 0 elsewhere."""
        if reward > 0:
            return reward
        return self.lost_reward if ended else self.step_reward

    def squares(self, kind: str) -> list[int]:
        """Return the states of a kind: S start, F frozen, H hole, G goal."""
        return [state for state, square in enumerate("".join(self.rows)) if square == kind]

    def exact(self, policy: Policy, steps: int) -> dict[str, float]:
        """Return the exact violation probability of Q1 and Q2 within so many steps."""
        transitions = self.make().unwrapped.P
        where, _ = after_steps(transitions, policy, start=0, steps=steps)
        ended = self.squares("H") + self.squares("G")
        on_the_ice = [state for state in range(len(policy)) if state not in ended]
        return {"Q1": float(where[self.squares("H")].sum()), "Q2": float(where[on_the_ice].sum())}


LAKES = {
    "4x4": Lake(
        rows=("SFFF", "FFFF", "FHFF", "FFFG"),
        step_reward=-0.1,
        lost_reward=-1.0,
        episodes=tuple(range(10, 101, 10)),
        steps=(100,),
    ),
    "7x7": Lake(
        rows=("SFFFFFH", "FFFFFFF", "FFHFFFF", "FFFFFFF", "HFHFFFF", "FFFFFFF", "FFFFFFG"),
        step_reward=-1.0,
        lost_reward=-60.0,
        episodes=(10000, 15000, 20000, 25000),
        # The paper's text says 200, its numbers were made with 100.
        steps=(100, 200),
    ),
}


def cross(env: Any, policy: Policy, seed: int) -> tuple[bool, bool]:
    """Walk by the policy until the episode ends: (fell into a hole, ran out of time)."""
    state, _ = env.reset(seed=seed)
    terminated = truncated = False
    reward = 0.0
    while not (terminated or truncated):
        state, reward, terminated, truncated, _ = env.step(policy[state])
    return bool(terminated and reward == 0), not terminated
