"""Tests of Hypothesis as items: one example for each execution, instead of Hypothesis's engine.

The item gets a function that draws from the strategies and calls the test. It has the handle by which
plugins for async tests find the test of `@given`, and is no test of Hypothesis in the eyes of its
own plugin: what that one checks is about an engine that does not run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ..inputs import INPUTS, Inputs, adapted, is_given
from ..sources import Sources
from .renewal import REBIND, Renewal


class Given:
    """Takes the place of an item's function."""

    def __init__(self, item: pytest.Function, inputs: Callable[[], Inputs], batch: int | None) -> None:
        self._item = item
        self._inputs = inputs
        self._batch = batch
        self._written = item.obj
        self.test, item.obj = self._function(item.obj)
        item.stash[REBIND] = self.rebind

    def _function(self, written: Any) -> tuple[Any, Callable[..., Any]]:
        test = adapted(written, self._batch)

        def call(**arguments: Any) -> Any:
            __tracebackhide__ = True
            return (INPUTS.get() or self._inputs()).call(test, arguments)

        inner = test.handle.inner_test
        call.__name__, call.__qualname__ = (
            written.__name__,
            getattr(written, "__qualname__", written.__name__),
        )
        call.__module__, call.__doc__ = written.__module__, written.__doc__
        for name, value in (("hypothesis", test.handle), ("__wrapped__", inner)):
            setattr(call, name, value)
        if test.instance is not None:
            call.__self__ = test.instance  # type: ignore[attr-defined]
        return test, call

    def rebind(self, slot: Any) -> None:
        """Give a copy of the item, which has an instance of its own, a function of its own."""
        if slot.cls is not None:
            _, slot.obj = self._function(slot.obj)

    def restore(self) -> None:
        self._item.obj = self._written
        del self._item.stash[REBIND]


def given_of(item: pytest.Function, inputs: Callable[[], Inputs], batch: int | None) -> Given | None:
    """Return a test of Hypothesis to be executed one example at a time; None for any other test."""
    return Given(item, inputs, batch) if is_given(item.obj) else None


class Once:
    """Executes an item on fresh fixtures, outside the plan."""

    def __init__(self, renewal: Renewal, sources: Sources) -> None:
        self._renewal = renewal
        self._sources = sources
        self.has_executed = False

    def __call__(self, seed: int) -> object:
        self.has_executed = True
        renewal = self._renewal
        renewal.tear_down()
        self._sources.seed(seed)
        if renewal.is_static:
            return renewal.static_body()()
        try:
            return renewal.execute()
        finally:
            renewal.tear_down()
