"""Seeing that executions are not independent.

The first executions are looked at closely. Two findings are reported, and only
when there is evidence for them:

- *reseeds*: a generator ends different executions in the same state, although
  each began with a seed of its own, and the values seen were the same. The
  program seeds it itself.
- *copies*: nothing was drawn from any generator that is seeded, no other
  generator object has moved, no function was called that could bring something
  new from outside (the clock, the system, a file), and all values seen were the
  same each time.

A program that is random in a way that is not seen here is left in peace.
"""

from __future__ import annotations

import gc
import itertools
import os
import random
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from .sources import Sources

#: Executions that are looked at. The first also imports and caches; it is not compared.
PROBES = 4
#: Events after which a comparison is given up: the program is too large for it.
MOST_EVENTS = 20_000
#: Modules in C whose functions bring nothing from outside.
_PURE = frozenset(
    (
        *("builtins", "math", "cmath", "operator", "_operator", "itertools", "_functools", "_collections"),
        *("_bisect", "_heapq", "_struct", "_random", "_json", "_sre", "_string", "_decimal", "_datetime"),
        *("_statistics", "binascii", "zlib", "_abc", "_contextvars"),
    )
)
_IMPURE = frozenset(
    ["open", "input", "id", "hash", "__import__", "print", "now", "today", "utcnow", "exec", "eval"]
)
_HERE = os.path.dirname(__file__)
_PLAIN = (int, float, complex, str, bytes, bool, type(None))


class Guard:
    """Looks at the first executions of one test."""

    probes = PROBES

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._before: dict[str, Any] = {}
        self._after: dict[str, list[Any]] = {}
        self._moved = False
        self._trace: _Trace | None = None
        #: What was seen of each execution; None where it could not be told.
        self._traces: list[int | None] = []
        self._impure = False
        self._generators: list[tuple[Any, Any]] = []
        self.used_generator = False
        #: Whether somebody else says where the body begins and ends: set-up and
        #: tear-down of fixtures around it are not looked at.
        self.waits_for_body = False

    def probe(self, begins: bool, index: int) -> None:
        """Be called before and after each of the first executions."""
        if begins:
            self._before = {source.name: source.fingerprint() for source in self._sources.sources}
            if index > 1:
                if index == PROBES and self.copies:
                    # Looking for other generators takes a while: only on suspicion.
                    self._generators = _generator_states()
                self._trace = _Trace()
                if not self.waits_for_body:
                    self._trace.start()
            return
        if self._trace is not None:
            self._traces.append(self._trace.stop())
            self._impure = self._impure or self._trace.is_impure
            self._trace = None
        if any(_state(found) != state for found, state in self._generators):
            self._impure = True
        self._generators = []
        for source in self._sources.sources:
            state = source.fingerprint()
            if state != self._before.get(source.name):
                self._moved = True
                self._after.setdefault(source.name, []).append(state)

    def body_begins(self) -> None:
        if self._trace is not None:
            self._trace.start()

    def body_ends(self) -> None:
        if self._trace is not None:
            self._trace.pause()

    @property
    def _looks_the_same(self) -> bool:
        return len(self._traces) >= 2 and len(set(self._traces)) == 1

    @property
    def reseeds(self) -> bool:
        """Whether a generator ended several executions in the same state, with the same values seen."""
        ends = self._after.values()
        stuck = any(len(states) > 1 and all(state == states[0] for state in states) for states in ends)
        return stuck and self._looks_the_same

    @property
    def copies(self) -> bool:
        """Whether the executions looked at were all the same."""
        if self._moved or self._impure or self.used_generator:
            return False
        return self._looks_the_same and None not in self._traces

    def doubts(self) -> list[dict[str, Any]]:
        """Return why the executions may not be independent."""
        found: list[dict[str, Any]] = []
        if self.reseeds:
            found.append({"kind": "fixed_seeds", "places": []})
        if self.copies:
            found.append({"kind": "copies"})
        return found


class _Trace:
    """A fingerprint of the Python functions that returned, with the values in them."""

    def __init__(self) -> None:
        self._hash = 0
        self._events = 0
        self._given_up = False
        self.is_impure = False
        self._profile: Callable[[FrameType, str, Any], None] = self._event

    def start(self) -> None:
        if sys.getprofile() is not None or sys.gettrace() is not None:
            # A debugger, a profiler or coverage is at work: leave it alone.
            self._given_up = True
            return
        sys.setprofile(self._profile)

    def pause(self) -> None:
        if sys.getprofile() == self._profile:
            sys.setprofile(None)

    def stop(self) -> int | None:
        self.pause()
        return None if self._given_up else self._hash

    def _event(self, frame: FrameType, event: str, argument: Any) -> None:
        if self._given_up or frame.f_code.co_filename.startswith(_HERE):
            return
        self._events += 1
        if self._events > MOST_EVENTS:
            self._given_up = True
            self.pause()
        elif event == "c_call":
            self.is_impure = self.is_impure or _brings_something_new(argument)
        elif event == "return":
            code = frame.f_code
            values = [(name, _digest(value, 2)) for name, value in frame.f_locals.items()]
            self._hash = hash((self._hash, code.co_name, code.co_firstlineno, repr(values)))


def _brings_something_new(function: Any) -> bool:
    """Say whether a function in C may return something else each time."""
    owner = getattr(function, "__self__", None)
    name = getattr(function, "__name__", "")
    if name in _IMPURE:
        return True
    if owner is None or isinstance(owner, type(sys)):
        module = getattr(function, "__module__", None) or getattr(owner, "__name__", None)
    else:
        kind = owner if isinstance(owner, type) else type(owner)
        module = kind.__module__
        if issubclass(kind, random.SystemRandom):
            return True
        if issubclass(kind, random.Random):
            # A generator of the program itself: its state is looked at.
            return False
    # Native code of others is unknown. NumPy's is not random but for its generators,
    # whose states are looked at; without a seed they ask the operating system.
    return module not in _PURE and not str(module).startswith("numpy")


def _digest(value: Any, depth: int) -> Any:
    """Return what can be compared of a value."""
    if isinstance(value, _PLAIN):
        return value
    if depth == 0:
        return type(value).__name__
    if isinstance(value, (list, tuple)):
        return [_digest(part, depth - 1) for part in value[:50]]
    if isinstance(value, dict):
        return [(_digest(key, 0), _digest(part, depth - 1)) for key, part in list(value.items())[:50]]
    inside = getattr(value, "__dict__", None)
    if isinstance(inside, dict) and not isinstance(value, (type, type(sys))):
        return [type(value).__name__, _digest(dict(inside), depth - 1)]
    if type(value).__module__ == "numpy":
        kind = getattr(value, "dtype", None)
        if kind is not None and not kind.hasobject and value.size <= 10_000:
            # To write an array takes a hundred times as long.
            return hash(value.tobytes())
        return repr(value)
    return type(value).__name__


def _generator_states() -> list[tuple[Any, Any]]:
    """Return generator objects that the program keeps, with their states."""
    kinds: list[type] = [random.Random.__base__ or random.Random]
    numpy = sys.modules.get("numpy")
    if numpy is not None and hasattr(numpy, "random"):
        kinds += [numpy.random.Generator, numpy.random.RandomState, numpy.random.BitGenerator]
    candidates = gc.get_objects()
    # Without a step in Python for each of a hundred thousand objects. type() rather than
    # isinstance(): proxies must not be asked for their class.
    types = list(map(type, candidates))
    kinds_of_generators = tuple(kinds)
    wanted = {kind for kind in set(types) if issubclass(kind, kinds_of_generators)}
    found = itertools.compress(candidates, map(wanted.__contains__, types))
    return [(generator, _state(generator)) for generator in found]


def _state(generator: Any) -> str:
    try:
        if hasattr(generator, "getstate"):
            return repr(hash(generator.getstate()))
        if hasattr(generator, "bit_generator"):
            state = generator.bit_generator.state
        elif hasattr(generator, "state"):
            state = generator.state
        else:
            state = generator.get_state()
        return repr(_digest(state, 3))
    except Exception:
        return ""
