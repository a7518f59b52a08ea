"""What the body of a batch returned: one code for each of its executions.

The answer for the core is bytes: one for each entry when all are booleans, where
any but 0 is True, else eight. Text instead of bytes says what is wrong. NumPy is
not imported here; an array of NumPy, torch, JAX or others is read through what it
offers itself.
"""

from __future__ import annotations

import inspect
import reprlib
import sys
from array import array
from collections.abc import Callable, Sequence
from typing import Any

#: Eight bytes for each entry, where a number from 0 is an outcome.
_WIDE = {None: -1, False: -2, True: -3}
_WHOLE = frozenset("bBhHiIlLqQnN")
_MOST = (1 << 63) - 1
_SHORT = reprlib.Repr()
_SHORT.maxother = _SHORT.maxstring = 80


class _Fault(Exception):
    """What is wrong with what was returned."""

    def __init__(self, what: str, given: str, advice: str) -> None:
        super().__init__(f"{what}\n  given  {given}\n  help   {advice}")


def in_batches(body: Callable[[], object], size: int, outcomes: bool) -> Callable[[], object]:
    """Return the body with its result in the form that the core reads."""

    def call() -> object:
        __tracebackhide__ = True
        returned = body()
        try:
            return codes(returned, size, outcomes)
        except _Fault as fault:
            return str(fault)

    return call


def codes(returned: Any, size: int, outcomes: bool) -> bytes:
    """Return one code for each entry; `outcomes` says whether numbers are allowed.

    >>> codes([True, False, True], 3, outcomes=False)
    b'\\x01\\x00\\x01'
    """
    numpy = sys.modules.get("numpy")
    if (
        numpy is not None
        and type(returned) is numpy.ndarray
        and returned.dtype.char == "?"
        and returned.shape == (size,)
    ):
        # What most bodies return; the rest of the questions costs 2 us.
        booleans: bytes = returned.tobytes()
        return booleans
    if isinstance(returned, (list, tuple)):
        return _of_entries(returned, size, outcomes)
    if returned is None or isinstance(returned, (bool, int, float, str, dict, set)) or _is_boolean(returned):
        raise _Fault(
            f"returned {_kind(returned)}, not {_wanted(size, outcomes)}",
            _short(returned),
            f"return an array with an entry for each of the {size} executions instead of asserting",
        )
    if inspect.isgenerator(returned):
        raise _Fault(
            "returned a generator that was never run",
            _short(returned),
            "return a list, such as [x > 0 for x in rewards], or list(..) of the generator",
        )
    if hasattr(returned, "__await__") or hasattr(returned, "send"):
        raise _Fault(
            f"returned a {type(returned).__name__} that is never awaited",
            _short(returned),
            "call it through a plugin for async tests, or asyncio.run",
        )
    if hasattr(returned, "mask") and hasattr(returned, "filled"):
        return _of_masked(returned, size, outcomes)
    return _of_array(returned, size, outcomes)


def _of_array(given: Any, size: int, outcomes: bool) -> bytes:
    values = given
    if hasattr(values, "detach") and hasattr(values, "cpu"):  # torch, on whatever device
        values = values.detach().cpu()
    elif hasattr(values, "__cuda_array_interface__") and hasattr(values, "get"):  # CuPy
        values = values.get()
    view = _view(values)
    if view is None:
        return _of_entries(_entries(values), size, outcomes)
    _look_at_shape(view.shape, size, outcomes, given)
    kind = view.format.lstrip("@=<>!")
    if kind == "?":
        booleans: bytes = view.tobytes()
        return booleans
    if kind == "O":
        return _of_entries(values.tolist(), size, outcomes)
    if kind not in _WHOLE or not outcomes:
        raise _wrong_entries(str(getattr(values, "dtype", f"type {view.format!r}")), outcomes, given)
    numpy = sys.modules.get("numpy")
    if numpy is None or not isinstance(values, numpy.ndarray):
        try:
            found = view.tolist()
        except NotImplementedError:
            # Python reads no memory that names its order of bytes, such as that of ctypes.
            if numpy is None:
                raise _wrong_entries(f"type {view.format!r}", True, given) from None
            found = numpy.asarray(view).tolist()
        return _of_entries(found, size, outcomes)
    for number in (int(values.min()), int(values.max())):
        if not 0 <= number <= _MOST:
            raise _no_outcome(number, given)
    numbers: bytes = values.astype(numpy.int64).tobytes()
    return numbers


def _of_masked(given: Any, size: int, outcomes: bool) -> bytes:
    """Read a masked array of NumPy: what is masked is rejected."""
    _look_at_shape(given.shape, size, outcomes, given)
    numpy = sys.modules["numpy"]
    if given.dtype.hasobject:
        # As a list it has None where it is masked.
        return _of_entries(given.tolist(), size, outcomes)
    # The entries below the mask may be anything.
    found = _of_array(given.filled(numpy.zeros((), given.dtype)[()]), size, outcomes)
    mask = numpy.ma.getmaskarray(given)
    if not mask.any():
        return found
    if len(found) == size:
        entries = numpy.where(numpy.frombuffer(found, bool), _WIDE[True], _WIDE[False]).astype(numpy.int64)
    else:
        entries = numpy.frombuffer(found, numpy.int64).copy()
    entries[mask] = _WIDE[None]
    read: bytes = entries.tobytes()
    return read


def _of_entries(entries: Sequence[Any], size: int, outcomes: bool) -> bytes:
    _look_at_shape((len(entries),), size, outcomes, entries)
    kinds = set(map(type, entries))
    if kinds <= {bool}:
        return bytes(entries)
    plain = [_plain(entry) for entry in entries]
    for position, entry in enumerate(plain):
        if entry is None or isinstance(entry, bool):
            continue
        if not outcomes or not isinstance(entry, int):
            raise _Fault(
                f"returned {_kind(entry)} as entry {position}",
                _short(entry),
                f"an entry must be {_allowed(outcomes)}, or None for a rejected execution",
            )
        if not 0 <= entry <= _MOST:
            raise _no_outcome(entry, entries)
    if all(isinstance(entry, bool) for entry in plain):
        return bytes(plain)
    return array("q", [_WIDE[e] if e is None or isinstance(e, bool) else e for e in plain]).tobytes()


def _plain(entry: Any) -> Any:
    """Return Python's own value for a boolean or a whole number of a library."""
    if _is_boolean(entry):
        return bool(entry)
    if isinstance(entry, int) or not hasattr(entry, "__index__"):
        return entry
    if type(entry).__name__ == "MaskedConstant":  # NumPy's
        return None
    if getattr(entry, "ndim", 0) != 0 or hasattr(entry, "mask"):
        return entry
    if "bool" in str(getattr(entry, "dtype", "")):
        # A boolean of torch or another library, in an array without dimensions. Read
        # as a number it would be an outcome, and a violation would be lost.
        return bool(entry)
    try:
        return entry.__index__()
    except TypeError:
        return entry


def _is_boolean(value: Any) -> bool:
    # NumPy's boolean is not a bool, and its name has changed over time.
    return isinstance(value, bool) or (
        type(value).__name__ in ("bool", "bool_") and type(value).__module__ == "numpy"
    )


def _view(values: Any) -> Any:
    """Return the memory of an array, or None where it offers none."""
    try:
        return memoryview(values)
    except (TypeError, ValueError, BufferError):
        pass
    try:
        return memoryview(values.__array__())
    except Exception:
        # torch without NumPy has the method, and refuses.
        return None


def _entries(values: Any) -> Sequence[Any]:
    if hasattr(values, "tolist"):
        found = values.tolist()
        if isinstance(found, list):
            return found
    if isinstance(values, Sequence):
        return list(values)
    raise _Fault(
        f"returned {_kind(values)}, which is neither an array nor a sequence",
        _short(values),
        "return a list, a tuple, or an array such as NumPy's",
    )


def _look_at_shape(shape: tuple[int, ...], size: int, outcomes: bool, given: Any) -> None:
    if len(shape) != 1:
        raise _Fault(
            f"returned an array of {len(shape)} dimensions, not {_wanted(size, outcomes)}",
            f"shape {shape}",
            "return one entry for each execution; array.reshape(-1) flattens an array",
        )
    if shape[0] != size:
        raise _Fault(
            f"returned {shape[0]} entries, not {_wanted(size, outcomes)}",
            _short(given),
            f"return exactly {size} entries; the fixture probtest_batch holds that number",
        )


def _wrong_entries(kind: str, outcomes: bool, given: Any) -> _Fault:
    advice = f"an entry is {_allowed(outcomes)}; compare first, such as `reward > 0`"
    return _Fault(f"returned entries of {kind}", _short(given), advice)


def _no_outcome(number: int, given: Any) -> _Fault:
    return _Fault(
        f"returned {number} as the number of an outcome", _short(given), "outcomes are numbered from 0"
    )


def _wanted(size: int, outcomes: bool) -> str:
    return f"{size} {'booleans or outcomes' if outcomes else 'booleans'}"


def _allowed(outcomes: bool) -> str:
    return "a boolean or the number of an outcome" if outcomes else "a boolean: True held, False violated"


def _kind(value: Any) -> str:
    if value is None:
        return "None"
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeio' else 'a'} {name}"


def _short(value: Any) -> str:
    """Return a value on one line, in a readable length."""
    return " ".join(_SHORT.repr(value).split())
