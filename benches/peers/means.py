"""Executions that a claim on a mean takes: probtest beside pytest-stochastic.

    means.py [--seeds N]

The examples are those of the README of pytest-stochastic 0.1.0. Its promise is that a
program with exactly the expected mean fails with probability at most 1e-8; by the same
bound, one that is off by twice the tolerance passes with at most that. The claim of ours
says both: `within` is the expected mean, `margin` twice the tolerance.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from environments import ROOT, Unavailable, prepare

import probtest

CHANCE = 1e-8


@dataclass(frozen=True)
class Example:
    """One example of the README: what it says, and a body that behaves so."""

    name: str
    arguments: str
    expected: float
    tolerance: float
    between: tuple[float, float]
    body: Callable[[], float]
    source: str


def slope() -> float:
    """Draw what the README describes: mean 2, variance 0.029, inside of its bounds."""
    return min(max(random.gauss(2.0, 0.029**0.5), -2.46), 6.46)


_SLOPE = "min(max(random.gauss(2.0, 0.029 ** 0.5), -2.46), 6.46)"
EXAMPLES = (
    Example(
        "uniform, bounds",
        "expected=0.5, atol=0.05, bounds=(0, 1)",
        0.5,
        0.05,
        (0, 1),
        random.random,
        "random.random()",
    ),
    Example(
        "slope, bounds",
        "expected=2.0, atol=0.1, bounds=(-2.46, 6.46)",
        2.0,
        0.1,
        (-2.46, 6.46),
        slope,
        _SLOPE,
    ),
    Example(
        "slope, bounds and variance",
        "expected=2.0, atol=0.1, bounds=(-2.46, 6.46), variance=0.029",
        2.0,
        0.1,
        (-2.46, 6.46),
        slope,
        _SLOPE,
    ),
    Example(
        "slope, sub-Gaussian parameter",
        "expected=2.0, atol=0.1, sub_gaussian_param=0.172",
        2.0,
        0.1,
        (-2.46, 6.46),
        slope,
        _SLOPE,
    ),
)


def main() -> None:
    """Count and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seeds", type=int, default=50, help="runs of ours for each example (default 50)")
    seeds = parser.parse_args().seeds
    try:
        python = prepare("stochastic", ROOT / ".venv-peers")
    except Unavailable as error:
        sys.exit(f"error: pytest-stochastic cannot be installed\n  reason  {error}")
    print(
        "| example | told to pytest-stochastic | its executions | ours, mean | ours, most | ours, planned |"
    )
    print("|---|---|---|---|---|---|")
    for example in EXAMPLES:
        counts, planned = ours(example, seeds)
        print(
            f"| {example.name} | `{example.arguments}` | {theirs(example, python)} "
            f"| {sum(counts) / len(counts):.0f} | {max(counts)} | {planned} |",
            flush=True,
        )


def ours(example: Example, seeds: int) -> tuple[list[int], int]:
    """Return the executions of ours for each seed, and the most that there could be."""
    claim = probtest.mean(
        between=example.between,
        within=(example.expected, example.expected),
        margin=2 * example.tolerance,
        epsilon=CHANCE,
        false_alarm=CHANCE,
    )
    results = [probtest.check(example.body, claim=claim, seed=seed) for seed in range(seeds)]
    return [result.executed for result in results], claim.planned


def theirs(example: Example, python: Path) -> int:
    """Return the calls that pytest-stochastic makes."""
    text = (
        "import atexit, pathlib, random\n"
        "from pytest_stochastic import stochastic_test\n\n"
        "calls = [0]\n"
        "atexit.register(lambda: pathlib.Path('calls').write_text(str(calls[0])))\n\n"
        f"@stochastic_test({example.arguments})\n"
        f"def test_example():\n    calls[0] += 1\n    return {example.source}\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "test_example.py").write_text(text, encoding="utf-8")
        command = [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_example.py"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"error: pytest-stochastic failed on {example.name}\n{done.stdout}{done.stderr}")
        return int(Path(folder, "calls").read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
