"""Is the exact answer what episodes come to?"""

from __future__ import annotations

import pytest

from ..frozen_lake.frozen_lake import LAKES, cross
from .chains import after_steps, ends_of

#: Heads ends the game with a prize, tails goes on.
COIN = {0: {0: [(0.5, 0, 0.0, False), (0.5, 1, 1.0, True)]}, 1: {0: [(1.0, 1, 0.0, True)]}}


def test_a_coin_is_still_tossed_after_three_tails() -> None:
    where, caught = after_steps(COIN, (0, 0), start=0, steps=3)
    assert list(where) == [0.125, 0.875]
    assert caught == 0.0


def test_a_caught_transition_goes_nowhere_from_there() -> None:
    where, caught = after_steps(COIN, (0, 0), start=0, steps=3, catches=lambda reward: reward == 1.0)
    assert list(where) == [0.125, 0.0]
    assert caught == 0.875


def test_a_walk_past_the_end_goes_on_by_the_table() -> None:
    # As long as the game goes on after heads, it is won again with each further toss.
    endless = {0: COIN[0], 1: {0: [(1.0, 0, 0.0, False)]}}
    where, _ = after_steps(endless, (0, 0), start=0, steps=2)
    assert list(where) == [0.25, 0.75]
    where, _ = after_steps(endless, (0, 0), start=0, steps=2, past_the_end=True)
    assert list(where) == [0.75, 0.25]


def test_after_no_step_the_agent_is_at_the_start() -> None:
    where, _ = after_steps(COIN, (0, 0), start=0, steps=0)
    assert list(where) == [1.0, 0.0]


def test_the_ends_of_a_lake_are_its_holes_and_its_goal() -> None:
    lake = LAKES["7x7"]
    assert ends_of(lake.make().unwrapped.P) == {6, 16, 28, 30, 48}
    assert lake.squares("H") == [6, 16, 28, 30]


def test_five_thousand_episodes_come_to_the_exact_answer() -> None:
    lake = LAKES["4x4"]
    policy = lake.train([10])[10]
    exact = lake.exact(policy, 100)
    env, samples = lake.make(), 5_000
    episodes = [cross(env, policy, seed) for seed in range(samples)]
    # The seeds are fixed. With others, six and a half standard deviations are
    # left with probability 1e-10.
    for name, violations in zip(("Q1", "Q2"), zip(*episodes, strict=True), strict=True):
        deviation = (exact[name] * (1 - exact[name]) / samples) ** 0.5
        assert sum(violations) / samples == pytest.approx(exact[name], abs=6.5 * deviation)
