"""Varying fixed seeds: `default_rng(42)` gives other numbers in each execution, and the same in a replay.

The seed of the execution is mixed into every constant that the code under test gives a
generator. Libraries look a name up whenever they seed; that name is ours meanwhile,
as in `watching`. So a seed is reached however the program has imported what it calls, and
what comes out is an ordinary object of the library's own class:

- two uses of one constant in one execution give the same numbers;
- two different constants stay different;
- no seed at all, a state, and a generator that is handed on are left as they are, and so are
  the seeds that we set ourselves, and Hypothesis.

A seed that was set before the execution began, as on import, is out of reach.
"""

from __future__ import annotations

import builtins
import hashlib
import operator
import random
import sys
from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from types import FrameType
from typing import Any

from . import _native, watching
from .sources import Source
from .watching import OURS, Hook, LibraryHooks, StandIn, owner

#: The bits that are mixed into a seed that may have any size.
_BITS = 128


class Salt:
    """What is mixed into the seeds of one execution."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        #: How many seeds it was mixed into: as a generator, it moves where something random is made.
        self.count = 0
        digest = hashlib.blake2b(
            str(seed).encode(), digest_size=2 * _BITS // 8, person=b"vary seeds"
        ).digest()
        self.number = int.from_bytes(digest[: _BITS // 8], "little")
        self._factor = int.from_bytes(digest[_BITS // 8 :], "little") | 1

    def beside(self, seed: int) -> int:
        """Mix a seed of any size: nothing of it is lost."""
        self.count += 1
        return abs(seed) << _BITS | self.number

    def within(self, seed: int, bits: int) -> int:
        """Mix a seed of so many bits. An odd factor and a sum keep different seeds different."""
        self.count += 1
        return (seed * self._factor + self.number) % (1 << bits)

    def words(self, kind: int) -> list[int]:
        """Return numbers of 32 bits to append to a seed; other ones for another kind."""
        self.count += 1
        return [(self.number >> shift & 0xFFFFFFFF) ^ kind for shift in range(0, _BITS, 32)]


#: That of one of several executions that are under way at the same time.
_OWN: ContextVar[Salt | None] = ContextVar("probtest_salt", default=None)
#: That of the execution under way, also on threads that it has started.
_shared: Salt | None = None


def use(seed: int | None) -> None:
    """Mix this seed into what is seeded from now on; None mixes nothing, and takes our names away."""
    _use(None if seed is None else Salt(seed))


def _use(salt: Salt | None) -> None:
    global _shared
    _shared = salt
    _hooks.find()
    if salt is None:
        _hooks.remove()
    else:
        _hooks.install()


def use_here(seed: int) -> None:
    """Mix this seed in the present `contextvars` context, where several executions are under way."""
    _OWN.set(Salt(seed))


def source() -> Source:
    """Return a source of a test: seeding it for an execution varies the seeds of that execution."""
    return Source("constant seeds", (use, 64), _save, _restore, _peek)


def under_way() -> list[Source]:
    """Return the source of varied seeds, where seeds are varied now."""
    return [] if _shared is None else [source()]


def imported() -> set[str]:
    """Name the libraries that are imported and have seeds that can be varied."""
    return {name for name in _LIBRARIES if name in sys.modules}


def _save() -> Any:
    return None if _shared is None else (_shared, _shared.count)


def _restore(saved: Any) -> None:
    # What a plugin has seeded in between is forgotten, as for any source.
    salt, count = saved or (None, 0)
    if salt is not None:
        salt.count = count
    _use(salt)


def _peek() -> Any:
    return None if _shared is None else (_shared.seed, _shared.count)


#: Modules between a seed and the code that sets it; `random` too.
_BETWEEN = ("torch.random", "torch.cuda.random", "torch._", "tensorflow.python.")
_HOOKS = tuple(f"{__package__}.{name}" for name in ("vary", "watching", "tapes"))


def _salt_for(frame: FrameType | None) -> Salt | None:
    """Return what is mixed into a seed that is set here; None if the program doesn't set it."""
    salt = _OWN.get() or _shared
    if salt is None:
        return None
    while frame is not None:
        module = frame.f_globals.get("__name__")
        name = module if type(module) is str else ""
        if name not in _HOOKS and name != "random" and not name.startswith(_BETWEEN):
            if owner(frame) == OURS or name.partition(".")[0] == "hypothesis":
                return None
            break
        frame = frame.f_back
    return salt


def _hook(module: str, name: str, make: Callable[[Any], Any]) -> Hook:
    """Return the hook for a name that a library has; refuse a version that has it no more."""
    holder = sys.modules.get(module)
    if holder is not None and name in vars(holder):
        return Hook(holder, name, make)
    library = module.partition(".")[0]
    version = getattr(sys.modules.get(library), "__version__", "of an unknown version")
    raise _native.ClaimError(
        f"constant seeds of this {library} cannot be varied: it has no {module}.{name}\n"
        f"  given  {library} {version}\n"
        f"  help   leave out --probtest-vary-seeds, or use a version of {library} listed in the docs"
    )


# `random`.


def _super(original: Any) -> Any:
    """Replace `super` in the module `random`, whose generators seed themselves by it."""
    code = random.Random.seed.__code__

    def super_of_random(*arguments: Any) -> Any:
        frame: FrameType | None = sys._getframe(1)
        if not arguments and frame is not None:
            values = frame.f_locals
            arguments = values["__class__"], values[frame.f_code.co_varnames[0]]
        found = (original or builtins.super)(*arguments)
        while frame is not None and frame.f_globals is vars(watching):
            frame = frame.f_back
        salt = _salt_for(frame) if frame is not None and frame.f_code is code else None
        return found if salt is None else _Twister(found, salt)

    return super_of_random


class _Twister:
    """Replaces the base class of a generator of `random` that is given a seed."""

    def __init__(self, base: Any, salt: Salt) -> None:
        self._base, self._salt = base, salt

    def seed(self, seed: Any) -> None:
        if seed is not None:
            # Anything but a whole number counts by its hash, and all of them without their sign.
            number = seed if isinstance(seed, int) else hash(seed) % (1 << 64)
            seed = self._salt.beside(number)
        self._base.seed(seed)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._base, name)


# NumPy.


def _hooks_of_numpy(_: Any) -> list[Hook]:
    twister = "numpy.random._mt19937"
    return [
        _hook("numpy.random.bit_generator", "_coerce_to_uint32_array", _coerce),
        _hook(twister, "operator", _operator),
        _hook(twister, "np", _arrays),
    ]


def _coerce(original: Any) -> Any:
    """Replace what reads entropy and keys of a `SeedSequence`, which seeds all but the legacy generators."""
    numpy = sys.modules["numpy"]

    def coerce(entropy: Any) -> Any:
        read = original(entropy)
        frame = sys._getframe(1)
        # It calls itself for the parts of a list; and no key at all says that it is no child.
        salt = _salt_for(frame) if frame.f_code is not coerce.__code__ and len(read) else None
        return read if salt is None else numpy.append(read, numpy.array(salt.words(0), numpy.uint32))

    return coerce


def _operator(original: Any) -> Any:
    """Replace `operator` where the Mersenne Twister reads a legacy seed: none is a number any more.

    What is no number is read as a list, by `_arrays`.
    """

    def index(seed: Any) -> Any:
        number = original.index(seed)
        if 0 <= number < 1 << 32 and _salt_for(sys._getframe(1)) is not None:
            raise TypeError("a seed that is varied is read as a list")
        return number

    return StandIn(original, index=index)


def _arrays(original: Any) -> Any:
    """Replace NumPy in the same place; seeds that it refuses are left as they are."""

    def asarray(seed: Any, *rest: Any, **options: Any) -> Any:
        read = original.asarray(seed, *rest, **options)
        salt = _salt_for(sys._getframe(1))
        if salt is None:
            return read
        if read.ndim == 0:
            with suppress(TypeError):
                return original.array([operator.index(seed), *salt.words(1)], dtype=original.int64)
        is_fit = read.ndim == 1 and read.size > 0 and read.dtype.kind in "iu"
        if is_fit and not ((read < 0) | (read >= 1 << 32)).any():
            return original.append(read.astype(original.int64), salt.words(2))
        return read

    return StandIn(original, asarray=asarray)


# Other libraries.


def _hooks_of_torch(module: Any) -> list[Hook]:
    return [Hook(module, "int", _int)]


class _SeedIntType(type):
    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, int)


def _int(_: Any) -> Any:
    """Replace `int`, by which torch reads a seed."""

    class SeedInt(int, metaclass=_SeedIntType):
        def __new__(cls, *arguments: Any) -> Any:
            number = int(*arguments)
            frame = sys._getframe(1)
            caller = frame.f_back
            # torch hands a seed on to its devices, which it has read before.
            is_mixed = caller is not None and caller.f_globals.get("__name__") == "torch.random"
            if "manual_seed" not in frame.f_code.co_name or is_mixed:
                return number
            salt = _salt_for(frame)
            return number if salt is None else salt.within(number, 63)

    return SeedInt


def _key(original: Any) -> Any:
    def key(name: Any, seed: Any, *rest: Any, **options: Any) -> Any:
        salt = _salt_for(sys._getframe(1))
        if salt is not None:
            # What is traced has no value yet.
            with suppress(TypeError):
                seed = salt.within(operator.index(seed), 31)
        return original(name, seed, *rest, **options)

    return key


def _global_seed(original: Any) -> Any:
    def set_global_seed(seed: Any) -> Any:
        salt = _salt_for(sys._getframe(1))
        if salt is not None and seed is not None:
            seed = salt.within(operator.index(seed), 31)
        return original(seed)

    return set_global_seed


_LIBRARIES: dict[str, Callable[[Any], list[Hook]]] = {
    "random": lambda module: [Hook(module, "super", _super)],
    "numpy.random": _hooks_of_numpy,
    "torch.random": _hooks_of_torch,
    "torch.cuda.random": _hooks_of_torch,
    "jax.random": lambda module: [_hook(module.PRNGKey.__module__, "_key", _key)],
    "tensorflow.python.eager.context": lambda module: [
        _hook(module.__name__, "set_global_seed", _global_seed)
    ],
}
_hooks = LibraryHooks(_LIBRARIES)
