"""Claims and plans, without running anything: how many executions are enough, and what a given number
proves."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeAlias, TypedDict

from . import _native

#: A float means the decimal it prints as; a string may be a decimal or a fraction.
Probability: TypeAlias = "float | str | Fraction | Decimal"
#: A string such as "30s", a number of seconds, or a timedelta.
Time: TypeAlias = "str | float | timedelta"
#: The options of a test, as the table of options has them.
OPTIONS = [name for name, marker, *_ in _native.options() if marker]


class Options(TypedDict, total=False):
    """The options of a test with their types; None means not given."""

    p: Probability | None
    epsilon: Probability | None
    tolerate: Probability | None
    false_alarm: Probability | None
    outcomes: Iterable[Probability] | str | None
    inputs: int | None
    claim: _native.Claim | None
    jobs: int | str | None
    isolate: bool | None
    batch: int | None
    seed: int | str | None
    max_executions: int | None
    max_time: Time | None
    on_budget: str | None
    max_rejections: int | None
    concurrency: int | None
    threads: bool | None
    infrastructure: type[BaseException] | Iterable[type[BaseException]] | None
    max_unavailable: int | None
    rate: str | None
    max_cost: float | None
    confirm: bool | None
    shrink: bool | None
    shrink_time: Time | None


def whole_number(name: str, given: object, least: int = 1) -> int:
    try:
        number = least - 1 if isinstance(given, (bool, float)) else int(str(given))
    except ValueError:
        number = least - 1
    if not least <= number < 1 << 64:
        shown = f"a number of {given.bit_length()} bits" if isinstance(given, int) else str(given)
        raise _native.ClaimError(
            f"{name} is not a whole number of at least {least}\n"
            f"  given  {shown}\n"
            "  help   write a number such as 1000, or leave it out"
        )
    return number


def given_by(**options: object) -> _native.Given:
    """Return the options that a test sets; None means not given."""
    unknown = [name for name in options if name not in OPTIONS]
    if unknown:
        raise TypeError(
            f"there is no option {', '.join(unknown)}\n"
            f"  given  {', '.join(options)}\n"
            f"  help   {_native.suggestion(unknown, 'options', OPTIONS)}"
        )
    given = _native.Given()
    for name, value in options.items():
        given.set(name, value)
    return given


def mean(
    *,
    between: tuple[float, float],
    margin: float,
    within: tuple[float, float] | None = None,
    above: float | None = None,
    below: float | None = None,
    epsilon: Probability | None = None,
    false_alarm: Probability | None = None,
) -> _native.Claim:
    """Claim that the mean of the returned number is within, above or below something.

    Each execution returns a number between two bounds. A program whose mean is as claimed fails with
    probability at most `false_alarm`, 1e-6 by default; one whose mean is off by `margin` or more passes with
    probability at most `epsilon`, 0.05 by default.

    >>> mean(between=(0, 1), above=0.9, margin=0.05).planned
    2788
    """
    return _native.mean(between, margin, within, above, below, epsilon, false_alarm)


def fit(
    *,
    outcomes: Mapping[Any, Probability],
    distance: float,
    epsilon: Probability | None = None,
    false_alarm: Probability | None = None,
) -> _native.Claim:
    """Claim that each label is returned with its probability.

    A program with exactly these probabilities fails with probability at most `false_alarm`, 1e-6 by default;
    one where some label is off by `distance` or more passes with probability at most `epsilon`, 0.05 by
    default. Labels are compared by their text. If the probabilities sum to less than 1, the rest belongs to
    all other labels together.

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
    return _native.fit(labels, distance, epsilon, false_alarm)


@dataclass(frozen=True)
class Plan:
    """The executions that a claim needs, and how much they prove."""

    #: The smallest number of executions that is enough; with `tolerate`, the most it can take.
    executions: int
    #: The chance of missing after that many executions: below epsilon, or with `tolerate` at most epsilon.
    miss: float
    #: The chance of missing after one execution fewer; epsilon or more.
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
        """Return the chance that a program with this violation rate passes.

        None for a claim about outcomes, whose verdict doesn't depend on the violation rate alone.
        """
        found = _native.at_rate(self._claim, rate)
        return None if found is None else found[0]

    def expected_executions(self, rate: float) -> float | None:
        """Return the expected number of executions for a program with this violation rate.

        >>> found = plan(tolerate=0.001, p=0.01, epsilon=0.05)
        >>> [round(found.expected_executions(rate)) for rate in (0, 0.001, 0.01)]
        [336, 451, 936]
        """
        found = _native.at_rate(self._claim, rate)
        return None if found is None else found[1]


def plan(
    p: Probability | None = None,
    epsilon: Probability | None = None,
    *,
    outcomes: Iterable[Probability] | str | None = None,
    tolerate: Probability | None = None,
    false_alarm: Probability | None = None,
) -> Plan:
    """Return how many executions catch a violation probability of p or more.

    With `tolerate`, a program that violates at most that often passes, except with the chance `false_alarm`.
    Unless you set them, `p` is then ten times `tolerate`, and `false_alarm` is 1e-6.

    >>> plan(p=0.01, epsilon=0.02).executions
    390
    >>> plan(outcomes=["1/6"] * 6, epsilon=0.05).executions
    27
    >>> plan(tolerate=0.001).executions
    2727
    """
    given = given_by(p=p, epsilon=epsilon, outcomes=outcomes, tolerate=tolerate, false_alarm=false_alarm)
    claim = given.claim()
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


def smallest_p(executions: int, epsilon: Probability | None = None) -> float:
    """Return the smallest violation probability that this many executions catch.

    >>> smallest_p(390, epsilon=0.02) <= 0.01 < smallest_p(389, epsilon=0.02)
    True
    """
    return _native.smallest_p(whole_number("executions", executions), epsilon)


def epsilon_attained(executions: int, p: Probability) -> float:
    """Return the chance that this many executions miss a violation probability of p.

    >>> round(epsilon_attained(390, p=0.01), 5)
    0.01985
    """
    return _native.epsilon_attained(whole_number("executions", executions), p)


@dataclass(frozen=True)
class Sensitivity:
    """What it costs to plan for a p that isn't the true one."""

    #: The executions that the true p needs.
    executions: int
    #: The executions planned for the believed p.
    executions_believed: int
    #: How many executions are missing; negative if there are more than needed.
    short: int
    #: The chance of missing the true p with the planned executions.
    miss: float
    #: How far that is above epsilon; negative if it is below.
    added_miss: float


def sensitivity(p: Probability, believed: Probability, epsilon: Probability | None = None) -> Sensitivity:
    """Return what it costs to plan for a p that isn't the true one.

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
    return _native.interval(
        whole_number("violations", violations, 0), whole_number("executions", executions), confidence
    )
