"""What an execution reports: with calls in its body, with exceptions, and with failures that never reach
the body."""

from __future__ import annotations

import contextlib
import hashlib
import math
import pickle
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from . import _native
from .sources import generator
from .watching import PROGRAM, owner, place_at

#: A label: its name, its value, and the share of executions that must have it.
Labelled = tuple[str, "bool | float | str", "float | None"]


@dataclass
class Statements:
    """What one of several executions under way has said; the core reads these names."""

    outcome: int | None = None
    cost: float | None = None
    recorded: int | None = None
    left_by: BaseException | None = None
    #: By name and the share that is asked for, the last one last: the core joins those of one name.
    labelled: dict[tuple[str, float | None], Labelled] = field(default_factory=dict)

    @property
    def labels(self) -> list[Labelled]:
        return list(self.labelled.values())


#: What the execution has said that this code belongs to, where several are under way.
SAID: ContextVar[Statements | None] = ContextVar("probtest_said", default=None)


#: Returns the generator of the execution that this code belongs to.
RNG: ContextVar[Callable[[], Any] | None] = ContextVar("probtest_rng", default=None)


def rng() -> Any:
    """Return the generator of this execution: NumPy's `Generator`, or a `random.Random` without NumPy.

    All calls in one execution return the same generator. It belongs to this execution alone, even if several
    run at the same time; no other source of randomness does. In pytest tests, use the fixture `probtest_rng`,
    which is the same.
    """
    lend = RNG.get()
    if lend is None:
        raise RuntimeError(
            "probtest.rng is the generator of an execution, but none is running here\n"
            "  help   call it in the body of probtest.check; in pytest, use the fixture probtest_rng"
        )
    return lend()


class Lender:
    """Lends each execution its generator, once."""

    def __init__(self, run: _native.TestRun, lend: Callable[[Any], Any] = lambda lent: lent) -> None:
        self._run = run
        self._lend = lend
        #: The call that it was lent to: an execution may be made twice.
        self._call = -1
        self._lent: Any = None

    def __call__(self) -> Any:
        if self._call != self._run.calls:
            self._call = self._run.calls
            self._lent = self._lend(generator(*self._run.current))
        return self._lent

    def renew(self) -> None:
        """Lend a new one next: the execution is made once more."""
        self._call = -1

    def of_this_execution(self) -> Callable[[], Any]:
        """Return what lends the generator of the execution that begins now, also when others have begun."""
        current = self._run.current
        lent: list[Any] = []

        def lend() -> Any:
            if not lent:
                lent.append(generator(*current))
            return lent[0]

        return lend


def leave_by(exception: BaseException) -> None:
    """Have this execution come to an exception, also where the body catches it."""
    said = SAID.get()
    if said is None:
        _native.leave_by(exception)
    elif said.left_by is None:
        said.left_by = exception


def outcome(number: int) -> None:
    """Report which of the listed outcomes occurred in this execution, from 0."""
    if number < 0:
        raise ValueError(f"outcomes are numbered from 0, not {number}")
    said = SAID.get()
    if said is None:
        _native.outcome(number)
    else:
        said.outcome = number


def cost(amount: float) -> None:
    """Add to what this execution costs, in any unit: money, tokens, seconds of a machine.

    The report shows the cost of all executions together, and the test stops when they reach `max_cost`. Call
    it as often as you like.
    """
    amount = float(amount)
    if not (math.isfinite(amount) and amount >= 0):
        raise ValueError(f"the cost of an execution must be a finite number of 0 or more, not {amount}")
    said = SAID.get()
    if said is None:
        _native.cost(amount)
    else:
        said.cost = (said.cost or 0.0) + amount


def record(what: object) -> None:
    """Record a result that should differ from execution to execution.

    Record a model's answer or a trajectory, not a value that may well be equal, such as one of two labels.
    If executions record exactly the same value far too often, it comes from a cache or from a program that
    isn't random: the test then passes in doubt.
    """
    said = SAID.get()
    known = _native.record(0) if said is None else said.recorded
    hashed = _hashed(what, known)
    if said is None:
        _native.record(hashed)
    else:
        said.recorded = hashed


def label(name: str, value: object, at_least: float | None = None) -> None:
    """Label this execution for the report, with a number, a word or a boolean.

    The report shows how often each value occurred and, for a violation, what was unusual about it. If you
    label an execution twice under one name, the last value counts. Memory doesn't grow with the number of
    executions. Outside an execution, this function does nothing.

    With `at_least`, at least this share of the executions must have the label, which must be a boolean.
    Otherwise the test hardly reaches the case it is about, and doesn't pass.

    >>> import probtest
    >>> def tower() -> None:
    ...     height = next(height for height in range(1, 20) if probtest.rng().random() < 0.5 or height == 19)
    ...     probtest.label("height", height)
    ...     probtest.label("tall", height > 2, at_least=0.01)
    >>> found = probtest.check(tower, p=0.05, seed=7)
    >>> [label["name"] for label in found.labels]
    ['height', 'tall']
    """
    if not isinstance(name, str):
        raise TypeError(f"the name of a label must be a word, not {name!r}")
    if not isinstance(value, (bool, str)):
        value = _plain(value)
    labelled = (name, value, None if at_least is None else float(at_least))
    said = SAID.get()
    if said is None:
        _native.label(labelled)
    else:
        key = (name, labelled[2])
        said.labelled.pop(key, None)
        said.labelled[key] = labelled


def _plain(value: Any) -> bool | float:
    """Return the value of a label that is not a word; arrays have their own booleans."""
    try:
        if not isinstance(value, (int, float)) and hasattr(value, "item"):
            value = value.item()
        return value if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise TypeError(
            f"the value of a label must be a number, a word or a boolean, not {value!r}\n"
            "  help   wrap it in str(..), or label what matters about it"
        ) from error


def _hashed(what: object, known: int | None) -> int:
    hasher = hashlib.blake2b(repr(known).encode(), digest_size=8)
    if isinstance(what, str):
        hasher.update(b"s" + what.encode("utf-8", "surrogatepass"))
    elif isinstance(what, (bytes, bytearray)):
        hasher.update(b"b" + bytes(what))
    else:
        try:
            hasher.update(b"p" + pickle.dumps(what, protocol=4))
        except Exception:
            hasher.update(b"r" + repr(what).encode("utf-8", "backslashreplace"))
    return int.from_bytes(hasher.digest(), "little")


Asked = Callable[[BaseException], "tuple[str, str] | None"]


def infrastructure_of(given: object) -> Asked | None:
    """Return what says of an exception which infrastructure failed, and what it said."""
    if given is None:
        return None
    kinds = listed(given)
    wrong = [kind for kind in kinds if not (isinstance(kind, type) and issubclass(kind, BaseException))]
    if wrong or not kinds:
        raise _native.ClaimError(
            "infrastructure must list exception types\n"
            f"  given  {given!r}\n"
            "  help   write infrastructure=(ConnectionError, TimeoutError)"
        )
    broad = [kind for kind in kinds if issubclass(AssertionError, kind)]
    if broad:
        names = ", ".join(kind.__name__ for kind in broad)
        raise _native.ClaimError(
            "infrastructure would treat a failed assertion as a network failure\n"
            f"  given  {names}\n"
            "  help   list the exceptions that prove nothing, such as ConnectionError"
        )
    named = tuple(kinds)

    def unavailable(raised: BaseException) -> tuple[str, str] | None:
        first: BaseException | None = None
        for leaf in _leaves(raised):
            # Of a group that has anything else, the rest may be a violation.
            if not isinstance(leaf, named):
                return None
            first = first or leaf
        if first is None:
            return None
        try:
            message = str(first)
        except Exception:
            message = ""
        name = type(first).__name__
        return name, f"{name}: {message}" if message else name

    return unavailable


def listed(given: object) -> list[Any]:
    """Return the exception types of infrastructure as a list."""
    several = isinstance(given, Iterable) and not isinstance(given, (str, bytes, type))
    return list(given) if several else [given]  # type: ignore[call-overload]


def _leaves(raised: BaseException) -> Iterator[BaseException]:
    """Yield the exceptions of a group, or the one that is none."""
    inner = getattr(raised, "exceptions", None)
    if isinstance(inner, tuple) and inner and type(raised).__name__.endswith("Group"):
        for part in inner:
            yield from _leaves(part)
    else:
        yield raised


class Lost:
    """Collects failures that do not reach the body while it is entered: in threads, and in tasks of asyncio.

    They are passed on to the hooks that were there before.
    """

    def __init__(self) -> None:
        #: What happened, and where; the core takes out what it has read.
        self.failures: list[tuple[str, str | None]] = []
        self._originals: list[tuple[Any, str, Any]] = []
        self._hooks: list[Callable[[Any], None]] = []

    def __enter__(self) -> Lost:
        self._replace(threading, "excepthook", self._hook(threading.excepthook))
        events: Any = sys.modules.get("asyncio.base_events")
        if events is not None:
            handle = events.BaseEventLoop.call_exception_handler

            def call_exception_handler(loop: Any, context: dict[str, Any]) -> None:
                exception = context.get("exception")
                if isinstance(exception, BaseException):
                    self._add(type(exception), exception, exception.__traceback__)
                handle(loop, context)

            self._replace(events.BaseEventLoop, "call_exception_handler", call_exception_handler)
        return self

    @contextlib.contextmanager
    def on_top(self) -> Iterator[None]:
        """Collect also where the hook was replaced meanwhile, as pytest before 8.4 does in each phase."""
        present = threading.excepthook
        if present not in self._hooks:
            threading.excepthook = self._hook(present)
        try:
            yield
        finally:
            threading.excepthook = present

    def _hook(self, before: Callable[[Any], object]) -> Callable[[Any], None]:
        def hook(arguments: Any) -> None:
            # Threads end by SystemExit as they like.
            if arguments.exc_type is not SystemExit:
                self._add(arguments.exc_type, arguments.exc_value, arguments.exc_traceback)
            before(arguments)

        self._hooks.append(hook)
        return hook

    def _replace(self, holder: Any, name: str, ours: Callable[..., None]) -> None:
        self._originals.append((holder, name, getattr(holder, name)))
        setattr(holder, name, ours)

    def __exit__(self, *_: object) -> None:
        while self._originals:
            setattr(*self._originals.pop())

    def _add(self, kind: type[BaseException], value: Any, traceback: TracebackType | None) -> None:
        # The words of a built-in exception only: another one may run code of the program.
        message = kind.__name__
        written: Any = type(value).__str__
        if written in (BaseException.__str__, OSError.__str__, KeyError.__str__):
            message = f"{message}: {value}" if str(value) else message
        place = None
        while traceback is not None:
            if owner(traceback.tb_frame) == PROGRAM:
                place = place_at(traceback.tb_frame, traceback.tb_lineno)
            traceback = traceback.tb_next
        self.failures.append((message, place))
