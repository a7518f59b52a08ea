"""`probtest.check`: the same outside pytest, for notebooks and scripts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from . import _native
from .batching import in_batches
from .budgets import WITHIN_BUDGET, Limits, word
from .planning import Probability, claim_of, limit, whole
from .seeding import Sources
from .surrounding import Surroundings, guarded
from .timing import Time, nanoseconds

if TYPE_CHECKING:
    from .numeric import NumericResult


class Told:
    """What can be asked of what has a report. Prints as the report."""

    _session: Any

    def __str__(self) -> str:
        return (self._session.section or "").rstrip()

    def __repr__(self) -> str:
        return f"<probtest result: {self._session.summary}>"

    def to_dict(self) -> dict[str, Any]:
        """Return the facts in the versioned JSON form."""
        found: dict[str, Any] = json.loads(self._session.json or "{}")
        return found


class CheckResult(Told):
    """What the executions of a check came to. Prints as the report."""

    def __init__(self, session: _native.Session) -> None:
        self._session = session
        counts = session.counts
        assert counts is not None
        #: Executions that count, that passed, that violated; attempts that were rejected.
        self.executed, self.succeeded, self.violated, self.rejected, self.not_executed = counts
        #: "passed", "violated", "inconclusive" or "passed_within_budget".
        self.verdict: str = session.verdict or "inconclusive"
        #: Whether the plan was executed to its end and the claim holds.
        self.passed: bool = self.verdict == "passed"
        #: Whether the test passed, or a limit ended first and `on_budget="pass"` accepts that.
        self.accepted: bool = self.passed or self.verdict == WITHIN_BUDGET
        #: The executions that the claim needs.
        self.planned: int = session.planned
        #: The run seed, and the deciding execution under it, or None.
        self.seed: int = session.seed
        self.index: int | None = session.violating_index
        #: The exception of the deciding execution, or of a batch that could not be carried out, or None.
        self.exception: BaseException | None = session.exception if is_deciding(session) else None
        #: With `tolerate`: the violation rates that fit, with confidence 0.95; otherwise None.
        self.rate_interval: tuple[float, float] | None = _interval(self.to_dict())
        #: What else the reader should know, in sentences.
        self.notes: list[str] = session.notes

    def __bool__(self) -> bool:
        return self.accepted


def is_deciding(session: _native.Session) -> bool:
    """Say whether the exception of a session is the one that its verdict comes from.

    With a tolerated rate it may be that of a violation that decided nothing.
    """
    reason = json.loads(session.json or "{}").get("reason") or {}
    return session.verdict == "violated" or reason.get("kind") == "broken"


def _interval(facts: dict[str, Any]) -> tuple[float, float] | None:
    rate = facts.get("rate")
    return None if rate is None else (rate["low"], rate["high"])


class Violated(AssertionError):
    """The claim does not hold; `result` has the facts, `__cause__` the exception."""

    def __init__(self, result: CheckResult | NumericResult) -> None:
        super().__init__(str(result))
        self.result = result


class Inconclusive(RuntimeError):
    """The plan was not executed to its end; `result` has the facts."""

    def __init__(self, result: CheckResult | NumericResult) -> None:
        super().__init__(str(result))
        self.result = result


def check(
    body: Callable[[], object],
    *,
    p: Probability | None = None,
    epsilon: Probability | None = None,
    outcomes: Iterable[Probability] | str | None = None,
    tolerate: Probability | None = None,
    false_alarm: Probability | None = None,
    seed: int | str | None = None,
    name: str | None = None,
    max_executions: int | None = None,
    max_time: Time | None = None,
    on_budget: str | None = None,
    max_rejections: int | None = None,
    batch: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    raises: bool = True,
) -> CheckResult:
    """Execute a callable as often as the claim needs.

    The callable asserts, or returns a bool; with `outcomes` it may return the
    number of the outcome it has shown. With `batch=1000` one call makes 1000
    executions, and returns an array with a truth, or an outcome, for each. With
    `tolerate` the test passes although some executions violate, unless they are
    too many. `random` and the global generators of NumPy and torch are seeded
    for each execution, or batch, and put back afterwards.

    >>> import random
    >>> result = check(lambda: random.random() < 1, p=0.01, epsilon=0.02)
    >>> result.passed, result.executed
    (True, 390)
    """
    if not callable(body):
        raise TypeError(f"check needs a callable that asserts or returns a bool, not {body!r}")
    claim = claim_of(p, epsilon, outcomes, tolerate, false_alarm)
    name, number = origin(body, name, seed)
    max_executions = limit("max_executions", max_executions)
    max_rejections = limit("max_rejections", max_rejections)
    batch = limit("batch", batch)
    session = _native.Session(claim, name, number, max_executions, max_rejections, batch)
    budget = Limits(
        None if max_time is None else nanoseconds(max_time),
        on_budget=None if on_budget is None else word(on_budget),
    )
    budget.apply(session)
    read = body if batch is None else in_batches(body, batch, outcomes is not None)
    with guarded(progress, session.planned) as (around, guard):
        session.execute(read, around)
        again = _again(session, number, name, batch)
        session.annotate(replay=again, reseeds=guard.reseeds, copies=guard.copies)
    _refuse_odd_return(session)
    result = CheckResult(session)
    if raises:
        # An exception of a batch is why it could not be carried out; a single one was tolerated.
        raise_if_not_passed(result, undecided_by=None if batch is None else session.exception)
    return result


def replay(
    body: Callable[[], object],
    seed: int | str,
    index: int,
    *,
    name: str | None = None,
    batch: int | None = None,
) -> object:
    """Execute one execution of a check again, alone, and return what it returned.

    An exception leaves as it is.

    The name must be that of the check, since the numbers are derived from it; by
    default both take it from the callable. An execution of a batch is executed with
    its whole batch, whose size must be that of the check.
    """
    name = name if name is not None else _name_of(body)
    number, index, batch = _read_seed(seed), whole("index", index), limit("batch", batch)
    # The plan does not matter for one execution. Whether outcomes are listed is not known
    # here: numbers are read either way.
    session = _native.Session(_native.cover("1/2, 1/2", "1/2"), name, number, batch=batch)
    sources = Sources()
    returned: object = None

    def kept() -> object:
        __tracebackhide__ = True
        nonlocal returned
        returned = body()
        return returned

    read = kept if batch is None else in_batches(kept, batch, outcomes=True)
    try:
        session.choose(number, index)
        verdict = session.execute_one(read, Surroundings(sources.seeders, sources.imported))
    finally:
        sources.restore_all()
    if verdict == "violated":
        if session.exception is not None:
            raise session.exception
        if batch is not None:
            position = (index - 1) % batch
            raise AssertionError(f"entry {position} of the batch, execution {number:#x}:{index}, is False")
        raise AssertionError(f"execution {number:#x}:{index} returned False")
    # A number or a text may be what a claim on returned values is about.
    if verdict == "broken" and session.odd_return is None:
        raise RuntimeError(session.broken) from session.exception
    if verdict == "rejected":
        raise RuntimeError(f"every attempt of execution {number:#x}:{index} was rejected")
    return returned


def raise_if_not_passed(
    result: CheckResult | NumericResult, undecided_by: BaseException | None = None
) -> None:
    """Raise where the claim is violated or was not decided."""
    if result.verdict == "violated":
        raise Violated(result) from result.exception
    if result.verdict == "inconclusive":
        raise Inconclusive(result) from undecided_by


def _refuse_odd_return(session: _native.Session) -> None:
    if session.odd_return is not None:
        raise TypeError(
            f"the body returned {session.odd_return}; it must assert, or return a bool, "
            "or the number of an outcome under `outcomes`"
        )


def origin(body: Callable[[], object], name: str | None, seed: int | str | None) -> tuple[str, int]:
    """Return what the numbers of a callable are derived from: its name, and the run seed."""
    name = name if name is not None else _name_of(body)
    return name, _native.fresh_seed() if seed is None else _read_seed(seed)


def _read_seed(seed: int | str) -> int:
    """Read a seed given as a number or as text."""
    if isinstance(seed, (bool, float)):
        raise _native.ClaimError(
            f"`{seed}` is not a seed\n"
            f"  given  {seed}\n"
            "  help   a seed is a whole number such as 24301 or '0x5eed'"
        )
    return _native.parse_seed(str(seed))


def _again(session: _native.Session, seed: int, name: str, batch: int | None) -> str:
    """Write the call that executes the deciding execution again, or all that time left."""
    more = "" if batch is None else f", batch={batch}"
    if session.cut_by_time:
        return f"probtest.check(.., seed={seed:#x}, max_executions={session.executed}, name={name!r}{more})"
    return f"probtest.replay(.., {seed:#x}, {session.violating_index}, name={name!r}{more})"


def _name_of(body: Callable[[], object]) -> str:
    module = getattr(body, "__module__", None) or "?"
    name = getattr(body, "__qualname__", None) or type(body).__qualname__
    return f"{module}.{name}"
