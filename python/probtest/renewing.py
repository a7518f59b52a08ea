"""Fresh function-scoped fixtures and a fresh instance for each execution.

pytest sets an item up once and tears it down once. Here the same finalizers are
executed and the same set-up is done again between two executions, by pytest's
own machinery, so that every fixture behaves as if the test had been collected
several times. Wider scopes are not touched.
"""

from __future__ import annotations

import inspect
import shutil
from collections.abc import Callable
from typing import Any

import pytest

try:
    from _pytest.tmpdir import tmppath_result_key as _tmp_path_result
except ImportError:
    _tmp_path_result = None  # type: ignore[assignment]

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
        self.is_plain = _is_plain(item)
        # `request` may ask for function-scoped fixtures while the body is executed.
        fresh = _has_function_fixtures(item) or "request" in item.fixturenames
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
        if self.is_plain:
            return self._item.obj(**self._arguments())
        self._execute_by_pytest()
        return None

    def tear_down(self) -> None:
        """Tear the item down as pytest would do at its end."""
        __tracebackhide__ = True
        if not self._is_set_up:
            return
        self._is_set_up = False
        item = self._item
        folder = _value(item, "tmp_path")
        stack = item.session._setupstate.stack
        finalizers, _ = stack[item]
        stack[item] = ([], None)
        if _tmp_path_result is not None:
            # tmp_path asks at its end how the test went, and may ask only once.
            item.stash[_tmp_path_result] = {"setup": True, "call": True}
        errors: list[BaseException] = []
        while finalizers:
            try:
                finalizers.pop()()
            except (Exception, pytest.fail.Exception, pytest.skip.Exception) as error:
                errors.append(error)
        if folder is not None:
            # pytest keeps these folders; k of them would fill the disk.
            shutil.rmtree(folder, ignore_errors=True)
        if errors:
            raise errors[0]

    def _set_up(self) -> None:
        __tracebackhide__ = True
        item = self._item
        item._initrequest()
        item.__dict__.pop("_instance", None)
        item._obj = None
        item.session._setupstate.stack[item] = ([item.teardown], None)
        self._is_set_up = True
        try:
            type(item).setup(item)
        except pytest.skip.Exception as skip:
            raise FixtureSkipped(skip) from skip

    def _arguments(self) -> dict[str, Any]:
        values = self._item.funcargs
        return {name: values[name] for name in self._item._fixtureinfo.argnames}

    def _execute_by_pytest(self) -> None:
        __tracebackhide__ = True
        item = self._item
        type(item).runtest(item)
        # unittest keeps exceptions instead of raising them.
        excinfo = item.__dict__.pop("_excinfo", None)
        if excinfo:
            raise excinfo[0].value


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


def _value(item: pytest.Function, name: str) -> Any:
    definition = item._request._fixture_defs.get(name)
    result = getattr(definition, "cached_result", None)
    return result[0] if result and result[2] is None else None
