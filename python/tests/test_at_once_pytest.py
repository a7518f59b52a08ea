"""Executions at the same time in tests of pytest: fixtures, plugins for async tests, failures."""

from __future__ import annotations

# At the top: inner runs forget what they import, and NumPy is imported only once.
import numpy  # noqa: F401
import pytest

from probtest import waiting

from .conftest import WITHOUT_OTHERS, Run, without_others
from .words import address_of, drawn

PAUSING = """
    import asyncio, pytest, probtest

    async def pausing(count):
        for _ in range(int(count)):
            await asyncio.sleep(0)
"""


@pytest.fixture
def pausing(run: Run) -> Run:
    """Write a test file that has `pausing`, and run it."""
    return lambda source, *options: run(PAUSING + source, *options)


def test_function_fixtures_are_fresh_for_each_and_wider_ones_are_shared(pausing: Run) -> None:
    result = pausing("""
    from collections import Counter
    made, ended, wide, folders = Counter(), Counter(), [], set()

    @pytest.fixture(scope="module")
    def shared():
        wide.append(object())
        yield wide[-1]
        wide.append("down")

    @pytest.fixture
    def inner(shared):
        made["inner"] += 1
        yield object()
        ended["inner"] += 1

    @pytest.fixture(autouse=True)
    def always():
        made["always"] += 1
        yield
        ended["always"] += 1

    @pytest.fixture
    def outer(inner, request):
        request.addfinalizer(lambda: ended.update(["outer"]))
        made["outer"] += 1
        return inner

    alive = set()

    @pytest.mark.probtest(p=0.1, concurrency=7)
    async def test_it(outer, inner, shared, tmp_path, request, probtest_rng):
        assert outer is inner and shared is wide[0] and request.getfixturevalue("late")
        # A later execution may have the name of a folder that is gone.
        assert alive.isdisjoint([id(inner), tmp_path]) and not list(tmp_path.iterdir())
        assert request.getfixturevalue("probtest_rng") is probtest_rng
        alive.update([id(inner), tmp_path])
        folders.add(tmp_path)
        (tmp_path / "left").touch()
        await pausing(probtest_rng.integers(1, 9))
        assert tmp_path.is_dir()
        alive.difference_update([id(inner), tmp_path])

    @pytest.fixture
    def late():
        made["late"] += 1
        yield True
        ended["late"] += 1

    def test_counts():
        made.subtract(["always"])
        assert made == ended and set(made.values()) == {29}, (made, ended)
        assert len(wide) == 1 and len(folders) >= 7
        assert not any(folder.exists() for folder in folders)
    """)
    result.assert_outcomes(passed=2)


def test_classes_have_a_fresh_instance_and_their_setup_methods(pausing: Run) -> None:
    result = pausing("""
    instances, downs = [], []

    class TestIt:
        def setup_method(self): self.value = 0

        def teardown_method(self): downs.append(self.value)

        @pytest.mark.probtest(p=0.1, concurrency=7)
        @pytest.mark.parametrize("step", [1, 2])
        async def test_it(self, step, probtest_rng):
            assert self.value == 0
            instances.append(self)
            self.value += step
            await pausing(probtest_rng.integers(1, 9))
            assert self.value == step

    def test_counts():
        assert len({id(each) for each in instances}) == 58 and sorted(downs) == [1] * 29 + [2] * 29
    """)
    result.assert_outcomes(passed=3)


FAILING = (
    PAUSING
    + """
    up, down, cancelled = [], [], []

    @pytest.fixture
    def thing(probtest_rng):
        drawn = probtest_rng.random()
        up.append(drawn)
        yield drawn
        down.append(drawn)

    @pytest.mark.probtest(p=0.01, epsilon=0.02{more})
    {mark}
    async def test_it(thing, probtest_rng):
        print("drew", thing)
        try:
            await pausing(probtest_rng.integers(1, 30))
            probtest.assume(probtest_rng.random() > 0.1)
            assert thing < 0.97, "too large"
        except asyncio.CancelledError:
            cancelled.append(thing)
            raise

    def test_all_were_torn_down(): assert sorted(up) == sorted(down){and_cancelled}
        """
)


def decided(result: pytest.RunResult) -> list[str]:
    """Return what a failure says: its section and what the deciding execution printed."""
    lines = [line.strip() for line in result.outlines]
    words = ("probtest:", "executed", "seed ", "replay", "drew", "E  ")
    return [line for line in lines if line.startswith(words) and "test_it.py::" not in line[:9]]


@pytest.mark.parametrize("plugin", ["none", "asyncio", "anyio"])
def test_a_violation_is_the_same_with_every_plugin_and_any_number_at_once(
    pytester: pytest.Pytester, plugin: str
) -> None:
    mark = {"none": "", "asyncio": "@pytest.mark.asyncio", "anyio": "@pytest.mark.anyio"}[plugin]
    backend = "\n    @pytest.fixture\n    def anyio_backend():\n        return 'asyncio'\n"
    seen = []
    # pytest-asyncio can also run one after the other itself.
    for most in (*([None] if plugin == "asyncio" else []), 1, 2, 50):
        source = FAILING.format(
            more=f", concurrency={most}" if most else "",
            mark=mark,
            and_cancelled=" and cancelled" if most == 50 else "",
        )
        pytester.makepyfile(test_it=source + (backend if plugin == "anyio" else ""))
        result = pytester.runpytest(*without_others(plugin), "--probtest-seed", "1", "-p", "no:cacheprovider")
        result.assert_outcomes(failed=1, passed=1)
        seen.append(decided(result))
    assert all(one == seen[0] for one in seen)
    assert sum(line.startswith("drew") for line in seen[0]) == 1
    assert any("too large" in line for line in seen[0])


@pytest.mark.parametrize("plugin", ["asyncio", "anyio"])
def test_async_fixtures_live_in_the_loop_of_the_executions(pytester: pytest.Pytester, plugin: str) -> None:
    fixture = "pytest_asyncio.fixture" if plugin == "asyncio" else "pytest.fixture"
    imports = "import pytest_asyncio" if plugin == "asyncio" else ""
    pytester.makepyfile(
        test_it=PAUSING
        + f"""
    {imports}
    loops, ended, variable = set(), [], __import__("contextvars").ContextVar("variable")

    @pytest.fixture
    def anyio_backend(): return "asyncio"

    @{fixture}
    async def client():
        await pausing(2)
        loops.add(asyncio.get_running_loop())
        queue = asyncio.Queue()
        yield queue
        await pausing(2)
        ended.append(queue.qsize())

    @pytest.mark.probtest(p=0.1, concurrency=9)
    @pytest.mark.{plugin}
    async def test_it(client, probtest_rng):
        loops.add(asyncio.get_running_loop())
        await pausing(probtest_rng.integers(1, 9))
        await client.put(1)
        assert client.qsize() == 1

    def test_one_loop(): assert len(loops) == 1 and ended == [1] * 29
        """
    )
    pytester.runpytest(*without_others(plugin), "--probtest-seed", "1").assert_outcomes(passed=2)


def test_executions_run_in_the_loop_that_their_test_shares_with_others(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        test_it=PAUSING
        + """
    import inspect, pytest_asyncio
    loops = []
    # As pytest-asyncio called it until 0.23.
    word = "loop_scope" if "loop_scope" in inspect.signature(pytest_asyncio.fixture).parameters else "scope"
    pytestmark = pytest.mark.asyncio(**{word: "module"})

    async def test_before(): loops.append(asyncio.get_running_loop())

    @pytest.mark.probtest(p=0.1, concurrency=9)
    async def test_it(probtest_rng):
        await pausing(probtest_rng.integers(1, 9))
        loops.append(asyncio.get_running_loop())

    async def test_after():
        loops.append(asyncio.get_running_loop())
        assert len(loops) == 31 and len(set(map(id, loops))) == 1
        """
    )
    pytester.runpytest(*without_others("asyncio"), "--probtest-seed", "1").assert_outcomes(passed=3)


def test_an_execution_is_replayed_alone(run: Run) -> None:
    source = FAILING.format(more=", concurrency=50", mark="", and_cancelled="")
    result = run(source)
    replayed = run(source, "--probtest-replay", address_of(result))
    replayed.assert_outcomes(failed=1, passed=1)
    assert drawn(result) == drawn(replayed) != []


def test_a_fixture_that_fails_and_a_teardown_that_fails_are_violations(pausing: Run) -> None:
    result = pausing("""
    @pytest.fixture
    def fails(probtest_rng): assert probtest_rng.random() < 0.5, "set-up"

    @pytest.fixture
    def fails_late(probtest_rng):
        yield
        assert probtest_rng.random() < 0.5, "tear-down"

    @pytest.mark.probtest(p=0.1, concurrency=9)
    async def test_first(fails): await pausing(1)

    @pytest.mark.probtest(p=0.1, concurrency=9)
    async def test_last(fails_late): await pausing(1)
    """)
    result.assert_outcomes(failed=2)
    text = result.stdout.str()
    assert "AssertionError: set-up" in text
    assert "AssertionError: tear-down" in text
    assert "INTERNALERROR" not in text


def test_a_test_that_skips_is_skipped(pausing: Run) -> None:
    result = pausing("""
    @pytest.mark.probtest(p=0.1, concurrency=9)
    async def test_it():
        await pausing(1)
        pytest.skip("not today")
    """)
    result.assert_outcomes(skipped=1)


def test_what_cannot_run_at_the_same_time_is_refused(run: Run) -> None:
    result = run("""
        import pytest, unittest

        @pytest.mark.probtest(p=0.1, concurrency=9)
        def test_sync(): ...

        @pytest.mark.probtest(p=0.1, concurrency=9)
        async def test_with_subtests(subtests): ...

        @pytest.mark.probtest(p=0.1, concurrency=9)
        class TestCase(unittest.IsolatedAsyncioTestCase):
            async def test_it(self): ...
    """)
    result.assert_outcomes(errors=3)
    result.stdout.fnmatch_lines_random(
        ["*the test is not async*", "*subtests of several*", "*unittest tests share*"]
    )


def test_the_run_says_it_for_tests_that_can(pausing: Run) -> None:
    result = pausing(
        """
    @pytest.mark.probtest(p=0.1)
    def test_sync(): __import__("random").random()

    under_way = most = 0

    @pytest.mark.probtest(p=0.1)
    async def test_async(probtest_rng):
        global under_way, most
        under_way += 1
        most = max(most, under_way)
        await pausing(2)
        under_way -= 1

    def test_most(): assert most == 6
        """,
        "--probtest-concurrency",
        "6",
    )
    result.assert_outcomes(passed=3)


def test_bodies_on_threads_have_fresh_fixtures(run: Run) -> None:
    run("""
        import pytest, threading
        up, down, threads = [], [], set()

        @pytest.fixture
        def thing(probtest_rng):
            drawn = probtest_rng.random()
            up.append(drawn)
            yield drawn
            down.append(drawn)

        @pytest.mark.probtest(p=0.1, concurrency=4, threads=True)
        def test_it(thing): threads.add(threading.get_ident())

        def test_all():
            assert sorted(up) == sorted(down) and len(set(up)) == 29
            assert threading.get_ident() not in threads
    """).assert_outcomes(passed=2)


def test_a_ctrl_c_leaves_nothing_set_up_wherever_it_comes(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What the conftest puts in its place is taken away again: it holds on to every execution.
    monkeypatch.setattr(waiting.Execution, "end", waiting.Execution.end)
    pytester.makeconftest("""
        from probtest import waiting

        ends = []

        def interrupted(execution, end=waiting.Execution.end):
            ends.append(execution)
            if len(ends) == 3:
                # The body has returned, and its fixtures are still there.
                raise KeyboardInterrupt
            return end(execution)

        waiting.Execution.end = interrupted
    """)
    pytester.makepyfile(
        PAUSING
        + """
    up, down = [], []

    @pytest.fixture(scope="module")
    def all_of_them():
        yield
        assert sorted(up) == sorted(down)
        print("all were torn down")

    @pytest.fixture
    def folder(all_of_them, tmp_path):
        up.append(tmp_path.name)
        yield tmp_path
        down.append(tmp_path.name)

    @pytest.mark.probtest(p=0.1, concurrency=4)
    async def test_it(folder): await pausing(2)
        """
    )
    result = pytester.runpytest_inprocess(*WITHOUT_OTHERS, "-s", no_reraise_ctrlc=True)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert "all were torn down" in result.stdout.str()
