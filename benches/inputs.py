"""What an execution with a random input costs, beside the draw itself and beside Hypothesis's own engine.

    .venv/bin/python benches/inputs.py

The input is `st.lists(st.integers())`, the body does nothing. All take the least processor time of several
runs, in turns: other programs only ever add time. Each line has the time of one example, how many times
the draw that is, and how many times as fast as Hypothesis.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

import probtest
from probtest._native import Stream
from probtest.inputs import PURPOSE, Twister
from probtest.strategies import _data_from

RUNS = 7
EXAMPLES = 1000
LISTS = st.lists(st.integers())


def draws() -> int:
    """Draw what the executions draw, and do nothing else."""
    twister, stream = Twister(0), Stream(1, "inputs")
    for index in range(1, EXAMPLES + 1):
        _data_from(twister.begin(stream.execution_seed(index) | PURPOSE)).draw(LISTS)
    return EXAMPLES


def drawn_in_the_body() -> int:
    return executed(lambda: probtest.draw(LISTS) is not None)


@given(LISTS)
def takes_a_list(xs: list[int]) -> None:
    """Be the test."""


def of_given() -> int:
    return executed(takes_a_list)


def executed(body: Callable[[], object]) -> int:
    budget = {"max_executions": EXAMPLES, "on_budget": "pass"}
    return probtest.check(body, p=1e-6, seed=1, name="inputs", **budget).executed  # type: ignore[arg-type]


def by_hypothesis() -> int:
    count = 0

    @settings(max_examples=EXAMPLES, database=None, deadline=None)
    @given(LISTS)
    def test(xs: list[int]) -> None:  # noqa: ARG001
        nonlocal count
        count += 1

    test()
    return count


def main() -> None:
    ways = {
        "the draw itself": draws,
        "an execution that draws": drawn_in_the_body,
        "an execution of @given": of_given,
        "Hypothesis": by_hypothesis,
    }
    best = dict.fromkeys(ways, float("inf"))
    for _ in range(RUNS):
        for name, way in ways.items():
            begin = time.process_time()
            count = way()
            best[name] = min(best[name], (time.process_time() - begin) / count)
    draw, engine = best["the draw itself"], best["Hypothesis"]
    for name, seconds in best.items():
        times, faster = seconds / draw, engine / seconds
        print(
            f"{name:<24} {seconds * 1e6:7.0f} us   {times:5.2f} times the draw   {faster:4.1f} times as fast"
        )


if __name__ == "__main__":
    main()
