"""The native module: streams and conversions."""

from __future__ import annotations

import numpy
import pytest

from probtest import _native
from probtest.planning import given_by
from probtest.sources import SequenceRandom, Surroundings, generator

TEST = "walks::walk_stays_below_ten"


def stream() -> _native.Stream:
    return _native.Stream(0x5EED, TEST)


def test_streams_are_those_of_rust() -> None:
    sequence = stream().sequence(9)
    words = [sequence.next_u64() for _ in range(5)]
    assert words == [
        14118384698903642514,
        699247134473969958,
        16349555526660235247,
        11643703903827763264,
        3399984891243448265,
    ]
    assert stream().execution_seed(9) == 6908573386581259163


def test_numpy_draws_the_same_words() -> None:
    rng = generator(stream(), 9)
    assert isinstance(rng, numpy.random.Generator)
    sequence = stream().sequence(9)
    assert [int(word) for word in rng.bit_generator.random_raw(9)] == [sequence.next_u64() for _ in range(9)]


def test_a_sequence_makes_a_random_random() -> None:
    rng = SequenceRandom(stream().sequence(9))
    assert rng.random() == (14118384698903642514 >> 11) * 2.0**-53
    assert 0 <= rng.getrandbits(5) < 32
    assert rng.getrandbits(0) == 0
    assert sorted(rng.sample(range(5), 5)) == [0, 1, 2, 3, 4]
    with pytest.raises(NotImplementedError):
        rng.getstate()


def test_claims_keep_what_was_given() -> None:
    claim = given_by(p="1/1024", epsilon=0.02).claim()
    assert (claim.kind, claim.p, claim.epsilon, claim.outcomes) == ("detect", "1/1024", "0.02", None)
    assert "1/1024" in repr(claim)
    assert given_by(outcomes=[0.5, "1/4"]).claim().outcomes == ["0.5", "1/4"]


def test_seeds_and_addresses_are_read_in_every_form() -> None:
    assert given_by(seed="0x5eed").seed == given_by(seed=24301).seed == 0x5EED
    given = _native.Given()
    given.read("replay", "--probtest-replay", "0x5eed:9")
    assert given.replay == (0x5EED, 9, False)
    given.read("replay", "--probtest-replay", "0x5eed:9:c0ffee00")
    assert given.replay == (0x5EED, 9, True)
    with pytest.raises(_native.ClaimError, match="given"):
        given_by(seed="-1")


def test_a_test_is_executed_once() -> None:
    run = _native.TestRun(given_by(p=0.5), TEST)
    run.execute(lambda: None, Surroundings([]))
    with pytest.raises(ValueError, match="already"):
        run.execute(lambda: None, Surroundings([]))


def test_the_first_execution_is_known_before_it_is_executed() -> None:
    given = given_by(p=0.5, batch=10)
    assert _native.TestRun(given, TEST, 7).current[1:] == (1, 0)
    first, index, _ = _native.TestRun(given, TEST, 7, remembered=["0x5eed:29", "no address"]).current
    assert (first.seed, index) == (0x5EED, 21)
