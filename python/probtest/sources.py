"""The sources of randomness that are seeded for each execution, and what else surrounds its body."""

from __future__ import annotations

import random
import sys
import unittest
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from . import _native

Seeder: TypeAlias = "tuple[Callable[[int], object], int]"
Exceptions: TypeAlias = "tuple[type[BaseException], ...]"

#: Exceptions that end everything, whatever the test.
LEAVING: Exceptions = (KeyboardInterrupt,)
#: Exceptions that reject an execution.
REJECTING: Exceptions = (unittest.SkipTest,)

#: Tells the time in nanoseconds since any fixed moment, instead of the system's clock.
clock: Callable[[], int] | None = None


@dataclass
class Surroundings:
    """Everything that the core needs besides the body; it reads these names."""

    #: The sources that are seeded for each execution.
    seeders: Iterable[Seeder]
    #: Answers with more sources when an execution has imported one.
    imported: Callable[[], Iterable[Seeder] | None] | None = None
    #: Exceptions that reject an execution.
    rejecting: Exceptions = REJECTING
    #: Exceptions that end the test here and now, and what says of another one that it does.
    leaving: Exceptions = LEAVING
    ends: Callable[[BaseException], bool] | None = None
    #: Whether the sources have the seed of the first execution already.
    seeded: bool = False
    #: Descriptors and lists that show that an execution left something behind, and what clears it away.
    cleaner: tuple[Sequence[int], Sequence[list[Any]], Callable[[], object]] | None = None
    #: Is called before and after each of the first executions of the plan, and how many those are.
    probe: Callable[[bool, int], object] | None = None
    probes: int = 0
    #: Says at the end why the executions may not be independent: dicts with `kind` and what belongs to it.
    doubts: Callable[[], list[dict[str, Any]]] | None = None
    #: Is called from time to time with the executions so far.
    tick: Callable[[int], object] | None = None
    #: Says whether a remembered execution under this seed is another one by now.
    differs: Callable[[int], bool] | None = None
    clock: Callable[[], int] | None = field(default_factory=lambda: clock)


class Source:
    """One global generator: how to seed it, and how to save and restore its state."""

    def __init__(
        self,
        name: str,
        seed: Callable[[int], object],
        bits: int,
        save: Callable[[], Any],
        restore: Callable[[Any], object],
    ) -> None:
        self.name = name
        self.seeder: Seeder = (seed, bits)
        self.save = save
        self.restore = restore

    def fingerprint(self) -> Any:
        """Return the state in a form that can be compared."""
        state = self.save()
        if isinstance(state, dict):  # NumPy's
            inner = state.get("state", {})
            key = inner.get("key")
            return (key.tobytes() if key is not None else repr(inner), inner.get("pos"), state.get("gauss"))
        if isinstance(state, tuple) and state and hasattr(state[0], "numpy"):  # torch's
            return state[0].numpy().tobytes()
        return state


def _random_source() -> Source:
    return Source("random", _seeder_of_random(), 64, random.getstate, random.setstate)


def _seeder_of_random() -> Callable[[int], object]:
    """Return what `random.seed` does with a whole number, without asking what it was given."""
    found = getattr(random.seed, "__self__", None)
    if type(found) is not random.Random:
        # Somebody has put another generator in its place.
        return random.seed
    seed_twister = super(random.Random, found).seed
    shared: Any = found

    def seed(number: int) -> None:
        seed_twister(number)
        shared.gauss_next = None

    return seed


def _numpy_source(numpy: Any) -> Source:
    # The legacy seeding takes 32 bits.
    get = numpy.random.get_state
    return Source("numpy.random", numpy.random.seed, 32, lambda: get(legacy=False), numpy.random.set_state)


def _torch_source(torch: Any) -> Source:
    def save() -> Any:
        cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else None
        return torch.get_rng_state(), cuda

    def restore(state: Any) -> None:
        torch.set_rng_state(state[0])
        if state[1] is not None:
            torch.cuda.set_rng_state_all(state[1])

    # manual_seed reaches the generators of all devices. 63 bits: it takes no more.
    return Source("torch", torch.manual_seed, 63, save, restore)


class Sources:
    """The generators that there are, with their states before the test."""

    def __init__(self, extra: Sequence[Seeder] = ()) -> None:
        self._extra = list(extra)
        self.sources: list[Source] = [_random_source()]
        self._before: list[tuple[Source, Any]] = [(self.sources[0], self.sources[0].save())]
        self.find_new()

    def find_new(self) -> bool:
        """Take up generators whose module has been imported since; say whether there are any."""
        known = {source.name for source in self.sources}
        found = []
        # A module that is being imported has no generator yet.
        numpy = sys.modules.get("numpy")
        if "numpy.random" not in known and hasattr(getattr(numpy, "random", None), "set_state"):
            found.append(_numpy_source(numpy))
        torch = sys.modules.get("torch")
        if "torch" not in known and hasattr(torch, "set_rng_state") and hasattr(torch, "cuda"):
            found.append(_torch_source(torch))
        for source in found:
            self.sources.append(source)
            self._before.append((source, source.save()))
        return bool(found)

    @property
    def seeders(self) -> list[Seeder]:
        return [source.seeder for source in self.sources] + self._extra

    def imported(self) -> list[Seeder] | None:
        """Answer the core when an execution has imported something."""
        return self.seeders if self.find_new() else None

    def seed(self, seed: int) -> None:
        for function, bits in self.seeders:
            function(seed & ((1 << bits) - 1))

    def save(self) -> list[tuple[Source, Any]]:
        return [(source, source.save()) for source in self.sources]

    @staticmethod
    def restore(states: list[tuple[Source, Any]]) -> None:
        for source, state in states:
            source.restore(state)

    def restore_all(self) -> None:
        """Put every generator back to where it was before the test."""
        self.restore(self._before)


class SequenceRandom(random.Random):
    """A `random.Random` that draws from the stream of one execution."""

    def __new__(cls, _sequence: _native.Sequence) -> SequenceRandom:
        return super().__new__(cls)

    def __init__(self, sequence: _native.Sequence) -> None:
        self._sequence = sequence
        super().__init__()

    def random(self) -> float:
        return (self._sequence.next_u64() >> 11) * 2.0**-53

    def getrandbits(self, k: int, /) -> int:
        if k < 0:
            raise ValueError("number of bits must be non-negative")
        count = (k + 7) // 8
        return int.from_bytes(self._sequence.bytes(count), "little") >> (count * 8 - k)

    def seed(self, a: object = None, version: int = 2) -> None:
        """Keep the stream: an execution has one seed."""

    def getstate(self) -> tuple[Any, ...]:
        raise NotImplementedError("the stream of an execution is repeated by replaying it")

    def setstate(self, state: tuple[Any, ...]) -> None:
        raise NotImplementedError("the stream of an execution is repeated by replaying it")


def generator(stream: _native.Stream, index: int = 1, attempt: int = 0) -> Any:
    """Return a generator for one execution: NumPy's, or one of `random` without NumPy."""
    try:
        import numpy
    except ImportError:
        return SequenceRandom(stream.sequence(index, attempt))
    key = numpy.array(stream.key, dtype=numpy.uint64)
    counter = numpy.array([0, attempt, index, 0], dtype=numpy.uint64)
    return numpy.random.Generator(numpy.random.Philox(key=key, counter=counter))
