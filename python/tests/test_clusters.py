"""Executions on clusters: real ones of Dask and Ray on this machine, and executors of Python."""

from __future__ import annotations

import contextlib
import functools
import importlib
import json
import os
import re
import select
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import probtest
from probtest import _native
from probtest.engines import addresses, clusters, futures, hosts
from probtest.engines.host import ASK, send
from probtest.planning import given_by

from .conftest import WITHOUT_OTHERS

#: Bodies that do something to their process do it only in one of a cluster: here they raise.
BODIES = """
import ctypes, os, random, signal, sys, time
from hypothesis import assume, given, strategies as st
from pathlib import Path
import probtest

FOLDER = Path(__file__).parent
IS_HOST = getattr(sys.modules["__main__"].__spec__, "name", "") == "probtest.engines.host"

def work():
    # So long, on any machine, that it is soon known what one takes.
    time.sleep(0.0005)

def rare():
    work()
    probtest.assume(random.random() < 0.8)
    assert random.random() > 0.01, "rare"

def passes(): return work() or random.random() >= 0
def number(): return work() or random.random()
def lent(): return work() or probtest.rng().random() > 0.01
def label(): return work() or random.choice("ab")
def case(): return work() or random.randrange(20) % 3
def batch(): return work() or [None if random.random() < 0.1 else random.random() > 0.002 for _ in range(20)]

def segfaults():
    work()
    if random.randrange(200) == 7:
        assert IS_HOST
        ctypes.string_at(0)

def exits():
    work()
    if random.randrange(200) == 7:
        assert IS_HOST
        os._exit(3)

def kills_worker():
    work()
    # One worker, once.
    if random.randrange(20) == 7 and IS_HOST:
        try: (FOLDER / "kill").unlink()
        except FileNotFoundError: return
        os.kill(os.getppid(), signal.SIGKILL)

def kills_itself_once():
    work()
    if random.randrange(20) == 7 and IS_HOST:
        try: (FOLDER / "kill").unlink()
        except FileNotFoundError: return
        os.kill(os.getpid(), signal.SIGKILL)

class Busy(Exception): ...

def busy_once():
    work()
    drawn = random.random()
    if drawn < 0.1 and IS_HOST:
        try: (FOLDER / "kill").unlink()
        except FileNotFoundError: return
        raise Busy("429")

def hangs():
    if IS_HOST: signal.pause()

@given(st.integers(0, 100), st.data())
def inputs(x, data):
    work()
    assume(x != 3)
    assert x + data.draw(st.integers(0, 100)) + probtest.draw(st.integers(0, 100)) + random.random() < 275

def outer():
    def inner(): return True
    return inner

class Bodies:
    def method(self): return True
    @staticmethod
    def static(): return work() or random.random() >= 0
"""

CLAIMS: dict[str, dict[str, Any]] = {
    "rare": {"p": 0.005},
    "passes": {"p": 0.005},
    "number": {"claim": probtest.mean(between=(0, 1), within=(0.45, 0.55), margin=0.1)},
    "lent": {"p": 0.005},
    "label": {"claim": probtest.fit(outcomes={"a": 0.5, "b": 0.5}, distance=0.1)},
    "case": {"outcomes": [0.3, 0.3, 0.3, 0.001]},
    "batch": {"tolerate": 0.002, "p": 0.01, "batch": 20},
    "segfaults": {"p": 0.005},
    "exits": {"p": 0.005},
    "kills_worker": {"p": 0.005},
    "kills_itself_once": {"p": 0.005},
    "hangs": {"p": 0.005},
    "inputs": {"p": 0.005},
}


#: How often something was sent.
sent: list[object] = []


@pytest.fixture(autouse=True)
def everything_is_worth_sending(monkeypatch: pytest.MonkeyPatch) -> None:
    def opened(self: object, _seconds: float, _left: int) -> bool:
        sent.append(self)
        return True

    monkeypatch.setattr(futures.Futures, "open", opened)
    monkeypatch.setattr(futures.Futures, "chunk", 0.002)


@pytest.fixture
def bodies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    (tmp_path / "bodies_of_clusters.py").write_text(BODIES)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "bodies_of_clusters", raising=False)
    return importlib.import_module("bodies_of_clusters")


@pytest.fixture(scope="module")
def dask() -> Iterator[Any]:
    pytest.importorskip("distributed")
    from probtest.engines.dask import Cluster

    before = dict(os.environ)
    cluster = Cluster("local")
    assert dict(os.environ) == before
    yield cluster._client
    cluster.close()


def facts(result: probtest.Result) -> dict[str, Any]:
    found = result.to_dict()
    # What a process says that was killed, and what is known of where, is something else than an exception.
    for name in ("seconds", "finding", "notes", "story"):
        found.pop(name)
    return found


def check(bodies: Any, name: str, executor: object = None) -> dict[str, Any]:
    """Check a body, and return what does not depend on where it was executed."""
    body: Callable[[], object] = getattr(bodies, name)
    # Nothing runs here that was not executed there before.
    elsewhere = {} if executor is None else {"isolate": True}
    before = len(sent)
    found = facts(probtest.check(body, seed=7, raises=False, executor=executor, **CLAIMS[name], **elsewhere))
    assert (len(sent) > before) == (executor is not None)
    return found


class Losing(ThreadPoolExecutor):
    """Loses every third range before it begins, and executes the others twice."""

    count = 0

    def submit(self, *call: Any, **options: Any) -> Future[Any]:
        self.count += 1
        if self.count % 3 == 0:
            lost: Future[Any] = Future()
            lost.cancel()
            lost.set_running_or_notify_cancel()
            return lost
        super().submit(*call, **options)
        return super().submit(*call, **options)


def test_a_message_that_comes_during_a_range_does_not_end_its_process(bodies: Any) -> None:
    address = addresses.of_body(bodies.passes, "name", _native.TestRun(given_by(p=0.5), "name"))
    host = hosts.HostProcess(json.loads(json.dumps(address)))
    try:
        host.ask(host.first)
        asked = json.dumps({"seed": 7, "first": 1, "last": 200, "attempt": 0}).encode()
        stream: Any = host._process.stdin
        send(stream, ASK, asked)
        while not host.board.at(0)[0]:
            assert host._process.poll() is None
        send(stream, ASK, asked)
        assert host._answer()
        assert host._answer()
    finally:
        host.kill()


@pytest.mark.parametrize(
    "name", ["rare", "number", "lent", "label", "case", "batch", "segfaults", "kills_itself_once", "inputs"]
)
def test_an_executor_that_loses_ranges_and_repeats_them_comes_to_the_same(bodies: Any, name: str) -> None:
    expected = check(bodies, name)
    (bodies.FOLDER / "kill").touch()
    with Losing(2) as executor:
        assert check(bodies, name, executor) == expected
        assert executor.count > 3


def test_processes_of_an_executor_do_not_die_with_a_body_and_their_own_end_is_an_error(bodies: Any) -> None:
    with ProcessPoolExecutor(2) as executor:
        assert check(bodies, "exits", executor) == check(bodies, "exits")
        (bodies.FOLDER / "kill").touch()
        with pytest.raises(probtest.EngineError, match="the executor accepts no more executions"):
            check(bodies, "kills_worker", executor)


def test_a_body_that_never_returns_ends_with_its_test(bodies: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(futures.Futures, "wait", interrupted)
    monkeypatch.setattr(hosts, "ENDING", 0.1)
    # To leave it is to wait for all that it has begun.
    with ThreadPoolExecutor(2) as executor, pytest.raises(KeyboardInterrupt):
        check(bodies, "hangs", executor)


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="the end of a grandchild is seen under Linux")
def test_a_body_that_never_returns_ends_with_its_worker(bodies: Any) -> None:
    address = addresses.of_body(bodies.hangs, "name", _native.TestRun(given_by(p=0.5), "name"))
    script = (
        "import json, os, sys, threading\n"
        "from probtest.engines import hosts\n"
        "threading.Thread(target=hosts.make, args=(sys.argv[1], 7, 1, 9, 0), daemon=True).start()\n"
        "while not (hosts._kept.busy and next(iter(hosts._kept.busy)).board.at(0)[0]): pass\n"
        "print(next(iter(hosts._kept.busy))._process.pid, flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    worker = subprocess.run([sys.executable, "-c", script, json.dumps(address)], stdout=subprocess.PIPE)
    assert worker.returncode == -9
    with contextlib.suppress(ProcessLookupError):
        host = os.pidfd_open(int(worker.stdout))
        assert select.select([host], [], [], 60)[0]


@pytest.mark.parametrize(
    "name", ["rare", "passes", "number", "batch", "segfaults", "exits", "kills_worker", "kills_itself_once"]
)
def test_dask_comes_to_the_same(bodies: Any, dask: Any, name: str) -> None:
    expected = check(bodies, name)
    (bodies.FOLDER / "kill").touch()
    assert check(bodies, name, dask) == expected
    # Nothing is kept that Dask would execute again when a worker dies.
    assert not [key for key in dask.futures if "probtest" in str(key)]
    if name.startswith("kills"):
        assert not (bodies.FOLDER / "kill").exists()


def lose_two_results(engine: Any, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Have an engine lose the first two results, and return what it has lost."""
    result, lost = engine._result, []

    def losing(self: Any, sent: Any) -> Any:
        found = result(self, sent)
        if len(lost) < 2:
            lost.append(found)
            return "lost", None
        return found

    monkeypatch.setattr(engine, "_result", losing)
    return lost


def test_dask_loses_a_result_and_the_range_is_executed_again(
    bodies: Any, dask: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from probtest.engines import dask as engine

    expected = check(bodies, "rare")
    lost = lose_two_results(engine.Dask, monkeypatch)
    assert check(bodies, "rare", dask) == expected
    assert len(lost) == 2


def test_ray_comes_to_the_same_and_loses_workers_and_results(
    bodies: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # One test, so that Ray starts once.
    ray = pytest.importorskip("ray", reason="Ray has no wheel for this Python")
    from probtest.engines import ray as engine

    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
    try:
        for name in ("rare", "passes", "batch", "segfaults", "exits", "kills_worker", "kills_itself_once"):
            expected = check(bodies, name)
            (bodies.FOLDER / "kill").touch()
            assert check(bodies, name, "ray:auto") == expected, name
            assert name[:5] != "kills" or not (bodies.FOLDER / "kill").exists()
        lost = lose_two_results(engine.Ray, monkeypatch)
        assert check(bodies, "rare", "ray:auto") == check(bodies, "rare")
        assert len(lost) == 2
    finally:
        clusters.close()
        ray.shutdown()


@pytest.mark.parametrize("made", ["lambda", "inner", "method", "partial"])
def test_a_body_without_an_address_is_refused(bodies: Any, made: str) -> None:
    body: Callable[[], object] = {
        "lambda": lambda: True,
        "inner": bodies.outer(),
        "method": bodies.Bodies().method,
        "partial": functools.partial(bodies.passes),
    }[made]
    with (
        ThreadPoolExecutor(1) as executor,
        pytest.raises(probtest.ClaimError, match="cannot find the body by its name"),
    ):
        probtest.check(body, p=0.5, executor=executor)


@pytest.mark.parametrize("given", ["dask", "spark:local", "ray:", 7])
def test_a_word_that_names_no_engine_is_refused(bodies: Any, given: object) -> None:
    with pytest.raises(probtest.ClaimError, match="there is no engine with this name"):
        probtest.check(bodies.passes, p=0.5, executor=given)


def test_infrastructure_that_fails_on_a_worker_is_no_violation(bodies: Any, tmp_path: Path) -> None:
    (tmp_path / "kill").touch()
    options: dict[str, Any] = {"p": 0.005, "seed": 7, "isolate": True}
    with ThreadPoolExecutor(2) as executor:
        found = probtest.check(bodies.busy_once, executor=executor, infrastructure=bodies.Busy, **options)
    assert found.passed
    assert found.to_dict()["unavailable"] == [{"kind": "Busy", "count": 1}]


def test_an_exception_without_an_address_is_refused(bodies: Any) -> None:
    class Busy(Exception): ...

    with (
        ThreadPoolExecutor(1) as executor,
        pytest.raises(probtest.ClaimError, match="cannot find an exception of infrastructure by its name"),
    ):
        probtest.check(bodies.passes, p=0.5, executor=executor, infrastructure=(OSError, Busy))


def test_a_method_without_an_instance_has_an_address(bodies: Any) -> None:
    with ThreadPoolExecutor(1) as executor:
        assert probtest.check(bodies.Bodies.static, p=0.005, executor=executor).passed


@pytest.mark.parametrize("what", ["probtest", "python"])
def test_another_version_on_the_worker_is_an_error_that_names_both(
    bodies: Any, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = addresses.of_body

    def other(*given: Any) -> dict[str, Any]:
        return whole(*given) | {what: "0.0.7"}

    here = {"probtest": probtest.__version__, "python": sys.version.split()[0]}[what]
    monkeypatch.setattr(addresses, "of_body", other)
    with (
        ThreadPoolExecutor(1) as executor,
        pytest.raises(probtest.EngineError, match="different version of") as caught,
    ):
        check(bodies, "passes", executor)
    assert f"0.0.7 here, {here} on the worker" in str(caught.value)


def test_another_file_on_the_worker_is_an_error_that_names_both(
    bodies: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = tmp_path / "there"
    there.mkdir()
    file = bodies.FOLDER / "bodies_of_clusters.py"
    shutil.copy(file, there)
    with (there / file.name).open("a") as copy:
        copy.write("# changed\n")
    whole = addresses.of_body
    monkeypatch.setattr(
        addresses, "of_body", lambda *given: whole(*given) | {"root": str(tmp_path / "nowhere")}
    )
    # The project of a worker that does not have its path is its working folder.
    monkeypatch.chdir(there)
    with ThreadPoolExecutor(1) as executor, pytest.raises(probtest.EngineError) as caught:
        check(bodies, "passes", executor)
    here, worker = addresses.digest(file), addresses.digest(there / file.name)
    assert "the worker has another bodies_of_clusters.py" in str(caught.value)
    assert f"sha256 {here} here, sha256 {worker} on the worker" in str(caught.value)
    monkeypatch.chdir(tmp_path.parent)
    with (
        ThreadPoolExecutor(1) as executor,
        pytest.raises(probtest.EngineError, match="the worker has no bodies_of"),
    ):
        check(bodies, "passes", executor)


def test_a_check_of_a_script_runs_its_body_and_not_the_script(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import random, sys, probtest\n"
        "from concurrent.futures import ThreadPoolExecutor\n"
        "from probtest.engines import futures\n"
        "futures.Futures.open = lambda *_: True\n"
        "def body():\n"
        "    assert random.random() > 0.02, __name__\n"
        "if __name__ == '__main__':\n"
        "    with ThreadPoolExecutor(2) as executor:\n"
        "        found = [probtest.check(body, p=0.01, seed=7, raises=False, executor=given)\n"
        "                 for given in (None, executor)]\n"
        "    print(*(result.index for result in found))\n"
    )
    ran = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    here, there = ran.stdout.split()
    assert here == there != "None"


def test_the_code_of_the_guide_does_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    guide = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "clusters.md"
    blocks = re.findall(r"^```python\n(.*?)^```$", guide.read_text(), re.DOTALL | re.MULTILINE)
    (tmp_path / "guide_to_clusters.py").write_text("\n".join(blocks))
    monkeypatch.syspath_prepend(tmp_path)
    before = len(sent)
    with ThreadPoolExecutor(2) as executor:
        result = importlib.import_module("guide_to_clusters").check_it(executor)
    assert (result.verdict, result.executed) == ("passed", 2995)
    assert len(sent) > before


PROJECT = """
    import os, random, time, pytest, probtest

    marked = pytest.mark.probtest(p=0.01)

    @pytest.fixture
    def narrow(tmp_path):
        yield random.random()
        assert tmp_path.is_dir()

    @marked
    @pytest.mark.parametrize("word", ["a b/[c]"])
    def test_narrow(wide, narrow, word):
        probtest.assume(random.random() < 0.9)
        assert random.random() > 0.01, (wide, narrow)

    @marked
    def test_wide(wide, probtest_rng): assert probtest_rng.random() > 0.01, wide

    class TestClass:
        @pytest.mark.probtest(tolerate=0.02, p=0.06)
        def test_tolerated(self, narrow): assert random.random() > 0.02

    @marked
    def test_crash(request):
        # So long, on any machine, that the cluster is asked long before execution 72.
        time.sleep(0.001)
        if random.random() < 0.02:
            assert request.config.pluginmanager.hasplugin("probtest-host")
            os.abort()
"""
CONFTEST = """
    import random, pytest
    from probtest.engines import futures

    futures.STARTING["pytest"] = 0
    futures.Futures.chunk = 0.01

    @pytest.fixture(scope="session")
    def wide(): return random.random()
"""


def test_pytest_on_dask_comes_to_the_same(pytester: pytest.Pytester, dask: Any) -> None:
    pytester.makeini("[pytest]\naddopts = -m 'not slow'\nmarkers = slow")
    pytester.makeconftest(CONFTEST)
    pytester.mkpydir("inside")
    pytester.makepyfile(**{"inside/test_it": PROJECT})
    found = []
    for number, options in enumerate([[], ["--probtest-executor", f"dask:{dask.scheduler.address}"]]):
        file = f"facts{number}.json"
        options += ["--probtest-seed=3", "--probtest-memory=off", f"--probtest-json={file}"]
        result = pytester.runpytest_subprocess(*WITHOUT_OTHERS, *options)
        result.assert_outcomes(passed=1, failed=3)
        # A process of its own is part of the line that repeats a crash.
        written = Path(file).read_text().replace(" --probtest-isolate", "")
        tests = json.loads(written)["tests"]
        for test in tests:
            for name in ("seconds", "finding", "notes", "story"):
                test.pop(name, None)
        found.append(tests)
    assert found[0] == found[1]
    # The execution that decides was made again here, so that pytest shows it as any other.
    result.stdout.fnmatch_lines(
        [
            ">*assert probtest_rng.random() > 0.01, wide",
            "E   AssertionError: 0.*",
            "its process was killed by SIGABRT (signal 6)",
            "Fatal Python error: Aborted",
            "  replay    pytest inside/test_it.py::test_crash --probtest-replay 0x3:72 --probtest-isolate",
        ]
    )


def test_pytest_says_what_keeps_a_worker_from_executing(pytester: pytest.Pytester, dask: Any) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile("""
        import random, time, pytest

        @pytest.fixture(scope="session")
        def here(request):
            assert not request.config.pluginmanager.hasplugin("probtest-host"), "not in this process"

        @pytest.mark.probtest(p=0.005)
        def test_it(here): random.random(), time.sleep(0.001)
    """)
    executor = f"dask:{dask.scheduler.address}"
    result = pytester.runpytest_subprocess(*WITHOUT_OTHERS, "--probtest-executor", executor)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["probtest: error: the worker * cannot run test_it", "*not in this process*"])


def test_pytest_refuses_a_word_that_names_no_engine(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest("--probtest-executor", "dask")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["*there is no engine with this name*", "*executor 'dask'*", "*dask:tcp://host:port*"]
    )


def test_a_cluster_that_does_not_answer_is_an_error(bodies: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(distributed, "Client", functools.partial(distributed.Client, timeout=0.5))
    with pytest.raises(probtest.EngineError, match="the Dask cluster does not answer"):
        probtest.check(bodies.passes, p=0.5, executor="dask:tcp://127.0.0.1:1")
