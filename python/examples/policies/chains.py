"""The exact probability that an agent with a policy ends up somewhere.

With the policy fixed, an environment with a table of transitions is a Markov
chain. Where it is after s steps is the s-th power of a matrix: no sampling.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

from .learning import Policy

#: Gymnasium's table: state -> action -> (probability, next state, reward, whether the episode ends).
Transitions: TypeAlias = Mapping[int, Mapping[int, list[tuple[float, int, float, bool]]]]


def after_steps(
    transitions: Transitions,
    policy: Policy,
    start: int,
    steps: int,
    catches: Callable[[float], bool] = lambda reward: False,  # noqa: ARG005
    past_the_end: bool = False,
) -> tuple[Any, float]:
    """Return where the agent is after so many steps, and the probability of being caught.

    The first is a probability for each state. An episode that has ended stays in
    its last state, unless the agent is to walk on `past_the_end`, by the table of the
    environment. A transition whose reward `catches` is absorbed: it is counted
    in the second and goes nowhere from there.

    >>> coin = {0: {0: [(0.5, 0, 0.0, False), (0.5, 1, 1.0, True)]}, 1: {0: [(1.0, 1, 0.0, True)]}}
    >>> where, caught = after_steps(coin, (0, 0), start=0, steps=3)
    >>> [float(probability) for probability in where], caught
    ([0.125, 0.875], 0.0)
    """
    states = len(transitions)
    caught = states
    matrix = np.zeros((states + 1, states + 1))
    matrix[caught, caught] = 1.0
    ends = set() if past_the_end else ends_of(transitions)
    for state in range(states):
        if state in ends:
            matrix[state, state] = 1.0
            continue
        for probability, after, reward, _ in transitions[state][policy[state]]:
            matrix[state, caught if catches(reward) else int(after)] += probability
    row = np.linalg.matrix_power(matrix, steps)[start]
    return row[:states], float(row[caught])


def ends_of(transitions: Transitions) -> set[int]:
    """Return the states in which an episode ends."""
    return {
        int(after)
        for actions in transitions.values()
        for outcomes in actions.values()
        for _, after, _, terminated in outcomes
        if terminated
    }
