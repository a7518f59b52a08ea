"""`probtest.estimate`: the violation rate of a callable, as precisely as is asked for."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from . import _native, timing
from .budgets import Limits
from .checking import Told, origin
from .planning import limit, real
from .surrounding import guarded


class Estimate(Told):
    """What is known about a violation rate. Prints as the report; its repr is a sentence."""

    def __init__(self, estimation: _native.Estimation) -> None:
        self._session = estimation
        facts = self.to_dict()
        claim, rate = facts["claim"], facts["rate"]
        #: The share of executions that violated, or None without any.
        self.rate: float | None = rate["seen"]
        #: The lowest and the highest rate that fit.
        self.low: float = rate["low"]
        self.high: float = rate["high"]
        #: The width and the confidence that were asked for.
        self.width: float = claim["width"]
        self.confidence: float = claim["confidence"]
        #: Executions that count, that violated; attempts that were rejected.
        self.executed: int = facts["executed"]
        self.violated: int = facts["violated"]
        self.rejected: int = facts["rejected"]
        #: The executions that Hoeffding's inequality asks for beforehand.
        self.hoeffding: int = facts["hoeffding"]
        #: Whether the interval is as narrow as was asked for.
        self.finished: bool = facts["verdict"] == "estimated"
        #: The run seed, and the first execution under it that violated, or None.
        self.seed: int = int(facts["seed"], 16)
        self.index: int | None = facts["index"]
        #: What else the reader should know, in sentences.
        self.notes: list[str] = [note["words"] for note in facts["notes"]]

    @property
    def interval(self) -> tuple[float, float]:
        """The lowest and the highest rate that fit."""
        return self.low, self.high

    def __str__(self) -> str:
        return (self._session.text or "").rstrip()

    def __repr__(self) -> str:
        return f"<{self._session.summary}>"


def estimate(
    body: Callable[[], object],
    *,
    width: float,
    confidence: float = 0.95,
    seed: int | str | None = None,
    name: str | None = None,
    max_executions: int | None = None,
    max_time: timing.Time | None = None,
    max_rejections: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Estimate:
    """Execute a callable until its violation rate is known to within `width`.

    The callable asserts, or returns a bool, as for `check`; violations do not end
    it. The interval is valid although the executions end when it is narrow
    enough. Ctrl-C, or `max_time` such as "30s", ends it with the interval so far.

    >>> import random
    >>> found = estimate(lambda: random.random() < 0.99, width=0.1, seed=7)
    >>> found.finished, found.high - found.low <= 0.1, found.executed < found.hoeffding
    (True, True, True)
    """
    if not callable(body):
        raise TypeError(f"estimate needs a callable that asserts or returns a bool, not {body!r}")
    max_executions = limit("max_executions", max_executions)
    max_rejections = limit("max_rejections", max_rejections)
    name, number = origin(body, name, seed)
    estimation = _native.Estimation(
        real("width", width), real("confidence", confidence), max_executions, max_rejections
    )
    if max_time is not None:
        times = Limits(timing.nanoseconds(max_time)).times()
        estimation.budget(times=times, clock=timing.clock)
    # The streams are those of any test; its claim does not matter.
    session = _native.Session(_native.detect("1/2", "1/2"), name, number)
    with guarded(progress, estimation.most) as (around, guard):
        # What is known when somebody stops it is an answer, and says so.
        with contextlib.suppress(KeyboardInterrupt):
            estimation.execute(session, body, around)
        estimation.annotate(
            replay=f"probtest.replay(.., {number:#x}, {estimation.index}, name={name!r})",
            rerun=f"probtest.estimate(.., width={width}, confidence={confidence}, seed={number:#x}, "
            f"max_executions={estimation.executed}, name={name!r})",
            reseeds=guard.reseeds,
            copies=guard.copies,
        )
    if session.odd_return is not None:
        raise TypeError(f"the body returned {session.odd_return}; it must assert, or return a bool")
    return Estimate(estimation)
