"""Claims on what a test returns: the mean of a number, how often each label comes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from typing import Any, cast

from . import _native
from .budgets import Limits
from .checking import Told, origin, raise_if_not_passed
from .planning import DEFAULT_EPSILON, Probability, limit, real
from .surrounding import Surroundings, guarded
from .timing import Time, nanoseconds

#: The chance of failing a program that keeps its claim, when none is given.
DEFAULT_FALSE_ALARM = "1e-6"


def mean(
    *,
    between: tuple[float, float],
    margin: float,
    within: tuple[float, float] | None = None,
    above: float | None = None,
    below: float | None = None,
    epsilon: Probability = DEFAULT_EPSILON,
    false_alarm: Probability = DEFAULT_FALSE_ALARM,
) -> _native.NumericClaim:
    """Claim that the mean of the returned number is within, above or below something.

    Each execution returns a number between two bounds. A program whose mean is as
    wanted fails with probability at most `false_alarm`; one whose mean misses that
    by `margin` or more passes with probability at most `epsilon`.

    >>> mean(between=(0, 1), above=0.9, margin=0.05).planned
    2788
    """
    ways = {"within": within, "above": above, "below": below}
    given = [name for name, value in ways.items() if value is not None]
    if len(given) != 1:
        raise _native.ClaimError(
            "a mean has exactly one of within, above and below\n"
            f"  given  {', '.join(given) or 'none of them'}\n"
            "  help   write within=(low, high) for both"
        )
    bounds: tuple[float | None, float | None]
    if within is not None:
        bounds = _pair("within", within)
    else:
        bounds = (
            None if above is None else real("above", above),
            None if below is None else real("below", below),
        )
    return _native.mean(_pair("between", between), bounds, real("margin", margin), epsilon, false_alarm)


def fit(
    *,
    outcomes: Mapping[Any, Probability],
    distance: float,
    epsilon: Probability = DEFAULT_EPSILON,
    false_alarm: Probability = DEFAULT_FALSE_ALARM,
) -> _native.NumericClaim:
    """Claim that each returned label comes with its probability.

    A program with exactly these probabilities fails with probability at most
    `false_alarm`; one where some label is off by `distance` or more passes with
    probability at most `epsilon`. Labels are compared by their text. What the
    probabilities leave belongs to all other labels together.

    >>> fit(outcomes={"heads": 0.5, "tails": 0.5}, distance=0.1).planned
    1723
    """
    if not isinstance(outcomes, Mapping):
        raise _native.ClaimError(
            "the outcomes of a fit are labels with their probabilities\n"
            f"  given  {outcomes!r}\n"
            "  help   write outcomes={'heads': 0.5, 'tails': 0.5}"
        )
    labels = [(str(label), p) for label, p in outcomes.items()]
    return _native.fit(labels, real("distance", distance), epsilon, false_alarm)


def _pair(name: str, given: object) -> tuple[float, float]:
    try:
        # A set has no order, and a text is no pair although it can be taken apart.
        if isinstance(given, (str, bytes, Set)):
            raise TypeError
        low, high = cast("tuple[float, float]", given)
        return real(name, low), real(name, high)
    except (TypeError, ValueError):
        raise _native.ClaimError(
            f"{name} is not a pair of numbers\n"
            f"  given  {given!r}\n"
            f"  help   write the lower and the higher one, such as {name}=(0, 1)"
        ) from None


#: What the one that decides is asked for, instead of the session with its streams.
_OF_DECISION = frozenset(name for name in dir(_native.NumericTest) if not name.startswith("_"))


class NumericSession:
    """One test of a numeric claim, with the face of a `_native.Session`."""

    def __init__(
        self,
        session: _native.Session,
        claim: _native.NumericClaim,
        max_executions: int | None = None,
        max_rejections: int | None = None,
    ) -> None:
        self._session = session
        #: Decides; limits of time and the suite's parts are told to it.
        self.test = _native.NumericTest(claim, max_executions, max_rejections)
        #: What the execution that was executed alone has returned.
        self.returned: object = None

    def __getattr__(self, name: str) -> Any:
        # Streams, the execution under way and its exception are those of any test.
        return getattr(self.test if name in _OF_DECISION else self._session, name)

    def execute(self, body: Callable[[], object], around: Surroundings) -> None:
        self.test.execute(self._session, body, around)

    def execute_one(self, body: Callable[[], object], around: Surroundings) -> str:
        def keeping() -> object:
            __tracebackhide__ = True
            self.returned = body()
            return self.returned

        return self.test.execute_one(self._session, keeping, around)

    def mended(self, addresses: object) -> None:
        """Remember nothing: no single execution speaks against a mean."""


def as_session(session: NumericSession) -> _native.Session:
    """Say to the type checker what `NumericSession` is made for."""
    return cast(_native.Session, session)


class NumericResult(Told):
    """What the executions came to. Prints as the report."""

    def __init__(self, session: NumericSession) -> None:
        self._session = session
        facts = self.to_dict()
        #: "passed", "violated" or "inconclusive".
        self.verdict: str = facts["verdict"]
        #: Whether the claim was kept.
        self.passed: bool = self.verdict == "passed"
        counts = session.counts
        assert counts is not None
        #: Executions that count, that returned, that violated; attempts that were rejected.
        self.executed, self.succeeded, self.violated, self.rejected, self.not_executed = counts
        #: The most executions that a decision takes.
        self.planned: int = session.planned
        #: What was returned: mean, low, high; or the counts of the labels.
        self.observed: dict[str, Any] = facts["observed"]
        #: The run seed, and the execution to look at under it, or None.
        self.seed: int = int(facts["seed"], 16)
        self.index: int | None = facts["index"]
        #: The exception of an execution that violated an assertion, or None.
        self.exception: BaseException | None = session.exception
        #: What else the reader should know, in sentences.
        self.notes: list[str] = [note["words"] for note in facts["notes"]]

    def __bool__(self) -> bool:
        return self.passed


def check_returned(
    body: Callable[[], object],
    claim: _native.NumericClaim,
    *,
    seed: int | str | None = None,
    name: str | None = None,
    max_executions: int | None = None,
    max_time: Time | None = None,
    max_rejections: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    raises: bool = True,
) -> NumericResult:
    """Execute a callable until a claim on what it returns is decided.

    When `max_time`, such as "30s", is over before that, the result is inconclusive and
    says what is known by then.

    >>> import random
    >>> claim = mean(between=(0, 1), within=(0.45, 0.55), margin=0.1)
    >>> check_returned(random.random, claim, seed=7).passed
    True
    """
    if not callable(body):
        raise TypeError(f"check_returned needs a callable that returns a number or a label, not {body!r}")
    if not isinstance(claim, _native.NumericClaim):
        raise TypeError(f"check_returned needs a claim made by probtest.mean or probtest.fit, not {claim!r}")
    max_executions = limit("max_executions", max_executions)
    max_rejections = limit("max_rejections", max_rejections)
    name, number = origin(body, name, seed)
    inner = _native.Session(_native.detect("1/2", "1/2"), name, number)
    session = NumericSession(inner, claim, max_executions, max_rejections)
    Limits(None if max_time is None else nanoseconds(max_time)).apply(session.test)
    with guarded(progress, session.planned) as (around, guard):
        session.execute(body, around)
        again = _again(session, number, name)
        session.annotate(replay=again, reseeds=guard.reseeds, copies=guard.copies)
    result = NumericResult(session)
    if raises:
        raise_if_not_passed(result)
    return result


def _again(session: NumericSession, seed: int, name: str) -> str:
    """Write the call that shows the execution to look at, or repeats all that time left."""
    if session.cut_by_time:
        most = session.executed
        return f"probtest.check_returned(.., seed={seed:#x}, max_executions={most}, name={name!r})"
    if session.address is None:
        return f"probtest.check_returned(.., seed={seed:#x}, name={name!r})"
    return f"probtest.replay(.., {seed:#x}, {session.address[1]}, name={name!r})"
