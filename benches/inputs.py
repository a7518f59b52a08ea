"""What an execution with a random input costs, beside the draw itself and beside Hypothesis's own engine.

    .venv/bin/python benches/inputs.py

The input is `st.lists(st.integers())`, the body does nothing. All make the same examples in several runs, in
turns, and each example counts with its least processor time: other programs only ever add time. Pauses of the
garbage collector are left out by that. Each line has the time of one example, how many times the draw that
is, and how many times as fast as Hypothesis.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

import probtest
from probtest._native import Stream
from probtest.inputs import PURPOSE, Twister
from probtest.strategies import data_from

RUNS = 30
EXAMPLES = 300
#: The first ones are looked at, to find out whether they are random.
FIRST = 50
LISTS = st.lists(st.integers())


def draws() -> list[float]:
    """Draw what the executions draw, and do nothing else. As all of these, say when each example was over."""
    over = []
    twister, stream = Twister(0), Stream(1, "inputs")
    for index in range(1, EXAMPLES + 1):
        data_from(twister.begin(stream.execution_seed(index) | PURPOSE)).draw(LISTS)
        over.append(time.process_time())
    return over


def drawn_in_the_body() -> list[float]:
    over = []

    def body() -> None:
        probtest.draw(LISTS)
        over.append(time.process_time())

    executed(body)
    return over


def of_given() -> list[float]:
    over, test = test_of_given()
    executed(test)
    return over


def by_hypothesis() -> list[float]:
    over, test = test_of_given()
    settings(max_examples=EXAMPLES, database=None, deadline=None, derandomize=True)(test)()
    return over


def test_of_given() -> tuple[list[float], Callable[[], None]]:
    over = []

    @given(LISTS)
    def test(xs: list[int]) -> None:  # noqa: ARG001
        over.append(time.process_time())

    return over, test


def executed(body: Callable[[], object]) -> None:
    budget = {"max_executions": EXAMPLES, "on_budget": "pass"}
    probtest.check(body, p=1e-6, seed=1, name="inputs", **budget)  # type: ignore[arg-type]


def main() -> None:
    ways = {
        "the draw itself": draws,
        "an execution that draws": drawn_in_the_body,
        "an execution of @given": of_given,
        "Hypothesis": by_hypothesis,
    }
    least: dict[str, list[float]] = {}
    for _ in range(RUNS):
        for name, way in ways.items():
            took = [end - begin for begin, end in pairwise(way()[FIRST:])]
            least[name] = list(map(min, took, least.get(name, took)))
    each = {name: sum(took) / len(took) for name, took in least.items()}
    draw, engine = each["the draw itself"], each["Hypothesis"]
    for name, seconds in each.items():
        times, faster = seconds / draw, engine / seconds
        print(
            f"{name:<24} {seconds * 1e6:7.0f} us   {times:5.2f} times the draw   {faster:4.1f} times as fast"
        )


if __name__ == "__main__":
    main()
