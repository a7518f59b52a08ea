"""`probtest.compare`: two versions on the same seeds."""

from __future__ import annotations

import inspect
import itertools
import os
import random

import numpy  # noqa: F401 -- imported in the first execution, it would be made twice
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import probtest


def numbers():
    """Return a strategy that is written alike each time, and is another one."""
    return st.lists(st.binary(min_size=8, max_size=8), min_size=2, max_size=2)


def flaky(rate):
    """Violate with this probability: what violates at a lower rate violates at a higher one too."""

    def version():
        assert random.random() >= rate, f"below {rate}"

    return version


def test_a_worse_version_raises_with_a_seed_that_shows_it():
    with pytest.raises(probtest.Violated) as raised:
        probtest.compare(flaky(0.02), flaky(0.4), p_change=0.1, seed=7, name="versions")
    found = raised.value.result
    assert found.change.answer == "worse"
    assert found.change.low > 0
    text = str(found)
    assert text.startswith("probtest: worse: the new version violates more often, by 0.")
    assert "where the new version alone violates: AssertionError: below 0.4" in text
    assert f"probtest.replay(new, 0x7, {found.index}, name='versions')" in text
    # The line to copy does what it says, and the old version holds there.
    with pytest.raises(AssertionError, match=r"below 0\.4"):
        probtest.replay(flaky(0.4), 7, found.index, name="versions")
    probtest.replay(flaky(0.02), 7, found.index, name="versions")


def test_several_processes_give_the_same_report():
    def texts(**options):
        return str(probtest.compare(flaky(0.1), flaky(0.5), p_change=0.1, seed=7, name="x", **options))

    alone = str(probtest.compare(flaky(0.1), flaky(0.5), p_change=0.1, seed=7, name="x", raises=False))
    assert texts(jobs=2, raises=False) == alone


@pytest.mark.parametrize("options", [{}, {"isolate": True}, {"jobs": 2}])
def test_versions_that_draw_are_in_no_doubt_wherever_they_are_executed(options):
    found = probtest.compare(flaky(0.1), flaky(0.3), p_change=0.1, seed=7, raises=False, **options)
    assert found.doubts == []
    assert found.change.worse > 0
    assert probtest.check(flaky(0.1), p=0.5, tolerate=0.1, seed=7, **options).doubts == []

    def steady():
        pass

    # One that draws nothing is, and so are two.
    found = probtest.compare(steady, steady, p_change=0.1, seed=7, raises=False, **options)
    assert [doubt.kind for doubt in found.doubts] == ["copies"]


def test_a_version_that_ends_the_process_of_a_pair_is_no_violation_of_the_other():
    found = probtest.compare(flaky(0), lambda: os._exit(3), p_change=0.1, seed=7, raises=False, isolate=True)
    assert found.verdict == "inconclusive"
    assert "one of the two versions ended the process that runs both, and it is not known which" in str(found)


@pytest.mark.parametrize(("old", "new", "which"), [(None, None, "old"), (1, None, "new"), (None, 1, "old")])
def test_a_version_that_returns_no_number_is_named(old, new, which):
    options = {"change": 0.5, "between": (0, 10), "worse": "lower", "seed": 7, "raises": False}
    found = probtest.compare(lambda: old, lambda: new, **options)
    assert f"the {which} version returned no number" in str(found)


def test_generators_that_executions_are_lent_begin_again_for_the_new_version():
    drawn = []

    def version():
        drawn.append((random.random(), probtest.rng().random()))

    assert probtest.compare(version, version, p_change=0.2, seed=7).passed
    assert drawn[0::2] == drawn[1::2]
    assert len(set(drawn)) == len(drawn) // 2


def test_the_means_of_returned_numbers_are_compared():
    def score(shift):
        return lambda: random.uniform(1, 9) + shift

    options = {"change": 0.5, "between": (0, 10), "seed": 7, "raises": False}
    answers = [
        probtest.compare(score(0), score(shift), worse=worse, **options).change.answer
        for worse, shift in (("higher", 0.9), ("lower", 0.9), ("lower", -0.9), ("higher", 0))
    ]
    assert answers == ["worse", "better", "worse", "not_worse"]
    found = probtest.compare(score(0), score(3), worse="lower", **options)
    assert "outside between = (0, 10)" in str(found)


def test_results_that_do_not_depend_on_the_seed_have_no_seed_to_replay():
    calls = itertools.count()

    def unseeded():
        # Holds in every fourth call: so in one of the four that are made again.
        random.random()
        return next(calls) % 4 == 0

    found = probtest.compare(flaky(0), unseeded, p_change=0.1, seed=7, raises=False)
    assert found.change.answer == "worse"
    assert found.index is None


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "does not say which change"),
        ({"p_change": 0.1, "change": 1}, "does not say which change"),
        ({"change": 1, "between": (0, 10)}, "does not say which change"),
        ({"p_change": 2}, "p_change"),
        ({"change": 1, "between": (0, 10), "worse": "slower"}, "which numbers are worse"),
        (
            {"change": 20, "between": (0, 10), "worse": "lower"},
            "the change is larger than any version can be",
        ),
        ({"p_change": 0.1, "batch": 10}, "one after the other on the same seed"),
    ],
)
def test_what_is_no_comparison_is_refused(options, words):
    with pytest.raises(probtest.ClaimError, match=words):
        probtest.compare(flaky(0), flaky(0), **options)


def test_what_is_no_version_is_refused():
    async def later():
        pass

    with pytest.raises(TypeError, match="the new one is 3"):
        probtest.compare(flaky(0), 3, p_change=0.1)
    with pytest.raises(TypeError, match="the old one is async"):
        probtest.compare(later, flaky(0), p_change=0.1)


def drawing(rate, seen, strategy=numbers, name="x"):
    """Return a version with an input that is noted; some inputs are changed in place."""

    def version(**values):
        seen.append(list(values[name]))
        values[name].clear()
        assert random.random() >= rate

    version.__signature__ = inspect.Signature([inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY)])
    return given(**{name: strategy()})(version)


def test_versions_of_given_have_the_same_input_in_each_pair():
    old, new = [], []
    result = probtest.compare(drawing(0, old), drawing(0, new), p_change=0.2)
    assert result.change.answer == "not_worse"
    assert old == new
    # 16 bytes, all as likely: two of fewer than 100 inputs are equal with probability below 1e-34.
    assert len({tuple(x) for x in old}) == result.executed < 100


def test_a_version_of_given_that_is_worse_is_found_and_replayed():
    old, new = drawing(0, []), drawing(0.5, seen := [])
    result = probtest.compare(old, new, p_change=0.2, raises=False, seed=1, name="pair")
    assert result.change.answer == "worse"
    with pytest.raises(AssertionError):
        probtest.replay(new, 1, result.index, name="pair")
    assert seen[-1] == seen[result.index - 1]


def test_versions_of_given_with_different_inputs_are_refused():
    def others():
        return st.lists(st.integers(0, 9))

    same = drawing(0, [])
    for other in (drawing(0, [], others), drawing(0, [], name="y"), flaky(0)):
        for pair in ((same, other), (other, same)):
            with pytest.raises(probtest.ClaimError, match="draw from different strategies\n  given  old: "):
                probtest.compare(*pair, p_change=0.2)


def test_explicit_examples_do_not_run_in_a_comparison():
    new = example(x=[5])(drawing(0, seen := []))
    result = probtest.compare(drawing(0, []), new, p_change=0.2)
    assert [5] not in seen
    assert [note.words for note in result.notes] == ["explicit examples do not run in a comparison"]
