"""Generator objects that live between executions, and whether they move."""

from __future__ import annotations

import gc
import itertools
import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from .calls import ancestors_of
from .watching import HERE, INSTALLED, STANDARD


class Keepers:
    """Generator objects that the program keeps, with their states at one moment."""

    #: The most that are looked at; a look takes some microseconds.
    MOST = 5000

    def __init__(self) -> None:
        found = _generators()
        if len(found) > self.MOST:
            # Most of so many are garbage, which Python collects late.
            gc.collect()
            found = _generators()
        #: Whether one has moved, or may have: there are more of them than are looked at.
        self._has_moved = len(found) > self.MOST
        self._read(found[: self.MOST])

    def _read(self, found: list[Any]) -> None:
        # Not the states themselves: one may have thousands of numbers.
        self._states = [(each, _hashed(each)) for each in found]

    def moved(self) -> bool:
        self._has_moved = self._has_moved or any(_hashed(each) != hashed for each, hashed in self._states)
        return self._has_moved

    @contextmanager
    def unseen(self) -> Iterator[None]:
        """Look away while other code may move them."""
        if self.moved():
            yield
            return
        try:
            yield
        finally:
            self._read([each for each, _ in self._states])


#: Generators that lived before processes were forked off this one, see `frozen`.
_kept: list[Any] = []


@contextmanager
def frozen() -> Iterator[None]:
    """Find the generators once for all processes that are forked meanwhile.

    What lives already is not looked through again there: that takes longer than most tests, and
    would copy its memory.
    """
    _kept[:] = _generators()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
        _kept.clear()


def kinds_of_generators() -> list[type]:
    kinds: list[type] = [random.Random.__base__ or random.Random]
    numpy = sys.modules.get("numpy.random")
    for name in ("Generator", "RandomState", "BitGenerator"):
        kind = getattr(numpy, name, None)
        if type(kind) is type:
            kinds.append(kind)
    return kinds


def _generators() -> list[Any]:
    """Return the generators of the process, but for the global ones and that for names of files."""
    kinds = kinds_of_generators()
    every = gc.get_objects()
    # Without a step in Python for each of a hundred thousand objects.
    types = list(map(type, every))
    wanted = {kind for kind in set(types) if any(base in ancestors_of(kind) for base in kinds)}
    # Each execution has one for its inputs; no program holds it.
    wanted = {kind for kind in wanted if kind.__module__ != f"{__package__}.inputs"}
    known = [id(found) for found in _global_generators()]
    found = itertools.compress(every, map(wanted.__contains__, types))
    return [*_kept, *(generator for generator in found if id(generator) not in known)]


def _global_generators() -> list[Any]:
    found = [getattr(random.seed, "__self__", None)]
    numpy = sys.modules.get("numpy.random.mtrand")
    shared = getattr(numpy, "_rand", None)
    if shared is not None:
        found += [shared, shared._bit_generator]
    names = getattr(sys.modules.get("tempfile"), "_name_sequence", None)
    if names is not None:
        found.append(getattr(names, "_rng", None))
    return found


def module_generators() -> list[str]:
    """Name the generator objects that modules of the program hold."""
    kinds = kinds_of_generators()
    found = []
    for module in list(sys.modules.values()):
        if type(module) is not ModuleType:
            continue
        content = ModuleType.__getattribute__(module, "__dict__")
        file = content.get("__file__")
        if (
            type(file) is str
            and not file.startswith((HERE, *STANDARD))
            and not any(part in file for part in INSTALLED)
        ):
            for name, value in list(content.items()):
                if any(kind in ancestors_of(type(value)) for kind in kinds):
                    found.append(f"{content.get('__name__')}.{name}")
    return sorted(set(found))


def _hashed(generator: Any) -> Any:
    state = _state(generator)
    # What is not known differs from everything.
    return state if type(state) is object else hash(state)


def _state(generator: Any) -> Any:
    """Return the state of a generator by what its own class defines, whatever a subclass has made of it."""
    ancestors = ancestors_of(type(generator))
    twister: Any = random.Random.__base__
    if twister in ancestors:
        return twister.getstate(generator)
    numpy = sys.modules["numpy.random"]
    if numpy.Generator in ancestors:
        generator = numpy.Generator.bit_generator.__get__(generator)
    elif numpy.RandomState in ancestors:
        generator = numpy.RandomState._bit_generator.__get__(generator)
    if type(generator).__module__ == f"{__package__}.tapes":
        # It replaces one of NumPy, and outlives the story that it was made for.
        generator = generator._inner
    if type(generator).__module__.partition(".")[0] != "numpy":
        # Of another library: nothing is known, so that it counts as moving.
        return object()
    return _flat(generator.state)


def _flat(state: Any) -> Any:
    if type(state) is dict:
        return tuple((name, _flat(value)) for name, value in state.items())
    return state.tobytes() if hasattr(state, "tobytes") else state
