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
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from _pytest.fixtures import FixtureDef
from _pytest.scope import Scope

from .. import _native, processes, sources
from ..inputs import INPUTS, Inputs, adapted, is_given
from ..sources import Exceptions, Seeder, Sources
from .leftovers import Subtests
from .markers import is_in

try:
    from _pytest.tmpdir import tmppath_result_key

    TMP_PATH_RESULT = tmppath_result_key
except ImportError:
    TMP_PATH_RESULT = None  # type: ignore[assignment]

#: What leaves a body without a verdict on its execution.
REJECTING: Exceptions = (*sources.REJECTING, pytest.skip.Exception, pytest.xfail.Exception)
REJECTING_ANY: Exceptions = (*REJECTING, _native.Rejected)
#: Puts one example for each execution around a test of Hypothesis.
REBIND = pytest.StashKey[Callable[[Any], None]]()
#: The instance whose method an item was collected with, where pytest does not keep it itself: before 8.2.
_INSTANCE = pytest.StashKey[Any]()
#: Plugins whose `pytest_pyfunc_call` does nothing to a plain function.
_HARMLESS = ("_pytest.python", "anyio.", "pytest_asyncio.", "probtest.")


class Renewal:
    """Sets one item up and tears it down, any number of times."""

    def __init__(self, item: pytest.Function, subtests: Subtests, marks: list[pytest.Mark]) -> None:
        self._item = item
        self._is_set_up = True
        self._properties = len(item.user_properties)
        self._sections = len(item._report_sections)
        self._subtests = subtests
        #: The markers of the item before any execution added some.
        self._marks = marks
        #: Whether every execution so far has added markers.
        self.always_marked = True
        #: What another plugin has put around the function, with the instance whose method it holds.
        self._wrapped = _wrapped(item)
        definitions = [found[-1] for found in item._fixtureinfo.name2fixturedefs.values() if found]
        #: Looked at once: asking a definition for its scope takes a microsecond.
        self._narrow_definitions = [found for found in definitions if found.scope == "function"]
        self._wide_definitions = [found for found in definitions if found.scope != "function"]
        #: Finalizers that fixtures of wider scope had before the last set-up.
        self._wide: list[tuple[Any, int]] = []
        #: What happens at the end of wider scopes, as it was when the item was set up first.
        self._ends: WiderEnds | None = None
        #: Is called between set-up and body, as pytest does between its phases.
        self.between_phases: Callable[[], object] = _nothing
        #: Is called before the body.
        self.before_body: Callable[[], object] = _nothing
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
        self._subtests.begin()
        self.before_body()
        try:
            result = self.in_this_process(self._call if self.is_plain else self._execute_by_pytest)
        except REJECTING_ANY:
            # What an assertion has found is not taken back by what comes after it.
            self._subtests.end()
            raise
        except BaseException as raised:
            self._subtests.keep(raised)
            raise
        finally:
            self._subtests.close()
            self.always_marked = self.always_marked and len(self._item.own_markers) > len(self._marks)
        self._subtests.end(result)
        return result

    @staticmethod
    def in_this_process(body: Callable[[], object]) -> object:
        """Call the body; a process that it has forked goes no further, and tears nothing down."""
        __tracebackhide__ = True
        forks = _native.forks()
        try:
            result = body()
        except BaseException as error:
            if _native.forks() != forks:
                processes.leave(error)
            raise
        if _native.forks() != forks:
            processes.leave(None)
        return result

    def _call(self) -> object:
        __tracebackhide__ = True
        return self._item.obj(**self._arguments())

    def tear_down(self) -> None:
        """Tear the item down as pytest would do at its end."""
        __tracebackhide__ = True
        if not self._is_set_up:
            return
        self._is_set_up = False
        item = self._item
        stack = item.session._setupstate.stack
        finalizers, _ = stack.get(item, ([], None))
        stack[item] = ([], None)
        tear_down(item, finalizers, self._drop_what_grows)

    def _drop_what_grows(self) -> None:
        """Forget what pytest would keep of each execution."""
        item = self._item
        for definition, count in self._wide:
            del definition._finalizers[count:]
        self._wide = []
        if self._ends is not None:
            self._ends.drop_repeated()
        # Those that `request` was asked for by name, too.
        asked = [found for found in item._request._fixture_defs.values() if found._scope is Scope.Function]
        for definition in (*self._narrow_definitions, *asked):
            # A rejection in a fixture leaves it without a value and not finished.
            if definition.cached_result is None and definition._finalizers:
                definition._finalizers.clear()
        if len(item.user_properties) > self._properties:
            del item.user_properties[self._properties :]
        if len(item._report_sections) > self._sections:
            del item._report_sections[self._sections :]

    def _set_up(self) -> None:
        __tracebackhide__ = True
        item = self._item
        if self._ends is None:
            self._ends = WiderEnds(item)
        item._initrequest()
        forget_marks(item, self._marks)
        self.renew_instance()
        item.session._setupstate.stack[item] = ([item.teardown], None)
        self._wide = [(definition, len(definition._finalizers)) for definition in self._wide_definitions]
        self._is_set_up = True
        set_up(item)

    def renew_instance(self) -> None:
        """Give a method a fresh instance."""
        item: Any = self._item
        item.__dict__.pop("_instance", None)
        item._obj = None
        if self._wrapped is None:
            if item.cls is not None:
                # Before fixtures, as when it was collected; unittest's end of a test asks for it.
                _ = item.obj
            return
        wrapper, instance = self._wrapped
        if instance is not None and hasattr(instance, "__dict__"):
            # The wrapper holds the method of this one: it begins anew.
            fresh = vars(_fresh_instance(item))
            vars(instance).clear()
            vars(instance).update(fresh)
        item._instance, item._obj = instance, wrapper

    def _arguments(self) -> dict[str, Any]:
        values = self._item.funcargs
        return {name: values[name] for name in self._item._fixtureinfo.argnames}

    def _execute_by_pytest(self) -> object:
        __tracebackhide__ = True
        item = self._item
        returned: list[object] = []
        original = item.obj
        item.obj = _recording(original, returned)
        try:
            type(item).runtest(item)
        finally:
            item.obj = original
        # unittest keeps exceptions instead of raising them.
        excinfo = item.__dict__.pop("_excinfo", None)
        if excinfo:
            raise excinfo[0].value
        return returned[-1] if returned else None


class WiderEnds:
    """The finalizers of wider scopes: before 8.2, pytest adds the same ones whenever an item is set up."""

    def __init__(self, item: pytest.Function, *others: list[Any]) -> None:
        stack = item.session._setupstate.stack
        scopes: list[list[Any]] = [found for node, (found, _) in stack.items() if node is not item]
        self._lists = (*scopes, *others)
        #: How many of each list are known, and the fixtures that these finish.
        self._counts = [len(finalizers) for finalizers in self._lists]
        self._finished = [set(map(_finished_by, finalizers)) for finalizers in self._lists]

    def drop_repeated(self) -> None:
        """Forget finalizers that were added for fixtures that others finish already."""
        for number, finalizers in enumerate(self._lists):
            count, finished = self._counts[number], self._finished[number]
            if len(finalizers) == count:
                continue
            # One by one, from the end: another thread may add some.
            for position in range(len(finalizers) - 1, count - 1, -1):
                fixture = _finished_by(finalizers[position])
                if fixture is not None and fixture in finished:
                    del finalizers[position]
            finished.update(map(_finished_by, finalizers[count:]))
            self._counts[number] = len(finalizers)


def _finished_by(finalizer: Any) -> int | None:
    """Return the id of the definition of the fixture that a finalizer finishes."""
    called: Any = getattr(finalizer, "func", None)
    definition = getattr(called, "__self__", None)
    return id(definition) if isinstance(definition, FixtureDef) and called.__name__ == "finish" else None


def forget_marks(item: pytest.Item, known: list[pytest.Mark]) -> None:
    """Take away what an execution has marked: that is about this execution.

    A marker of ours that came too late to count is kept, and reported as an error at the end.
    """
    if len(item.own_markers) > len(known):
        late = [mark for mark in item.own_markers if mark.name == "probtest" and not is_in(mark, known)]
        item.own_markers[:] = [*known, *late]


def hooked(item: pytest.Item, index: Callable[[], int]) -> list[Seeder]:
    """Return a seeder for projects that have sources of their own."""
    hook = item.ihook.pytest_probtest_seed
    return [(lambda seed: hook(item=item, seed=seed, index=index()), 64)] if hook.get_hookimpls() else []


def _nothing() -> None:
    pass


def _recording(function: Callable[..., Any], returned: list[object]) -> Callable[..., Any]:
    """Return a function that keeps its result to us, so that pytest does not wonder about it."""
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def awaited(*args: Any, **kwargs: Any) -> None:
            returned.append(await function(*args, **kwargs))

        _bind_like(function, awaited)
        return awaited

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        result = function(*args, **kwargs)
        if inspect.isawaitable(result):
            return result
        returned.append(result)
        return None

    _bind_like(function, called)
    return called


def _bind_like(method: Any, wrapper: Any) -> None:
    """Give a wrapper the instance of its method: before 8.2, that of an item is asked from its function."""
    if inspect.ismethod(method):
        wrapper.__self__ = method.__self__


def _wrapped(item: Any) -> tuple[Any, Any] | None:
    """Return `item.obj` and its instance where it is not the function that pytest has collected."""
    found = item.__dict__.get("_obj")
    if found is None:
        return None
    collected = inspect.getattr_static(getattr(item.parent, "obj", None), item.originalname, None)
    collected = getattr(collected, "__func__", collected)
    if getattr(found, "__func__", found) is collected:
        return None
    instance = item.__dict__.get("_instance", item.stash.get(_INSTANCE, None))
    return found, getattr(found, "__self__", None) if instance is None else instance


def keep_instance(item: pytest.Function) -> None:
    """Remember the instance of an item before other plugins put something around its method."""
    item.stash[_INSTANCE] = getattr(item.obj, "__self__", None)


def _fresh_instance(item: Any) -> Any:
    if hasattr(item, "_getinstance"):
        return item._getinstance()
    # Before 8.2; an item of unittest has a new one whenever it is set up.
    return item.instance if hasattr(item, "_testcase") else item.parent.newinstance()


def raise_as_at_first(definition: Any, error: BaseException) -> None:
    """Let the definition of a fixture that has raised raise again with the same traceback.

    pytest keeps the exception for whoever asks for the fixture later. Before 8.3 it doesn't keep the
    traceback, which grows each time: a skip would come from another place in every execution, and a failure
    would show all of them.
    """
    if definition.cached_result is None or definition.cached_result[2] is not error:
        return
    traceback = error.__traceback__

    def execute(request: Any) -> Any:
        __tracebackhide__ = True
        if definition.cached_result is not None and definition.cached_result[2] is error:
            error.__traceback__ = traceback
        else:
            del definition.execute
        return type(definition).execute(definition, request)

    definition.execute = execute


def set_up(item: Any) -> None:
    """Set an item up as its type does, with the function that it has."""
    __tracebackhide__ = True
    type(item).setup(item)
    if is_given(item.obj):
        # Before 8.2, an item of unittest goes back to the function that was collected.
        item.stash[REBIND](item)


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
    # The function of pytest only hands on a value of parametrize.
    return any(
        definition.scope == "function"
        and definition.argname != "request"
        and getattr(definition.func, "__name__", "") != "get_direct_param_fixture_func"
        for definition in item._request._fixture_defs.values()
    )


def tear_down(
    item: pytest.Function, finalizers: list[Callable[[], object]], forget: Callable[[], object]
) -> None:
    """Call the finalizers of an item, the last one first, forget what is left, and raise what they raise."""
    __tracebackhide__ = True
    # Also one that the body has asked for: it is in no list then.
    folder = _own_tmp_path(item)
    if TMP_PATH_RESULT is not None:
        # tmp_path asks at its end how the test went, and may ask only once.
        item.stash[TMP_PATH_RESULT] = {"setup": True, "call": True}
    errors: list[BaseException] = []
    while finalizers:
        try:
            finalizers.pop()()
        except (Exception, pytest.fail.Exception, pytest.skip.Exception) as error:
            errors.append(error)
    forget()
    if folder is not None:
        # pytest keeps these folders; k of them would fill the disk.
        shutil.rmtree(folder, ignore_errors=True)
    if errors:
        raise errors[0]


def _own_tmp_path(item: pytest.Function) -> Path | None:
    """Return the folder that pytest's own tmp_path has made; never one of another plugin."""
    definition: Any = item._request._fixture_defs.get("tmp_path")
    result = getattr(definition, "cached_result", None)
    if not result or result[2] is not None or definition.func.__module__ != "_pytest.tmpdir":
        return None
    factory: Any = getattr(item.config, "_tmp_path_factory", None)
    folder = result[0]
    return folder if factory is not None and factory.getbasetemp() in folder.parents else None


class GivenItem:
    """A test of Hypothesis as an item: one example for each execution, instead of Hypothesis's engine.

    The item gets a function that draws from the strategies and calls the test. It has the handle by
    which plugins for async tests find the test of `@given`. To Hypothesis's own plugin, which checks
    what is about its engine, it is an ordinary test.
    """

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
            return test.call((INPUTS.get() or self._inputs()).drawing, arguments)

        functools.update_wrapper(call, written, updated=())
        vars(call).update(hypothesis=test.handle, __wrapped__=test.handle.inner_test)
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


@dataclass
class FreshExecution:
    """Executes an item on fresh fixtures, outside the plan."""

    _renewal: Renewal
    _sources: Sources
    has_executed: bool = False

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
