"""The pytest plugin: hooks only. What they do is in the other modules."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from _pytest.scope import Scope

from .. import _native, inputs, processes
from ..planning import OPTIONS
from ..saying import RNG
from ..sources import Sources, generator
from . import hookspecs, options
from .lines import named_address, place_of
from .markers import marks_of, options_of

if TYPE_CHECKING:
    from .item import ItemTest  # noqa: F401 (in the keys below)
    from .reporting import Results  # noqa: F401

_SETTINGS = pytest.StashKey["options.Settings"]()
_RESULTS = pytest.StashKey["Results"]()
_TEST = pytest.StashKey["ItemTest"]()
#: Why a test is refused.
_REFUSED = pytest.StashKey[str]()
#: The markers that a test had when it began.
_MARKS = pytest.StashKey[list[pytest.Mark]]()
#: Whether any test of the run is executed as often as its claim needs.
_CONCERNED = pytest.StashKey[bool]()


# Last, so that a plugin which has one of the original's short names keeps it.
@pytest.hookimpl(trylast=True)
def pytest_addoption(parser: pytest.Parser) -> None:
    options.add_options(parser)


# What is imported from here on may draw; the conftest files may register names of options too.
@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(
    early_config: pytest.Config, parser: pytest.Parser, args: list[str]
) -> Generator[None]:
    options.give_import_seed(early_config)
    yield
    options.refuse_misspelled(early_config, parser, args)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    pluginmanager.add_hookspecs(hookspecs)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", f"probtest({', '.join(OPTIONS)}): run the test as often as its claim needs"
    )
    from .reporting import RESULTS, Results

    try:
        settings = config.stash[_SETTINGS] = options.Settings(config)
        if config.getoption("probtest_audit_channel") is not None:
            from .interpreter import Interpreter

            config.pluginmanager.register(Interpreter(config, settings), "probtest-interpreter")
        elif config.getoption("probtest_audit"):
            from .audit import AuditRun

            config.pluginmanager.register(AuditRun(config, settings), "probtest-audit")
    except _native.ClaimError as error:
        raise pytest.UsageError(str(error)) from None
    results = Results(config, settings.given)
    config.stash[_RESULTS] = results
    config.stash[_CONCERNED] = False
    # Reports of workers come in here too, and they do not know their config.
    config.pluginmanager.register(results, RESULTS)


# First: whatever is running by now was started by plugins while they were configured.
@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart() -> None:
    processes.ignore_threads()


# First: another plugin may put something around the function now.
@pytest.hookimpl(tryfirst=True)
def pytest_itemcollected(item: pytest.Item) -> None:
    if isinstance(item, pytest.Function) and not hasattr(item, "_getinstance"):
        from .renewal import keep_instance

        keep_instance(item)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    replay = config.stash[_SETTINGS].given.replay
    if replay is not None and replay[2] and config.getoption("probtest_import_seed"):
        # The others were collected because of what they draw on import.
        given = str(config.getoption("probtest_replay")).split(":")[2:3]
        named = [item for item in items if named_address(*replay[:2], place_of(item)).split(":")[2:] == given]
        config.hook.pytest_deselected(items=[item for item in items if item not in named])
        items[:] = named
    everywhere = config.stash[_SETTINGS].everywhere or config.getoption("probtest_audit")
    config.stash[_CONCERNED] = everywhere or any(marks_of(item) for item in items)


# Last: every plugin that deselects has done so.
@pytest.hookimpl(trylast=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    session.config.stash[_SETTINGS].count(session.items)


def pytest_report_collectionfinish(config: pytest.Config, items: list[pytest.Item]) -> list[str]:
    from .memory import planned_costs

    return planned_costs(config, items)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    # All workers of xdist share one run seed.
    settings = node.config.stash[_SETTINGS]
    node.workerinput["probtest_seed"] = str(settings.seed)
    if settings.journals is not None:
        node.workerinput["probtest_run"] = str(settings.journals.resumed or "")


def pytest_report_header(config: pytest.Config) -> list[str]:
    from .reporting import header

    return header(config.stash[_SETTINGS])


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    settings, results = item.config.stash[_SETTINGS], item.config.stash[_RESULTS]
    marks = item.stash[_MARKS] = marks_of(item)
    if item.config.getoption("probtest_audit"):
        return (yield)
    if not marks and not (settings.everywhere and isinstance(item, pytest.Function)):
        if settings.everywhere and settings.given.replay is not None:
            from .interpreter import give_seed

            give_seed(item, settings)
        return (yield)
    from .item import ItemTest, do_not_tear_down, look_at_kind

    try:
        test = ItemTest(look_at_kind(item), settings, options_of(item))
    except Exception as error:
        # Reported as an error of this test alone: a marker may hold anything.
        item.stash[_REFUSED] = str(error)

        def refuse() -> None:
            do_not_tear_down(item)
            raise pytest.fail.Exception(f"probtest: error: {item.stash[_REFUSED]}", pytrace=False)

        item.setup = refuse  # type: ignore[method-assign]
        return (yield)
    settings.left -= 1
    item.stash[_TEST] = test
    item.setup = test.setup  # type: ignore[method-assign]
    item.runtest = test.runtest  # type: ignore[method-assign]
    results.begin(item.nodeid, test)
    try:
        return (yield)
    finally:
        results.end(item.nodeid)
        test.restore()
        if test.interrupted:
            results.interrupted(item.nodeid, test)
        for name in ("setup", "runtest"):
            item.__dict__.pop(name, None)
        del item.stash[_TEST]


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: Any, request: Any) -> Generator[None, object, object]:
    __tracebackhide__ = True
    # The private name: the public one takes a microsecond for each fixture of each execution.
    if fixturedef._scope is Scope.Function or not request.config.stash[_CONCERNED]:
        return (yield)
    from .. import vary

    item = getattr(request, "_pyfuncitem", None)
    test = item.stash.get(_TEST, None) if isinstance(item, pytest.Function) else None
    settings = request.config.stash[_SETTINGS]
    shared = inputs.Shared(fixturedef.argname, fixturedef.scope)
    sources = test.sources if test is not None else Sources([], vary.under_way())
    with _seeded(settings, fixturedef, request, sources), inputs.opened(shared):
        try:
            return (yield)
        except BaseException as error:
            from .renewal import raise_as_at_first

            raise_as_at_first(fixturedef, error)
            raise


@contextmanager
def _seeded(settings: options.Settings, definition: Any, request: Any, sources: Sources) -> Iterator[None]:
    """Give a fixture that several tests share a seed of its own.

    It must not depend on which of them, or which execution, asks for it first.
    """
    name = f"fixture {definition.baseid}::{definition.argname}[{getattr(request, 'param_index', 0)}]"
    states = sources.save()
    sources.seed(_native.Stream(settings.seed, name).execution_seed(1))
    begun = [source.peek() for source, _ in states]
    try:
        yield
    finally:
        drew = any(source.peek() != state for (source, _), state in zip(states, begun, strict=True))
        Sources.restore(states)
        if sources.find_new() or drew:
            settings.wide_fixtures_drew = True


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    test = item.stash.get(_TEST, None)
    if test is not None and test.subtests.is_open:
        test.subtests.hold(report, call)
        return report
    from .reporting import dress_call, dress_setup, fail, fail_late, refusal

    if test is not None and report.when == "setup":
        dress_setup(report, test)
    elif test is not None and report.when == "call":
        dress_call(report, test)
    elif report.when == "call" and not isinstance(item, pytest.Function):
        report.probtest_once = item.config.stash[_SETTINGS].everywhere  # type: ignore[attr-defined]
        report.probtest_replayed = "runtest" in vars(item)  # type: ignore[attr-defined]
    known = item.stash.get(_MARKS, [])
    if report.when != "teardown" and any(all(mark is not old for old in known) for mark in marks_of(item)):
        fail_late(report)
    refused = item.stash.get(_REFUSED, None)
    if refused is not None and report.when == "setup":
        # xfail expects a violation, not a claim that makes no sense.
        fail(report, report.longrepr)
        report.probtest = refusal(item, refused)  # type: ignore[attr-defined]
    return report


# First: others would take it for any test that has passed.
@pytest.hookimpl(tryfirst=True)
def pytest_report_teststatus(report: Any) -> tuple[str, str, tuple[str, dict[str, bool]]] | None:
    from .reporting import status

    return status(report)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    session.config.stash[_RESULTS].write(session)
    journals = session.config.stash[_SETTINGS].journals
    if journals is not None and exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        journals.end()


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    config.stash[_RESULTS].summarize(terminalreporter, config.stash[_SETTINGS])


@pytest.fixture(scope="session")
def probtest_plugin_is_active() -> None:
    """Is asked for by tests that are marked by `probtest.probtest`: without the plugin they fail."""


@pytest.fixture
def probtest_batch(request: pytest.FixtureRequest) -> int:
    """The executions that one call of the test makes: `batch` of the marker, else 1."""
    test = request.node.stash.get(_TEST, None)
    return 1 if test is None else test.batch or 1


@pytest.fixture
def probtest_rng(request: pytest.FixtureRequest) -> Any:
    """A generator for this execution or batch: NumPy's `Generator`, or a `random.Random` without NumPy."""
    test = request.node.stash.get(_TEST, None)
    lend = RNG.get()
    if test is not None and lend is not None:
        # Of one of several executions that are under way.
        return lend()
    if test is not None:
        return test.guard.lend(generator(*test.run.current))
    return generator(_native.Stream(request.config.stash[_SETTINGS].seed, request.node.nodeid))
