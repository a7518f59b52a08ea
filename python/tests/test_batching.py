"""What the body of a batch may return, and how the rest is refused."""

from __future__ import annotations

import ctypes
import struct
from array import array
from collections import deque
from typing import Any

import numpy as np
import pytest

from probtest.batches import codes, in_batches

SIZE = 4
BOOLEANS = [True, False, True, True]
#: What stands for these where there are eight bytes for an entry.
REJECTED, VIOLATED, PASSED = -1, -2, -3


def fault(returned: Any, size: int = SIZE, outcomes: bool = False) -> str:
    told = in_batches(lambda: returned, size, outcomes)()
    assert isinstance(told, str), f"{returned!r} was read as {told!r}"
    assert [line[:8] for line in told.split("\n")[1:]] == ["  given ", "  help  "]
    return told.split("\n")[0]


def booleans(read: bytes) -> list[bool]:
    # Any byte but 0 is True.
    return [byte != 0 for byte in read]


def numbers(read: bytes) -> list[int]:
    return list(struct.unpack(f"={len(read) // 8}q", read))


class Tensor:
    """As torch's: memory on a device, no buffer, fetched by `cpu`, then an array."""

    def __init__(self, values: Any, has_numpy: bool = True, is_here: bool = False) -> None:
        self._values, self._has_numpy, self._is_here = values, has_numpy, is_here

    def detach(self) -> Tensor:
        return self

    def cpu(self) -> Tensor:
        return Tensor(self._values, self._has_numpy, is_here=True)

    def __array__(self, *_args: Any) -> Any:
        if not self._is_here:
            raise TypeError("can't convert a tensor of another device")
        if not self._has_numpy:
            raise RuntimeError("Numpy is not available")
        return np.array(self._values)

    def tolist(self) -> Any:
        return list(self._values)


class Scalar:
    """As torch's boolean: an array without dimensions that is also a number."""

    ndim, dtype = 0, "torch.bool"

    def __init__(self, value: bool) -> None:
        self._value = value

    def __bool__(self) -> bool:
        return self._value

    def __index__(self) -> int:
        return int(self._value)


class OnCuda:
    """As CuPy's: `get` fetches it, and nothing else does."""

    __cuda_array_interface__: dict[str, Any] = {}  # noqa: RUF012

    def get(self) -> Any:
        return np.array([True, False, True, True])


@pytest.mark.parametrize(
    "returned",
    [
        [True, False, True, True],
        (True, False, True, True),
        deque([True, False, True, True]),
        [np.True_, np.False_, True, np.bool_(1)],
        np.array([True, False, True, True]),
        np.array([[True, False], [True, True]]).reshape(-1),
        np.array([True, True, False, True, True, True, True, False])[::2],
        np.array([True, False, True, True], dtype=object),
        np.array([2, 0, 255, 1], dtype=np.uint8).view(bool),
        memoryview(np.array([True, False, True, True])),
        np.ma.masked_array([True, False, True, True]),
        Tensor([True, False, True, True]),
        Tensor([True, False, True, True], has_numpy=False),
        OnCuda(),
        # Truths of a library, one by one.
        [np.array(True), np.array(False), True, np.array(True)],
        [Scalar(True), Scalar(False), Scalar(True), True],
    ],
    ids=lambda returned: type(returned).__name__,
)
def test_booleans_are_read_from(returned: Any) -> None:
    assert booleans(codes(returned, SIZE, outcomes=False)) == BOOLEANS
    assert booleans(codes(returned, SIZE, outcomes=True)) == BOOLEANS


@pytest.mark.parametrize(
    "returned",
    [
        [True, None, False, True],
        np.array([True, None, False, True]),
        np.ma.masked_array([True, False, False, True], mask=[0, 1, 0, 0]),
        np.ma.masked_array([True, "what", False, True], mask=[0, 1, 0, 0], dtype=object),
        list(np.ma.masked_array([True, False, False, True], mask=[0, 1, 0, 0])),
    ],
    ids=["list", "objects", "masked", "masked objects", "list of masked"],
)
def test_none_and_masked_entries_are_rejected(returned: Any) -> None:
    for outcomes in (False, True):
        assert numbers(codes(returned, SIZE, outcomes)) == [PASSED, REJECTED, VIOLATED, PASSED]


@pytest.mark.parametrize(
    "returned",
    [
        [0, 1, 2, 3],
        range(4),
        np.arange(4),
        np.arange(4, dtype=np.uint8),
        np.arange(4, dtype=">i4"),
        np.arange(8, dtype=np.int16)[:4],
        np.array([0, 1, 2, 3], dtype=np.uint64),
        array("h", [0, 1, 2, 3]),
        memoryview(np.arange(4, dtype=">i4")),
        (ctypes.c_int * 4)(0, 1, 2, 3),
        bytes([0, 1, 2, 3]),
        list(np.arange(4)),
        Tensor([0, 1, 2, 3]),
    ],
    ids=lambda returned: type(returned).__name__,
)
def test_outcomes_are_read_from(returned: Any) -> None:
    assert numbers(codes(returned, SIZE, outcomes=True)) == [0, 1, 2, 3]


def test_outcomes_stand_beside_booleans_and_rejections() -> None:
    assert numbers(codes([7, None, False, True], SIZE, outcomes=True)) == [7, REJECTED, VIOLATED, PASSED]
    # Whatever lies below the mask.
    masked = np.ma.masked_array([7, -5, 0, 1], mask=[0, 1, 0, 0])
    assert numbers(codes(masked, SIZE, outcomes=True)) == [7, REJECTED, 0, 1]


def test_a_wrong_number_of_entries_is_refused() -> None:
    for returned in ([True] * 3, np.ones(3, bool), np.ma.ones(3, bool), Tensor([True] * 3)):
        assert fault(returned) == "returned 3 entries, not 4 booleans"
    assert fault([]) == "returned 0 entries, not 4 booleans"
    assert fault(np.ones(5, int), outcomes=True) == "returned 5 entries, not 4 booleans or outcomes"


def test_another_shape_is_refused() -> None:
    assert fault(np.ones((4, 1), bool)) == "returned an array of 2 dimensions, not 4 booleans"
    assert fault(np.ma.ones((2, 2), bool)) == "returned an array of 2 dimensions, not 4 booleans"
    assert fault(np.array(True)) == "returned an array of 0 dimensions, not 4 booleans"
    assert fault([[True], [True], [True], [True]]) == "returned a list as entry 0"
    for outcomes in (False, True):
        assert fault([np.array([True])] * 4, outcomes=outcomes) == "returned a ndarray as entry 0"
        assert fault([np.array(1.0)] * 4, outcomes=outcomes) == "returned a ndarray as entry 0"
        assert (
            fault([np.ma.array(True, mask=True)] * 4, outcomes=outcomes)
            == "returned a MaskedArray as entry 0"
        )


def test_other_types_of_entries_are_refused() -> None:
    assert fault(np.ones(4)) == "returned entries of float64"
    assert fault(np.array([1.0, np.nan, 1, 1])) == "returned entries of float64"
    assert fault(np.ones(4, int)) == "returned entries of int64"
    assert fault(np.ones(4, complex), outcomes=True) == "returned entries of complex128"
    assert fault(array("d", [1, 1, 1, 1])) == "returned entries of type 'd'"
    assert fault([True, True, float("nan"), True]) == "returned a float as entry 2"
    assert fault([True, 1, True, True]) == "returned an int as entry 1"
    assert fault([True, "no", True, True], outcomes=True) == "returned a str as entry 1"
    assert fault(np.array(["a", "b", "c", "d"])).startswith("returned entries of <U1")
    assert fault(np.array(["2026-01-01"] * 4, dtype="M8[D]")) == "returned a date as entry 0"


def test_a_number_that_no_outcome_has_is_refused() -> None:
    for returned in ([0, -1, 2, 3], np.array([0, -1, 2, 3]), Tensor([0, -1, 2, 3])):
        assert fault(returned, outcomes=True) == "returned -1 as the number of an outcome"
    assert fault([0, 1 << 63, 0, 0], outcomes=True) == f"returned {1 << 63} as the number of an outcome"
    large = np.array([0, 1 << 63, 0, 0], dtype=np.uint64)
    assert fault(large, outcomes=True) == f"returned {1 << 63} as the number of an outcome"


def test_one_value_for_the_whole_batch_is_refused() -> None:
    assert fault(None) == "returned None, not 4 booleans"
    assert fault(True) == "returned a bool, not 4 booleans"
    assert fault(np.True_).startswith("returned a bool")
    assert fault(3, outcomes=True) == "returned an int, not 4 booleans or outcomes"
    assert fault("True") == "returned a str, not 4 booleans"
    assert fault({1: True}) == "returned a dict, not 4 booleans"
    assert fault({True}) == "returned a set, not 4 booleans"


def test_what_is_no_array_is_refused() -> None:
    assert fault(object()) == "returned an object, which is neither an array nor a sequence"
    assert fault(iter([True] * 4)) == "returned a list_iterator, which is neither an array nor a sequence"
    generator = (True for _ in range(4))
    assert fault(generator) == "returned a generator that was never run"


def test_a_long_value_is_shown_in_short() -> None:
    told = in_batches(lambda: [True] * 1000, SIZE, False)()
    assert isinstance(told, str)
    assert "given  [True, True, True, True, True, True, ...]" in told
