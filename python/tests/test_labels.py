"""What executions say about themselves: shares, what was unusual, and what must be there."""

from __future__ import annotations

import os
import random
import sys
import threading
import time
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy
import pytest

import probtest
from probtest.engines import forked


def check(body: Callable[[], object], **options: Any) -> probtest.Result:
    options = {"p": 0.01, "epsilon": 0.02, "seed": 7, "name": "labels", "shrink": False} | options
    return probtest.check(body, raises=False, **options)


def tower(rng: Any = random) -> int:
    return next(height for height in range(1, 21) if rng.random() < 0.5 or height == 20)


def label_all(rng: Any = random) -> None:
    height = tower(rng)
    probtest.assume(height != 2)
    probtest.label("height", height)
    probtest.label("kind", "low")
    probtest.label("kind", "tall" if height > 3 else "low")
    probtest.label("odd", height % 2 == 1)


def counts(result: probtest.Result, name: str) -> dict[str, int]:
    (found,) = (label for label in result.labels if label["name"] == name)
    return {share["value"]: share["passed"] + share["violated"] for share in found["shares"]}


def test_shares_are_counted_over_the_executions_that_count() -> None:
    result = check(label_all)
    assert [label["name"] for label in result.labels] == ["height", "kind", "odd"]
    heights = counts(result, "height")
    assert sum(heights.values()) == sum(counts(result, "kind").values()) == 390
    assert "2" not in heights, "rejected ones do not count"
    assert counts(result, "kind")["tall"] == sum(many for height, many in heights.items() if int(height) > 3)
    for part in ("labels    height", "kind = low in ", "odd in "):
        assert part in str(result)


@pytest.mark.skipif(
    not hasattr(os, "fork") or sys.platform == "darwin", reason="there is nothing to fork safely"
)
def test_labels_of_other_processes_are_counted_too(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LEAST_SECONDS", "LEAST_WORK"):
        monkeypatch.setattr(forked, name, 0.0)
    monkeypatch.setattr(forked, "unsafe", lambda: None)
    here: list[int] = []

    def body() -> None:
        label_all()
        here.append(0)
        # So long that it is not over before there is another process.
        time.sleep(0.0005)

    result = check(body, jobs=2)
    assert len(here) < 390, "the others ran elsewhere"
    assert result.labels == check(label_all).labels


def test_labels_belong_to_their_execution_where_several_are_under_way() -> None:
    def own() -> None:
        label_all(probtest.rng())

    alone = check(own)
    assert check(own, concurrency=10, threads=True).labels == alone.labels

    async def awaited() -> None:
        label_all(probtest.rng())

    assert check(awaited, concurrency=10).labels == alone.labels


def test_what_was_unusual_about_a_violation_is_said() -> None:
    def body() -> None:
        height = tower()
        probtest.label("height", height)
        probtest.label("weather", "fine")
        assert height < 7

    result = check(body, p=0.001, epsilon=0.001)
    height = result.labels[0]["of_violation"]
    said = f"height = {height} in this execution; 0 of {result.executed - 1} that passed had that or more"
    assert result.unusual == [said]
    assert f"unusual   {said}" in str(result)


def test_a_share_that_must_be_there_is_handed_on_and_nonsense_is_told() -> None:
    # 390 executions are too few to be certain, and none has it.
    for share, verdict, words in (
        (0.2, "inconclusive", "at least 0.2 of them must have it"),
        (0.01, "passed", "at least 0.01 of them must have it"),
        (1.0, "inconclusive", "write a share between 0 and 1"),
        (float("nan"), "inconclusive", "write a share between 0 and 1"),
    ):

        def body(share: float = share) -> None:
            probtest.label("tall", tower() > 100, at_least=share)

        found = check(body)
        assert (found.verdict, words in str(found)) == (verdict, True)


def test_numbers_words_and_booleans_of_any_library_are_values() -> None:
    def body() -> None:
        values = [7, 7.0, Decimal(7), numpy.int8(7), numpy.float32(7), numpy.array(7)]
        for place, value in enumerate([*values, True, numpy.bool_(True), "w", numpy.str_("w"), "\udc80"]):
            probtest.label(f"label {place}", value)
        random.random()

    found = [label["shares"][0]["value"] for label in check(body).labels]
    assert found[:10] == ["7"] * 6 + ["true"] * 2 + ["w"] * 2


@pytest.mark.parametrize("value", [None, [1], {}, object(), 1j, 10**400, numpy.zeros(2)])
def test_what_is_no_value_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match="a number, a word or a boolean, not"):
        probtest.label("height", value)
    with pytest.raises(TypeError, match="the name of a label must be a word"):
        probtest.label(value, 1)  # type: ignore[arg-type]


def test_labels_outside_an_execution_say_nothing() -> None:
    probtest.label("outside", True)

    def body() -> None:
        random.random()
        thread = threading.Thread(target=probtest.label, args=("on a thread", True))
        thread.start()
        thread.join()

    assert check(body, p=0.5).labels == []


def test_labels_do_not_grow_with_the_executions_nor_within_one() -> None:
    def body() -> None:
        probtest.label("number", random.random())
        for number in range(100):
            probtest.label(f"name {number}", True)

    result = check(body, p=0.001, epsilon=0.3)
    assert result.executed > 1000
    assert len(result.labels) == 64
    number = result.labels[0]
    assert number["grouped"]
    assert len(number["shares"]) <= 256


def test_a_labelled_violation_is_told_as_any_other() -> None:
    def body() -> None:
        drawn = random.randrange(8)
        probtest.label("drawn", drawn)
        assert drawn != 5, "a five"
        if drawn == 6:
            raise ValueError("a six")

    result = check(body, shrink=True, shrink_time="600s")
    assert result.story is not None
    # A five has fewer bits than a six, and is not taken for it.
    assert result.story.rows[0]["gave"] == result.labels[0]["of_violation"]
