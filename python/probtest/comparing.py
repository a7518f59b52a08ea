"""`probtest.compare`: an old and a new version on the same seeds."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from . import _native
from .checking import Note, Result, check, name_of
from .inputs import Both, written
from .planning import Probability


def compare(
    old: Callable[[], object],
    new: Callable[[], object],
    *,
    p_change: Probability | None = None,
    change: float | None = None,
    between: tuple[float, float] | None = None,
    worse: str | None = None,
    epsilon: Probability | None = None,
    false_alarm: Probability | None = None,
    name: str | None = None,
    progress: Callable[[int, int], object] | None = None,
    raises: bool = True,
    **options: Any,
) -> Result:
    """Execute an old and a new version on the same seeds until it is known whether the new one is worse.

    Both assert, or return a bool. A new version that violates as often as the old one, or less, is called
    worse with probability at most `false_alarm`, 0.01 by default; one that violates more often by
    `p_change` or more passes with probability at most `epsilon`, 0.05 by default. For the mean of a
    number that both return give `change`, `between` and `worse`, which is "higher" or "lower", instead
    of `p_change`. The other options are those of `check`. Two versions with the same `@given` have the same
    input in each execution.

    A coin of each execution decides which of the two is called first, so that what one leaves behind
    makes neither worse. Versions whose results do not depend on their seed are compared as independent
    samples, which takes more pairs; the report says so.

    >>> import random
    >>> found = compare(lambda: random.random() > 0.01, lambda: random.random() > 0.01, p_change=0.1, seed=7)
    >>> found.change.answer, found.executed
    ('not_worse', 36)
    """
    if p_change is not None and (change, between, worse) == (None, None, None):
        claim = _native.compare(p_change, epsilon, false_alarm)
    elif p_change is None and change is not None and between is not None and worse is not None:
        claim = _native.compare_means(change, between, worse, epsilon, false_alarm)
    else:
        said = {"p_change": p_change, "change": change, "between": between, "worse": worse}
        given = [f"{key}={value!r}" for key, value in said.items() if value is not None]
        raise _native.ClaimError(
            "the comparison does not say which change to catch\n"
            f"  given  {', '.join(given) or 'nothing'}\n"
            "  help   give p_change for violations, such as 0.01; or change, between and worse for the mean "
            "of a number"
        )
    for which, version in (("old", old), ("new", new)):
        _refuse_unfit(which, version)
    if name is None:
        name = f"{name_of(old)} --- {name_of(new)}"
    result = check(Both(old, new), claim=claim, name=name, progress=progress, raises=raises, **options)
    if any(getattr(version, "hypothesis_explicit_examples", ()) for version in (old, new)):
        result.notes.append(Note("explicit_examples", "explicit examples do not run in a comparison"))
    return result


def _refuse_unfit(which: str, version: Any) -> None:
    if not callable(version):
        raise TypeError(f"compare needs two callables, but the {which} one is {version!r}")
    if inspect.iscoroutinefunction(written(version)):
        raise TypeError(
            f"compare calls plain functions, but the {which} one is async\n"
            f"  given  {version!r}\n"
            "  help   write lambda: asyncio.run(version())"
        )
