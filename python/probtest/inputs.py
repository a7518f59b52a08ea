"""Inputs: what an execution draws besides the numbers of the program under test.

They come from a stream of the execution apart from those of the program, so that neither changes
the other: with the program's numbers kept, the input of a violation is made smaller. `strategies`
does the drawing, where Hypothesis is there.
"""

from __future__ import annotations

import functools
import inspect
import random
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any

from . import _native
from .sources import REJECTING, Exceptions

if TYPE_CHECKING:
    from .strategies import Drawing, Test

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
    """An input could not be made: that is no violation of the program, and ends the test."""


class Inputs:
    """The inputs of the executions of one test."""

    def __init__(self, run: _native.TestRun) -> None:
        self._run = run
        self._twister = Twister(0)
        #: How many inputs were not applicable before these, where executions share them.
        self.rejected = 0
        #: Says whether the execution under a seed has drawn anything else.
        self.program_has_drawn: Callable[[int], bool] = lambda _: True
        #: The call that the inputs were drawn for: an execution may be made twice.
        self._call = -1
        self._drawing: Drawing | None = None
        self._fixed: Drawing | None = None
        #: The execution that these are of, where they are of one alone.
        self._current: tuple[_native.Stream, int, int] | None = None
        #: The test of Hypothesis that draws them, if one does.
        self.test: Test | None = None
        #: What was drawn by the execution that was looked at last, in lines.
        self.last: list[str] = []

    def of_this_execution(self) -> Inputs:
        """Return the inputs of the execution that begins now, also when others have begun."""
        own = Inputs(self._run)
        own._current, own.last = self._run.current, self.last
        return own

    @property
    def drawing(self) -> Drawing:
        """What the execution under way draws from."""
        if self._fixed is not None:
            return self._fixed
        is_new = self._drawing is None or (self._current is None and self._call != self._run.calls)
        if is_new:
            self._call = self._run.calls
            self._drawing = self._drawn(*(self._current or self._run.current))
        assert self._drawing is not None
        return self._drawing

    def _drawn(self, stream: _native.Stream, index: int, attempt: int, told: bool = False) -> Drawing:
        try:
            strategies = _strategies()
        except _native.ClaimError as error:
            # Said by a body, and no violation of it.
            raise Unmade(str(error)) from None
        seed = stream.input_seed(index, attempt, self.rejected) | PURPOSE
        # Those of the plan are many, and nobody asks for their values.
        told = told or not self._run.is_planned
        drawing: Drawing = strategies.Drawing(self._twister.begin(seed), told=told)
        if told:
            drawing.lines = self.last
            self.last.clear()
        return drawing

    @property
    def has_drawn(self) -> bool:
        """Whether the execution under way has drawn an input."""
        return self._call == self._run.calls and self._twister.has_drawn

    @property
    def has_asked(self) -> bool:
        """Whether the execution under way has asked for an input."""
        return self._drawing is not None and self._call == self._run.calls

    @property
    def execution(self) -> tuple[int, int]:
        """The execution under way, and its attempt."""
        _, index, attempt = self._run.current
        return index, attempt

    def are_rejected(self) -> bool:
        """Say whether every execution that shares these inputs would be rejected as the one under way was."""
        stream, index, attempt = self._run.current
        # A body does the same up to its first draw.
        return not self.program_has_drawn(stream.execution_seed(index, attempt))

    @property
    def has_begun(self) -> bool:
        """Whether anything was asked for."""
        return self._drawing is not None

    def call(self, test: Test, arguments: dict[str, Any]) -> Any:
        """Call a test of `@given` for the execution under way."""
        __tracebackhide__ = True
        return test.call(self.drawing, arguments)

    @contextmanager
    def fixed(self, drawing: Drawing) -> Iterator[None]:
        """Have the next execution draw from something else."""
        self._fixed = drawing
        try:
            yield
        finally:
            self._fixed = None

    def examples(self, execute: Callable[[int], object], test: str) -> Failed | None:
        """Execute the explicit examples, each under a seed; return the first that fails. None is counted."""
        if self.test is None or self._run.replay is not None:
            return None
        strategies = _strategies()
        stream = _native.Stream(self._run.current[0].seed, f"{test} example")
        for number, (values, raises) in enumerate(self.test.examples(), 1):
            drawing = strategies.Drawing(Twister(number), told=True, values=values)
            try:
                with self.fixed(drawing):
                    if execute(stream.execution_seed(number)) is False:
                        raise AssertionError("it returned False")
            except _native.Rejected:
                continue
            except Exception as error:
                if raises is None or not isinstance(error, raises):
                    return Failed(error, drawing.lines)
                continue
            if raises is not None:
                words = AssertionError("an example that is marked by xfail has not failed")
                return Failed(words, drawing.lines)
        return None

    def made_smaller(
        self,
        execute: Callable[[int], object],
        kind_of: Callable[[BaseException], str],
        seconds: float,
        leaving: Exceptions,
    ) -> Small | None:
        """Make the input of the violation smaller, while the program draws the same.

        `execute` makes an execution under a seed. None where there is no violation to be made again here,
        or no time.
        """
        report, (stream, index, attempt) = self._run.report, self._run.current
        is_here = report is not None and report.address == (stream.seed, index)
        if seconds <= 0 or not is_here or not self.has_begun or self._run.replay is not None:
            return None
        ends = time.monotonic() + seconds
        seed = stream.execution_seed(index, attempt)
        rejects: Exceptions = (_native.Rejected, Unmade, *REJECTING, *rejecting())

        def violation(drawing: Drawing) -> BaseException | None:
            try:
                with self.fixed(drawing):
                    came_to = execute(seed)
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

        first = self._drawn(stream, index, attempt, told=True)
        raised = violation(first)
        if raised is None:
            return None
        wanted, drawn = kind_of(raised), list(first.lines)
        found = _strategies().smallest(first, violates, lambda: time.monotonic() >= ends, raised)
        return Small(drawn, *found)


@dataclass(frozen=True)
class Failed:
    """An explicit example that failed: its exception, and its values in lines."""

    exception: BaseException
    lines: list[str]

    def __str__(self) -> str:
        given = "\n            ".join(self.lines)
        return f"probtest: an explicit example failed, before anything was counted\n  input     {given}"


@dataclass(frozen=True)
class Small:
    """The smallest input that shows the same violation, while the program draws the same."""

    #: The input of the execution, and the smallest one, in lines.
    drawn: list[str]
    lines: list[str]
    #: The executions that it took, and whether nothing more can be taken away.
    executions: int
    complete: bool

    def __str__(self) -> str:
        if self.lines == self.drawn:
            return _section("input", self.lines)
        how = "made smaller" if self.complete else "made smaller until time was over,"
        words = f"{how} in {self.executions} executions with the draws of the program kept; it was drawn as"
        return _section("input", [*self.lines, words, *(_short(line) for line in self.drawn)])


#: The longest line of an input that is not the smallest one.
_LONGEST = 200


def _short(line: str) -> str:
    line = " ".join(line.split())
    return f"  {line}" if len(line) <= _LONGEST else f"  {line[:_LONGEST]} .."


def _section(name: str, lines: list[str]) -> str:
    text = "\n".join(lines).replace("\n", "\n" + " " * 12)
    return f"  {name:<9} {text}"


def shown(lines: list[str]) -> str:
    """Write what an execution drew for the report; nothing where it drew nothing."""
    return _section("input", [_short(line)[2:] for line in lines]) if lines else ""


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
            "inputs are drawn from strategies of Hypothesis, and it is not installed\n"
            f"  given  {error}\n"
            "  help   pip install hypothesis"
        ) from None
    return strategies


#: The inputs of the execution that this code belongs to, where several are under way.
INPUTS: ContextVar[Inputs | None] = ContextVar("probtest_inputs", default=None)
#: Those of the test under way, where one execution runs after the other; the innermost is the last.
_open: list[Inputs] = []


@contextmanager
def opened(inputs: Inputs) -> Iterator[None]:
    """Let the bodies that are called from here on draw."""
    _open.append(inputs)
    try:
        yield
    finally:
        _open.remove(inputs)


def draw(strategy: Any, label: str | None = None) -> Any:
    """Draw an input of this execution from a strategy of Hypothesis.

    Each execution draws its own, from a stream of its own: independent of all others, and of what the
    program draws. The report of a violation shows it, by its label, made as small as it gets.

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
            "probtest.draw draws an input of an execution, and none is under way here\n"
            "  help   call it in the body of probtest.check, or in a test of pytest with the marker"
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
    """Return the function that somebody has written: Hypothesis puts one of its own around a test."""
    return getattr(getattr(test, "hypothesis", None), "inner_test", test)


def one_example(body: Callable[[], object], inputs: Inputs, batch: int | None = None) -> Callable[[], object]:
    """Return a body that is called for each execution; one of Hypothesis has an example for each."""
    if not is_given(body):
        return body
    test = inputs.test = adapted(body, batch)
    own = written(body)

    async def awaited() -> object:
        return await call()

    def call() -> Any:
        __tracebackhide__ = True
        return (INPUTS.get() or inputs).call(test, {})

    return functools.wraps(own)(awaited if inspect.iscoroutinefunction(own) else call)


def adapted(test: Any, batch: int | None) -> Test:
    """Return a test of Hypothesis to be called for each execution."""
    if batch is not None:
        raise _native.ClaimError(
            "a batch is made by one call, and each call of a test of @given has one example\n"
            f"  given  @given and batch={batch}\n"
            "  help   leave batch out, or take @given away and draw an array of inputs in the body"
        )
    found: Test = _strategies().adapted(test)
    return found
