"""One pytest item that is executed as often as its claim needs."""

from __future__ import annotations

import contextlib
import inspect
import json
import unittest
import warnings
from collections.abc import Callable
from typing import Any, NoReturn

import pytest

from .. import _native, vary
from ..batches import in_batches
from ..engines import HOST, EngineError, addresses, clusters, elsewhere, forked
from ..guard import Guard
from ..inputs import FailedExample, Inputs, Unmade, is_given, opened, rejecting, shown
from ..planning import given_by
from ..saying import Lost, infrastructure_of
from ..sources import LEAVING, Exceptions, Seeder, Sources, Surroundings
from ..tapes import Tapes
from ..waiting import Tasks, Threads
from .leftovers import RETURNED, Leftovers, Subtests, Telling
from .lines import Lines, place_of
from .markers import is_in
from .memory import Memory
from .options import Settings
from .renewal import (
    REJECTING,
    REJECTING_ANY,
    FreshExecution,
    GivenItem,
    Renewal,
    forget_marks,
    hooked,
    set_up,
)
from .reporting import WITHIN_BUDGET, Progress, undecided
from .slots import Slots, loop_of, refuse_unfit, set_up_shared
from .workers import ItemHooks, jobs_of

try:
    from _pytest.skipping import evaluate_xfail_marks, xfailed_key
except ImportError:  # pragma: no cover (moved in a later pytest)
    evaluate_xfail_marks = None  # type: ignore[assignment]

_LEAVING: Exceptions = (*LEAVING, pytest.exit.Exception)
#: How often in a row a first execution that has drawn nothing skips, until the test is skipped. One
#: that draws may depend on what it draws, and is rejected as often as any other.
SKIPS = 20


class ItemTest:
    """Takes the place of an item's `setup` and `runtest`."""

    def __init__(self, item: pytest.Function, settings: Settings, said: dict[str, Any] | None) -> None:
        self.item = item
        self._settings = settings
        self._said = said
        self._given = given_by(**(said or {})).with_run(settings.given)
        self._unavailable = infrastructure_of((said or {}).get("infrastructure"))
        #: The test of Hypothesis that this is, if it is one.
        self.hypothesis = (
            GivenItem(item, lambda: self.inputs, self._given.batch) if is_given(item.obj) else None
        )
        self._at_once = _at_once(item, self._given, said)
        self._properties = len(item.user_properties)
        self._marks = list(item.own_markers)
        self.subtests = Subtests(item)
        #: The id that the numbers are derived from: the same wherever pytest is started.
        self.test = place_of(item)
        self.sources = Sources(
            hooked(item, lambda: self.run.current[1]), [vary.source()] if self._given.vary_seeds else []
        )
        self.interrupted = False
        #: The process that this is, where it executes ranges for another one that judges.
        self._host: Any = item.config.pluginmanager.get_plugin(HOST)
        #: Whether the report says that the test has begun.
        self.is_told = False
        self._begin()

    def _begin(self) -> None:
        """Begin from nothing: plugins that rerun tests set an item up several times."""
        settings = self._settings
        self._memory = Memory(self.item.config, self.test, self._given)
        self.item.own_markers[:] = self._marks
        remembered, unchanged = self._memory.read()
        self._is_remembered = bool(remembered)
        self.run = _native.TestRun(
            self._given,
            self.test,
            settings.seed,
            tests=settings.sharing,
            suite_time_used=settings.suite_time_used(),
            remaining_tests=max(settings.left, 1),
            remembered=remembered,
            unchanged=unchanged,
            journal=None if settings.journals is None else settings.journals.of_test(),
        )
        #: The execution that comes first: in a shard, or after a journal, it is a later one.
        self._first = self.run.current[1]
        self.batch = self.run.batch
        self._claim = self.run.claim
        self._lines = Lines(self.item, self.test, self._claim, self._said, self._given)
        self.inputs = Inputs(self.run)
        self.inputs.test = None if self.hypothesis is None else self.hypothesis.test
        self.guard = Guard(self.sources, self.run.most, self.inputs)
        self._leftovers, self._lost = Leftovers(self.item.config), Lost()
        #: An explicit example that failed.
        self.failed_example: FailedExample | None = None
        self._after_setup: list[tuple[Any, Any]] = []
        self._is_set_up = False
        #: Whether the execution that was executed alone has violated nothing.
        self.shows_no_violation = False
        self._renewal: Renewal | None = None
        #: The skips, or expected failures, of the first execution: what they said, how many there were.
        self._skips: tuple[object, int] = (None, 0)
        self._draws_before_skip = False
        self._was_expected = False
        self._always_marked = False
        #: Why it was executed in this process, although others were asked for.
        self.said_here: list[str] = [] if self.hypothesis is None else list(self.hypothesis.test.unused)
        #: Why an execution could not run.
        self.broken_by: str | None = None
        #: What has ended the test instead of a verdict: it is skipped, or not reached.
        self.ended_by: BaseException | None = None
        del self.item.user_properties[self._properties :]

    @property
    def report(self) -> _native.Report | None:
        """The report of the plan; None where one execution was executed alone."""
        return self.run.report if self.run.replay is None else None

    def begun(self) -> dict[str, Any]:
        """Return the facts of a test that was begun and has not ended."""
        facts: dict[str, Any] = json.loads(self.run.begun)
        help_ = "its process died or was stopped; run the test alone to see what it prints"
        return undecided(facts, "unfinished", "started but did not finish", help_)

    def setup(self) -> None:
        """Set the item up under the seed of its first execution."""
        __tracebackhide__ = True
        if self._is_set_up:
            self._begin()
        self._is_set_up = True
        whole = self._settings.given.suite_time
        if whole is not None and self._settings.suite_time_used() >= whole:
            do_not_tear_down(self.item)
            words = f"not reached: suite_max_time = {whole / 1e9:g}s ran out before it started"
            self.ended_by = pytest.skip.Exception(words, _use_item_location=True)
            raise self.ended_by
        stream, index, attempt = self.run.current
        # Only executions of the plan are looked at: a remembered one that comes first is none.
        begin = self.sources.seed if self._is_remembered else self.sources.begin
        begin(stream.execution_seed(index, attempt))
        try:
            if self._at_once is not None:
                set_up_shared(self.item)
            else:
                with opened(self.inputs):
                    set_up(self.item)
                # If draws of the first execution are to be seen, fixtures are set up once more. Inputs that
                # they have drawn are those of the execution too.
                if self.run.sees_first or self.inputs.has_begun:
                    renewal = Renewal(self.item, self.subtests, self._marks)
                    if not renewal.is_static:
                        self._renewal = renewal
                        renewal.tear_down()
        except REJECTING_ANY:
            # A fixture rejects the first execution: it is drawn again in `runtest`.
            self._renewal = Renewal(self.item, self.subtests, self._marks)
            self._renewal.is_static = False
            self._renewal.tear_down()
        except _LEAVING:
            self.interrupted = True
            raise
        self._after_setup = self.sources.save()

    def runtest(self) -> None:
        """Execute and raise what decides."""
        __tracebackhide__ = True
        # Plugins may have seeded the sources between set-up and call.
        self.sources.restore(self._after_setup)
        try:
            with opened(self.inputs):
                stopped = self._execute() if self._at_once is None else self._execute_at_once(self._at_once)
        except _LEAVING:
            self.interrupted = True
            raise
        except (EngineError, Unmade) as error:
            self.broken_by = str(error)
            raise pytest.fail.Exception(f"probtest: error: {error}", pytrace=False) from None
        if self._host is not None:
            return
        report = self.run.report
        assert report is not None
        if self.ended_by is not None:
            raise self.ended_by
        self._settle_marks(report)
        if self.run.replay is not None:
            self._finish_replay(report, *self.run.replay)
        else:
            self._finish(report, stopped)

    def _execute(self) -> BaseException | None:
        """Execute what the machine asks for; return the exception of pytest-timeout where that ends it."""
        renewal = self._renewal or Renewal(self.item, self.subtests, self._marks)
        renewal.between_phases = self._leftovers.clear_logs
        renewal.before_body = self.guard.body_begins
        body = renewal.static_body() if renewal.is_static else self._renewing(renewal)
        body = self._leftovers.watch_memory_streams(body)
        if self.batch is not None:
            body = in_batches(body, self.batch, self._claim.outcomes is not None)
        around = self._around(lambda: self._imported(renewal))
        # An execution in a process of its own is set up there.
        around.seeded = self._renewal is None and not self._given.isolate
        around.probe, around.doubts = self.guard.probe, self.guard.doubts
        if not self._given.isolate:
            # Variations of a body that may end its process are not tried in this one.
            around.tapes = Tapes(self.sources, self.item.config.rootpath)
        around.telling = Telling(self.item, self._leftovers, self.subtests)
        settings = self._settings
        hooks = ItemHooks(self.item, renewal, self._leftovers)
        if self._host is not None:
            # The set-up was that of an execution that may belong to another process.
            renewal.tear_down()
            around.seeded = False
            around.describe = hooks.describe
            with self._lost:
                self._host.serve(self.run, body, around)
            return None
        once = FreshExecution(renewal, self.sources)
        self.failed_example = self.inputs.examples(once, self.test, around)
        around.seeded = around.seeded and not once.has_executed
        if self.failed_example is not None:
            self.subtests.report()
            failed = self.failed_example.exception
            if failed.__traceback__ is None:
                # Nothing of the program has raised it, so there is nothing to show.
                pytest.fail(str(failed), pytrace=False)
            raise failed
        if around.tapes is not None:
            self.inputs.shrinking = once, around.tapes.kind_of, _LEAVING
        executor, isolates = self._given.executor, self._given.isolate
        if executor is not None and self.run.replay is None:
            address = addresses.of_item(self.item, settings.seed)
            around.engine = clusters.engine_for(executor, address, self._given.jobs, isolates)
        else:
            around.engine = forked.engine(
                jobs_of(self._given, settings.given),
                isolates,
                hooks=hooks,
                run=self.run,
                body=body,
                around=around,
                say=self.said_here.append,
            )
        if around.engine is not None and isolates and not renewal.is_static:
            renewal.tear_down()
        try:
            return self._execute_by_core(body, around)
        finally:
            self._always_marked = renewal.always_marked

    def _execute_at_once(self, most: int) -> BaseException | None:
        """Execute as the machine asks, several executions at the same time."""
        run = self._settings.given
        asked = [
            (run.executor is not None, f"on {run.executor}"),
            (run.isolate, "in its own process"),
            (run.jobs not in (None, 1), "in several processes"),
        ]
        why = "executions that wait at the same time share one process"
        self.said_here += [f"ran here and not {where}: {why}" for is_asked, where in asked if is_asked][:1]
        if self.hypothesis is not None and any(self.hypothesis.test.examples()):
            self.said_here.append("explicit examples do not run with concurrency")
        slots = Slots(self.item, self.run, self.inputs, self._given.vary_seeds)
        if most == 1:
            slots.between_phases = self._leftovers.clear_logs
        around = self._around(self.sources.imported)
        around.concurrency = most
        with contextlib.closing(slots), contextlib.ExitStack() as stack:
            if inspect.iscoroutinefunction(inspect.unwrap(self.item.obj)):
                loop = stack.enter_context(loop_of(self.item))
                around.at_once = Tasks(slots.prepare, self.sources, loop)
            else:
                around.at_once = Threads(slots.prepare, self.sources, most)
            return self._execute_by_core(slots.prepare, around)

    def _around(self, imported: Callable[[], list[Seeder] | None]) -> Surroundings:
        """Return what surrounds an execution, however it is made."""
        settings = self._settings
        return Surroundings(
            self.sources.seeders,
            imported,
            rejecting=(*REJECTING, *rejecting()),
            rejected=self._look_at_skip,
            leaving=(*_LEAVING, Unmade),
            ends=_is_timeout,
            cleaner=self._leftovers.cleaner(),
            lost=self._lost.failures,
            # With other fixtures of wider scope it is another execution, which says nothing
            # about the counterexample.
            differs=lambda seed: seed != settings.seed and settings.wide_fixtures_drew,
            unavailable=self._unavailable,
            inputs=self.inputs,
        )

    def _execute_by_core(self, body: Callable[[], object], around: Surroundings) -> BaseException | None:
        leftovers = self._leftovers
        progress = Progress(self.item.config, self.run.most)

        def tick(executed: int) -> None:
            progress.show(executed)
            leftovers.merge_warnings()

        around.tick = tick
        try:
            with self._lost:
                self.run.execute(body, around)
        except REJECTING as skip:
            # Every attempt of the first execution has skipped; one that violated and is made
            # once more takes nothing back.
            if self.run.report is None or self.run.report.verdict != "violated":
                self.ended_by = _skip_of_pytest(skip)
        except pytest.fail.Exception as timeout:
            return timeout
        finally:
            progress.close()
            if self.run.report is not None and self._ended_elsewhere(self.run.report):
                # What is left here is of another execution.
                leftovers.clear()
            leftovers.merge_warnings(whatever=True)
        return None

    def _renewing(self, renewal: Renewal) -> Callable[[], object]:
        """Return a body that has fresh fixtures in each execution."""
        run, goes_on = self.run, not self._claim.first_violation_decides

        def body() -> object:
            __tracebackhide__ = True
            try:
                result = renewal.execute()
            except REJECTING_ANY:
                renewal.tear_down()
                raise
            except _LEAVING:
                raise
            except BaseException as violation:
                expected = self._expected(violation)
                if expected is not None:
                    self._was_expected = True
                    renewal.tear_down()
                    raise expected from violation
                # The next execution may come, under a seed of its own, or the same one once more.
                if (goes_on or run.is_planned or run.is_followed) and not _is_timeout(violation):
                    renewal.tear_down()
                raise
            if not run.is_last:
                renewal.tear_down()
            return result

        return body

    def _expected(self, violation: BaseException) -> BaseException | None:
        """Return the expected failure of an execution that has marked itself with xfail and violated."""
        added = self.item.own_markers
        if len(added) <= len(self._marks) or evaluate_xfail_marks is None or _is_timeout(violation):
            return None
        if self.item.config.option.runxfail:
            return None
        if not any(mark.name == "xfail" and not is_in(mark, self._marks) for mark in added):
            return None
        found = evaluate_xfail_marks(self.item)
        if found is None:
            return None
        raises: Any = found.raises
        matches = getattr(raises, "matches", None)
        if raises is not None and not (matches(violation) if matches else isinstance(violation, raises)):
            return None
        expected = pytest.xfail.Exception(found.reason)
        return expected.with_traceback(violation.__traceback__)

    def _look_at_skip(self, exception: BaseException) -> None:
        """End the test where every attempt of its first execution skips, with one reason in one place."""
        stream, index, attempt = self.run.current
        if (index > self._first and self.run.is_planned) or not isinstance(exception, REJECTING):
            return
        before = self.run.rejections
        if self.run.has_violated:
            # One that violated is made once more: what it skips takes nothing back.
            return
        what = (type(exception), str(exception), _place(exception))
        said, count = self._skips
        count = 1 if before == 0 else count + 1 if said == what else 0
        self._skips = what, count
        if count != before + 1:
            return
        if not self._draws_before_skip:
            drew = self.guard.program_has_drawn(stream.execution_seed(index, attempt))
            self._draws_before_skip = drew or self.inputs.has_drawn
        if count >= (REJECTIONS_IN_A_ROW if self._draws_before_skip else SKIPS):
            raise exception

    def _settle_marks(self, report: _native.Report) -> None:
        """Keep what the deciding execution has marked; what only some of many have marked does not decide."""
        if evaluate_xfail_marks is None or len(self.item.own_markers) <= len(self._marks):
            return
        if report.accepted and (self._was_expected or not self._always_marked):
            forget_marks(self.item, self._marks)
        # pytest has looked when the first execution was set up.
        self.item.stash[xfailed_key] = evaluate_xfail_marks(self.item)

    def _imported(self, renewal: Renewal) -> list[Seeder] | None:
        seeders = self.sources.imported()
        if seeders is not None and not renewal.is_static:
            # The execution is drawn again, on fresh fixtures.
            renewal.tear_down()
        return seeders

    def _finish(self, report: _native.Report, stopped: BaseException | None) -> None:
        __tracebackhide__ = True
        unseeded = self.guard.unseeded() if report.confirmed is False else []
        self._lines.isolates = self._ended_elsewhere(report)
        report.annotate(**self._lines.of(report), sources=unseeded, keeps_memory=self._memory.is_committed)
        if report.shard is not None:
            any_ = self._lines.replay(report.seed, _native.ANY_INDEX)
            report.annotate_part(any_, self._lines.rerun(report.seed))
        self._memory.update(*report.memory, report.tape)
        if report.violating_index is not None:
            self.subtests.report()
        self.item.user_properties.extend(self._to_report())
        if self.run.odd_return is not None:
            warnings.warn(
                (RETURNED or pytest.PytestWarning)(
                    f"{self.item.nodeid} returned {self.run.odd_return}, which is neither None "
                    "nor a bool. Did you mean to use `assert` instead of `return`?"
                ),
                stacklevel=2,
            )
        if stopped is not None:
            raise stopped
        if report.verdict == WITHIN_BUDGET:
            return
        if report.exception is not None:
            raise report.exception
        if not report.accepted:
            # Without an exception the body has returned something, such as False.
            message = self._finding(report).get("message")
            _fail((self._unraised(report) or ("" if message is None else f"{message}\n")) + self.section())

    def _finding(self, report: _native.Report) -> dict[str, Any]:
        """Return what is known of the violation that decided; nothing where none did."""
        return (self.facts()["finding"] if report.violating_index is not None else None) or {}

    def _unraised(self, report: _native.Report) -> str:
        """Return the words of a failure that did not reach the body, or of an execution elsewhere."""
        finding = self._finding(report)
        if finding.get("details") is not None:
            return elsewhere(finding)
        return f"{finding['message']}, at {finding['location']}\n" if finding.get("location") else ""

    def _ended_elsewhere(self, report: _native.Report) -> bool:
        """Say whether the execution that decided has never run in this process."""
        return report.exception is None and self._finding(report).get("details") is not None

    def _finish_replay(self, report: _native.Report, seed: int, index: int) -> None:
        if report.violating_index is not None:
            self.subtests.report()
            if self.inputs.last:
                self.item.add_report_section("call", "probtest", shown(self.inputs.last))
            if report.exception is not None:
                raise report.exception
            false = "the test returned False"
            if self.batch is not None:
                false = f"entry {(index - 1) % self.batch} of the batch, execution {index}, is False"
            raise pytest.fail.Exception(self._unraised(report) or false, pytrace=False)
        # Whatever is raised from here on is not a violation, and xfail expects only those.
        self.shows_no_violation = True
        if report.refusal is not None:
            if report.exception is not None:
                raise report.exception
            raise pytest.fail.Exception(f"probtest: error: {report.refusal}", pytrace=False)
        if report.returned is not None:
            self.item.add_report_section("call", "probtest", f"the execution returned {report.returned}")
        assert self._given.replay is not None
        if self._settings.tests > 1 and not self._given.replay[2]:
            raise pytest.fail.Exception(self._lines.alone(seed, index), pytrace=False)

    def section(self) -> str:
        """Return the words for people, without the violation itself."""
        assert self.run.report is not None
        return self.run.report.section.rstrip() + self._place(self.run.report)

    def _place(self, report: _native.Report) -> str:
        """Say which entry of which batch decided, or how to execute a broken batch again."""
        if self.batch is None:
            return ""
        index = report.violating_index
        if index is None:
            if (self.facts()["reason"] or {}).get("kind") != "broken":
                return ""
            stream, first, _ = self.run.current
            return f"\n  replay    {self._lines.replay(stream.seed, first)}"
        position = (index - 1) % self.batch
        first = index - position
        last = first + self.batch - 1
        return f"\n  batch     entry {position} (from 0) of executions {first} to {last} is False"

    def setup_section(self) -> str:
        """Say how to repeat an execution whose set-up has failed."""
        stream, index, _ = self.run.current
        return (
            f"probtest: the setup of execution {index} of {self.run.planned} failed\n"
            f"  seed      {stream.seed:#x}, execution {index}\n"
            f"  replay    {self._lines.replay(stream.seed, index)}"
        )

    def _to_report(self) -> list[tuple[str, object]]:
        facts = self.facts()
        claim, attained = facts["claim"], facts["attained"]
        chances = ((name, claim.get(f"{name}_exact")) for name in ("epsilon", "tolerate", "false_alarm"))
        p = claim.get("p_exact") or ",".join(claim.get("outcomes_exact", []))
        return [
            ("probtest_verdict", facts["verdict"]),
            ("probtest_claim", facts["claim_words"]),
            *([("probtest_p", p)] if p else []),
            *((f"probtest_{name}", chance) for name, chance in chances if chance is not None),
            ("probtest_planned", facts["planned"]),
            ("probtest_executions", facts["executed"]),
            ("probtest_seed", facts["seed"]),
            ("probtest_index", facts["index"] if facts["index"] is not None else ""),
            *([] if attained is None else [("probtest_attained", attained["words"])]),
        ]

    def restore(self) -> None:
        """Leave the item as it was."""
        self.sources.restore_all()
        if self.hypothesis is not None:
            self.hypothesis.restore()

    def facts(self) -> dict[str, Any]:
        assert self.run.report is not None
        found: dict[str, Any] = json.loads(self.run.report.json)
        return found


def _at_once(item: pytest.Function, given: _native.Given, said: dict[str, Any] | None) -> int | None:
    """Return how many executions are under way at the same time; None for one after the other."""
    most = given.concurrency
    if most is None:
        return None
    why = refuse_unfit(item, given.threads)
    if why is None:
        return most
    if (said or {}).get("concurrency") is None:
        # The run says it for tests that can.
        return None
    raise _native.ClaimError(
        f"executions of this test cannot run at the same time: {why}\n"
        f"  given  concurrency={most}\n"
        "  help   leave out concurrency, write an `async def` test, or add threads=True if the "
        "body may run on several threads"
    )


def do_not_tear_down(item: pytest.Item) -> None:
    """Keep pytest from tearing down an item that is not set up: that of unittest fails then."""
    finalizers, _ = item.session._setupstate.stack.get(item, ([], None))
    finalizers.clear()


def look_at_kind(item: pytest.Item) -> pytest.Function:
    """Return an item that can be executed several times; refuse others."""
    if not isinstance(item, pytest.Function):
        raise _native.ClaimError(
            "this item cannot run several times: it is not a test function\n"
            f"  given  the marker probtest on a {type(item).__name__}\n"
            "  help   remove the marker, or write a test function that calls it"
        )
    return item


#: How often one execution may be rejected: that of the core.
REJECTIONS_IN_A_ROW = 1000


def _place(exception: BaseException) -> list[tuple[object, int]]:
    """Return where an exception comes from, call by call."""
    calls: list[tuple[object, int]] = []
    frames = exception.__traceback__
    while frames is not None:
        calls.append((frames.tb_frame.f_code, frames.tb_lineno))
        frames = frames.tb_next
    return calls


def _skip_of_pytest(skip: BaseException) -> BaseException:
    """Return the skip as one of pytest: 9.0.0 takes one of unittest for an error."""
    if not isinstance(skip, unittest.SkipTest):
        return skip
    return pytest.skip.Exception(str(skip)).with_traceback(skip.__traceback__)


def _fail(words: str) -> NoReturn:
    # Not hidden, unlike its callers: where all frames are, pytest adds a line about that.
    raise pytest.fail.Exception(words, pytrace=False)


def _is_timeout(exception: BaseException) -> bool:
    """Say whether pytest-timeout has stopped the test: that is not a counterexample."""
    return isinstance(exception, pytest.fail.Exception) and "pytest-timeout" in str(exception)
