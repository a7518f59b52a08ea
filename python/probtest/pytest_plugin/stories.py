"""What the deciding execution has left behind, kept while others explain it."""

from __future__ import annotations

from typing import Any

import pytest

from .leftovers import Leftovers
from .subtests import Subtests


class Telling:
    """Is called before and after the executions that only explain a violation."""

    def __init__(self, item: pytest.Function, leftovers: Leftovers, subtests: Subtests) -> None:
        self._item = item
        self._leftovers = leftovers
        self._subtests = subtests
        self._kept: Any = None

    def __call__(self, begins: bool) -> None:
        item, subtests = self._item, self._subtests
        if begins:
            marks, properties = list(item.own_markers), list(item.user_properties)
            self._kept = self._leftovers.keep(), subtests.last, marks, properties
            return
        output, subtests.last, marks, properties = self._kept
        self._leftovers.put_back(output)
        item.own_markers[:] = marks
        item.user_properties[:] = properties
