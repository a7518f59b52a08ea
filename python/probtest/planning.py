"""Plans without executing anything: how many executions, and the inverse questions."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeAlias

from . import _native

#: A float means the decimal it prints as; a text may be a decimal or a fraction.
Probability: TypeAlias = "float | str | Fraction | Decimal"

DEFAULT_EPSILON = "0.05"


def whole(name: str, given: object, least: int = 1) -> int:
    """Read a whole number."""
    try:
        number = least - 1 if isinstance(given, (bool, float)) else int(str(given))
    except ValueError:
        number = least - 1
    if not least <= number < 1 << 64:
        raise _native.ClaimError(
            f"{name} is not a whole number of at least {least}\n"
            f"  given  {shown(given)}\n"
            "  help   write a number such as 1000, or leave it out"
        )
    return number


def limit(name: str, given: object) -> int | None:
    """Read a whole number where one is given."""
    return None if given is None else whole(name, given)


def shown(given: object) -> str:
    """Return what was given as text; Python refuses to write very long numbers."""
    try:
        return str(given)
    except ValueError:
        return f"a number of {given.bit_length()} bits" if isinstance(given, int) else type(given).__name__


def real(name: str, given: Any) -> float:
    """Read a number; a text or a truth is none."""
    try:
        if not isinstance(given, (str, bytes, bytearray, bool)):
            return float(given)
    except (TypeError, ValueError, OverflowError):
        pass
    raise _native.ClaimError(
        f"{name} is not a number\n"
        f"  given  {shown(given) if isinstance(given, int) else repr(given)}\n"
        "  help   write a plain number such as 0.1, not a text"
    )


def smaller(one: int | None, other: int | None) -> int | None:
    """Return the smaller of two limits, where there is one."""
    return min((limit for limit in (one, other) if limit is not None), default=None)


@dataclass(frozen=True)
class Plan:
    """The executions that a claim needs, and what they are worth."""

    #: The least number of executions that is enough; with `tolerate` the most it can take.
    executions: int
    #: The chance of missing after that many; below epsilon.
    miss: float
    #: The chance of missing after one less; epsilon or more.
    miss_before: float
    _text: str = field(repr=False)
    _claim: _native.Claim = field(repr=False, compare=False)
    #: The executions after which a program without a violation passes.
    fewest: int = 0
    #: With `tolerate`: the chance of failing a program at that rate; otherwise None.
    false_alarm: float | None = None

    def __str__(self) -> str:
        return self._text.rstrip()

    def chance_of_passing(self, rate: float) -> float | None:
        """Say how probably a program with this violation rate passes.

        None for a claim on outcomes, whose answer does not depend on a rate alone.
        """
        found = _native.at_rate(self._claim, rate)
        return None if found is None else found[0]

    def expected_executions(self, rate: float) -> float | None:
        """Say how many executions to expect of a program with this violation rate.

        >>> found = plan(tolerate=0.001, p=0.01, epsilon=0.05)
        >>> [round(found.expected_executions(rate)) for rate in (0, 0.001, 0.01)]
        [336, 451, 936]
        """
        found = _native.at_rate(self._claim, rate)
        return None if found is None else found[1]


def claim_of(
    p: Probability | None,
    epsilon: Probability | None,
    outcomes: Iterable[Probability] | str | None,
    tolerate: Probability | None = None,
    false_alarm: Probability | None = None,
) -> _native.Claim:
    """Make a claim of p, of a rate that is tolerated, or of outcomes."""
    epsilon = DEFAULT_EPSILON if epsilon is None else epsilon
    if tolerate is not None or false_alarm is not None:
        return _native.tolerate(tolerate, p, epsilon, false_alarm, outcomes is not None)
    if p is not None and outcomes is not None:
        raise _native.ClaimError(
            "the test gives both p and outcomes\n"
            "  given  p and outcomes\n"
            "  help   keep p to catch violations, or outcomes to see each of them"
        )
    if outcomes is not None:
        if not isinstance(outcomes, Iterable):
            raise _native.ClaimError(
                "outcomes is not a list of probabilities\n"
                f"  given  {shown(outcomes)}\n"
                "  help   write one for each outcome, such as outcomes=[0.5, 0.5]"
            )
        return _native.cover(outcomes, epsilon)
    if p is None:
        raise _native.ClaimError(
            "nothing says which violation probability must not go unnoticed\n"
            "  given  neither p nor outcomes\n"
            "  help   give p=0.01, or outcomes=[..]"
        )
    return _native.detect(p, epsilon)


def plan(
    p: Probability | None = None,
    epsilon: Probability | None = None,
    *,
    outcomes: Iterable[Probability] | str | None = None,
    tolerate: Probability | None = None,
    false_alarm: Probability | None = None,
) -> Plan:
    """Say how many executions catch a violation probability of p or more.

    With `tolerate` they also let a program pass that violates that often; p is
    then ten times as much, and `false_alarm` 1e-6, unless they are given.

    >>> plan(p=0.01, epsilon=0.02).executions
    390
    >>> plan(outcomes=["1/6"] * 6, epsilon=0.05).executions
    27
    >>> plan(tolerate=0.001).executions
    2727
    """
    claim = claim_of(p, epsilon, outcomes, tolerate, false_alarm)
    facts, text = _native.plan(claim)
    found = json.loads(facts)
    return Plan(
        found["executions"],
        found["miss"],
        found["miss_before"],
        text,
        claim,
        found.get("fewest_executions", found["executions"]),
        found.get("false_alarm_attained"),
    )


def smallest_p(executions: int, epsilon: Probability = DEFAULT_EPSILON) -> float:
    """Say which violation probability so many executions catch.

    >>> smallest_p(390, epsilon=0.02) <= 0.01 < smallest_p(389, epsilon=0.02)
    True
    """
    return _native.smallest_p(whole("executions", executions), epsilon)[0]


def epsilon_attained(executions: int, p: Probability) -> float:
    """Say with which chance so many executions miss a violation probability of p.

    >>> round(epsilon_attained(390, p=0.01), 5)
    0.01985
    """
    return _native.epsilon_attained(whole("executions", executions), p)


@dataclass(frozen=True)
class Sensitivity:
    """What it costs to believe in another p than the real one."""

    #: The executions that the real p needs.
    executions: int
    #: The executions planned for the p believed in.
    executions_believed: int
    #: How many are short; negative when there are more than needed.
    short: int
    #: The chance of missing the real p with the executions planned.
    miss: float
    #: How much that is above epsilon.
    added_miss: float


def sensitivity(p: Probability, believed: Probability, epsilon: Probability = DEFAULT_EPSILON) -> Sensitivity:
    """Say what it costs to believe in another p than the real one.

    >>> sensitivity(p=0.01, believed=0.02, epsilon=0.05).short
    150
    """
    return Sensitivity(*_native.sensitivity(p, believed, epsilon))


def interval(violations: int, executions: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return the exact (Clopper-Pearson) confidence interval of a rate.

    >>> low, high = interval(3, 300)
    >>> round(low, 4), round(high, 4)
    (0.0021, 0.0289)
    """
    return _native.interval(whole("violations", violations, 0), whole("executions", executions), confidence)
