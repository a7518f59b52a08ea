"""Seeing that executions are not independent.

The first executions are looked at closely. Two findings are reported, and only
when there is evidence for them:

- *reseeds*: a generator ends different executions in the same state, although
  each began with a seed of its own. The program seeds it itself.
- *copies*: nothing was drawn from any generator that is seeded, nor from the
  operating system, no other generator object has moved, and the Python
  functions called had the same variables each time.

A program that is random in a way that is not seen here (a subprocess, a service,
a generator in C) has different values in its variables, and is left in peace.
"""

from __future__ import annotations

import gc
import os
import random
import sys
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

from .seeding import Source, Sources

#: Executions that are looked at.
PROBES = 4
#: Events after which a comparison is given up: the program is too large for it.
MOST_EVENTS = 20_000
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
        self._traces: list[int | None] = []
        self._entropy = _Entropy()
        self._generators: list[tuple[Any, Any]] = []
        self._others_moved = False
        self.used_generator = False

    def probe(self, begins: bool, index: int) -> None:
        """Be called before and after each of the first executions."""
        if begins:
            self._before = {source.name: _fingerprint(source) for source in self._sources.sources}
            # The first execution also imports and caches; compare the later ones.
            if index > 1 and not self._moved:
                if index == PROBES and self.copies:
                    # Looking for other generators takes a while: only on suspicion.
                    self._generators = _generator_states()
                self._entropy.watch()
                self._trace = _Trace()
                self._trace.start()
            return
        if self._trace is not None:
            self._traces.append(self._trace.stop())
            self._trace = None
            self._entropy.unwatch()
        if self._generators:
            self._others_moved = self._others_moved or any(
                _state(found) != state for found, state in self._generators
            )
            self._generators = []
        for source in self._sources.sources:
            state = _fingerprint(source)
            if state != self._before.get(source.name):
                self._moved = True
                self._after.setdefault(source.name, []).append(state)

    @property
    def reseeds(self) -> bool:
        """Whether a generator ended several executions in the same state."""
        return any(
            len(states) > 1 and all(state == states[0] for state in states) for states in self._after.values()
        )

    @property
    def copies(self) -> bool:
        """Whether the executions looked at were all the same."""
        if self._moved or self._others_moved or self._entropy.used or self.used_generator:
            return False
        traces = self._traces
        return len(traces) >= 2 and None not in traces and len(set(traces)) == 1


def _fingerprint(source: Source) -> Any:
    state = source.save()
    if isinstance(state, dict):  # NumPy's
        inner = state.get("state", {})
        key = inner.get("key")
        return (key.tobytes() if key is not None else repr(inner), inner.get("pos"), state.get("gauss"))
    if isinstance(state, tuple) and state and hasattr(state[0], "numpy"):  # torch's
        return state[0].numpy().tobytes()
    return state


class _Entropy:
    """Notices that something asks the operating system for random bytes."""

    def __init__(self) -> None:
        self.used = False
        self._saved: list[tuple[Any, str, Callable[[int], bytes]]] = []

    def watch(self) -> None:
        def watched(original: Callable[[int], bytes]) -> Callable[[int], bytes]:
            def urandom(size: int, /) -> bytes:
                self.used = True
                return original(size)

            return urandom

        for owner, name in ((os, "urandom"), (random, "_urandom")):
            original = getattr(owner, name, None)
            if original is not None:
                self._saved.append((owner, name, original))
                setattr(owner, name, watched(original))

    def unwatch(self) -> None:
        while self._saved:
            owner, name, original = self._saved.pop()
            setattr(owner, name, original)


class _Trace:
    """A fingerprint of the Python functions that returned, with their plain variables."""

    def __init__(self) -> None:
        self._hash = 0
        self._events = 0
        self._given_up = False

    def start(self) -> None:
        if sys.getprofile() is not None or sys.gettrace() is not None:
            # A debugger, a profiler or coverage is at work: leave it alone.
            self._given_up = True
            return
        sys.setprofile(self._event)

    def stop(self) -> int | None:
        if self._given_up:
            if sys.getprofile() == self._event:
                sys.setprofile(None)
            return None
        sys.setprofile(None)
        return self._hash

    def _event(self, frame: FrameType, event: str, _argument: Any) -> None:
        if event != "return" or self._given_up:
            return
        self._events += 1
        if self._events > MOST_EVENTS:
            self._given_up = True
            return
        code: CodeType = frame.f_code
        if code.co_filename == __file__:
            return
        plain = tuple((name, value) for name, value in frame.f_locals.items() if isinstance(value, _PLAIN))
        self._hash = hash((self._hash, code.co_name, code.co_firstlineno, repr(plain)))


def _generator_states() -> list[tuple[Any, Any]]:
    """Return generator objects that the program keeps, with their states."""
    kinds: list[type] = [random.Random]
    numpy = sys.modules.get("numpy")
    if numpy is not None and hasattr(numpy, "random"):
        kinds += [numpy.random.Generator, numpy.random.RandomState]
    found = tuple(kinds)
    known: dict[type, bool] = {}
    states = []
    for candidate in gc.get_objects():
        # type() rather than isinstance(): proxies must not be asked for their class.
        kind = type(candidate)
        wanted = known.get(kind)
        if wanted is None:
            wanted = known[kind] = issubclass(kind, found)
        if wanted:
            states.append((candidate, _state(candidate)))
    return states


def _state(generator: Any) -> str:
    try:
        if isinstance(generator, random.Random):
            return repr(hash(generator.getstate()))
        if hasattr(generator, "bit_generator"):
            return repr(generator.bit_generator.state)
        return repr(generator.get_state())
    except Exception:
        return ""
