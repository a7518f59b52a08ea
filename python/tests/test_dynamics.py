"""The environments of the Rust studies have the tables of Gymnasium, to the last bit."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.toy_text.frozen_lake import MAPS, generate_random_map

from .command import built

LAKES = {
    "paper 4x4": ["SFFF", "FFFF", "FHFF", "FFFG"],
    "paper 7x7": ["SFFFFFH", "FFFFFFF", "FFHFFFF", "FFFFFFF", "HFHFFFF", "FFFFFFF", "FFFFFFG"],
    "standard 4x4": MAPS["4x4"],
    "standard 8x8": MAPS["8x8"],
    "three starts, not square": ["FSFFS", "HFFFH", "SFGFF"],
    "one row": ["GFSFH"],
    "random": generate_random_map(size=11, p=0.7, seed=5),
}


@pytest.fixture(scope="session")
def example() -> Path:
    """Return where the example is."""
    return built() / "examples" / "dynamics"


def export(example: Path, *words: str) -> tuple[list[int], list[Any]]:
    """Return the starts and the outcomes of an environment in Rust."""
    ran = subprocess.run([example, *words], stdout=subprocess.PIPE, text=True, check=True)
    exported = json.loads(ran.stdout)
    return exported["starts"], exported["outcomes"]


def table(env: gymnasium.Env[Any, Any]) -> tuple[list[int], list[Any]]:
    """Return the same of an environment of Gymnasium, from the table it steps by."""
    inner: Any = env.unwrapped
    starts = np.flatnonzero(inner.initial_state_distrib)
    # All starts are equally likely, which is what a list of them says.
    assert set(inner.initial_state_distrib[starts]) == {1 / len(starts)}
    outcomes = [
        [
            [[float(p), int(state), float(reward), bool(end)] for p, state, reward, end in inner.P[s][a]]
            for a in range(env.action_space.n)  # type: ignore[attr-defined]
        ]
        for s in range(env.observation_space.n)  # type: ignore[attr-defined]
    ]
    return [int(start) for start in starts], outcomes


@pytest.mark.parametrize("ground", ["slippery", "firm"])
@pytest.mark.parametrize("name", LAKES)
def test_every_outcome_of_a_lake_is_that_of_gymnasium(example: Path, name: str, ground: str) -> None:
    rows = LAKES[name]
    env = gymnasium.make("FrozenLake-v1", desc=rows, is_slippery=ground == "slippery")
    ours, theirs = export(example, ground, *rows), table(env)
    assert ours == theirs
    assert len(ours[1]) == len(rows) * len(rows[0])


@pytest.mark.parametrize(
    ("ground", "name"), [("slippery", "CliffWalkingSlippery-v1"), ("firm", "CliffWalking-v1")]
)
def test_every_outcome_of_the_cliff_is_that_of_gymnasium(example: Path, ground: str, name: str) -> None:
    ours, theirs = export(example, ground, "cliff"), table(gymnasium.make(name))
    assert ours == theirs
    assert len(ours[1]) == 48


def test_the_slips_of_training_beside_the_cliff_are_those_of_gymnasium_for_the_seed_42(example: Path) -> None:
    ran = subprocess.run([example, "slips"], stdout=subprocess.PIPE, text=True, check=True)
    ours = json.loads(ran.stdout)
    env = gymnasium.make("CliffWalkingSlippery-v1", disable_env_checker=True)
    env.reset(seed=42)
    inner: Any = env.unwrapped
    slips = ""
    for _ in range(100):
        # From the middle of the highest row but one every slip leads elsewhere.
        inner.s, up = 17, 0
        state, *_ = env.step(up)
        slips += str([after for _, after, _, _ in inner.P[17][up]].index(state))
    assert ours == slips


def test_a_map_that_is_no_lake_is_refused(example: Path) -> None:
    ran = subprocess.run([example, "firm", "SFX", "FFG"], capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert "'X' in SFX is none of S, F, H and G" in ran.stderr
