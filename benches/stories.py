"""Executions and time to the smallest story, beside Hypothesis and proptest.

The same programs, with bugs whose smallest executions are known. In Python they draw from `random`, and
Hypothesis gives them `st.randoms()`. In Rust they toss coins, and proptest gives them a vector of booleans.
`until` counts the executions up to the first violation; `after` and `ms` are what it took from there to the
smallest execution; `left` is how many of its draws are not the simplest: the median of several seeds, and
the most where some leave more.
"""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium
import hypothesis
from hypothesis import strategies

import probtest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "python"))
from examples.skip_list import skip_list as module  # noqa: E402
from examples.skip_list.skip_list import SkipList, broken_rule  # noqa: E402

RUNS = 9
#: Draws from a source, notes which of them are not the simplest, and asserts.
Program = Callable[[Any, list[bool]], None]


def pick(rng: Any, notes: list[bool], below: int) -> int:
    drawn = rng.randrange(below)
    notes.append(drawn != 0)
    return drawn


def walk(rng: Any, notes: list[bool]) -> None:
    assert sum((-1, 1)[pick(rng, notes, 2)] for _ in range(20)) < 10


def quicksort(rng: Any, notes: list[bool]) -> None:
    def by_pivots(items: list[int]) -> list[int]:
        if len(items) < 2:
            return items
        pivot = items[pick(rng, notes, len(items))]
        low = by_pivots([item for item in items if item < pivot])
        high = by_pivots([item for item in items if item > pivot])
        return low + ([] if len(items) == 3 and not high else [pivot]) + high

    assert len(by_pivots(list(range(8)))) == 8


def collision(rng: Any, notes: list[bool]) -> None:
    high = [key for key in (pick(rng, notes, 64) for _ in range(8)) if key >= 5]
    assert len(set(high)) == len(high)


class Forgetful(SkipList):
    """Deletes no key from the top level."""

    def delete(self, key: int) -> None:
        for place in self._before(key)[: self.most_levels - 1]:
            if place.next is not None and place.next.key == key:
                place.next = place.next.next


class Reversed:
    """Draws of which zero is the largest, so that the simplest ones leave a tower low."""

    def __init__(self, rng: Any, notes: list[bool]) -> None:
        self.rng, self.notes = rng, notes

    def random(self) -> float:
        drawn: float = self.rng.random()
        self.notes.append(drawn != 0)
        return 1 - drawn


def skip_list(rng: Any, notes: list[bool]) -> None:
    keys = Forgetful(most_levels=4)
    # It draws from what its module knows by this name.
    module.random = Reversed(rng, notes)  # type: ignore[attr-defined]
    for key in range(4):
        keys.insert(key)
    keys.delete(2)
    assert broken_rule(keys, [0, 1, 3]) is None


LAKE = gymnasium.make("FrozenLake-v1", is_slippery=True, disable_env_checker=True).unwrapped.P


def lake(rng: Any, notes: list[bool]) -> None:
    state = 0
    for _ in range(100):
        # To the right, or slipping to either side.
        _, state, reward, ended = LAKE[state][2][(1, 0, 2)[pick(rng, notes, 3)]]
        if ended:
            assert reward > 0
            return


PROGRAMS: list[Program] = [walk, quicksort, collision, skip_list, lake]


@dataclass
class Found:
    """What one run came to."""

    until: int
    after: int
    milliseconds: float
    left: int


class Counted:
    """Counts executions, and keeps what was drawn in the last one that violated."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.executions = self.until = self.left = 0
        self.times: list[float] = []

    def __call__(self, rng: Any) -> None:
        self.executions += 1
        notes: list[bool] = []
        try:
            self.program(rng, notes)
        except AssertionError:
            self.until = self.until or self.executions
            self.left = sum(notes)
            raise
        finally:
            if self.until:
                self.times.append(time.perf_counter())

    def found(self, after: int) -> Found:
        return Found(self.until, after, 1e3 * (self.times[after] - self.times[0]), self.left)


def by_probtest(program: Program, seed: int) -> Found:
    counted = Counted(program)

    def body() -> None:
        counted(random)

    options = {"p": 1e-4, "epsilon": 1e-3, "seed": seed, "name": "story", "shrink_time": "60s"}
    story = probtest.check(body, raises=False, **options).story  # type: ignore[arg-type]
    assert story is not None
    assert story.complete
    # One has confirmed the violation; those after the story have looked for the draws that decide.
    found = counted.found(1 + story.executions)
    found.left = story.matter
    return found


def by_hypothesis(program: Program, seed: int) -> Found:
    counted = Counted(program)
    phases = [hypothesis.Phase.generate, hypothesis.Phase.shrink]
    settings = hypothesis.settings(max_examples=100_000, database=None, deadline=None, phases=phases)
    checks = list(hypothesis.HealthCheck)
    settings = hypothesis.settings(settings, suppress_health_check=checks, report_multiple_bugs=False)
    test = hypothesis.seed(seed)(settings(hypothesis.given(strategies.randoms())(counted.__call__)))
    try:
        test()
    except AssertionError:
        return counted.found(len(counted.times) - 1)
    return Found(0, 0, 0.0, -1)


def row(tool: str, program: str, found: list[Found]) -> list[str]:
    missed = sum(one.left < 0 for one in found)
    found = [one for one in found if one.left >= 0]
    if not found:
        return [program, tool, "not found", "", "", ""]
    middle = [
        statistics.median_low([getattr(one, key) for one in found]) for key in ("until", "after", "left")
    ]
    most = max(one.left for one in found)
    left = f"{middle[2]}" + (f" to {most}" if most > middle[2] else "")
    left += f"; not found {missed} times" if missed else ""
    spent = statistics.median([one.milliseconds for one in found])
    return [program, tool, f"{middle[0]}", f"{middle[1]}", f"{spent:.1f}", left]


def in_rust() -> list[list[str]]:
    command = ["cargo", "bench", "--quiet", "-p", "probtest", "--bench", "stories"]
    made = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    rows = []
    for line in made.stdout.splitlines():
        tool, program, until, after, spent, left, most = line.split("\t")
        left += f" to {most}" if int(most) > int(left) else ""
        rows.append([program, f"{tool} (Rust)", until, after, f"{int(spent) / 1e3:.1f}", left])
    return rows


def main() -> None:
    rows = [["program", "tool", "until", "after", "ms", "left"]]
    for program in PROGRAMS:
        for tool, find in (("probtest", by_probtest), ("Hypothesis", by_hypothesis)):
            found = [find(program, seed) for seed in range(1, RUNS + 1)]
            rows.append(row(tool, program.__name__, found))
    rows += in_rust()
    widths = [max(len(line[place]) for line in rows) for place in range(6)]
    for line in rows:
        print("  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip())


if __name__ == "__main__":
    main()
