"""Hypothesis from below: one example for each execution, and its shrinker. No other file knows its internals.

Hypothesis's engine remembers, mutates and tries constants that it finds in the program. An
execution needs an example that knows nothing of the others: here the strategies draw from a
generator of the execution alone, each value from the distribution that the strategy says.

Internals have moved between versions. What was found is looked at, not the version: from 6.100
draws were bytes, from 6.125 they are choices; constants came with 6.131; and so on.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import os
import random
import sys
import types
from collections.abc import Callable, Generator, Iterator
from typing import Any
from unittest import IsolatedAsyncioTestCase, SkipTest

import hypothesis

from . import _native, saying
from .inputs import Line, Unmade, line_of, refuse_engine, without

#: Where its code is.
_HOME = os.path.dirname(hypothesis.__file__) + os.sep
#: The oldest version that this is made for.
OLDEST = (6, 100)
#: How many inputs may be too large, where no other was drawn, before none will be.
TOO_LARGE = 10


def _refuse(why: object, oldest: str = "6.100") -> _native.ClaimError:
    return _native.ClaimError(
        "this version of Hypothesis cannot draw inputs for executions\n"
        f"  given  Hypothesis {hypothesis.__version__}: {why}\n"
        f"  help   install Hypothesis {oldest} or newer, or an older one if this is too new for probtest"
    )


if hypothesis.__version_info__[:2] < OLDEST:
    raise _refuse("too old")
try:
    from hypothesis import HealthCheck, Phase
    from hypothesis import settings as Settings
    from hypothesis import strategies as st
    from hypothesis.control import BuildContext
    from hypothesis.control import _current_build_context as _current
    from hypothesis.database import InMemoryExampleDatabase
    from hypothesis.errors import HypothesisException, StopTest, UnsatisfiedAssumption
    from hypothesis.internal.conjecture import data as _data
    from hypothesis.internal.conjecture import engine as _engine
    from hypothesis.vendor.pretty import RepresentationPrinter

    ConjectureData: Any = _data.ConjectureData
    Status: Any = _data.Status
    ConjectureRunner: Any = _engine.ConjectureRunner
    InterestingOrigin: Any = sys.modules["hypothesis.internal.escalation"].InterestingOrigin
    SearchStrategy: Any = st.SearchStrategy
    _executor_of: Any = hypothesis.core.get_executor
    _Engine: Any = hypothesis.core.StateForActualGivenExecution
    _listener: Any = hypothesis.reporting.reporter
    _Provider: Any = _data.HypothesisProvider  # type: ignore[attr-defined]
except (ImportError, AttributeError, KeyError) as error:
    raise _refuse(error) from None


def _nobody(*_: Any) -> None:
    """Do nothing, as a test or a listener."""


def _takes(function: Any, name: str) -> bool:
    return name in inspect.signature(function).parameters


#: Draws, for a strategy and for those inside of it.
_DRAW = ConjectureData.draw.__code__
_EVENT = hypothesis.event.__code__
_IN_BYTES = _takes(ConjectureData.__init__, "max_length")
_NAMED: dict[str, Any] = {"wrapped_test": _nobody} if _takes(BuildContext.__init__, "wrapped_test") else {}


class _Engine_(_Engine):  # type: ignore[misc]
    """Makes the examples of a test of `@given`, but not inside an execution."""

    def __init__(self, stuff: Any, test: Any, *arguments: Any, **options: Any) -> None:
        refuse_engine(test)
        super().__init__(stuff, test, *arguments, **options)


hypothesis.core.StateForActualGivenExecution = _Engine_  # type: ignore[misc]


class _Provider_(_Provider):  # type: ignore[misc]
    """Draws from the distribution of a strategy, and from nothing else."""

    def _maybe_draw_constant(self, *_: Any, **__: Any) -> None:
        # Those of the modules that happen to be imported would depend on what ran before.
        return None


class _Events(dict[str, Any]):
    """What a body has told by `event`, without what Hypothesis notes for its own statistics."""

    def __setitem__(self, event: str, value: Any) -> None:
        if sys._getframe(1).f_code is _EVENT:
            super().__setitem__(event, value)


class Drawing:
    """The inputs of one execution: drawn, or given."""

    def __init__(self, data: Any, *, told: bool = False, values: dict[str, Any] | None = None) -> None:
        self.data = data
        #: Values of an explicit example.
        self.values = values
        self._told = told
        #: Whether a strategy has rejected what was drawn: another input is what it takes.
        self.is_rejected = False
        #: What was drawn and what the body noted, if that is shown.
        self.lines: list[Line] = []
        self._draws = 0
        #: Surrounds each draw.
        self.unseen: Callable[[], contextlib.AbstractContextManager[object]] = contextlib.nullcontext
        #: See `Inputs`.
        self.too_large: dict[str, int | None] = {}
        self.data.events = _Events()
        self.context: Any = BuildContext(self.data, is_final=told, **_NAMED)

    def __enter__(self) -> None:
        """Let what is asked of Hypothesis reach this execution."""
        self._outer = _current.value, _listener.value
        _current.value = self.context
        _listener.value = self._note if self._told else _nobody

    def __exit__(self, *_: object) -> None:
        _current.value, _listener.value = self._outer

    def _note(self, text: str) -> None:
        self.lines += [line_of("", line) for line in text.splitlines()]

    def arguments(self, strategies: dict[str, Any], instance: object) -> dict[str, Any]:
        if instance is not None:
            self.data.hypothesis_runner = instance
        drawn = self.values
        if drawn is None:
            drawn = {name: self._draw(strategy, name) for name, strategy in strategies.items()}
        if self._told:
            # What is drawn by `st.data()` is noted as it is drawn.
            values = ((name, value) for name, value in drawn.items() if type(value).__name__ != "DataObject")
            self.lines += [line_of(name, self._shown(value)) for name, value in values]
        return drawn

    def draw(self, strategy: Any, label: str | None = None) -> Any:
        """Return a value, for a body that asks for one."""
        if not isinstance(strategy, SearchStrategy):
            raise Unmade(_bad(f"{strategy!r}", "a value must be drawn from a Hypothesis strategy"))
        self._draws += 1
        name = label or f"draw {self._draws}"
        if _current.value is self.context:
            value = self._draw(strategy, name)
        else:
            with self:
                value = self._draw(strategy, name)
        if self._told:
            self.lines.append(line_of(name, self._shown(value)))
        return value

    def _draw(self, strategy: Any, name: str) -> Any:
        try:
            with self.unseen():
                value = self.data.draw(strategy)
        except (StopTest, UnsatisfiedAssumption):
            self.is_rejected = True
            rejected = self._rejected("its strategy rejects what it drew", name, f"{name} from {strategy!r}")
            saying.leave_by(rejected)
            raise rejected from None
        except BaseException as error:
            if not _is_failure(error):
                raise
            what = f"its input {name} could not be made: {type(error).__name__}: {error}"
            raise Unmade(_bad(f"{name} from {strategy!r}", what)) from error
        if type(value).__name__ == "DataObject":
            # What is drawn by `st.data()` is an input as any other.
            value.draw = self.draw
        else:
            self.too_large[name] = None
        return value

    def _rejected(self, words: str, name: str, given: str) -> BaseException:
        """Return what leaves a body whose input is rejected; an error where every one is too large."""
        count = self.too_large.get(name, 0)
        if self.data.status == Status.OVERRUN and count is not None:
            self.too_large[name] = count = count + 1
        if count != TOO_LARGE:
            return _native.Rejected(words)
        limit = f"the {_engine.BUFFER_SIZE} bytes of random choices that Hypothesis allows for one example"
        what = f"its input is too large: {TOO_LARGE} in a row need more than {limit}"
        return Unmade(_bad(given, what, "draw less, or draw a seed and make a large value of it in the body"))

    def _shown(self, value: Any) -> str:
        try:
            printer = RepresentationPrinter(context=self.context)
            printer.max_width = sys.maxsize
            printer.pretty(value)
            return str(printer.getvalue())
        except Exception:
            return object.__repr__(value)

    def call(self, function: Callable[[], Any]) -> Any:
        """Call a function for this execution. What Hypothesis leaves it by is a rejection."""
        __tracebackhide__ = True
        is_over = True
        try:
            with self:
                came_to = function()
            if inspect.iscoroutine(came_to):
                is_over = False
                return self._awaited(came_to)
        except BaseException as raised:
            raise self._concluded(raised)  # noqa: B904
        finally:
            if is_over:
                self._end()
        self._refuse_if_rejected()
        return came_to

    async def _awaited(self, coroutine: Any) -> Any:
        __tracebackhide__ = True
        try:
            came_to = await _steps(coroutine, self)
        except BaseException as raised:
            raise self._concluded(raised)  # noqa: B904
        finally:
            self._end()
        self._refuse_if_rejected()
        return came_to

    def _concluded(self, raised: BaseException) -> BaseException:
        is_rejected = self.data.frozen and self.data.status in (Status.INVALID, Status.OVERRUN)
        given = "a strategy, or a state machine"
        if is_rejected or isinstance(raised, (StopTest, UnsatisfiedAssumption)):
            self.is_rejected = self.is_rejected or is_rejected
            self.data.events.clear()
            if not isinstance(raised, (_native.Rejected, Unmade)):
                raised = self._rejected("assume: the execution is not applicable", "", given)
                raised.__suppress_context__ = True
            return raised
        drawn = _comes_from_draw(raised)
        if isinstance(raised, HypothesisException) or (drawn and _is_failure(raised)):
            what = "its input could not be made" if drawn else "Hypothesis refuses what it is asked"
            help_ = _FIX if drawn else "draw by arguments of @given or probtest.draw, and fix other calls"
            what = f"{what}: {type(raised).__name__}: {raised}"
            unmade = Unmade(_bad(given if drawn else "a call in the body", what, help_))
            unmade.__cause__ = raised
            return unmade
        # A run of a state machine has more of Hypothesis than of the program.
        return raised.with_traceback(without(_HOME, raised.__traceback__))

    def _refuse_if_rejected(self) -> None:
        if self.data.frozen and self.data.status != Status.VALID:
            # The body has caught what was to leave it.
            raise _native.Rejected("its input was rejected")
        self.too_large[""] = None

    def _end(self) -> None:
        if self.context.tasks:
            with self.unseen(), self.context:
                """What strategies have to clean up is cleaned up as the context ends."""
        for event, value in self.data.events.items():
            # A number may be too large for one.
            with contextlib.suppress(TypeError):
                saying.label(event, True if value == "" else value)


def _is_failure(raised: BaseException) -> bool:
    """Say whether an exception neither rejects the execution nor ends everything."""
    if isinstance(raised, (_native.Rejected, Unmade, SkipTest)):
        return False
    # `pytest.fail`, but not `pytest.skip` or `pytest.xfail`.
    named = f"{type(raised).__module__}.{type(raised).__name__}"
    return isinstance(raised, (Exception, SystemExit)) or named == "builtins.Failed"


def _comes_from_draw(raised: BaseException) -> bool:
    """Say whether an exception was raised while Hypothesis drew."""
    trace = raised.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code is _DRAW:
            return True
        trace = trace.tb_next
    return False


@types.coroutine
def _steps(coroutine: Any, drawing: Drawing) -> Generator[Any, Any, Any]:
    """Run a coroutine with what it asks of Hypothesis put up before each step, and taken down after it."""
    steps = coroutine.__await__()
    send, sent = steps.send, None
    while True:
        with drawing:
            try:
                found = send(sent)
            except StopIteration as end:
                return end.value
        try:
            sent, send = (yield found), steps.send
        except BaseException as thrown:
            sent, send = thrown, steps.throw


def data_from(source: Any, choices: Any = None) -> Any:
    """Return what draws from a generator, or as `decoded` says."""
    if choices is not None:
        make = ConjectureData.for_buffer if isinstance(choices, bytes) else ConjectureData.for_choices
        return make(choices)
    if _IN_BYTES:
        return ConjectureData(_engine.BUFFER_SIZE, b"", random=source, provider=_Provider_)
    return ConjectureData(random=source, provider=_Provider_)


#: What the engine's database calls the choices of an example; None where it keeps bytes.
_CODED = next((name for name in ("choices", "ir") if hasattr(_engine, f"{name}_from_bytes")), None)


def decoded(code: bytes) -> Any:
    """Read what `encoded` wrote; None where another version has written it."""
    if _CODED is None:
        return code
    try:
        return getattr(hypothesis.database, f"{_CODED}_from_bytes")(code)
    except Exception:
        return None


def encoded(data: Any) -> bytes:
    """Write what was drawn as the engine reads it from Hypothesis's database."""
    if _CODED is None:
        return bytes(data.buffer)
    encode: Callable[[Any], bytes] = getattr(hypothesis.database, f"{_CODED}_to_bytes")
    return encode(data.choices)


_FIX = "draw from it alone with strategy.example(), and fix the strategy"


def _bad(given: str, what: str, help_: str = _FIX) -> str:
    return f"{what}\n  given  {given}\n  help   {help_}"


class GivenTest:
    """A test of `@given`, or a run of a state machine, without Hypothesis's engine."""

    def __init__(self, test: Any) -> None:
        self.handle: Any = test.hypothesis
        self.strategies: dict[str, Any] = self.handle._given_kwargs
        self.instance = getattr(test, "__self__", None)
        self._execute = _executor_of(self.instance)
        self._written = test
        settings, usual = getattr(test, "_hypothesis_internal_use_settings", None), Settings.default
        #: What of its decorators means nothing here.
        self.unused: list[str] = []
        if settings is not None and usual is not None and settings.max_examples != usual.max_examples:
            self.unused.append(
                f"max_examples={settings.max_examples} of @settings is ignored: "
                "the claim decides how often the test runs"
            )
        if getattr(test, "_hypothesis_internal_use_seed", None) is not None:
            self.unused.append("@seed is ignored: the run seed decides what is drawn")
        self._check()

    def _check(self) -> None:
        test = self._written
        inner, around = self.handle.inner_test, vars(getattr(test, "__func__", test))
        if getattr(inner, "is_hypothesis_test", False):
            raise _refused("one test has @given twice", "give all strategies to one @given")
        if "__wrapped__" in around:
            # Only what @given was given is called, so it would be left out silently.
            raise _refused("a decorator is wrapped around @given", "put it below @given, or use a fixture")
        if getattr(test, "__unittest_expecting_failure__", False):
            raise _refused("unittest.expectedFailure is wrapped around @given", "use pytest.mark.xfail")
        if inspect.isasyncgenfunction(inner):
            raise _refused("the @given test is an async generator", "remove the yield")
        if inspect.iscoroutinefunction(inner) and isinstance(self.instance, IsolatedAsyncioTestCase):
            raise _refused(
                "unittest would not await a @given test", "write it as a function or a plain class"
            )
        if not hasattr(test, "_hypothesis_internal_use_reproduce_failure"):
            # Hypothesis refuses it as well, as soon as it is called.
            try:
                test()
            except Exception as error:
                why = f"@given does not fit the test: {error}"
                raise _refused(why, "fix the arguments of @given") from None
        if test._hypothesis_internal_use_reproduce_failure is not None:
            raise _refused("@reproduce_failure needs Hypothesis's own engine", "remove it")
        for name, strategy in self.strategies.items():
            try:
                strategy.validate()
            except Exception as error:
                raise _native.ClaimError(_bad(f"{name}={strategy!r}", f"{error}")) from None
        list(self.examples())

    def call(self, drawing: Drawing, arguments: dict[str, Any]) -> Any:
        """Draw what the strategies say, and call the test."""
        __tracebackhide__ = True
        test, instance = self.handle.inner_test, self.instance

        def function() -> Any:
            __tracebackhide__ = True
            values = drawing.arguments(self.strategies, instance)
            if instance is None:
                return test(**arguments, **values)
            return self._execute(drawing.data, lambda _: test(instance, **arguments, **values))

        return drawing.call(function)

    def examples(self) -> Iterator[tuple[dict[str, Any], Any]]:
        """Yield the values of each explicit example, and the exceptions that it is expected to raise."""
        parameters = inspect.signature(self.handle.inner_test).parameters.values()
        places = [found.name for found in parameters if found.kind is found.POSITIONAL_OR_KEYWORD]
        for example in reversed(getattr(self._written, "hypothesis_explicit_examples", ())):
            values = dict(example.kwargs)
            if example.args:
                values = dict(zip(places[-len(example.args) :], example.args, strict=False))
            if set(values) != set(self.strategies):
                named = [", ".join(sorted(names)) for names in (self.strategies, values)]
                given = f"@given has {named[0]}, @example has {named[1]}"
                what = "an explicit example has different arguments than @given"
                help_ = "give @example a value for each argument that has a strategy"
                raise _native.ClaimError(_bad(given, what, help_))
            yield values, getattr(example, "raises", None)


def _refused(what: str, help_: str) -> _native.ClaimError:
    return _native.ClaimError(_bad("@given and the marker probtest on one test", what, help_))


def adapted(test: Any) -> GivenTest:
    """Return a test of `@given`, or of a state machine, that is called for each execution."""
    if hasattr(test, "hypothesis"):
        return GivenTest(test)
    machine = getattr(test, "_hypothesis_state_machine_class", None)
    make = getattr(sys.modules.get("hypothesis.stateful"), "get_state_machine_test", None)
    if machine is None or make is None:
        raise _refuse("it cannot run a state machine just once", oldest="6.125")
    instance = getattr(test, "__self__", None)
    test = make(machine, settings=getattr(instance, "settings", None))
    if _takes(test.hypothesis.inner_test, "factory"):
        # Where it does not know its machine, it is handed over with each call.
        test.hypothesis.inner_test = functools.partial(test.hypothesis.inner_test, machine)
    return GivenTest(test)


class _TimeOver(KeyboardInterrupt):
    """No time is left. The engine takes such an end for no result of the program."""


def smallest(
    first: Drawing, violates: Callable[[Drawing], bool], is_over: Callable[[], bool], origin: BaseException
) -> tuple[bytes | None, int, bool]:
    """Make the input of an execution smaller by Hypothesis's shrinker, as long as it violates.

    Return the smallest one for `decoded`, the executions that it took, and whether time was over before
    nothing more could be taken away.
    """
    executions = 0
    where = InterestingOrigin.from_exception(origin)

    def test(data: Any) -> None:
        nonlocal executions
        if is_over():
            raise _TimeOver
        executions += 1
        if violates(Drawing(data)):
            if data.frozen:
                raise StopTest(data.testcounter)
            data.mark_interesting(where)
        elif data.frozen:
            raise StopTest(data.testcounter)

    database = InMemoryExampleDatabase()
    # Not under the first key: what is there counts as small already.
    database.save(b"probtest.secondary", encoded(first.data))
    settings = Settings(
        database=database,
        phases=(Phase.reuse, Phase.shrink),
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    runner: Any = ConjectureRunner(test, settings=settings, random=random.Random(0), database_key=b"probtest")
    complete = True
    try:
        runner.run()
    except (_TimeOver, Exception):
        # Hypothesis also complains where the same input does not do the same.
        complete = False
    named = "interesting_test_cases" if hasattr(runner, "interesting_test_cases") else "interesting_examples"
    found = list(getattr(runner, named).values())
    return encoded(found[0]) if found else None, executions, not complete
