"""The rows of the paper's table on learned policies, and the programs behind them."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import probtest

from ..cliff_walking import cliff_walking
from ..frozen_lake.frozen_lake import LAKES, cross
from .learning import Policy

CLIFF = "cliffwalk"
#: The property of the cliff as the text has it, and as the numbers were made: with falls after the goal.
Q = "Q"
PAST_THE_GOAL = "Q past the goal"
EPSILON = "0.05"
#: The episodes behind each published violation probability, as the paper says.
PUBLISHED_SAMPLES = 100_000
#: A published number agrees when the exact one is in its confidence interval of this level.
CONFIDENCE = 0.999

#: Which properties the episode of a seed has violated.
Episode = Callable[[int], dict[str, bool]]


class NoSuchRow(ValueError):
    """A selection that names nothing."""


@dataclass(frozen=True)
class Row:
    """One published row, for one number of steps."""

    environment: str
    property: str
    episodes: int
    steps: int
    p: str
    published: str
    published_found: str

    @property
    def name(self) -> str:
        return f"{self.environment}:{self.property}:{self.episodes}:{self.steps}"

    @property
    def executions(self) -> int:
        return probtest.plan(p=self.p, epsilon=EPSILON).executions

    def verdict(self, exact: float) -> str:
        """Say how the published number stands to the exact one.

        That of the cliff is a mean of 100 agents whose exploration had no seed: ours
        is another one of the same kind, and one does not speak for a mean.
        """
        if self.property == PAST_THE_GOAL:
            return "another policy"
        low, high = published_interval(self.published)
        return "agrees" if low <= exact <= high else "differs"


def published_interval(published: str) -> tuple[float, float]:
    """Return the violation probabilities that may lie behind a published mean.

    It was rounded to three decimals, so a range of counts may be behind it; the
    interval is the exact one of the ends of that range.

    >>> low, high = published_interval("0.530")
    >>> low < 0.5284 < high
    True
    >>> published_interval("0.000")[0]
    0.0
    """
    mean, half = float(published), 0.0005
    least = max(0, math.ceil((mean - half) * PUBLISHED_SAMPLES - 1e-6))
    most = min(PUBLISHED_SAMPLES, math.floor((mean + half) * PUBLISHED_SAMPLES + 1e-6))
    low, _ = probtest.interval(least, PUBLISHED_SAMPLES, CONFIDENCE)
    _, high = probtest.interval(most, PUBLISHED_SAMPLES, CONFIDENCE)
    return low, high


def all_rows() -> list[Row]:
    """Return every published row, those whose text and numbers differ for both.

    The 7x7 lake stands there for two numbers of steps, the cliff with an end at the
    goal and without.
    """
    with (Path(__file__).parent / "published.csv").open(newline="") as file:
        published = list(csv.DictReader(file))
    return [
        Row(
            environment=line["experiment"],
            property=name,
            episodes=int(line["episodes"]),
            steps=steps,
            p=line["p"],
            published=line["published_violation_probability"],
            published_found=line["published_find_probability"],
        )
        for line in published
        for name, steps in _questions(line["experiment"], line["property"])
    ]


def _questions(environment: str, name: str) -> list[tuple[str, int]]:
    if environment == CLIFF:
        return [(name, cliff_walking.STEPS), (PAST_THE_GOAL, cliff_walking.STEPS)]
    return [(name, steps) for steps in LAKES[environment].steps]


def select(rows: list[Row], wanted: Iterable[str]) -> list[Row]:
    """Return the rows whose name begins with one of the selections.

    >>> [row.name for row in select(all_rows(), ["7x7:Q2:10000"])]
    ['7x7:Q2:10000:100', '7x7:Q2:10000:200']
    """
    wanted = list(wanted)
    for selection in wanted:
        if not any(_is_selected(row, selection) for row in rows):
            raise NoSuchRow(
                f"no row of the table is called {selection!r}\n"
                f"  given  {', '.join(wanted)}\n"
                "  help   write ENVIRONMENT[:PROPERTY[:EPISODES[:STEPS]]], such as 4x4, 7x7:Q2 or "
                f"{CLIFF}:Q:15000"
            )
    return [row for row in rows if any(_is_selected(row, selection) for selection in wanted)]


def _is_selected(row: Row, selection: str) -> bool:
    return f"{row.name}:".startswith(f"{selection}:")


def train(
    environment: str, episodes: set[int], progress: Callable[[int], object] | None = None
) -> dict[int, Policy]:
    """Return the policies of an environment after each number of episodes."""
    if environment == CLIFF:
        return cliff_walking.train(episodes, progress)
    return LAKES[environment].train(episodes, progress)


def exact(environment: str, policy: Policy, steps: int) -> dict[str, float]:
    """Return the exact violation probability of each property."""
    if environment == CLIFF:
        return {
            Q: cliff_walking.exact(policy, steps),
            PAST_THE_GOAL: cliff_walking.exact(policy, steps, past_the_goal=True),
        }
    return LAKES[environment].exact(policy, steps)


def episode_of(environment: str, policy: Policy, steps: int) -> Episode:
    """Return a function that walks through one episode in Gymnasium."""
    if environment == CLIFF:
        cliff = cliff_walking.make()
        return lambda seed: dict(
            zip((Q, PAST_THE_GOAL), cliff_walking.walk(cliff, policy, seed, steps), strict=True)
        )
    lake = LAKES[environment].make(steps)
    return lambda seed: dict(zip(("Q1", "Q2"), cross(lake, policy, seed), strict=True))
