"""The sources of randomness that are seeded for each execution, and what else surrounds its body."""

from __future__ import annotations

import contextlib
import importlib.util
import random
import sys
import time
import unittest
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from . import _native, processes  # noqa: F401 (counts forks)
from .engines import Engine

Seeder: TypeAlias = "tuple[Callable[[int], object], int]"
Exceptions: TypeAlias = "tuple[type[BaseException], ...]"

#: Exceptions that end everything, whatever the test.
LEAVING: Exceptions = (KeyboardInterrupt,)
#: Exceptions that reject an execution.
REJECTING: Exceptions = (unittest.SkipTest,)

#: Tells the time in nanoseconds since any fixed moment, instead of the system's clock.
clock: Callable[[], int] | None = None
#: Waits for a number of seconds, instead of the system, where nothing is under way.
sleep: Callable[[float], object] | None = None


def now() -> int:
    """Return the nanoseconds since a fixed moment."""
    return time.monotonic_ns() if clock is None else clock()


@dataclass
class Surroundings:
    """Everything that the core needs besides the body; it reads these names."""

    #: The sources that are seeded for each execution.
    seeders: Iterable[Seeder]
    #: Answers with more sources when an execution has imported one.
    imported: Callable[[], Iterable[Seeder] | None] | None = None
    #: Exceptions that reject an execution.
    rejecting: Exceptions = REJECTING
    #: Is called with each exception that rejects one, and may end the test by raising.
    rejected: Callable[[BaseException], object] | None = None
    #: Exceptions that end the test here and now, and what says of another one that it does.
    leaving: Exceptions = LEAVING
    ends: Callable[[BaseException], bool] | None = None
    #: Whether the sources have the seed of the first execution already.
    seeded: bool = False
    #: Descriptors and lists that show that an execution left something behind, and what clears it away.
    cleaner: tuple[Sequence[int], Sequence[list[Any]], Callable[[], object]] | None = None
    #: Is called before and after calls of the plan, the first one to begin with; answers after
    #: each with the number of the next call to look at, or None.
    probe: Callable[[bool, int], int | None] | None = None
    #: Failures that did not reach the body: words and a place. The core takes them out.
    lost: list[tuple[str, str | None]] | None = None
    #: Says at the end why the executions may not be independent: dicts with `kind` and what belongs to it.
    doubts: Callable[[], list[dict[str, Any]]] | None = None
    #: Is called from time to time with the executions so far.
    tick: Callable[[int], object] | None = None
    #: Says whether a remembered execution under this seed is another one by now.
    differs: Callable[[int], bool] | None = None
    #: Has the draws of executions seen that are to be explained: a `Tapes`.
    tapes: Any = None
    #: Is called before and after the executions that only explain a violation.
    telling: Callable[[bool], object] | None = None
    clock: Callable[[], int] | None = field(default_factory=lambda: clock)
    #: Executes ranges elsewhere.
    engine: Engine | None = None
    #: Says more about a violation than its message, in a process that will be gone: is given its exception.
    describe: Callable[[BaseException | None], str | None] | None = None
    sleep: Callable[[float], object] | None = field(default_factory=lambda: sleep)
    #: Has executions under way at the same time, at most so many: see `waiting`.
    at_once: Any = None
    concurrency: int = 1
    #: Says of an exception which infrastructure failed and what it said, or None.
    unavailable: Callable[[BaseException], tuple[str, str] | None] | None = None
    #: The inputs that executions draw: an `Inputs`.
    inputs: Any = None


#: Stands for the state of a generator that does not show it.
UNKNOWN: Any = object()


@dataclass
class Source:
    """One global generator: how to seed it, and how to save and restore its state."""

    name: str
    seeder: Seeder
    save: Callable[[], Any]
    restore: Callable[[Any], object]
    #: Returns enough of the state to tell it from another one, or `UNKNOWN`.
    peek: Callable[[], Any]
    #: What that is after any seed; None where it has to be asked each time.
    begins: Any = None

    def peek_at_begin(self) -> Any:
        """Return what `peek` returns now, if it was seeded just before."""
        return self.peek() if self.begins is None else self.begins


def _random_source() -> Source:
    shared: Any = getattr(random.seed, "__self__", None)
    if type(shared) is not random.Random:
        # The program has put another generator in its place.
        return Source("random", (random.seed, 64), random.getstate, random.setstate, random.getstate)
    # Not the methods in Python, which a program may have wrapped.
    seed_twister = super(random.Random, shared).seed
    state_of: Any = random.Random.__base__.getstate  # type: ignore[union-attr]

    def seed(number: int) -> None:
        seed_twister(number)
        shared.gauss_next = None  # type: ignore[attr-defined]

    def peek() -> Any:
        state = state_of(shared)
        if state[-1] == 624 and state[0] == 0x80000000:
            # The first word after any seed, which the first draw replaces.
            return "seeded"
        return (*state[:8], state[-1])

    return Source("random", (seed, 64), random.getstate, random.setstate, peek, "seeded")


def _numpy_source(numpy: Any) -> Source | None:
    if not hasattr(getattr(numpy, "random", None), "set_state"):
        return None

    def save() -> Any:
        return numpy.random.get_state(legacy=False)

    # The legacy seeding takes 32 bits.
    seeder = numpy.random.seed, 32
    return Source("numpy.random", seeder, save, numpy.random.set_state, _peek_of_numpy(numpy, save))


def _peek_of_numpy(numpy: Any, save: Callable[[], Any]) -> Callable[[], Any]:
    def by_state() -> Any:
        inner = save().get("state", {})
        return tuple(part.tobytes() if hasattr(part, "tobytes") else part for part in inner.values())

    try:
        from ctypes import string_at

        shared = numpy.random.mtrand._rand
        twister = shared._bit_generator
        address = twister.ctypes.state_address
        size = 624 * 4 + 4
        is_known = type(twister) is numpy.random.MT19937 and string_at(address, size)[:2496] == by_state()[0]
    except Exception:
        return by_state

    def peek() -> Any:
        # To ask for the state takes a hundred times as long.
        return string_at(address, size) if shared._bit_generator is twister else by_state()

    return peek if is_known else by_state


def _torch_source(torch: Any) -> Source | None:
    if not (hasattr(torch, "set_rng_state") and hasattr(torch, "cuda")):
        return None

    def save() -> Any:
        cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else None
        return torch.get_rng_state(), cuda

    def restore(state: Any) -> None:
        torch.set_rng_state(state[0])
        if state[1] is not None:
            torch.cuda.set_rng_state_all(state[1])

    def peek() -> Any:
        state, cuda = save()
        return tuple(part.cpu().numpy().tobytes() for part in (state, *(cuda or ())))

    # manual_seed reaches the generators of all devices. 63 bits: it takes no more.
    return Source("torch", (torch.manual_seed, 63), save, restore, peek)


def _tensorflow_source(tensorflow: Any) -> Source | None:
    """TensorFlow's global seed, and its global generator where the program has one."""
    generators: Any = sys.modules.get("tensorflow.python.ops.stateful_random_ops")
    if generators is None or not hasattr(getattr(tensorflow, "random", None), "set_seed"):
        return None
    context = sys.modules["tensorflow.python.eager.context"].context

    def seed(number: int) -> None:
        tensorflow.random.set_seed(number)
        if generators.global_generator is not None:
            generators.global_generator.reset_from_seed(number)

    def save() -> Any:
        found = generators.global_generator
        inner = getattr(context(), "_rng", None)
        return context()._seed, inner, None if found is None else (found, found.state.numpy())

    def restore(state: Any) -> None:
        number, inner, kept = state
        tensorflow.random.set_seed(number)
        context()._rng = inner
        generators.global_generator = None
        if kept is not None:
            generators.global_generator = kept[0]
            kept[0].state.assign(kept[1])

    def peek() -> Any:
        _, inner, kept = save()
        return None if inner is None else inner.getstate(), None if kept is None else kept[1].tobytes()

    return Source("tensorflow", (seed, 31), save, restore, peek)


def _cupy_source(cupy: Any) -> Source | None:
    """The generator of CuPy's present device. Its state cannot be read: the test gets another one."""
    if not hasattr(getattr(cupy, "random", None), "set_random_state"):
        return None
    get, put = cupy.random.get_random_state, cupy.random.set_random_state
    lent: list[Any] = []

    def seed(number: int) -> None:
        if not lent:
            lent.append(cupy.random.RandomState(number))
        if get() is not lent[0]:
            put(lent[0])
        lent[0].seed(number)

    return Source("cupy.random", (seed, 32), get, put, lambda: UNKNOWN)


#: By the module that has a global generator: the package, and what makes a source of it. That is None while
#: the package is being imported, and has no generator yet.
_LIBRARIES: dict[str, tuple[str, Callable[[Any], Source | None]]] = {
    "numpy.random": ("numpy", _numpy_source),
    "torch": ("torch", _torch_source),
    "tensorflow": ("tensorflow", _tensorflow_source),
    "cupy.random": ("cupy", _cupy_source),
}

#: Their generators live on a device: looking at one begins to use that, and then no process that is forked
#: off can use it any more.
_ON_A_DEVICE = ("cupy.random",)

_LAZY: Any = getattr(importlib.util, "_LazyModule", None)


def _refuse_engines() -> None:
    """Have Hypothesis start no engine inside an execution, once a program has imported it."""
    if "hypothesis.core" in sys.modules and "probtest.strategies" not in sys.modules:
        # A version that cannot draw inputs has nothing to be refused.
        with contextlib.suppress(_native.ClaimError):
            importlib.import_module("probtest.strategies")


class Sources:
    """The generators that there are, with their states before the test."""

    def __init__(
        self, extra: Sequence[Seeder] = (), more: Iterable[Source] = (), without: Iterable[str] = ()
    ) -> None:
        self._extra = list(extra)
        #: Libraries whose generator is left alone.
        self._without = set(without)
        self._begun: dict[str, Any] = {}
        self.sources: list[Source] = [_random_source(), *more]
        self._before: list[tuple[Source, Any]] = self.save()
        self.find_new()

    def find_new(self) -> bool:
        """Take up generators whose module has been imported since; say whether there are any."""
        _refuse_engines()
        known = {source.name for source in self.sources} | self._without
        taken = len(self.sources)
        for name, (module, make) in _LIBRARIES.items():
            library = sys.modules.get(module)
            # A module that loads on demand must not be asked: that would load it.
            if name in known or library is None or type(library) is _LAZY:
                continue
            source = make(library)
            if source is None:
                continue
            try:
                before = source.save()
            except Exception:
                # One without a device, or one that a fork has cut off from it: nothing can draw from it.
                self._without.add(source.name)
                continue
            self.sources.append(source)
            self._before.append((source, before))
        return len(self.sources) > taken

    @property
    def seeders(self) -> list[Seeder]:
        return [source.seeder for source in self.sources] + self._extra

    def imported(self) -> list[Seeder] | None:
        """Answer the core when an execution has imported something."""
        return self.seeders if self.find_new() else None

    def seed(self, seed: int) -> None:
        for function, bits in self.seeders:
            function(seed & ((1 << bits) - 1))

    def have_drawn(self, seed: int) -> bool:
        """Say whether anything was drawn since they were given a seed."""
        kept, ends = self.save(), [source.peek() for source in self.sources]
        self.seed(seed)
        begins = [source.peek() for source in self.sources]
        self.restore(kept)
        return ends != begins

    def begin(self, seed: int) -> None:
        """Seed an execution whose fixtures are set up before the guard looks at it."""
        self.seed(seed)
        self._begun = {source.name: source.peek_at_begin() for source in self.sources}

    def take_begun(self) -> dict[str, Any]:
        """Return the states in which an execution began here, once."""
        begun, self._begun = self._begun, {}
        return begun

    def save(self) -> list[tuple[Source, Any]]:
        return [(source, source.save()) for source in self.sources]

    @staticmethod
    def restore(states: list[tuple[Source, Any]]) -> None:
        for source, state in states:
            source.restore(state)

    def restore_all(self) -> None:
        """Put every generator back to where it was before the test."""
        self.restore(self._before)


class _Finder:
    """Seeds the generator of a library as soon as it is imported."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._sources = Sources(without=_ON_A_DEVICE)
        self._sources.seed(seed)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name in _ON_A_DEVICE or name not in _LIBRARIES:
            return None
        others = (finder for finder in sys.meta_path if finder is not self)
        specs = (finder.find_spec(name, path, target) for finder in others)
        spec = next((spec for spec in specs if spec is not None), None)
        if spec is not None and spec.loader is not None:
            self._follow(spec.loader)
        return spec

    def _follow(self, loader: Any) -> None:
        execute = loader.exec_module

        def exec_module(module: Any) -> None:
            execute(module)
            package, _, name = module.__name__.rpartition(".")
            if package:
                # As the import does when it is over.
                setattr(sys.modules[package], name, module)
            known = len(self._sources.sources)
            self._sources.find_new()
            for function, bits in [source.seeder for source in self._sources.sources[known:]]:
                function(self._seed & ((1 << bits) - 1))

        with contextlib.suppress(AttributeError):
            loader.exec_module = exec_module


def seed_imports(seed: int) -> None:
    """Seed what modules draw while they are imported, from now on."""
    sys.meta_path.insert(0, _Finder(seed))


class SequenceRandom(random.Random):
    """A `random.Random` that draws from the stream of one execution."""

    def __new__(cls, _sequence: _native.Sequence) -> SequenceRandom:
        return super().__new__(cls)

    def __init__(self, sequence: _native.Sequence) -> None:
        self._sequence = sequence
        self.has_drawn = False
        super().__init__()

    def random(self) -> float:
        self.has_drawn = True
        return (self._sequence.next_u64() >> 11) * 2.0**-53

    def getrandbits(self, k: int, /) -> int:
        if k < 0:
            raise ValueError("number of bits must be non-negative")
        self.has_drawn = True
        count = (k + 7) // 8
        return int.from_bytes(self._sequence.bytes(count), "little") >> (count * 8 - k)

    def seed(self, a: object = None, version: int = 2) -> None:
        """Keep the stream: an execution has one seed."""

    def getstate(self) -> tuple[Any, ...]:
        raise NotImplementedError("to repeat the stream of an execution, replay it")

    def setstate(self, state: tuple[Any, ...]) -> None:
        raise NotImplementedError("to repeat the stream of an execution, replay it")


def generator(stream: _native.Stream, index: int = 1, attempt: int = 0) -> Any:
    """Return a generator for one execution: NumPy's, or one of `random` without NumPy."""
    try:
        import numpy
    except ImportError:
        return SequenceRandom(stream.sequence(index, attempt))
    key = numpy.array(stream.key, dtype=numpy.uint64)
    counter = numpy.array([0, attempt, index, 0], dtype=numpy.uint64)
    made: Any = numpy.random.Philox(key=key, counter=counter)
    if _native.is_seen():
        from .tapes import deputy_for

        made = deputy_for(made)
    return numpy.random.Generator(made)
