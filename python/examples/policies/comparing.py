"""Published, exact, estimated: the numbers of a row, side by side."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import probtest

from . import rows as table
from .learning import Policy
from .rows import EPSILON, Episode, Row

COLUMNS = (
    "environment",
    "property",
    "episodes",
    "steps",
    "p",
    "epsilon",
    "executions",
    "published",
    "exact",
    "estimate",
    "estimate_low",
    "estimate_high",
    "samples",
    "published_found",
    "found_exact",
    "found_measured",
    "repeats",
    "verdict",
)

#: Is told what is under way, how much of it is done, and of how much.
Observer = Callable[[str, int, int], object]


@dataclass(frozen=True)
class Comparison:
    """One row with everything that was computed and measured for it."""

    row: Row
    exact: float
    violations: int
    samples: int
    found: int
    repeats: int

    def line(self) -> dict[str, object]:
        """Return the row as written, by column."""
        row = self.row
        low, high = probtest.interval(self.violations, self.samples)
        values = (
            row.environment,
            row.property,
            row.episodes,
            row.steps,
            row.p,
            EPSILON,
            row.executions,
            row.published,
            f"{self.exact:.6f}",
            f"{self.violations / self.samples:.6f}",
            f"{low:.6f}",
            f"{high:.6f}",
            self.samples,
            row.published_found,
            f"{1 - (1 - self.exact) ** row.executions:.6f}",
            f"{self.found / self.repeats:.3f}",
            self.repeats,
            row.verdict(self.exact),
        )
        return dict(zip(COLUMNS, values, strict=True))


def compare(rows: list[Row], samples: int, repeats: int, observe: Observer) -> Iterator[Comparison]:
    """Compute and measure each row; a policy is trained and evaluated once for its properties.

    Everything is decided by the seeds of the study: the same again gives the same.
    """
    for environment, of_environment in itertools.groupby(rows, key=lambda row: row.environment):
        members = list(of_environment)
        policies = _train(environment, {row.episodes for row in members}, observe)
        counted: dict[tuple[int, int], dict[str, int]] = {}
        for row in members:
            policy = policies[row.episodes]
            episode = table.episode_of(environment, policy, row.steps)
            key = (row.episodes, row.steps)
            if key not in counted:
                counted[key] = _estimate(row, episode, samples, observe)
            yield Comparison(
                row,
                table.exact(environment, policy, row.steps)[row.property],
                counted[key][row.property],
                samples,
                _finds(row, episode, repeats, observe),
                repeats,
            )


def _train(environment: str, episodes: set[int], observe: Observer) -> dict[int, Policy]:
    most = max(episodes)
    return table.train(environment, episodes, lambda done: observe(f"{environment}: training", done, most))


def _estimate(row: Row, episode: Episode, samples: int, observe: Observer) -> dict[str, int]:
    """Count the violations of each property in so many episodes."""
    chance = random.Random(f"{row.environment}:{row.episodes}:{row.steps}")
    counts: dict[str, int] = {}
    for done in range(1, samples + 1):
        for name, violated in episode(chance.getrandbits(32)).items():
            counts[name] = counts.get(name, 0) + violated
        observe(f"{row.name}: episodes", done, samples)
    return counts


def _finds(row: Row, episode: Episode, repeats: int, observe: Observer) -> int:
    """Count how often probtest finds a violation."""
    found = 0
    for done in range(1, repeats + 1):
        result = probtest.check(
            lambda: not episode(random.getrandbits(32))[row.property],
            p=row.p,
            epsilon=EPSILON,
            seed=done,
            name=row.name,
            raises=False,
        )
        found += result.verdict == "violated"
        observe(f"{row.name}: suites", done, repeats)
    return found
