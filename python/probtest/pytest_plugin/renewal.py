"""Fresh function-scoped fixtures and a fresh instance for each execution.

pytest sets an item up once and tears it down once. Here the same finalizers are
executed and the same set-up is done again between two executions, by pytest's
own machinery, so that every fixture behaves as if the test had been collected
several times. Wider scopes are not touched.
"""

from __future__ import annotations

import functools
import inspect
import shutil
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

try:
    from _pytest.tmpdir import tmppath_result_key as _tmp_path_result
except ImportError:
    _tmp_path_result = None  # type: ignore[assignment]
try:
    from _pytest.subtests import failed_subtests_key as _failed_subtests
except ImportError:
    _failed_subtests = None  # type: ignore[assignment]

#: Plugins whose `pytest_pyfunc_call` does nothing to a plain function.
_HARMLESS = ("_pytest.python", "anyio.", "pytest_asyncio.", "probtest.")


class FixtureSkipped(BaseException):
    """A fixture has skipped the test in an execution after the first."""

    def __init__(self, cause: BaseException) -> None:
        super().__init__(str(cause))
        self.cause = cause


class Renewal:
    """Sets one item up and tears it down, any number of times."""

    def __init__(self, item: pytest.Function) -> None:
        self._item = item
        self._is_set_up = True
        self._properties = len(item.user_properties)
        self._sections = len(item._report_sections)
        self._subtests = self._failed_subtests()
        definitions = [found[-1] for found in item._fixtureinfo.name2fixturedefs.values() if found]
        #: Looked at once: asking a definition for its scope takes a microsecond.
        self._narrow_definitions = [found for found in definitions if found.scope == "function"]
        self._wide_definitions = [found for found in definitions if found.scope != "function"]
        #: Finalizers that fixtures of wider scope had before the last set-up.
        self._wide: list[tuple[Any, int]] = []
        self._has_tmp_path = "tmp_path" in item.fixturenames
        #: Is called between set-up and body, as pytest does between its phases.
        self.between_phases: Callable[[], object] = _nothing
        #: Are called before and after the body.
        self.before_body: Callable[[], object] = _nothing
        self.after_body: Callable[[], object] = _nothing
        self.is_plain = _is_plain(item)
        # `request` may ask for function-scoped fixtures while the body is executed.
        fresh = _has_function_fixtures(item) or "request" in item._fixtureinfo.argnames
        self.is_static = self.is_plain and item.cls is None and not fresh

    def static_body(self) -> Callable[[], object]:
        """Return the body of a test that needs nothing fresh."""
        function: Callable[..., object] = self._item.obj
        arguments = self._arguments()
        if not arguments:
            return function
        return lambda: function(**arguments)

    def execute(self) -> object:
        """Execute the body once, on fresh fixtures."""
        __tracebackhide__ = True
        if not self._is_set_up:
            self._set_up()
            self.between_phases()
        self.before_body()
        try:
            if not self.is_plain:
                return self._execute_by_pytest()
            result = self._item.obj(**self._arguments())
        finally:
            self.after_body()
        self._look_at_subtests()
        return result

    def tear_down(self) -> None:
        """Tear the item down as pytest would do at its end."""
        __tracebackhide__ = True
        if not self._is_set_up:
            return
        self._is_set_up = False
        item = self._item
        folder = _own_tmp_path(item) if self._has_tmp_path else None
        stack = item.session._setupstate.stack
        finalizers, _ = stack.get(item, ([], None))
        stack[item] = ([], None)
        if self._has_tmp_path and _tmp_path_result is not None:
            # tmp_path asks at its end how the test went, and may ask only once.
            item.stash[_tmp_path_result] = {"setup": True, "call": True}
        errors: list[BaseException] = []
        while finalizers:
            try:
                finalizers.pop()()
            except (Exception, pytest.fail.Exception, pytest.skip.Exception) as error:
                errors.append(error)
        self._drop_what_grows()
        if folder is not None:
            # pytest keeps these folders; k of them would fill the disk.
            shutil.rmtree(folder, ignore_errors=True)
        if errors:
            raise errors[0]

    def _drop_what_grows(self) -> None:
        """Forget what pytest would keep of each execution."""
        for definition, count in self._wide:
            del definition._finalizers[count:]
        self._wide = []
        for definition in self._narrow_definitions:
            # A rejection in a fixture leaves it without a value and not finished.
            if definition.cached_result is None and definition._finalizers:
                definition._finalizers.clear()
        item = self._item
        if len(item.user_properties) > self._properties:
            del item.user_properties[self._properties :]
        if len(item._report_sections) > self._sections:
            del item._report_sections[self._sections :]

    def _set_up(self) -> None:
        __tracebackhide__ = True
        item = self._item
        item._initrequest()
        item.__dict__.pop("_instance", None)
        item._obj = None
        item.session._setupstate.stack[item] = ([item.teardown], None)
        self._wide = [(definition, len(definition._finalizers)) for definition in self._wide_definitions]
        self._is_set_up = True
        try:
            type(item).setup(item)
        except pytest.skip.Exception as skip:
            raise FixtureSkipped(skip) from skip

    def _arguments(self) -> dict[str, Any]:
        values = self._item.funcargs
        return {name: values[name] for name in self._item._fixtureinfo.argnames}

    def _execute_by_pytest(self) -> object:
        __tracebackhide__ = True
        item = self._item
        returned: list[object] = []
        original = item.obj
        item.obj = _recording(original, returned)
        failed = _watch_unittest_subtests(item)
        try:
            type(item).runtest(item)
        finally:
            item.obj = original
            item.__dict__.pop("addSubTest", None)
        # unittest keeps exceptions instead of raising them.
        excinfo = item.__dict__.pop("_excinfo", None)
        if excinfo:
            raise excinfo[0].value
        if failed:
            raise failed[0]
        self._look_at_subtests()
        return returned[-1] if returned else None

    def _failed_subtests(self) -> int:
        if _failed_subtests is None:
            return 0
        counts: Any = self._item.config.stash.get(_failed_subtests, {})
        # The key is the node id: as an object where pytest has one, else as text.
        count: int = counts.get(getattr(self._item, "id", self._item.nodeid), 0)
        return count

    def _look_at_subtests(self) -> None:
        __tracebackhide__ = True
        failed = self._failed_subtests() - self._subtests
        if failed:
            self._subtests += failed
            raise pytest.fail.Exception(f"{failed} of its subtests failed, see above", pytrace=False)


def _nothing() -> None:
    pass


def _recording(function: Callable[..., Any], returned: list[object]) -> Callable[..., Any]:
    """Return a function that keeps its result to us, so that pytest does not wonder about it."""
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def awaited(*args: Any, **kwargs: Any) -> None:
            returned.append(await function(*args, **kwargs))

        return awaited

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        if inspect.isawaitable(result):
            return result
        returned.append(result)
        return None

    return called


def _watch_unittest_subtests(item: Any) -> list[BaseException]:
    """Return a list that receives the exceptions of unittest's subtests."""
    failed: list[BaseException] = []
    original = getattr(type(item), "addSubTest", None)
    if original is not None:

        def add(case: Any, subtest: Any, exc_info: Any) -> None:
            if exc_info is not None and not isinstance(exc_info[1], unittest.SkipTest):
                failed.append(exc_info[1])
            original(item, case, subtest, exc_info)

        item.addSubTest = add
    return failed


def _is_plain(item: pytest.Function) -> bool:
    """Say whether calling the function is all that pytest would do."""
    if type(item).runtest is not pytest.Function.runtest:
        return False
    function = inspect.unwrap(item.obj)
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        return False
    implementations = item.ihook.pytest_pyfunc_call.get_hookimpls()
    return all(found.function.__module__.startswith(_HARMLESS) for found in implementations)


def _has_function_fixtures(item: pytest.Function) -> bool:
    definitions = item._request._fixture_defs.values()
    return any(
        definition.scope == "function" and definition.argname != "request" and not _is_parameter(definition)
        for definition in definitions
    )


def _is_parameter(definition: Any) -> bool:
    """Say whether a fixture only hands on a value of parametrize."""
    return getattr(definition.func, "__name__", "") == "get_direct_param_fixture_func"


def _own_tmp_path(item: pytest.Function) -> Path | None:
    """Return the folder that pytest's own tmp_path has made; never one of somebody else."""
    definition: Any = item._request._fixture_defs.get("tmp_path")
    result = getattr(definition, "cached_result", None)
    if not result or result[2] is not None or definition.func.__module__ != "_pytest.tmpdir":
        return None
    factory: Any = getattr(item.config, "_tmp_path_factory", None)
    folder = result[0]
    return folder if factory is not None and factory.getbasetemp() in folder.parents else None
