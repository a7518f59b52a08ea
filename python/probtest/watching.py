"""Watching the act of seeding, while one execution is under way.

Libraries look a name up whenever they seed a generator or ask the operating system; that
name is ours meanwhile. So a call is seen however the program has imported the
function that it calls. No code of the program runs: no value of it is compared, printed or
asked for an attribute, and no class is asked but by identity.

Beside it: `calls`, functions in C that the program calls.
"""

from __future__ import annotations

import abc
import builtins
import contextlib
import itertools
import os
import random
import sys
from collections.abc import Callable, Hashable, Iterator
from types import CodeType, FrameType, ModuleType
from typing import Any

#: Whose code it is.
OURS, LIBRARY, PROGRAM = range(3)

HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep
STANDARD = tuple(
    {os.path.dirname(os.__file__) + os.sep, os.path.dirname(os.path.realpath(os.__file__)) + os.sep}
)
_RANDOM = random.Random.seed.__code__.co_filename
INSTALLED = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")
#: By identity: to compare two codes takes a microsecond.
_owners: dict[int, tuple[CodeType, int]] = {}


def owner(frame: FrameType) -> int:
    """Say whose code it is: ours, a library's, or the program's."""
    code = frame.f_code
    known = _owners.get(id(code))
    if known is not None and known[0] is code:
        return known[1]
    file = code.co_filename
    if file.startswith("<"):
        # Compiled while the program runs, by the module that has these names.
        written_by = frame.f_globals.get("__file__")
        is_main = frame.f_globals.get("__name__") == "__main__"
        file = written_by if type(written_by) is str else "" if is_main else "<frozen "
    if file.startswith(HERE):
        found = OURS
    elif file.startswith(("<frozen ", *STANDARD)) or any(part in file for part in INSTALLED):
        found = LIBRARY
    else:
        found = PROGRAM
    if len(_owners) > 10_000:
        _owners.clear()
    _owners[id(code)] = (code, found)
    return found


def _callers(frame: FrameType | None) -> Iterator[FrameType]:
    """Yield the frames up to our own: what lies beyond is not part of the execution."""
    while frame is not None and owner(frame) != OURS:
        yield frame
        frame = frame.f_back


def _asking(frame: FrameType | None) -> list[FrameType]:
    """Return the frames that had a generator seeded, without those of `random`; none if it was us."""
    return list(itertools.dropwhile(lambda found: found.f_code.co_filename == _RANDOM, _callers(frame)))


def programs(frame: FrameType | None) -> FrameType | None:
    """Return the nearest frame of the program."""
    return next((found for found in _callers(frame) if owner(found) == PROGRAM), None)


def place(frame: FrameType) -> str:
    """Write file and line, as short as they can be found from here."""
    return place_at(frame, frame.f_lineno)


def place_at(frame: FrameType, line: int | None) -> str:
    """Return a line of a frame's file in words."""
    return f"{frame.f_code.co_filename.removeprefix(os.getcwd() + os.sep)}:{line}"


def modules() -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield name, content and file of each module that is imported, without asking it for anything."""
    for name, module in list(sys.modules.items()):
        if type(module) is ModuleType:
            content = ModuleType.__getattribute__(module, "__dict__")
            file = content.get("__file__")
            if type(file) is str:
                yield name, content, file


#: Something comparable in place of a seed; those of seeds that cannot be compared are never equal.
Token = Hashable


def token(seed: Any, depth: int = 2) -> Token:
    """Return something of a seed that can be compared without asking it anything."""
    kind = type(seed)
    if kind in (int, str, bytes, float, bool, type(None)):
        return (kind, seed)
    if kind is bytearray:
        return (kind, bytes(seed))
    if kind in (list, tuple) and depth and len(seed) <= 700:
        return (kind, tuple(token(part, depth - 1) for part in seed))
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        if kind is getattr(numpy, "ndarray", None) and not seed.dtype.hasobject and seed.size <= 10_000:
            return (kind, str(seed.dtype), seed.tobytes())
        if kind in _numbers_of_numpy(numpy):
            return (int, seed.item())
        if kind is getattr(getattr(numpy, "random", None), "SeedSequence", None) and depth:
            return (kind, token(seed.entropy, depth - 1), seed.spawn_key)
    return object()


def _numbers_of_numpy(numpy: Any) -> tuple[Any, ...]:
    names = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
    return tuple(getattr(numpy, name, None) for name in names)


def _words(seed: Any) -> str:
    """Write a seed; a long one as dots."""
    if type(seed) is int and seed.bit_length() <= 64:
        return str(seed)
    if type(seed) in (str, bytes) and len(seed) <= 20:
        return repr(seed)
    if type(seed) in _numbers_of_numpy(sys.modules.get("numpy")):
        return str(seed.item())
    if seed is not None and type(seed) is getattr(sys.modules.get("numpy.random"), "SeedSequence", None):
        return _words(seed.entropy)
    return ".."


class SeedWatch:
    """What one execution seeded, and with what."""

    #: The most seeds that are kept of one place.
    MOST = 64

    def __init__(self, peeks: dict[str, Callable[[], Any]], begun: dict[str, Any]) -> None:
        self._peeks = peeks
        self._begun = begun
        #: The seeds set at each place, and what was called there in words.
        self.seeds: dict[Hashable, list[Token]] = {}
        self.words: dict[Hashable, str] = {}
        #: The last seed that each global generator was given.
        self.reseeded: dict[str, Token] = {}
        #: Global generators that had moved before they were given another seed.
        self.moved_before: set[str] = set()
        #: Requests for randomness of the operating system, with the instruction that made them.
        self.entropy: list[tuple[str, FrameType | None, int]] = []
        #: The generator without a seed that an instruction is about to make.
        self._made: tuple[str, FrameType | None, int] = ("", None, 0)
        #: What the generators of `random` asked for that were made without a seed, by identity.
        self._unseeded: dict[int, tuple[str, FrameType | None, int]] = {}

    def seeded(self, what: str, seed: Any, frame: FrameType | None, source: str | None = None) -> None:
        """Note that a generator gets a seed; `source` is the global one that it is, if it is one."""
        callers = _asking(frame)
        if not callers:
            return
        if source is not None:
            peek = self._peeks.get(source)
            if source not in self.reseeded and peek is not None and peek() != self._begun.get(source):
                self.moved_before.add(source)
            self.reseeded[source] = token(seed)
        if seed is None:
            self.asked(f"{what}() without a seed", frame)
            return
        where = _named(callers)
        key = (what, where.f_code, where.f_lineno)
        found = self.seeds.setdefault(key, [])
        if len(found) < self.MOST:
            found.append(token(seed))
        else:
            found[-1] = hash((found[-1], token(seed)))
        self.words.setdefault(key, f"{what}({_words(seed)}) at {place(where)}")

    def made(self, generator: Any, seed: Any, frame: FrameType) -> None:
        """Note that a generator of `random` gets a seed, or asks the operating system for one."""
        count = len(self.entropy)
        self.seeded("random.Random", seed, frame)
        if len(self.entropy) > count:
            self._unseeded[id(generator)] = self.entropy[-1]

    def restored(self, generator: Any, state: Any, frame: FrameType) -> None:
        """Note that a generator is given a state, as copies are: what it was made of is gone then."""
        made = self._unseeded.pop(id(generator), None)
        self.entropy = [entry for entry in self.entropy if entry is not made]
        self.seeded("random.Random.setstate", state, frame)

    def makes(self, what: str, frame: FrameType) -> None:
        """Note that a generator is made without a seed, which will ask the operating system."""
        self._made = (what, frame, frame.f_lasti)

    def asked(self, what: str, frame: FrameType | None) -> None:
        """Note that the operating system is asked for randomness."""
        callers = _asking(frame)
        if not callers or _is_a_name(callers):
            return
        # The caller of the standard library, which asks on its behalf.
        nearest = next(
            (found for found in callers if found.f_code.co_filename != random.__file__), callers[0]
        )
        if nearest.f_code.co_filename.endswith(_COPYING):
            # A generator that is copied is made anew, and given the other's state.
            return
        made, frame, instruction = self._made
        if frame is nearest and instruction == nearest.f_lasti:
            what = f"{made}() without a seed"
        self.entropy.append((f"{what}, at {place(_named(callers))}", nearest, nearest.f_lasti))

    def is_made_by(self, frame: FrameType) -> bool:
        """Say whether the instruction under way has just asked; forget it, since it seeds by itself."""
        if self.entropy and self.entropy[-1][1] is frame and self.entropy[-1][2] == frame.f_lasti:
            self.entropy.pop()
            return True
        return False

    def close(self) -> None:
        self.entropy = [(words, None, 0) for words, _, _ in self.entropy]
        self._made = ("", None, 0)
        self._unseeded = {}


_COPYING = os.path.join("numpy", "random", "_pickle.py")
_NAMES = frozenset(os.path.join(os.path.dirname(os.__file__), name) for name in ("uuid.py", "tempfile.py"))


def _named(callers: list[FrameType]) -> FrameType:
    """Return the frame to name: the program's, else the nearest library's that is not of Python itself."""
    for frame in callers:
        if owner(frame) == PROGRAM:
            return frame
    return next(
        (found for found in callers if not found.f_code.co_filename.startswith(STANDARD)), callers[-1]
    )


def _is_a_name(callers: list[FrameType]) -> bool:
    """Say whether a library makes up a name for something: that is not randomness of the program."""
    inside = False
    for frame in callers:
        file = frame.f_code.co_filename
        if file.endswith(f"{os.sep}tempfile.py") and file.startswith(STANDARD):
            return True
        if file in _NAMES:
            inside = True
        elif inside:
            return owner(frame) != PROGRAM
    return False


_active: list[SeedWatch] = []


def _report(note: Callable[[SeedWatch], object]) -> None:
    """Report to the innermost watch; an error there must not reach the program."""
    if _active:
        try:
            note(_active[-1])
        except Exception:
            _active[-1].seeds[object()] = [object()]


class Hook:
    """A name of a module or a class that is looked up to seed, and what replaces it meanwhile."""

    def __init__(self, holder: Any, name: str, make: Callable[[Any], Any]) -> None:
        self._holder, self._name, self._make = holder, name, make
        self._original: Any = None
        self._ours: Any = None

    def install(self) -> None:
        current = vars(self._holder).get(self._name)
        if self._ours is not None and current is self._ours:
            # A monkeypatch of the program has put ours back.
            return
        if self._ours is None or current is not self._original:
            self._original, self._ours = current, self._make(current)
        setattr(self._holder, self._name, self._ours)

    def remove(self) -> None:
        if self._ours is None or vars(self._holder).get(self._name) is not self._ours:
            return
        if self._original is None:
            delattr(self._holder, self._name)
        else:
            setattr(self._holder, self._name, self._original)


class LibraryHooks(dict[str, list[Hook]]):
    """The hooks of the libraries that are imported, by module."""

    def __init__(self, libraries: dict[str, Callable[[Any], list[Hook]]], *ignored: type[Exception]) -> None:
        super().__init__()
        self._libraries = libraries
        #: What may be raised for a version that does not have the names that we know.
        self._ignored = ignored

    def find(self) -> None:
        """Make hooks for the modules that have been imported since the last look."""
        for name, make in self._libraries.items():
            module = sys.modules.get(name)
            if name in self or type(module) is not ModuleType:
                continue
            # A module that is being imported does not have all of its names yet.
            if not getattr(getattr(module, "__spec__", None), "_initializing", False):
                with contextlib.suppress(*self._ignored):
                    self[name] = make(module)

    def install(self) -> None:
        for hook in itertools.chain.from_iterable(self.values()):
            hook.install()

    def remove(self) -> None:
        for hook in itertools.chain.from_iterable(self.values()):
            hook.remove()


def _super(original: Any) -> Any:
    """Replace `super` in the module `random`: its generators seed themselves by it."""
    super_ = original or builtins.super
    seed = random.Random.seed.__code__
    setstate = random.Random.setstate.__code__
    shared = getattr(random.seed, "__self__", None)

    def super_of_random(*arguments: Any) -> Any:
        frame = sys._getframe(1)
        if arguments:
            return super_(*arguments)
        values = frame.f_locals
        generator = values[frame.f_code.co_varnames[0]]
        if frame.f_code is seed:
            caller = None if frame.f_back is None else frame.f_back.f_back
            if generator is shared:
                _report(lambda watch: watch.seeded("random.seed", values["a"], frame, "random"))
            elif caller is not None and caller.f_code.co_name == "_set_global_seed":
                what = "tensorflow.random.set_seed"
                _report(lambda watch: watch.seeded(what, values["a"], frame, "tensorflow"))
            else:
                _report(lambda watch: watch.made(generator, values["a"], frame))
        elif frame.f_code is setstate:
            state = values["internalstate"]
            if generator is shared:
                _report(lambda watch: watch.seeded("random.setstate", _short(state), frame, "random"))
            else:
                _report(lambda watch: watch.restored(generator, _short(state), frame))
        return super_(values["__class__"], generator)

    return super_of_random


def _short(state: Any) -> tuple[int]:
    """Return a long state as one number, without asking it anything."""
    return (hash(token(state)),)


def _urandom(original: Any) -> Any:
    def urandom(*arguments: Any) -> Any:
        frame = sys._getframe(1)
        _report(lambda watch: watch.asked("the operating system's randomness", frame))
        return original(*arguments)

    return urandom


class _Asking(abc.ABCMeta):
    """The class of `ISeedSequence` meanwhile: every bit generator of NumPy asks what its seed is."""

    def __instancecheck__(cls, instance: Any) -> bool:
        if cls.__module__.startswith("numpy."):
            frame = sys._getframe(1)
            if instance is None:
                _report(lambda watch: watch.makes(_constructor(frame), frame))
            else:
                _report(lambda watch: watch.seeded(_constructor(frame), instance, frame))
        return abc.ABCMeta.__instancecheck__(cls, instance)


#: What makes a generator of NumPy, as programs write it.
_CONSTRUCTORS = ("default_rng", "PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")


def _constructor(frame: FrameType) -> str:
    """Name what was called, as far as the caller's code says so."""
    named = [name for name in _CONSTRUCTORS if name in frame.f_code.co_names]
    return f"numpy.random.{named[0] if len(named) == 1 else 'BitGenerator'}"


class _AskingHook(Hook):
    def __init__(self, asked: Any) -> None:
        self._asked = asked

    def install(self) -> None:
        if type(self._asked) is abc.ABCMeta:
            self._asked.__class__ = _Asking

    def remove(self) -> None:
        if type(self._asked) is _Asking:
            self._asked.__class__ = abc.ABCMeta  # type: ignore[assignment]


class StandIn(ModuleType):
    """A module but for some of its names."""

    def __init__(self, original: Any, **ours: Any) -> None:
        super().__init__(original.__name__)
        self.__dict__.update(vars(original) | ours)


def _operator(original: Any) -> Any:
    """Replace `operator` where NumPy's Mersenne Twister reads a seed of the legacy kind."""
    rand = sys.modules["numpy.random.mtrand"]._rand

    def index(seed: Any) -> Any:
        frame = sys._getframe(1)

        def note(watch: SeedWatch) -> None:
            if watch.is_made_by(frame):
                watch.seeded("numpy.random.RandomState", seed, frame)
            elif _is_held(rand._bit_generator):
                watch.seeded("numpy.random.seed", seed, frame, "numpy.random")
            else:
                watch.seeded("numpy.random.RandomState.seed", seed, frame)

        _report(note)
        return original.index(seed)

    return StandIn(original, index=index)


def _is_held(bit_generator: Any) -> bool:
    """Say whether this generator is the one being seeded: it holds its lock meanwhile."""
    lock = bit_generator.lock
    held: bool = lock._is_owned() if hasattr(lock, "_is_owned") else lock.locked()
    return held


def _calling(what: str, source: str | None = None, position: int = 0) -> Callable[[Any], Any]:
    """Return what makes a function report the seed that it is called with."""

    def make(original: Any) -> Any:
        def seeding(*arguments: Any, **options: Any) -> Any:
            frame = sys._getframe(1)
            seed = arguments[position] if len(arguments) > position else options.get("seed")
            _report(lambda watch: watch.seeded(what, seed, frame, source))
            return original(*arguments, **options)

        return seeding

    return make


def _hooks_of_numpy(_: Any) -> list[Hook]:
    asked = sys.modules["numpy.random.bit_generator"].ISeedSequence
    return [_AskingHook(asked), Hook(sys.modules["numpy.random._mt19937"], "operator", _operator)]


def _hooks_of_jax(module: Any) -> list[Hook]:
    holder = sys.modules[module.PRNGKey.__module__]
    return [Hook(holder, "_key", _calling("jax.random.key", position=1))] if hasattr(holder, "_key") else []


def _hooks_of_cupy(module: Any) -> list[Hook]:
    return [
        Hook(module, "seed", _calling("cupy.random.seed", "cupy.random")),
        Hook(module.RandomState, "__init__", _calling("cupy.random.RandomState", position=1)),
    ]


# For a version with other names, only the states of the generators are looked at.
_hooks = LibraryHooks(
    {
        "random": lambda random: [Hook(random, "super", _super), Hook(random, "_urandom", _urandom)],
        "os": lambda os: [Hook(os, "urandom", _urandom)],
        "numpy.random": _hooks_of_numpy,
        "torch.random": lambda torch: [
            Hook(torch, "_seed_custom_device", _calling("torch.manual_seed", "torch"))
        ],
        "jax.random": _hooks_of_jax,
        "cupy.random": _hooks_of_cupy,
    },
    Exception,
)


def begin(watch: SeedWatch) -> None:
    """Begin to report to this watch what is seeded."""
    _hooks.find()
    _hooks.install()
    _active.append(watch)


def end(watch: SeedWatch) -> None:
    pause(watch)
    watch.close()


def pause(watch: SeedWatch) -> None:
    """Report nothing more to this watch, until it begins again."""
    if watch in _active:
        del _active[_active.index(watch) :]
    if not _active:
        _hooks.remove()
