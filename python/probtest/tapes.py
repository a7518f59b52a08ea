"""The draws of an execution, seen: kept, or played from a tape.

After a violation the execution is made again and again with other draws. Whatever the program
draws from, all draws are on one tape, in their order. NumPy's bit generators are replaced by ours; a
generator of `random` gets its words from the hook for profilers, since its methods cannot be replaced
where a program has them by name.

A generator that the program gives a seed of its own is left alone: its numbers are no chance.
One whose seed is the number that was drawn last is as random as that, and seen.
"""

from __future__ import annotations

import contextlib
import linecache
import os
import random
import sys
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any, TypeAlias

from . import _native
from .sources import Sources
from .watching import PROGRAM, owner, programs

#: The number of a draw, the call, what it gave, file and line.
Site: TypeAlias = "tuple[int, str, str | None, str | None]"

_RANDOM = random.Random.seed.__code__.co_filename
_Twister: Any = random.Random.__base__
#: Why draws are not seen.
MISSED = "probtest cannot see some draws from random: they come from C code or another thread"
#: The longest tape in a line to copy.
LONGEST_TAPE = 300
#: The longest text of a call, or of what it gave.
LONGEST = 60


class Tapes:
    """Has the draws of executions seen; the core calls `begin` before the body, and `end` after it."""

    def __init__(self, sources: Sources, root: str | os.PathLike[str] | None = None) -> None:
        self._sources = sources
        self._root = os.path.join(os.fspath(root) if root is not None else os.getcwd(), "")
        self._hook: _native.Twisters | None = None
        known = _Twister(1)
        # A Python that lays its generators out in another way has no hook.
        with contextlib.suppress(Exception):
            self._hook = _native.Twisters(known, known.getstate(), self._seeded)
        self._numpy = _Numpy()
        self._others: list[tuple[str, Callable[[], Any], Any]] = []
        self._is_profiled = False
        self._profile: Any = None
        self._tracer: _Tracer | None = None

    def begin(self, traced: bool) -> tuple[int, Callable[[], object] | None]:
        """See the draws from here on; return the thread, and what to call after draws of NumPy."""
        self._tracer = _Tracer(self._place) if traced else None
        self._is_profiled = sys.getprofile() is not None
        follows = self._hook is not None and not self._is_profiled
        seen = ("random", "numpy.random") if follows else ("numpy.random",)
        self._others = [
            (source.name, source.peek, source.peek())
            for source in self._sources.sources
            if source.name not in seen
        ]
        self._numpy.begin()
        if self._hook is not None and follows:
            shared = getattr(random.seed, "__self__", None)
            self._hook.begin([shared] if isinstance(shared, _Twister) else [])
            self._profile = self._hook if self._tracer is None else self._tracer.following(self._hook)
            sys.setprofile(self._profile)
        return threading.get_ident(), None if self._tracer is None else self._tracer.drawn_by_numpy

    def end(self) -> tuple[list[Site], str | None]:
        """See no more; return where draws came from, and why some were not seen."""
        if self._profile is not None and sys.getprofile() is self._profile:
            sys.setprofile(None)
        self._profile = None
        if self._hook is not None:
            self._hook.end()
            if self._hook.missed:
                _native.refuse_story(MISSED)
        self._numpy.end()
        sites = [] if self._tracer is None else self._tracer.sites()
        self._tracer = None
        moved = [name for name, peek, state in self._others if peek() != state]
        beside = " under a profiler" if self._is_profiled and "random" in moved else ""
        return sites, f"draws from {' and '.join(moved)} are not seen{beside}" if moved else None

    def absorb(self) -> None:
        """Be where an exception arrives that was sent to an execution that is over."""

    def _seeded(self, generator: Any, frame: FrameType, seeds: bool) -> None:
        """Note that a generator of `random` gets a seed, or a state."""
        hook = self._hook
        if hook is None or not isinstance(generator, _Twister):
            return
        if not seeds:
            if generator is getattr(random.seed, "__self__", None):
                _native.refuse_story("the program sets the state of random")
            hook.leave(generator)
        elif _native.is_drawn(frame.f_locals.get("a")):
            # Its seed is set by the call that comes now.
            hook.follow(generator)
        else:
            hook.leave(generator)

    def _place(self, frame: FrameType) -> str:
        return f"{frame.f_code.co_filename.removeprefix(self._root)}:{frame.f_lineno}"

    def kind_of(self, exception: BaseException) -> str:
        """Name an exception by its class, and where it came through the program.

        By the first line and the last: two checks may raise in one function that both call.
        """
        kind = type(exception)
        name = f"{type.__dict__['__module__'].__get__(kind)}.{type.__dict__['__qualname__'].__get__(kind)}"
        places: list[TracebackType] = []
        trace = BaseException.__dict__["__traceback__"].__get__(exception)
        while trace is not None:
            if owner(trace.tb_frame) == PROGRAM:
                places[1:] = [trace]
            trace = trace.tb_next
        named = [f"{found.tb_frame.f_code.co_filename}:{found.tb_lineno}" for found in places]
        return " at ".join([name, *named])


class _Numpy:
    """Puts deputies in the place of NumPy's bit generators."""

    def __init__(self) -> None:
        self._global: tuple[Any, Any, Any] | None = None
        self._names: tuple[dict[str, Any], Any, Any] | None = None

    def begin(self) -> None:
        numpy = sys.modules.get("numpy.random")
        shared: Any = getattr(getattr(numpy, "mtrand", None), "_rand", None)
        inner = getattr(shared, "_bit_generator", None)
        if inner is None:
            return
        deputy = deputy_for(inner)
        shared.__init__(deputy)
        self._global = shared, inner, deputy
        names = vars(sys.modules["numpy.random._generator"])
        original = names.get("PCG64")
        if isinstance(original, type):

            def make(seed: Any = None) -> Any:
                made = original(seed)
                return deputy_for(made) if _native.is_drawn(seed) else made

            self._names = names, original, make
            names["PCG64"] = make

    def end(self) -> None:
        if self._global is not None:
            shared, inner, deputy = self._global
            if shared._bit_generator is deputy:
                shared.__init__(inner)
        if self._names is not None:
            names, original, make = self._names
            if names.get("PCG64") is make:
                names["PCG64"] = original
        self._global = self._names = None


_deputies: dict[type, type] = {}


def deputy_for(inner: Any) -> Any:
    """Return a bit generator of the same class whose draws are seen."""
    kind = type(inner)
    made = _deputies.get(kind)
    if made is None:
        made = _deputies[kind] = _deputy_class(kind)
    return made(inner)


def _of_inner(name: str) -> property:
    return property(lambda self: getattr(self._inner, name))


def _deputy_class(kind: Any) -> type:
    class Deputy(kind):  # type: ignore[misc]
        """Stands in for a bit generator while an execution is seen."""

        def __init__(self, inner: Any) -> None:
            self._inner = inner
            self._deputy = _native.Deputy(inner.capsule, not hasattr(inner, "_legacy_seeding"))
            self.__capsule = self._deputy.capsule

        capsule = property(lambda self: self.__capsule)
        lock, seed_seq, spawn, jumped = map(_of_inner, ("lock", "seed_seq", "spawn", "jumped"))

        @property
        def state(self) -> Any:
            return self._inner.state

        @state.setter
        def state(self, value: Any) -> None:
            _native.refuse_story("the program sets the state of a generator of NumPy")
            self._inner.state = value

        def _legacy_seeding(self, seed: Any) -> None:
            if not _native.is_drawn(seed):
                self._deputy.step_back()
            self._inner._legacy_seeding(seed)

        def __reduce__(self) -> Any:
            return self._inner.__reduce__()

    Deputy.__name__ = Deputy.__qualname__ = kind.__name__
    return Deputy


class _Tracer:
    """Finds out where draws come from, and what came of them."""

    def __init__(self, place: Callable[[FrameType], str]) -> None:
        self._place = place
        self._found: dict[int, tuple[str, str | None, str | None]] = {}
        #: The function of `random` that the program has called: its frame, words, and draws.
        self._open: tuple[FrameType, str, list[int]] | None = None

    def sites(self) -> list[Site]:
        return [(number, *self._found[number]) for number in sorted(self._found)]

    def following(self, hook: _native.Twisters) -> Callable[[FrameType, str, Any], None]:
        def profile(frame: FrameType, event: str, argument: Any) -> None:
            hook(frame, event, argument)
            if event == "c_return":
                self._drawn(frame, argument)
            elif event == "call" and self._open is None and frame.f_code.co_filename == _RANDOM:
                self._open = frame, _call_of(frame), []
            elif event == "return" and self._open is not None and self._open[0] is frame:
                self._close(frame, argument)

        return profile

    def _drawn(self, frame: FrameType, function: Any) -> None:
        fresh = _native.fresh_draws()
        if not fresh:
            return
        user = programs(frame)
        line = None if user is None else self._place(user)
        name = f"{function.__name__}()" if self._open is None else self._open[1]
        if self._open is not None:
            self._open[2].extend(fresh)
        for number in fresh:
            self._found[number] = (name, None, line)

    def _close(self, frame: FrameType, returned: Any) -> None:
        assert self._open is not None
        _, name, numbers = self._open
        self._open = None
        if frame.f_code.co_name == "shuffle":
            returned = frame.f_locals.get("x")
        gave = shown(returned)
        for number in numbers:
            _, _, line = self._found[number]
            self._found[number] = (name, gave, line)

    def drawn_by_numpy(self) -> None:
        """Note that a bit generator has drawn something."""
        # First: the calls of this function are seen too.
        fresh = _native.fresh_draws()
        user = programs(sys._getframe().f_back)
        name, line = ("", None) if user is None else (_text_of_call(user), self._place(user))
        for number in fresh:
            self._found[number] = (name, None, line)


def _call_of(frame: FrameType) -> str:
    """Write the call of a function of `random`."""
    code = frame.f_code
    names = code.co_varnames[1 : code.co_argcount]
    values = [shown(frame.f_locals.get(name)) for name in names]
    usual = getattr(random.Random.__dict__.get(code.co_name), "__defaults__", None) or ()
    for default in reversed(usual):
        if not values or values[-1] != shown(default):
            break
        values.pop()
    return f"{code.co_name}({', '.join('..' if value is None else value for value in values)})"


_BRACKETS: dict[type, str] = {list: "[]", tuple: "()", set: "{}", frozenset: "{}"}


def shown(value: Any, depth: int = 2) -> str | None:
    """Write a value, where that runs no code of the program; None where it does, or is too long."""
    kind, text = type(value), None
    if kind in (int, float, bool, str, bytes, complex, type(None), range):
        size = len(value) if kind in (str, bytes) else value.bit_length() // 4 if kind is int else 0
        text = repr(value) if size <= LONGEST else None
    elif kind in _BRACKETS and depth and len(value) <= LONGEST // 2:
        parts = [shown(part, depth - 1) for part in value]
        if None not in parts:
            comma = "," if kind is tuple and len(parts) == 1 else ""
            brackets = _BRACKETS[kind]
            text = f"{brackets[0]}{', '.join(filter(None, parts))}{comma}{brackets[1]}"
    return text if text is not None and len(text) <= LONGEST else None


def _text_of_call(frame: FrameType) -> str:
    """Return the call that a frame is in, as its source has it; nothing before Python 3.11."""
    positions: Any = getattr(frame.f_code, "co_positions", None)
    if positions is None:
        return ""
    found = list(positions())[frame.f_lasti // 2]
    first, last, begin, end = found
    if first is None or begin is None or end is None:
        return ""
    line = linecache.getline(frame.f_code.co_filename, first)
    # Columns count bytes.
    text = line.encode()[begin : end if first == last else None].decode(errors="replace").strip()
    text = " ".join(text.split())
    if first != last:
        return f"{text[:LONGEST]}.."
    # The function that was called is at the end.
    return text if len(text) <= LONGEST else f"..{text[-LONGEST:]}"
