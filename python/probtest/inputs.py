"""Inputs: what an execution draws besides the numbers of the program under test.

They come from a stream of the execution that is separate from the program's, so neither changes the
other: the input of a violation can be made smaller while the program's numbers stay the same.
`strategies` does the drawing, if Hypothesis is installed.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import random
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeAlias

from . import _native
from .saying import leave_by
from .sources import REJECTING, Exceptions, Surroundings

if TYPE_CHECKING:
    from .strategies import Drawing, GivenTest

#: What an input is called, and its value as people read it; what a body notes has no name.
Line: TypeAlias = "tuple[str, str]"
#: Stands above the 64 bits of an execution's seed, so that its inputs have numbers of their own.
PURPOSE = int.from_bytes(b"inputs", "big") << 64

_seed: Any = random.Random.__base__.seed  # type: ignore[union-attr]
_state_of: Any = random.Random.__base__.getstate  # type: ignore[union-attr]


class Twister(random.Random):
    """A generator that inputs are drawn from, for one execution after the other."""

    def begin(self, seed: int) -> Twister:
        """Begin anew, without the method in Python that is watched."""
        _seed(self, seed)
        self.gauss_next = None
        return self

    @property
    def has_drawn(self) -> bool:
        state = _state_of(self)
        # The first word after any seed, which the first draw replaces.
        return not (state[-1] == 624 and state[0] == 0x80000000)


class Unmade(_native.ClaimError):
    """An input could not be made: that is not a violation of the program, and ends the test."""

    def __init__(self, words: str) -> None:
        super().__init__(words)
        # A body that catches it would go on without its input.
        leave_by(self)


class Inputs:
    """The inputs of the executions of one test."""

    def __init__(self, run: _native.TestRun) -> None:
        self._run = run
        self._twister = Twister(0)
        #: Says whether the execution under a seed has drawn anything else.
        self.program_has_drawn: Callable[[int], bool] = lambda _: True
        #: Surrounds what draws them, where that is not to be seen.
        self.unseen: Callable[[], AbstractContextManager[object]] = contextlib.nullcontext
        #: By the name of a draw, how many were too large before one was not; then None.
        self._too_large: dict[str, int | None] = {}
        #: The call that the inputs were drawn for: an execution may be made twice.
        self._call = -1
        self._drawing: Drawing | None = None
        self._fixed: Drawing | None = None
        #: The execution that these are of, and how many were not applicable before them, where they are of
        #: one alone.
        self._current: tuple[_native.Stream, int, int] | None = None
        #: The test of Hypothesis that draws them, if one does.
        self.test: GivenTest | None = None
        #: What was drawn by the last execution outside of the plan, in lines.
        self.last: list[Line] = []
        #: How such an execution makes them, where that is not what its stream says: how many were not
        #: applicable before them, the code, and what Hypothesis is to choose.
        self._played: tuple[int, list[int], Any] | None = None
        #: Makes an execution under a seed, names the exception of a violation, and exceptions that end all.
        self.shrinking: tuple[Callable[[int], object], Callable[[BaseException], str], Exceptions] | None = (
            None
        )

    def of_this_execution(self) -> Inputs:
        """Return the inputs of the execution that begins now, also when others have begun."""
        own = Inputs(self._run)
        own._current, own.last, own._too_large = self._execution(), self.last, self._too_large
        return own

    def _execution(self) -> tuple[_native.Stream, int, int]:
        stream, index, _ = self._run.current
        return stream, index, self._run.input_attempt

    @property
    def drawing(self) -> Drawing:
        """What the execution under way draws from."""
        if self._fixed is not None:
            return self._fixed
        is_new = self._drawing is None or (self._current is None and self._call != self._run.calls)
        if is_new:
            self._call = self._run.calls
            self._drawing = self._drawn(*(self._current or self._execution()))
        assert self._drawing is not None
        return self._drawing

    def _drawn(self, stream: _native.Stream, index: int, rejected: int) -> Drawing:
        try:
            strategies = _strategies()
        except _native.ClaimError as error:
            # Said by a body, and no violation of it.
            raise Unmade(str(error)) from None
        # Those of the plan are many, and their values are not shown.
        told = not self._run.is_planned
        choices = None
        if told and self._played is not None:
            rejected, _, choices = self._played
        self._twister.begin(stream.input_seed(index, rejected) | PURPOSE)
        drawing: Drawing = strategies.Drawing(strategies.data_from(self._twister, choices), told=told)
        drawing.unseen, drawing.too_large = self.unseen, self._too_large
        if told:
            drawing.lines = self.last
            self.last.clear()
        return drawing

    def play(self, made: tuple[int, list[int] | None] | None) -> bool:
        """Say how the next execution outside of the plan makes its inputs: by a code, or by its stream.

        Return whether the code can be read.
        """
        self.last.clear()
        self._played = None
        if made is None:
            return True
        rejected, code = made
        choices = _strategies().decoded(_bytes_of(code)) if code else None
        if code and choices is None:
            return False
        self._played = rejected, code or [], choices
        return True

    def last_made(self) -> tuple[int, list[int], list[Line]]:
        """Return how the last execution outside of the plan made its inputs, for `play`, and in lines."""
        rejected, code = self._played[:2] if self._played is not None else (self._run.input_attempt, [])
        return rejected, code, self.last

    @property
    def has_drawn(self) -> bool:
        """Whether the execution under way has drawn an input."""
        return self._call == self._run.calls and self._twister.has_drawn

    @property
    def shared(self) -> int | None:
        """How many inputs there are, where executions share them."""
        return self._run.current[0].inputs

    @property
    def shared_input(self) -> tuple[int, int]:
        """The input of the execution under way, where executions share them."""
        assert self.shared is not None
        return (self._run.current[1] - 1) % self.shared, self._run.input_attempt

    @property
    def has_asked(self) -> bool:
        """Whether the execution under way has asked for an input."""
        return self._drawing is not None and self._call == self._run.calls

    @property
    def execution(self) -> tuple[int, int]:
        """The execution under way, and its attempt."""
        _, index, attempt = self._run.current
        return index, attempt

    @property
    def program_drew(self) -> bool:
        """Whether the execution under way has drawn anything but inputs, as far as that is seen.

        Not where a strategy has rejected its input, which never depends on the program.
        """
        if self.has_asked and self._drawing is not None and self._drawing.is_rejected:
            return False
        stream, index, attempt = self._run.current
        return self.program_has_drawn(stream.execution_seed(index, attempt))

    @property
    def has_begun(self) -> bool:
        """Whether anything was asked for."""
        return self._drawing is not None

    @contextmanager
    def fixed(self, drawing: Drawing) -> Iterator[None]:
        """Have the next execution draw from something else."""
        self._fixed = drawing
        try:
            yield
        finally:
            self._fixed = None

    def examples(
        self, execute: Callable[[int], object], test: str, around: Surroundings
    ) -> FailedExample | None:
        """Execute the explicit examples, each under a seed; return the first that fails. None is counted."""
        if self.test is None or self._run.replay is not None:
            return None
        strategies = _strategies()
        rejects: Exceptions = (_native.Rejected, *around.rejecting)
        stream = _native.Stream(self._run.current[0].seed, f"{test} example")
        for number, (values, raises) in enumerate(self.test.examples(), 1):
            drawing = strategies.Drawing(strategies.data_from(Twister(number)), told=True, values=values)
            try:
                with self.fixed(drawing):
                    came_to = execute(stream.execution_seed(number))
            except rejects:
                continue
            except around.leaving:
                raise
            except BaseException as error:
                if raises is None or not isinstance(error, raises):
                    return FailedExample(_raisable(error), drawing.lines)
                continue
            if came_to is False and (raises is None or not issubclass(AssertionError, raises)):
                return FailedExample(AssertionError("it returned False"), drawing.lines)
            if came_to is not False and raises is not None:
                words = AssertionError("an example marked xfail did not fail")
                return FailedExample(words, drawing.lines)
        return None

    def smallest(self, seconds: float, limit: _native.Watchdog) -> tuple[list[int] | None, int, bool]:
        """Make the inputs of the execution that violates smaller, while the program draws the same.

        Return their code, None where nothing smaller shows the same; the executions that it took; and whether
        time was over before.
        """
        if self.shrinking is None or not self.has_begun:
            return None, 0, False
        execute, kind_of, leaving = self.shrinking
        ends = time.monotonic() + seconds
        stream, index, attempt = self._run.current
        seed = stream.execution_seed(index, attempt)
        rejects: Exceptions = (_native.Rejected, Unmade, *REJECTING, *rejecting())

        def violation(drawing: Drawing) -> BaseException | None:
            try:
                with self.fixed(drawing):
                    came_to = _limited(execute, seed, limit)
                if type(came_to).__name__ in ("bool", "bool_") and not came_to:
                    raise AssertionError("the body returned False")
            except rejects:
                return None
            except leaving:
                raise
            except BaseException as raised:
                return raised
            return None

        def violates(drawing: Drawing) -> bool:
            found = violation(drawing)
            return found is not None and kind_of(found) == wanted

        first = self._drawn(*self._execution())
        raised = violation(first)
        if raised is None:
            return None, 1, False
        wanted = kind_of(raised)
        drawn = _strategies().encoded(first.data)
        found, executions, cut = _strategies().smallest(
            first, violates, lambda: time.monotonic() >= ends, raised
        )
        code = None if found in (None, drawn) else _words_of(found)
        return code, executions + 1, cut


def _limited(execute: Callable[[int], object], seed: int, limit: _native.Watchdog) -> object:
    """Make an execution that is left where it goes on far longer than the one that was found."""
    __tracebackhide__ = True
    limit.begin(threading.get_ident())
    try:
        return execute(seed)
    finally:
        if limit.end():
            # What was sent to the execution may come after its end: then it arrives here.
            with contextlib.suppress(_native.GaveUp):
                _arrive()
            raise _native.GaveUp("it takes far longer than the original execution")


def _arrive() -> None:
    """Be where an exception arrives."""


def _words_of(code: bytes) -> list[int]:
    """Write bytes as the whole numbers that a code is."""
    return [len(code), *(int.from_bytes(code[at : at + 8], "little") for at in range(0, len(code), 8))]


def _bytes_of(words: list[int]) -> bytes:
    length, *rest = words
    return b"".join(word.to_bytes(8, "little") for word in rest)[:length]


@dataclass(frozen=True)
class FailedExample:
    """An explicit example that failed: its exception, and its values in lines."""

    exception: BaseException
    lines: list[Line]

    def __str__(self) -> str:
        return f"probtest: an explicit example failed before the executions began\n{shown(self.lines)}"


def _raisable(error: BaseException) -> BaseException:
    """Return what may be raised for an exception: one that ends the process would end it silently."""
    if not isinstance(error, SystemExit):
        return error
    failed = AssertionError(f"it raised {error!r}").with_traceback(error.__traceback__)
    failed.__cause__ = error
    return failed


#: The longest value that is kept.
_LONGEST = 2000


def input_lines(lines: list[Line]) -> list[str]:
    """Write inputs for people, a line each."""
    return [f"{name} = {text}" if name else text for name, text in lines]


def shown(lines: list[Line]) -> str:
    """Write what an execution drew as a section of a report."""
    return "  input     " + f"\n{' ' * 12}".join(input_lines(lines))


def line_of(name: str, text: str) -> Line:
    return name, text if len(text) <= _LONGEST else f"{text[:_LONGEST]} .."


def rejecting() -> Exceptions:
    """Return the exceptions by which Hypothesis's `assume` leaves a body, where Hypothesis is imported."""
    errors = sys.modules.get("hypothesis.errors")
    return () if errors is None else (errors.UnsatisfiedAssumption,)


def _strategies() -> Any:
    """Return what draws from strategies; an error without Hypothesis."""
    try:
        from . import strategies
    except ModuleNotFoundError as error:
        raise _native.ClaimError(
            "inputs are drawn from Hypothesis strategies, but Hypothesis is not installed\n"
            f"  given  {error}\n"
            "  help   pip install hypothesis"
        ) from None
    return strategies


class Shared(Inputs):
    """Takes the place of inputs while something is made that several executions share."""

    def __init__(self, fixture: str, scope: str) -> None:
        self._words = (
            "an input belongs to one execution, but this fixture is shared by several\n"
            f"  given  probtest.draw in {fixture}, a fixture of scope {scope}\n"
            "  help   draw in the test, or in a function-scoped fixture"
        )

    @property
    def drawing(self) -> Drawing:
        raise Unmade(self._words)


#: The inputs of the execution that this code belongs to, unless it is on a thread that the body has started.
INPUTS: ContextVar[Inputs | None] = ContextVar("probtest_inputs", default=None)
#: Those of the tests under way; the innermost is the last.
_open: list[Inputs] = []


@contextmanager
def opened(inputs: Inputs) -> Iterator[None]:
    """Let the bodies that are called from here on draw."""
    _open.append(inputs)
    # One of several executions that are under way may ask for what they share, or check something itself.
    token = INPUTS.set(inputs)
    try:
        yield
    finally:
        _open.remove(inputs)
        INPUTS.reset(token)


def refuse_engine(test: Any) -> None:
    """Refuse a test of `@given` that is about to run whole inside an execution."""
    if _open and not isinstance(_open[-1], Shared):
        raise Unmade(
            "an execution starts Hypothesis's engine, which resets the program's randomness each time\n"
            f"  given  a call of {getattr(test, '__qualname__', repr(test))}, a @given test\n"
            "  help   mark the @given test itself, or pass it to probtest.check; "
            "in a body, draw inputs with probtest.draw"
        )


def draw(strategy: Any, label: str | None = None) -> Any:
    """Draw an input for this execution from a Hypothesis strategy.

    Each execution draws its own input from its own stream, independent of all other executions and of what
    the program draws. With the option `inputs`, executions take turns with that many inputs. The report on a
    violation shows the input under its label, made as small as possible.

    >>> import probtest
    >>> from hypothesis import strategies as st
    >>> def reversing_twice_changes_nothing():
    ...     xs = probtest.draw(st.lists(st.integers()))
    ...     assert list(reversed(list(reversed(xs)))) == xs
    >>> probtest.check(reversing_twice_changes_nothing, p=0.1).executed
    29
    """
    inputs = INPUTS.get() or (_open[-1] if _open else None)
    if inputs is None:
        raise RuntimeError(
            "probtest.draw draws an input for an execution, but none is running here\n"
            "  help   call it in the body of probtest.check, or in a pytest test with the marker"
        )
    return inputs.drawing.draw(strategy, label)


def without(home: str, trace: TracebackType | None) -> TracebackType | None:
    """Leave out of a traceback what a library calls between a test and the program."""
    places = []
    while trace is not None:
        places.append(trace)
        trace = trace.tb_next
    # From the end: a chain may be as long as the program's recursion is deep.
    for place in reversed(places):
        if trace is None or not place.tb_frame.f_code.co_filename.startswith(home):
            trace = TracebackType(trace, place.tb_frame, place.tb_lasti, place.tb_lineno)
    return trace


def is_given(test: Any) -> bool:
    """Say whether Hypothesis would execute a test many times."""
    return bool(getattr(test, "is_hypothesis_test", False))


def written(test: Any) -> Any:
    """Return the function as it was written: Hypothesis puts one of its own around a test."""
    return getattr(getattr(test, "hypothesis", None), "inner_test", test)


@dataclass(frozen=True)
class VersionPair:
    """An old and a new version, which the core calls one after the other on the same seed."""

    old: Callable[[], object]
    new: Callable[[], object]

    def __call__(self) -> None:
        raise RuntimeError("the two versions are called separately")


def one_example(body: Callable[[], object], inputs: Inputs, batch: int | None = None) -> Callable[[], object]:
    """Return a body that is called for each execution; one of Hypothesis has an example for each."""
    if isinstance(body, VersionPair):
        return _same_example(body, inputs, batch)
    if not is_given(body):
        return body
    inputs.test = adapted(body, batch)
    return _called(body, inputs.test, inputs)


def _same_example(both: VersionPair, inputs: Inputs, batch: int | None) -> VersionPair:
    """Return two versions that have the same example in each execution."""
    versions = {"old": both.old, "new": both.new}
    tests = {which: adapted(body, batch) for which, body in versions.items() if is_given(body)}
    if not tests:
        return both
    drawn = {which: {name: repr(it) for name, it in test.strategies.items()} for which, test in tests.items()}
    if drawn.get("old") != drawn.get("new"):
        said = (
            f"{which}: @given({', '.join(f'{name}={it}' for name, it in drawn[which].items())})"
            if which in drawn
            else f"{which}: no @given"
            for which in versions
        )
        raise _native.ClaimError(
            "both versions are called with the same input, but they draw from different strategies\n"
            f"  given  {'; '.join(said)}\n"
            "  help   give both versions the same @given, with arguments of the same names"
        )
    # What is written alike is drawn in the same order, too.
    tests["new"].strategies = tests["old"].strategies
    return VersionPair(*(_called(body, tests[which], inputs) for which, body in versions.items()))


def _called(body: Callable[[], object], test: GivenTest, inputs: Inputs) -> Callable[[], object]:
    """Return a test of `@given` as a function that draws its example when it is called."""
    own = written(body)

    async def awaited() -> object:
        return await call()

    def call() -> Any:
        __tracebackhide__ = True
        return test.call((INPUTS.get() or inputs).drawing, {})

    return functools.wraps(own)(awaited if inspect.iscoroutinefunction(own) else call)


def adapted(test: Any, batch: int | None) -> GivenTest:
    """Return a test of Hypothesis to be called for each execution."""
    if batch is not None:
        raise _native.ClaimError(
            "one call makes the whole batch, but each call of a @given test has one example\n"
            f"  given  @given and batch={batch}\n"
            "  help   leave out batch, or remove @given and draw an array of inputs in the body"
        )
    found: GivenTest = _strategies().adapted(test)
    return found
