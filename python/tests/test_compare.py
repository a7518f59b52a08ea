"""`probtest.compare`: two versions on the same seeds."""

from __future__ import annotations

import itertools
import random

import numpy  # noqa: F401 -- imported in the first execution, it would be made twice
import pytest

import probtest


def flaky(rate):
    """Violate with this probability: what violates at a lower rate violates at a higher one too."""

    def version():
        assert random.random() >= rate, f"below {rate}"

    return version


def test_versions_that_do_the_same_pass_after_as_many_pairs_whatever_their_rate():
    for rate in (0.0, 0.3, 1.0):
        found = probtest.compare(flaky(rate), flaky(rate), p_change=0.1, seed=7)
        assert found.passed
        assert found.executed == 36
        assert found.change.answer == "not_worse"
        assert (found.change.worse, found.change.better) == (0, 0)
        assert found.change.old == found.change.new


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


def test_a_better_version_and_one_that_is_not_known():
    found = probtest.compare(flaky(0.9), flaky(0.0), p_change=0.1, seed=7)
    assert found.change.answer == "better"
    assert found.change.high < 0
    found = probtest.compare(flaky(0.01), flaky(0.02), p_change=0.01, seed=7, max_executions=20, raises=False)
    assert (found.verdict, found.change.answer) == ("inconclusive", "undecided")


def test_several_processes_give_the_same_report():
    def texts(**options):
        return str(probtest.compare(flaky(0.1), flaky(0.5), p_change=0.1, seed=7, name="x", **options))

    alone = str(probtest.compare(flaky(0.1), flaky(0.5), p_change=0.1, seed=7, name="x", raises=False))
    assert texts(jobs=2, raises=False) == alone


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
    assert "outside of between = (0, 10)" in str(found)


def test_results_that_do_not_depend_on_the_seed_are_compared_as_independent_samples():
    calls = itertools.count()

    def unseeded():
        # Holds in every fourth call: so in one of the four that are made again.
        random.random()
        return next(calls) % 4 == 0

    found = probtest.compare(flaky(0), unseeded, p_change=0.1, seed=7, raises=False)
    assert found.change.answer == "worse"
    assert "compared as independent samples" in str(found)
    assert found.index is None


def test_a_pair_is_rejected_where_one_version_is():
    def choosy():
        probtest.assume(random.random() < 0.5)

    found = probtest.compare(flaky(0), choosy, p_change=0.1, seed=7)
    assert found.passed
    assert found.rejected > 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "does not say which change"),
        ({"p_change": 0.1, "change": 1}, "does not say which change"),
        ({"change": 1, "between": (0, 10)}, "does not say which change"),
        ({"p_change": 2}, "p_change"),
        ({"change": 1, "between": (0, 10), "worse": "slower"}, "which numbers are the worse ones"),
        ({"change": 20, "between": (0, 10), "worse": "lower"}, "no version can be worse by as much"),
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
