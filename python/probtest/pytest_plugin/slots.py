"""Several executions of one item at the same time, each with function-scoped fixtures of its own.

An execution has a copy of the item, and its copies of the definitions of function-scoped fixtures:
pytest keeps the value of a fixture in its definition. Fixtures of wider scope are shared, and so is the
event loop of a plugin for async tests.
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from _pytest.scope import Scope

from .. import _native, vary
from ..inputs import INPUTS, Inputs
from ..saying import RNG, Lender
from ..waiting import Prepared
from .renewal import REBIND, WiderEnds, tear_down

#: Fixtures of pytest-asyncio that hold the event loop, as each version calls them: those from 1.1 on, 1.0,
#: and those before, where a loop that several tests share has the name of what it belongs to in front.
_LOOP = re.compile(r"_\w+_scoped_runner|_\w+_event_loop|event_loop|.*<event_loop>")
#: And what these need.
_LOOPS = re.compile(rf"{_LOOP.pattern}|event_loop_policy|_asyncio_loop_factory")


class Slots:
    """Prepares executions of one item that is set up as far as they share it."""

    def __init__(self, item: pytest.Function, run: _native.TestRun, inputs: Inputs, varies: bool) -> None:
        self._item = item
        self._run = run
        self._varies = varies
        self._lender = Lender(run)
        #: Executions that are set up, by the id of their copy of the item.
        self._open: dict[int, Any] = {}
        self._inputs = inputs
        known = [found for named in item._fixtureinfo.name2fixturedefs.values() for found in named]
        wide = [definition._finalizers for definition in known if definition._scope is not Scope.Function]
        self._ends = WiderEnds(item, *wide)
        #: Is called between set-up and body.
        self.between_phases: Callable[[], object] = lambda: None

    def prepare(self) -> Prepared:
        """Set up fixtures for one execution; return the body, and what tears them down."""
        __tracebackhide__ = True
        RNG.set(self._lender.of_this_execution())
        if self._varies:
            stream, index, attempt = self._run.current
            vary.use_here(stream.execution_seed(index, attempt))
        INPUTS.set(self._inputs.of_this_execution())
        slot = _copied(self._item)
        self._open[id(slot)] = slot
        if REBIND in slot.stash:
            slot.stash[REBIND](slot)
        stack = slot.session._setupstate.stack
        stack[slot] = ([slot.teardown], None)
        try:
            type(slot).setup(slot)
        except BaseException:
            with contextlib.suppress(Exception):
                self._clear(slot)
            raise
        self.between_phases()
        arguments = {name: slot.funcargs[name] for name in slot._fixtureinfo.argnames}
        function = slot.obj
        return lambda: function(**arguments), lambda: self._clear(slot)

    def _clear(self, slot: Any) -> None:
        __tracebackhide__ = True
        finalizers, _ = slot.session._setupstate.stack.pop(slot, ([], None))
        tear_down(slot, finalizers, lambda: _forget(slot))
        self._ends.drop_repeated()
        self._open.pop(id(slot), None)

    def close(self) -> None:
        """Tear down what a Ctrl-C has left set up: pytest would find it in wider fixtures."""
        for slot in list(self._open.values()):
            with contextlib.suppress(Exception):
                self._clear(slot)


def set_up_shared(item: Any) -> None:
    """Set up what all executions of an item share: wider fixtures, the loop of a plugin."""
    request = item._request
    loop = _loop_fixture(item)
    if loop is not None:
        # Its items may add it only when they are set up.
        request.getfixturevalue(loop)
    for name in item.fixturenames:
        definitions = item._fixtureinfo.name2fixturedefs.get(name)
        if definitions and _is_shared(definitions[-1]):
            item.funcargs[name] = request.getfixturevalue(name)


def _is_shared(definition: Any) -> bool:
    return definition._scope is not Scope.Function or _LOOPS.fullmatch(definition.argname) is not None


def _loop_fixture(item: Any) -> str | None:
    """Name the fixture of pytest-asyncio that holds the event loop of this item, if it has one."""
    scope = getattr(item, "_loop_scope", None)
    if scope is not None:
        return f"_{scope}_scoped_runner"
    if item.get_closest_marker("asyncio") is None:
        return None
    # Before 1.2 the plugin has added its name by now.
    return next(filter(_LOOP.fullmatch, item.fixturenames), None)


@contextlib.contextmanager
def loop_of(item: Any) -> Iterator[asyncio.AbstractEventLoop | None]:
    """Return the event loop of the plugin that this item belongs to; None where there is none."""
    loop = _loop_fixture(item)
    if loop is not None:
        found = item._request.getfixturevalue(loop)
        yield found.get_loop() if hasattr(found, "get_loop") else found
    elif item.get_closest_marker("anyio") is not None and "anyio_backend" in item.fixturenames:
        from anyio import pytest_plugin as plugin

        name, options = plugin.extract_backend_and_options(item._request.getfixturevalue("anyio_backend"))
        if name != "asyncio":
            raise _native.ClaimError(
                "concurrent executions run in an asyncio event loop\n"
                f"  given  concurrency, and the backend {name} of anyio\n"
                "  help   set anyio_backend to asyncio for this test, or leave out concurrency"
            )
        with plugin.get_runner(name, options) as runner:
            yield runner.get_loop()  # type: ignore[attr-defined]
    else:
        yield None


class _OwnFixtures(dict[str, Any]):
    """The definitions of fixtures by name, with copies of those that an execution has of its own."""

    def __init__(self, item: Any, known: dict[str, Any]) -> None:
        super().__init__()
        self._item = item
        self._known = known

    def get(self, name: str, default: Any = None) -> Any:
        if name not in self:
            found = self._known.get(name)
            if found is None:
                # The body asks for it by its name. Until pytest 8.1 an item went by its own.
                item = self._item if pytest.version_tuple >= (8, 1) else self._item.nodeid
                found = self._item.session._fixturemanager.getfixturedefs(name, item)
            if found is None:
                return default
            self[name] = [_copy_of(definition) for definition in found]
        return self[name]

    def copy(self) -> _OwnFixtures:
        """Return this: pytest 8.0 copies the definitions, and a request needs those of its execution."""
        return self


def _copy_of(definition: Any) -> Any:
    if definition._scope is not Scope.Function:
        return definition
    own = copy.copy(definition)
    own._finalizers = []
    if not _is_shared(definition):
        own.cached_result = None
    return own


def _copied(item: Any) -> Any:
    slot = copy.copy(item)
    for name in ("setup", "runtest"):
        slot.__dict__.pop(name, None)
    known = item._fixtureinfo
    slot._fixtureinfo = type(known)(
        argnames=known.argnames,
        initialnames=known.initialnames,
        names_closure=known.names_closure,
        name2fixturedefs=_OwnFixtures(item, known.name2fixturedefs),
    )
    slot._report_sections = []
    slot.user_properties = []
    if item.cls is not None:
        slot.__dict__.pop("_instance", None)
        slot._obj = None
    slot._initrequest()
    return slot


def _forget(slot: Any) -> None:
    """Forget what pytest and its plugins would keep of an execution."""
    definitions = [found for known in slot._fixtureinfo.name2fixturedefs.values() for found in known]
    own = {id(definition) for definition in definitions}
    for definition in definitions:
        if definition._scope is not Scope.Function:
            # A wider fixture would keep what each execution has added.
            definition._finalizers[:] = [
                known for known in definition._finalizers if not _belongs(known, own)
            ]
        elif not _is_shared(definition):
            definition.cached_result = None
    slot.funcargs.clear()


def _belongs(finalizer: Any, own: set[int]) -> bool:
    holder = getattr(getattr(finalizer, "func", None), "__self__", None)
    return id(holder) in own and getattr(holder, "_scope", None) is Scope.Function


def refuse_unfit(item: Any, threads: bool) -> str | None:
    """Return why an item cannot have several executions at the same time, if it cannot."""
    function = inspect.unwrap(item.obj)
    if hasattr(item, "_testcase") or type(item).__name__ == "TestCaseFunction":
        return "unittest tests share their TestCase"
    if "subtests" in item.fixturenames:
        return "subtests of several executions cannot be told apart"
    if not inspect.iscoroutinefunction(function) and not threads:
        return "the test is not async and does not set threads=True"
    return None
