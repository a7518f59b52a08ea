"""The functions in C that a program calls, seen by the hook for profilers.

It costs something with every call, so it is used on suspicion, for a bounded number of
events. No code of the program runs.
"""

from __future__ import annotations

import functools
import gc
import os
import sys
import threading
from collections.abc import Callable
from types import (
    BuiltinFunctionType,
    ClassMethodDescriptorType,
    CodeType,
    FrameType,
    FunctionType,
    MethodDescriptorType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

from .watching import OURS, PROGRAM, modules, owner, place, programs

#: What a call may bring in: nothing; the time; a file and its kin; anything at all, randomness too.
NOTHING, TIME, OUTSIDE, ANYTHING = range(4)
#: It gives a generator of torch a seed.
SEEDS = -1

#: Modules in C whose functions bring nothing from outside.
_PURE = frozenset(
    (
        *("builtins", "math", "cmath", "operator", "_operator", "itertools", "_functools", "_collections"),
        *("_bisect", "_heapq", "_struct", "_random", "_json", "_sre", "_string", "_decimal", "_datetime"),
        *("_statistics", "binascii", "zlib", "_abc", "_contextvars", "functools", "collections", "re", "sys"),
        *("datetime", "decimal", "struct", "_thread", "_weakref", "_warnings", "_pickle", "array", "types"),
        *("_hashlib", "_md5", "_sha1", "_sha2", "_sha256", "_sha512", "_sha3", "_blake2", "unicodedata"),
        *("_bz2", "_lzma", "_csv", "_typing", "typing", "_codecs", "gc", "contextvars", "copy"),
    )
)
#: Functions of those that do.
_OUTSIDE = frozenset(
    (
        *("open", "input", "id", "hash", "getpid", "__import__", "exec", "eval"),
        *("start_new_thread", "start_joinable_thread", "getrefcount", "get_objects"),
    )
)
#: Functions that tell the time, by the module that they are of.
_TIME = frozenset(("time", "datetime", "_datetime"))
_NOW = frozenset(("now", "today", "utcnow"))
#: Functions of Python's own modules in C that only take something, or say what a process knows anyway.
_HARMLESS = {
    "_io": frozenset(
        ("write", "writelines", "flush", "getvalue", "fileno", "isatty", "seek", "tell", "truncate")
    ),
    "posix": frozenset(("fspath", "getcwd")),
}
#: Files that the operating system's randomness is read from.
_DEVICES = frozenset(("/dev/urandom", "/dev/random", "/dev/hwrng"))
#: Functions that libraries ask to find things again, or to log, which tells the program nothing.
_ADDRESSES = (id, hash, os.getpid)
#: Modules of Python itself that bring in what another program, or the system, makes up.
_ELSEWHERE = frozenset(("_posixsubprocess", "_socket", "_ssl", "_ctypes", "_multiprocessing", "_winapi"))
_MADE_UP = frozenset(
    ("urandom", "getrandom", "fork", "forkpty", "posix_spawn", "posix_spawnp", "system", "popen")
)
#: Libraries with code in C that has no randomness but that of generators that are watched.
_QUIET = frozenset(
    (
        *("numpy", "scipy", "sklearn", "pandas", "networkx", "matplotlib", "pyarrow", "lxml", "yaml", "PIL"),
        *("pydantic", "pydantic_core", "orjson", "ujson", "msgpack", "markupsafe", "regex", "h5py"),
        *(
            "pytest",
            "_pytest",
            "pluggy",
            "coverage",
            "probtest",
            "hypothesis",
            "xdist",
            "execnet",
            "greenlet",
        ),
        *("_pydevd_bundle", "psutil", "typing_extensions", "setuptools", "pkg_resources", "joblib", "attr"),
    )
)
#: The same, but that not all of their generators are watched.
_SEEDED = frozenset(("torch", "jaxlib", "jax", "tensorflow", "cupy", "cupy_backends"))

_name_of: Callable[[type], Any] = type.__dict__["__name__"].__get__
_module_of: Callable[[type], Any] = type.__dict__["__module__"].__get__
ancestors_of: Callable[[type], tuple[type, ...]] = type.__dict__["__mro__"].__get__
_content_of: Callable[[type], Any] = type.__dict__["__dict__"].__get__


#: What a class has for a method in C.
_IN_C = (
    MethodDescriptorType,
    ClassMethodDescriptorType,
    WrapperDescriptorType,
    BuiltinFunctionType,
    staticmethod,
)


class Calls:
    """The functions that an execution calls, from the beginning up to a number of events."""

    def __init__(self, most: int) -> None:
        self._left = most
        #: The most that a call has brought in.
        self.brings = NOTHING
        #: Whether all of it was seen.
        self.is_whole = False
        #: Generators of torch that were given a seed, and where.
        self.seeded: list[tuple[Any, str]] = []
        #: The same in words, with the seed.
        self.seeds: set[str] = set()
        #: What was called of the program, as a number to compare.
        self.path = 0
        self._is_paused = False
        #: Whether Python is collecting garbage here. What others have left may clean up after itself then.
        self._is_collecting = False
        self._thread = threading.get_ident()
        self._collects: Callable[[str, dict[str, int]], None] = self._collection
        self._verdicts: dict[Any, int] = {}
        self._codes: dict[int, CodeType] = {}
        self._profile: Callable[[FrameType, str, Any], None] = self._event

    def begin(self) -> None:
        # Another profiler is left alone. Coverage and debuggers are not disturbed.
        if sys.getprofile() is None:
            self.is_whole = True
            gc.callbacks.append(self._collects)
            sys.setprofile(self._profile)

    def _collection(self, phase: str, _: dict[str, int]) -> None:
        if threading.get_ident() == self._thread:
            self._is_collecting = phase == "start"

    def extend(self, most: int) -> None:
        """Follow so many events from here on, if all was seen so far."""
        if self.is_whole:
            self._left = most

    def pause(self) -> None:
        """Follow nothing until it goes on."""
        self._is_paused = sys.getprofile() is self._profile
        if self._is_paused:
            sys.setprofile(None)

    def go_on(self) -> None:
        if self._is_paused and sys.getprofile() is None:
            sys.setprofile(self._profile)
        self._is_paused = False

    def end(self) -> None:
        if self._collects in gc.callbacks:
            gc.callbacks.remove(self._collects)
        if sys.getprofile() is self._profile:
            sys.setprofile(None)
        elif self._left > 0 and self.brings != ANYTHING:
            # Other code has replaced our profiler.
            self.is_whole = False
        self.seeds = {
            f"torch.Generator.manual_seed({of.initial_seed()}) at {where}" for of, where in self.seeded
        }
        self.seeded = []

    def _event(self, frame: FrameType, event: str, argument: Any) -> None:
        if self._is_collecting:
            return
        self._left -= 1
        if self._left <= 0:
            self.is_whole = False
            sys.setprofile(None)
        elif event == "c_call":
            if type(argument) is not BuiltinFunctionType:
                return
            of = argument.__self__
            key = argument if of is None or type(of) is ModuleType else (type(of), argument.__name__)
            verdict = self._verdicts.get(key)
            if verdict is None:
                verdict = self._verdicts[key] = _brings(argument, of)
            if verdict == SEEDS:
                self.seeded.append((of, place(programs(frame) or frame)))
            elif verdict > self.brings and not (argument in _ADDRESSES and owner(frame) != PROGRAM):
                self._note(frame, verdict)
        elif event == "call":
            code = frame.f_code
            whose = owner(frame)
            if whose == PROGRAM:
                self.path = hash((self.path, id(code)))
            if whose != OURS and id(code) not in self._codes:
                self._codes[id(code)] = code
                verdict = _reaches(frame)
                if verdict > self.brings:
                    self._note(frame, verdict)

    def _note(self, frame: FrameType, verdict: int) -> None:
        # What pytest does around the program is not its doing, and what Hypothesis does is the input.
        if programs(frame) is not None and not _is_of_hypothesis(frame):
            self.brings = verdict
            if verdict == ANYTHING:
                sys.setprofile(None)


def _is_of_hypothesis(frame: FrameType) -> bool:
    module = frame.f_globals.get("__name__")
    return type(module) is str and module.startswith("hypothesis.")


def _brings(function: Any, of: Any) -> int:
    """Say what a function in C may bring in."""
    name = function.__name__
    module = function.__module__
    if of is not None and type(of) is not ModuleType:
        kinds = ancestors_of(type(of))
        if type in kinds:
            kinds = (*ancestors_of(of), *kinds)
        for kind in kinds:
            # Not a method in Python of the same name, which may have called it.
            if type(_content_of(kind).get(name)) in _IN_C:
                module = _module_of(kind)
                break
        else:
            module = function.__module__ or _module_of(kinds[0])
    if name == "manual_seed" and type(of) is getattr(sys.modules.get("torch"), "Generator", None):
        return SEEDS
    if name in _OUTSIDE:
        return OUTSIDE
    if name in _MADE_UP or type(module) is not str:
        return ANYTHING
    if module == "time" or (module in _TIME and name in _NOW):
        return TIME
    top = module.partition(".")[0]
    if name in _HARMLESS.get(module, ()) or module in _PURE or top in _QUIET:
        return NOTHING
    if top in _SEEDED:
        return OUTSIDE
    if module in _ELSEWHERE:
        return ANYTHING
    return OUTSIDE if top in sys.stdlib_module_names else ANYTHING


def _reaches(frame: FrameType) -> int:
    """Say what the libraries may bring in that a function names.

    Types and functions that Cython and others make are called without a trace.
    """
    if any(type(found) is str and found in _DEVICES for found in frame.f_code.co_consts):
        return ANYTHING
    names = frame.f_globals
    most = NOTHING
    for name in frame.f_code.co_names:
        found = names.get(name)
        if found is None:
            continue
        kind = type(found)
        if kind is ModuleType:
            module = ModuleType.__getattribute__(found, "__dict__").get("__name__")
        elif type in ancestors_of(kind):
            module = _module_of(found)
        elif kind in (FunctionType, BuiltinFunctionType) or _name_of(kind) == "cython_function_or_method":
            module = found.__module__
        else:
            module = _module_of(kind)
        if type(module) is str:
            top = module.partition(".")[0]
            if top in _SEEDED:
                most = max(most, OUTSIDE)
            elif top not in _QUIET and top not in sys.stdlib_module_names and top in _in_c(len(sys.modules)):
                return ANYTHING
    return most


@functools.lru_cache(maxsize=1)
def _in_c(_modules: int) -> frozenset[str]:
    """Return the packages that are imported, so many modules by now, and have a part in C."""
    return frozenset(name.partition(".")[0] for name, _, file in modules() if file.endswith((".so", ".pyd")))
