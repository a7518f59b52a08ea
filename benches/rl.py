"""Gymnasium's loop beside the environments of the Rust studies.

Reads what `cargo bench -p probtest-paper --bench reinforcement` writes, does
the same work with Gymnasium, and prints how many times faster Rust is. Time is that
of the processor in both, so that a busy machine favours neither. Ends with 1 when
the ratio is less than it should be. `benches/rl.sh` connects the two.
"""

from __future__ import annotations

import json
import random
import sys
import time
from typing import Any

import gymnasium

#: How many times faster Rust has to be.
EVALUATION_TARGET = 200
TRAINING_TARGET = 100
SEED = 317


def make(rows: str) -> Any:
    """Return a slippery lake with Gymnasium's own limit of 100 steps."""
    return gymnasium.make("FrozenLake-v1", desc=rows.split(), is_slippery=True)


def evaluate(rows: str, policy: list[int], episodes: int) -> tuple[float, int]:
    """Return the seconds that some episodes take, and in how many the agent falls."""
    env = make(rows)
    env.reset(seed=SEED)
    falls = 0
    began = time.process_time()
    for _ in range(episodes):
        state, _ = env.reset()
        terminated = truncated = False
        reward = 0.0
        while not (terminated or truncated):
            state, reward, terminated, truncated, _ = env.step(policy[state])
        falls += terminated and reward == 0
    return time.process_time() - began, falls


def train(rows: str, episodes: int) -> tuple[float, int]:
    """Return the seconds that training takes, and the steps in it."""
    env = make(rows)
    env.action_space.seed(SEED)
    chance = random.Random(SEED)
    values = [[0.0] * 4 for _ in range(int(env.observation_space.n))]
    steps = 0
    began = time.process_time()
    for _ in range(episodes):
        state, _ = env.reset(seed=SEED)
        terminated = truncated = False
        while not (terminated or truncated):
            row = values[state]
            action = int(env.action_space.sample()) if chance.random() < 0.1 else row.index(max(row))
            state, reward, terminated, truncated, _ = env.step(action)
            if reward == 0:
                reward = -60.0 if terminated or truncated else -1.0
            future = 0.0 if terminated else 0.95 * max(values[state])
            row[action] += 0.1 * (reward + future - row[action])
            steps += 1
    return time.process_time() - began, steps


def tell(what: str, rust: float, python: float, target: int, more: str) -> bool:
    """Print one comparison, and say whether it is as it should be."""
    ratio = python / rust
    enough = ratio >= target
    print(
        f"{what}: {rust * 1e3:.1f} ms, with Gymnasium {python:.1f} s: {ratio:.0f} times faster"
        f" ({'at least' if enough else 'MISSED:'} {target}); {more}"
    )
    return enough


def main() -> int:
    """Measure, print, and return the exit code."""
    rust = json.load(sys.stdin)
    evaluation, training = rust["evaluation"], rust["training"]

    episodes = evaluation["episodes"]
    seconds, falls = evaluate(evaluation["map"], evaluation["policy"], episodes)
    shares = f"falls {evaluation['violated'] / episodes:.4f} and {falls / episodes:.4f}"
    what = f"{episodes} evaluation episodes on the 4x4 lake"
    more = f"{shares}, exact {evaluation['exact']:.4f}"
    fast = tell(what, evaluation["seconds"], seconds, EVALUATION_TARGET, more)

    seconds, steps = train(training["map"], training["episodes"])
    what = f"{training['episodes']} training episodes on the 7x7 lake"
    # The agents differ, and so do their steps: the time of one step compares without that.
    ours, theirs = training["seconds"] / training["steps"], seconds / steps
    more = f"a step {ours * 1e9:.0f} ns and {theirs * 1e9:.0f} ns, {theirs / ours:.0f} times"
    fast &= tell(what, training["seconds"], seconds, TRAINING_TARGET, more)
    return 0 if fast else 1


if __name__ == "__main__":
    sys.exit(main())
