"""The native module: streams and conversions."""

from __future__ import annotations

import numpy
import pytest

from probtest import _native
from probtest.sources import SequenceRandom, generator
from probtest.sources import Surroundings

TEST = "walks::walk_stays_below_ten"


def session(seed: int = 0x5EED) -> _native.Session:
    found = _native.Session(_native.detect("1/2", "1/2"), TEST, seed)
    found.choose(seed, 9)
    return found


def test_streams_are_those_of_rust() -> None:
    sequence = _native.Sequence(0x5EED, TEST, 9, 0)
    words = [sequence.next_u64() for _ in range(5)]
    assert words == [
        14118384698903642514,
        699247134473969958,
        16349555526660235247,
        11643703903827763264,
        3399984891243448265,
    ]
    assert session().execution_seed() == 6908573386581259163


def test_numpy_draws_the_same_words() -> None:
    rng = generator(session(), TEST)
    assert isinstance(rng, numpy.random.Generator)
    sequence = _native.Sequence(0x5EED, TEST, 9, 0)
    assert [int(word) for word in rng.bit_generator.random_raw(9)] == [sequence.next_u64() for _ in range(9)]


def test_a_sequence_makes_a_random_random() -> None:
    rng = SequenceRandom(_native.Sequence(0x5EED, TEST, 9, 0))
    assert rng.random() == (14118384698903642514 >> 11) * 2.0**-53
    assert 0 <= rng.getrandbits(5) < 32
    assert rng.getrandbits(0) == 0
    assert sorted(rng.sample(range(5), 5)) == [0, 1, 2, 3, 4]
    with pytest.raises(NotImplementedError):
        rng.getstate()


def test_claims_keep_what_was_given() -> None:
    claim = _native.detect("1/1024", 0.02)
    assert (claim.p, claim.epsilon, claim.outcomes) == ("1/1024", "0.02", None)
    assert "1/1024" in repr(claim)
    assert _native.cover([0.5, "1/4"], 0.1).outcomes == ["0.5", "1/4"]


def test_seeds_are_read_in_both_forms() -> None:
    assert _native.parse_seed("0x5eed") == _native.parse_seed("24301") == 0x5EED
    assert _native.parse_replay("0x5eed:9") == (0x5EED, 9)
    with pytest.raises(_native.ClaimError, match="given"):
        _native.parse_seed("-1")


def test_a_session_is_executed_once() -> None:
    found = session()
    found.execute(lambda: None, Surroundings([]))
    with pytest.raises(ValueError, match="already"):
        found.execute(lambda: None, Surroundings([]))
