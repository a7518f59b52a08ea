"""Tests outside pytest, for notebooks and scripts: `check`, `estimate`, `compare` and `replay`."""

from __future__ import annotations

import contextlib
import inspect
import json
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, overload

from . import _native
from .batches import in_batches
from .engines import elsewhere, lost_words
from .guard import Guard
from .inputs import INPUTS, Inputs, Unmade, VersionPair, input_lines, one_example, opened, rejecting, written
from .planning import Options, Probability, given_by, whole_number
from .saying import RNG, Lender, Lost, infrastructure_of, leave_by
from .sources import LEAVING, REJECTING, Sources, Surroundings
from .tapes import LONGEST_TAPE, Tapes

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .waiting import Prepared, Tasks, Threads


def assume(condition: object) -> None:
    """Reject this execution unless the condition holds.

    A rejected execution doesn't count and is retried. If too many are rejected, the test fails and reports
    the counts.
    """
    if not condition:
        rejected = _native.Rejected("probtest.assume: the execution is not applicable")
        leave_by(rejected)
        raise rejected


def probtest(test: Any = None, /, **options: Any) -> Any:
    """Mark a test function or a class like `pytest.mark.probtest`, but fail if the plugin isn't loaded.

    If pytest doesn't load the plugin, the marker alone has no effect: the test would run once and pass. This
    decorator also requests a fixture that only the plugin has.
    """
    import pytest

    def mark(test: Any) -> Any:
        marked = pytest.mark.probtest.with_args(**options)(test)
        return pytest.mark.usefixtures("probtest_plugin_is_active")(marked)

    return mark if test is None else mark(test)


@dataclass(frozen=True)
class Rate:
    """A violation rate."""

    #: The share of executions that violated.
    seen: float | None
    #: The lowest and the highest rate that fit the data, and the probability, at least, that this interval
    #: contains the true rate.
    low: float
    high: float
    confidence: float


@dataclass(frozen=True)
class Note:
    """Something else you should know: `kind` is for programs to read, `words` is a sentence for people."""

    kind: str
    words: str

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True)
class Story:
    """The smallest execution found that shows the same violation, and the draws that decide it."""

    #: How many numbers the original execution drew, how many the small one draws, and how many of those
    #: aren't zero.
    draws: int
    small: int
    matter: int
    #: The draws of the small execution, for `replay`.
    tape: str
    #: Whether replaying the recorded draws shows the violation.
    holds: bool
    #: Why the draws weren't recorded, if that is known.
    unseen: str | None
    #: Whether shrinking finished: nothing more can be removed. If false, time ran out.
    complete: bool
    #: How many executions shrinking took.
    executions: int
    #: A sentence that sums up the result, and the draws that matter, one line each.
    words: str
    lines: list[str]
    #: The same draws for programs: dicts with `first`, `times`, `call`, `gave`, `share`, `place`.
    rows: list[dict[str, Any]]
    #: How often the original execution passes when some of its draws are replaced by new ones.
    deciders: list[dict[str, Any]]
    #: A line you can copy to run the small execution.
    replay: str | None
    #: The inputs of the small execution, as dicts with `name` and `text`, and whether they are smaller than
    #: those of the original execution.
    inputs: list[dict[str, str]] = field(default_factory=list)
    smaller_inputs: bool = False

    def __str__(self) -> str:
        return "\n".join([self.words, *self.lines])


@dataclass(frozen=True)
class Level:
    """The violation rate of one version, or the mean of its numbers."""

    #: The observed rate or mean.
    mean: float
    #: The lowest and the highest rate that fit the data, with confidence 0.95; None for numbers.
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Change:
    """How an old and a new version compare on the same seeds."""

    #: The answer so far: "worse", "not_worse", "better" or "undecided".
    answer: str
    old: Level
    new: Level
    #: The pairs in which the new version was worse, and better.
    worse: int
    better: int
    #: How much worse the new version was on average, negative if it was better; the lowest and the highest
    #: change that fit the data, and the probability, at least, that this interval contains the true change.
    by: float
    low: float
    high: float
    confidence: float


class Result:
    """The result of a check. Prints as the report.

    The names are those of the JSON form, except that `passed` is a bool: the number of executions that passed
    is `to_dict()["passed"]`.
    """

    def __init__(self, report: _native.Report) -> None:
        self._report = report
        facts = self.to_dict()
        #: "passed", "violated", "inconclusive", "passed_within_budget" or "estimated".
        self.verdict: str = facts["verdict"]
        #: Whether the claim was kept.
        self.passed: bool = self.verdict == "passed"
        #: Whether the test passed, finished its estimate, or hit a limit first and accepts that
        #: (`on_budget="pass"`).
        self.accepted: bool = report.accepted
        #: The most executions that the claim needs.
        self.planned: int = facts["planned"]
        #: Executions that count, and how many of them violated; attempts that were rejected; planned
        #: executions that didn't run.
        self.executed: int = facts["executed"]
        self.violated: int = facts["violated"]
        self.rejected: int = facts["rejected"]
        self.not_executed: int = facts["not_executed"]
        #: With `tolerate` and for an estimate: the violation rate; otherwise None.
        self.rate: Rate | None = None if facts["rate"] is None else Rate(**facts["rate"])
        #: What was returned, if the claim is about that: mean, low, high; or the counts of the labels.
        self.observed: dict[str, Any] | None = facts["observed"]
        #: For two versions: the answer ("worse", "not_worse", "better" or "undecided"), and by how much.
        self.change: Change | None = None
        change = (self.observed or {}).get("change")
        if change is not None:
            levels = {"old": Level(**change["old"]), "new": Level(**change["new"])}
            self.change = Change(**change | levels)
        #: For an estimate: the executions that Hoeffding's inequality would require in advance.
        self.hoeffding: int | None = facts.get("hoeffding")
        #: The run seed, and the index of the execution to look at, or None.
        self.seed: int = report.seed
        self.index: int | None = facts["index"]
        #: The exception that led to the verdict, or None.
        self.exception: BaseException | None = report.exception
        if report.exception is None and (facts["finding"] or {}).get("details") is not None:
            self.exception = Elsewhere(elsewhere(facts["finding"]))
        #: The smallest execution found that shows the same violation, or None.
        self.story: Story | None = Story(**facts["story"]) if facts.get("story") else None
        #: The labels that executions reported: dicts with `name`, `shares`, `words` and more.
        self.labels: list[dict[str, Any]] = facts["labels"]
        #: What was unusual about the execution that violated, or what sets violations apart from passes.
        self.unusual: list[str] = facts["unusual"]
        drawn = facts.get("inputs", []) if self.story is None else self.story.inputs
        #: The input of the violation, as small as it gets, with one line for each value; None without an
        #: input.
        self.input: list[str] | None = input_lines([(it["name"], it["text"]) for it in drawn]) or None
        #: What else you should know.
        self.notes: list[Note] = [Note(**note) for note in facts["notes"]]
        #: Why the executions may prove less than they seem to.
        self.doubts: list[Note] = [Note(doubt["kind"], doubt["words"]) for doubt in facts["doubts"]]

    def __bool__(self) -> bool:
        return self.accepted

    def __str__(self) -> str:
        return self._report.section.rstrip()

    def __repr__(self) -> str:
        return f"<{self._report.summary}>"

    def to_dict(self) -> dict[str, Any]:
        """Return the facts in the versioned JSON form."""
        found: dict[str, Any] = json.loads(self._report.json)
        return found


class Elsewhere(Exception):
    """Stands for an exception in another process: its message, and what that process wrote."""


class Violated(AssertionError):
    """There is evidence against the claim; `result` has the facts, `__cause__` the exception."""

    def __init__(self, result: Result) -> None:
        super().__init__(str(result))
        self.result = result


class Inconclusive(RuntimeError):
    """The claim wasn't decided; `result` has the facts."""

    def __init__(self, result: Result) -> None:
        super().__init__(str(result))
        self.result = result


class InDoubt(UserWarning):
    """A check passed, but its executions may prove less than they seem to."""


class Body:
    """A callable that runs outside pytest, with what surrounds its executions."""

    def __init__(
        self,
        call: Callable[[], object],
        run: _native.TestRun,
        outcomes: bool,
        unavailable: Callable[[BaseException], tuple[str, str] | None] | None = None,
    ) -> None:
        self._batch, self._outcomes = run.batch, outcomes
        self.inputs = Inputs(run)
        #: What an execution calls; a test of Hypothesis has one example for each.
        self.call = one_example(call, self.inputs, run.batch)
        self.sources = Sources()
        self.guard = Guard(self.sources, run.most, self.inputs)
        self.lender = Lender(run, self.guard.lend)
        self._lost = Lost()
        self.around = Surroundings(
            self.sources.seeders,
            self.sources.imported,
            rejecting=(*REJECTING, *rejecting()),
            leaving=(*LEAVING, Unmade),
            lost=self._lost.failures,
            unavailable=unavailable,
            inputs=self.inputs,
        )

    def look(self) -> None:
        """Look at executions, for doubts."""
        self.around.probe, self.around.doubts = self.guard.probe, self.guard.doubts

    def read(self, call: Callable[[], object]) -> Callable[[], object]:
        """Return a callable whose result is what the core reads."""
        return call if self._batch is None else in_batches(call, self._batch, self._outcomes)

    @contextlib.contextmanager
    def entered(self) -> Iterator[None]:
        """Let executions draw, and put every generator back afterwards."""
        token = RNG.set(self.lender)
        try:
            with self._lost, opened(self.inputs):
                yield
        finally:
            RNG.reset(token)
            self.sources.restore_all()


def check(
    body: Callable[[], object],
    *,
    name: str | None = None,
    progress: Callable[[int, int], object] | None = None,
    raises: bool = True,
    executor: object = None,
    **options: Unpack[Options],
) -> Result:
    """Run a callable as often as the claim needs.

    The options are those of the marker; `docs/reference/options.md` lists them. The callable asserts, or
    returns a bool; with `outcomes` it may return the number of the outcome that occurred, from 0. With
    `tolerate` the test passes even if some executions violate, unless there are too many. A `claim` made by
    `mean` or `fit` is about the number or the label that each execution returns; one made by `estimate`
    measures the violation rate. With `batch=1000` one call runs 1000 executions, and returns an array with a
    boolean, or an outcome, for each.

    With an `executor` the executions run elsewhere: "dask:tcp://host:port", "dask:local", "ray:auto",
    "ray:local", a Dask client, or any `concurrent.futures.Executor`. Its workers find the callable by its
    module and its name.

    `random` and the global generators of NumPy and torch are seeded for each execution, or batch, and
    restored afterwards. A pass in doubt raises the warning `InDoubt`; Python's `-W
    error::probtest.InDoubt` makes it an error.

    >>> import random, probtest
    >>> result = check(lambda: random.random() < 1, p=0.01, epsilon=0.02)
    >>> result.passed, result.executed
    (True, 390)
    >>> claim = probtest.mean(between=(0, 1), within=(0.45, 0.55), margin=0.1)
    >>> check(random.random, claim=claim, seed=7).passed
    True
    """
    if not callable(body):
        raise TypeError(f"check needs a callable, not {body!r}")
    given = given_by(**options)
    if executor is not None:
        given.set("executor", repr(executor))
    unavailable = infrastructure_of(options.get("infrastructure"))
    name = name_of(body) if name is None else name
    run = _native.TestRun(given, name)
    _refuse_unfit(body, given)
    made = Body(body, run, run.claim.outcomes is not None, unavailable)
    around, inputs, sources, guard = made.around, made.inputs, made.sources, made.guard
    called = made.read(made.call)
    if given.concurrency is None:
        made.look()
        # Variations of a body that may end its process are not tried in this one.
        around.tapes = None if given.isolate or run.claim.kind == "compare" else Tapes(sources)
    else:
        around.at_once = _at_once(made.call, run, sources, given.concurrency, inputs)
        around.concurrency = given.concurrency
    if progress is not None:
        around.tick = lambda executed: progress(executed, run.most)
    if executor is not None:
        from .engines import addresses, clusters

        address = addresses.of_body(body, name, run, options.get("infrastructure"))
        around.engine = clusters.engine_for(executor, address, given.jobs, given.isolate)
    elif given.concurrency is None:
        from .engines import forked

        jobs = 1 if given.jobs is None else given.jobs or forked.cores()
        around.engine = forked.engine(jobs, given.isolate, run=run, body=called, around=around)
    # An estimate that is interrupted still has an answer, and says so.
    stopping = (KeyboardInterrupt,) if run.claim.kind == "estimate" else ()

    def once(seed: int) -> object:
        made.lender.renew()
        sources.seed(seed)
        return called()

    if around.tapes is not None:
        inputs.shrinking = once, around.tapes.kind_of, LEAVING
    with contextlib.suppress(*stopping), made.entered():
        failed = inputs.examples(once, name, around) if given.concurrency is None else None
        if failed is not None:
            raise failed.exception
        run.execute(called, around)
    report = run.report
    assert report is not None
    unseeded = guard.unseeded() if report.confirmed is False else []
    report.annotate(**_lines(report, name, run.batch, run.current[0].inputs), sources=unseeded)
    if run.odd_return is not None:
        raise TypeError(
            f"the body returned {run.odd_return}; it must assert, or return a bool, "
            "or the number of an outcome under `outcomes`"
        )
    result = Result(report)
    result.notes += [Note("lost_processes", words) for words in lost_words(run.lost_ranges)]
    if raises and result.verdict == "violated":
        raise Violated(result) from result.exception
    if raises and result.verdict == "inconclusive" and not stopping:
        raise Inconclusive(result) from result.exception
    if raises and result.accepted and result.doubts:
        words = "; ".join(doubt.words for doubt in result.doubts)
        warnings.warn(InDoubt(f"{name} passed in doubt: {words}"), stacklevel=2)
    return result


@overload
def estimate(*, width: float, confidence: float | None = None) -> _native.Claim: ...


@overload
def estimate(
    body: Callable[[], object], *, width: float, confidence: float | None = None, **options: Any
) -> Result: ...


def estimate(
    body: Callable[[], object] | None = None, *, width: float, confidence: float | None = None, **options: Any
) -> Result | _native.Claim:
    """Run a callable until its violation rate is known to within `width`.

    The callable asserts, or returns a bool, and the options are those of `check`; violations don't end the
    estimate. The interval is valid even though the executions end when it is narrow enough, and contains the
    true rate with probability at least `confidence`, 0.95 by default. Ctrl-C, or `max_time` such as "30s",
    ends it with the interval so far. Without a callable, return the claim, for `check` or the marker.

    >>> import random
    >>> found = estimate(lambda: random.random() < 0.99, width=0.1, seed=7)
    >>> found.verdict, found.rate.high - found.rate.low <= 0.1, found.executed < found.hoeffding
    ('estimated', True, True)
    """
    claim = _native.estimate(width, confidence)
    if body is None and not options:
        return claim
    return check(body, claim=claim, **options)  # type: ignore[arg-type]


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
    """Run an old and a new version on the same seeds until it is clear whether the new one is worse.

    Both assert, or return a bool. A new version that violates as often as the old one, or less often, is
    called worse with probability at most `false_alarm`, 0.01 by default; one that violates more often by
    `p_change` or more passes with probability at most `epsilon`, 0.05 by default. To compare the mean of a
    number that both return, pass `change`, `between` and `worse`, which is "higher" or "lower", instead of
    `p_change`. The other options are those of `check`. Two versions with the same `@given` get the same input
    in each execution.

    In each execution a coin toss decides which of the two is called first, so that whatever one of them
    leaves behind doesn't make the other look worse. Versions whose results don't depend on their seed are
    compared as independent samples, which takes more pairs; the report says so.

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
        known = {"p_change": p_change, "change": change, "between": between, "worse": worse}
        given = [f"{key}={value!r}" for key, value in known.items() if value is not None]
        raise _native.ClaimError(
            "the comparison does not say which change to catch\n"
            f"  given  {', '.join(given) or 'nothing'}\n"
            "  help   give p_change for violations, such as 0.01; or change, between and worse for the mean "
            "of a number"
        )
    for which, version in (("old", old), ("new", new)):
        if not callable(version):
            raise TypeError(f"compare needs two callables, but the {which} one is {version!r}")
        if inspect.iscoroutinefunction(written(version)):
            raise TypeError(
                f"compare calls plain functions, but the {which} one is async\n"
                f"  given  {version!r}\n"
                "  help   write lambda: asyncio.run(version())"
            )
    if name is None:
        name = f"{name_of(old)} --- {name_of(new)}"
    result = check(VersionPair(old, new), claim=claim, name=name, progress=progress, raises=raises, **options)
    if any(getattr(version, "hypothesis_explicit_examples", ()) for version in (old, new)):
        result.notes.append(Note("explicit_examples", "explicit examples do not run in a comparison"))
    return result


def replay(
    body: Callable[[], object],
    seed: int | str,
    index: int,
    *,
    name: str | None = None,
    batch: int | None = None,
    tape: str | None = None,
    inputs: int | None = None,
) -> object:
    """Replay one execution of a check, alone, and return what it returned.

    An exception is raised unchanged.

    The `name` must be that of the check, because the random numbers are derived from it; by default both take
    it from the callable. An execution of a batch runs with its whole batch, and `batch` must be that of the
    check. With the `tape` of a story, the execution draws what is on the tape. The `inputs` must be those of
    the check, too: they decide which input an execution gets.
    """
    given = given_by(seed=seed, batch=batch, inputs=inputs)
    number, index, batch = given.seed, whole_number("index", index), given.batch
    assert number is not None
    name = name_of(body) if name is None else name
    address = f"{number}:{index}" if tape is None else _native.tape_address(number, index, name, tape)
    given.read("replay", "index", address)
    run = _native.TestRun(given, name, claims=False)
    returned: object = None
    # Whether outcomes are listed is not known here: numbers are read either way.
    made = Body(body, run, outcomes=True)

    def kept() -> object:
        __tracebackhide__ = True
        nonlocal returned
        returned = made.call()
        return returned

    async def awaited() -> object:
        __tracebackhide__ = True
        nonlocal returned
        returned = await made.call()  # type: ignore[misc]
        return returned

    made.around.tapes = Tapes(made.sources)
    if inspect.iscoroutinefunction(made.call):
        made.around.at_once = _at_once(awaited, run, made.sources, 1, made.inputs)
    with made.entered():
        run.execute(made.read(kept), made.around)
    report = run.report
    assert report is not None
    if report.verdict == "violated":
        if report.exception is not None:
            raise report.exception
        if batch is not None:
            position = (index - 1) % batch
            raise AssertionError(f"entry {position} of the batch, execution {number:#x}:{index}, is False")
        raise AssertionError(f"execution {number:#x}:{index} returned False")
    if report.refusal is not None:
        raise RuntimeError(report.refusal) from report.exception
    return returned


def _refuse_unfit(body: Callable[[], object], given: _native.Given) -> None:
    """Refuse executions at the same time of a body that cannot have them."""
    if given.concurrency is None:
        return
    is_async = inspect.iscoroutinefunction(written(body))
    if not (is_async or given.threads):
        raise _native.ClaimError(
            "executions of this body cannot run at the same time: the body is not async\n"
            f"  given  concurrency={given.concurrency}\n"
            "  help   leave out concurrency, pass an `async def` function, or add threads=True "
            "if the body may run on several threads"
        )
    # Not at the top: it takes as long to import as all the rest, and few tests need it.
    import asyncio

    with contextlib.suppress(RuntimeError):
        asyncio.get_running_loop()
        raise _native.ClaimError(
            "concurrency needs its own event loop, but one is already running here\n"
            f"  given  concurrency={given.concurrency}\n"
            "  help   call it on another thread: await asyncio.to_thread(lambda: probtest.check(..))"
        )


def _at_once(
    body: Callable[[], object], run: _native.TestRun, sources: Sources, most: int, inputs: Inputs
) -> Tasks | Threads:
    """Return what has executions under way at the same time."""
    lender = Lender(run)

    from .waiting import Tasks, Threads

    def prepare() -> Prepared:
        RNG.set(lender.of_this_execution())
        INPUTS.set(inputs.of_this_execution())
        return body, lambda: None

    if inspect.iscoroutinefunction(body):
        return Tasks(prepare, sources)
    return Threads(prepare, sources, most)


def _lines(report: _native.Report, name: str, batch: int | None, inputs: int | None) -> dict[str, Any]:
    """Write the call that executes one execution again, or all of them."""
    seed, size = f"{report.seed:#x}", "" if batch is None else f", batch={batch}"
    if inputs is not None:
        size += f", inputs={inputs}"
    kind = report.claim.kind
    call = kind if kind in ("compare", "estimate") else "check"
    body = "new" if kind == "compare" else ".."
    lines = {}
    if report.address is not None:
        call_of = f"probtest.replay({body}, {seed}, {report.address[1]}, name={name!r}{size}"
        lines["replay"] = f"{call_of})"
        if report.tape is not None:
            tape = repr(report.tape) if len(report.tape) <= LONGEST_TAPE else "result.story.tape"
            lines["small"] = f"{call_of}, tape={tape})"
    if report.cut_by_time:
        most = f"max_executions={report.executed}"
        lines["rerun"] = f"probtest.{call}(.., seed={seed}, {most}, name={name!r}{size})"
    elif report.is_rerun_whole:
        lines["rerun"] = f"probtest.{call}(.., seed={seed}, name={name!r})"
    return lines


def name_of(body: Any) -> str:
    body = written(body)
    module = getattr(body, "__module__", None) or "?"
    name = getattr(body, "__qualname__", None) or type(body).__qualname__
    return f"{module}.{name}"
