"""Executions in several processes come to what they come to in one."""

from __future__ import annotations

import os
import random
import select
import signal
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import probtest
from probtest.engines import forked

from . import test_engines

pytestmark = pytest.mark.skipif(
    not hasattr(os, "fork") or sys.platform == "darwin", reason="there is nothing to fork safely"
)


@pytest.fixture(autouse=True)
def always_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fork for bodies of any duration, and beside the threads of the outer run."""
    monkeypatch.setattr(forked, "LEAST_SECONDS", 0.0)
    monkeypatch.setattr(forked, "LEAST_WORK", 0.0)
    monkeypatch.setattr(forked, "unsafe", lambda: None)


@pytest.fixture
def forks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the processes that were forked, as they come."""
    pids: list[int] = []
    fork = os.fork

    def counted() -> int:
        pid = fork()
        if pid:
            pids.append(pid)
        return pid

    monkeypatch.setattr(os, "fork", counted)
    return pids


def facts(body: Callable[[], object], **options: Any) -> dict[str, Any]:
    found = probtest.check(body, raises=False, name="elsewhere", **{"seed": 7, **options}).to_dict()
    del found["seconds"]
    # Variations of a body that has a process of its own are not tried.
    del found["story"]
    return found


def long_enough() -> None:
    """Take so long, on any machine, that it is known after two executions what one takes."""
    time.sleep(0.001)


def slowly(body: Callable[[], object]) -> Callable[[], Any]:
    def slow() -> object:
        long_enough()
        return body()

    return slow


rare = slowly(test_engines.rare)
CLAIMS: dict[str, tuple[Any, dict[str, Any]]] = {
    **{name: (slowly(body), claim) for name, (body, claim) in test_engines.CLAIMS.items()},
    "budget": (rare, {"p": 0.001, "max_executions": 45, "on_budget": "pass"}),
}


@pytest.mark.parametrize("options", [{"jobs": 2}, {"jobs": 3, "isolate": True}, {"isolate": True}])
@pytest.mark.parametrize("name", CLAIMS)
def test_the_facts_are_those_of_one_process(name: str, options: dict[str, Any], forks: list[int]) -> None:
    body, claim = CLAIMS[name]
    expected = facts(body, **claim)
    assert not forks
    assert facts(body, **claim, **options) == expected
    assert forks or expected["executed"] <= 2


def test_a_violation_is_raised_with_the_exception_of_its_execution() -> None:
    with pytest.raises(probtest.Violated) as alone:
        probtest.check(rare, p=0.01, seed=7, name="it")
    with pytest.raises(probtest.Violated) as found:
        probtest.check(rare, p=0.01, seed=7, name="it", jobs=2)
    assert str(found.value) == str(alone.value)
    assert type(found.value.__cause__) is AssertionError
    assert found.value.result.exception is found.value.__cause__


ENDINGS: dict[str, tuple[Callable[[], object], str]] = {
    "segfault": (lambda: __import__("ctypes").string_at(0), "its process was killed by SIGSEGV (signal 11)"),
    "exit": (lambda: os._exit(0), "its process ended with exit code 0"),
    "abort": (os.abort, "its process was killed by SIGABRT (signal 6)"),
    "kill": (
        lambda: os.kill(os.getpid(), signal.SIGKILL),
        "its process was killed by SIGKILL (signal 9)",
    ),
    "files": (lambda: os.closerange(3, 1000), "the execution closed the files of its process"),
}


@pytest.mark.parametrize("options", [{"jobs": 2}, {"isolate": True}, {"jobs": 2, "isolate": True}])
@pytest.mark.parametrize("ending", ENDINGS)
def test_an_execution_that_ends_its_process_is_a_violation_there(
    ending: str, options: dict[str, Any]
) -> None:
    end, words = ENDINGS[ending]
    before = os.getpid()

    def body() -> None:
        long_enough()
        # Not in the process of the test, where the guard looks at some of them.
        if random.random() < 0.05 and os.getpid() != before:
            end()

    def same() -> bool:
        long_enough()
        return random.random() >= 0.05

    # Execution 35 of this seed, at which the guard does not look.
    found = facts(body, p=0.01, **options, seed=9)
    alone = facts(same, p=0.01, seed=9)
    assert found["finding"]["message"] == words
    for name in ("verdict", "index", "executed", "passed", "violated", "not_executed", "seed", "address"):
        assert found[name] == alone[name], name


def test_a_crash_says_in_which_call_it_was() -> None:
    before = os.getpid()

    def body() -> None:
        if random.random() < 0.05 and os.getpid() != before:
            __import__("ctypes").string_at(0)

    with pytest.raises(probtest.Violated) as found:
        probtest.check(body, p=0.01, isolate=True)
    said = str(found.value.__cause__)
    assert "string_at" in said
    assert "test_jobs.py" in said
    assert "forked.py" not in said


def test_memory_that_runs_out_is_a_violation_of_its_execution() -> None:
    resource = pytest.importorskip("resource")

    def body() -> None:
        if random.random() < 0.05:
            # The limit stays with the process that sets it, if that is a worker.
            soft, hard = resource.getrlimit(resource.RLIMIT_AS)
            used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
            resource.setrlimit(resource.RLIMIT_AS, (used + (64 << 20), hard))
            try:
                bytearray(1 << 30)
            finally:
                resource.setrlimit(resource.RLIMIT_AS, (soft, hard))

    with pytest.raises(probtest.Violated) as found:
        probtest.check(body, p=0.01, isolate=True)
    assert type(found.value.__cause__) is MemoryError


def test_a_kill_that_does_not_come_again_is_a_note(tmp_path: Path) -> None:
    killed = tmp_path / "killed"

    def body() -> None:
        long_enough()
        assert random.random() >= 0
        if random.random() < 0.05:
            try:
                killed.touch(exist_ok=False)
            except FileExistsError:
                return
            os.kill(os.getpid(), signal.SIGKILL)

    found = probtest.check(body, p=0.02, seed=3, isolate=True)
    assert killed.exists()
    assert (found.passed, found.executed) == (True, 149)
    assert [note.kind for note in found.notes] == ["lost_processes"]


def test_a_crash_that_does_not_come_again_has_no_line_to_replay_it(tmp_path: Path) -> None:
    crashed = tmp_path / "crashed"

    def body() -> None:
        if random.random() < 0.05 and not crashed.exists():
            crashed.touch()
            os.abort()

    found = probtest.check(body, p=0.02, seed=3, isolate=True, raises=False)
    assert (found.verdict, found.to_dict()["confirmed"]) == ("violated", False)
    assert found.to_dict()["replay"] is None


def test_all_processes_are_gone_at_the_end(forks: list[int]) -> None:
    facts(rare, p=0.01, jobs=3)
    assert len(forks) == 3
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
    for pid in forks:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_processes_that_a_body_leaves_behind_are_ended(tmp_path: Path) -> None:
    pids = tmp_path / "pids"

    def body() -> None:
        if random.random() < 0.1:
            reading, writing = os.pipe()
            pid = os.fork()
            if pid == 0:
                os.close(writing)
                # Until nobody is left who could write.
                os.read(reading, 1)
                signal.pause()
            with pids.open("a") as file:
                file.write(f"{pid}\n")
            os.abort()

    found = probtest.check(body, p=0.02, seed=3, isolate=True, raises=False)
    assert found.verdict == "violated"
    left = [int(pid) for pid in pids.read_text().split()]
    assert left
    for pid in left:
        has_ended(pid)


def has_ended(pid: int) -> None:
    """Wait until a process has ended that is no child of ours; it was told to."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    ended = select.poll()
    ended.register(descriptor, select.POLLIN)
    assert ended.poll(60_000), f"process {pid} goes on"
    os.close(descriptor)


def test_a_body_that_takes_next_to_nothing_stays_here(
    monkeypatch: pytest.MonkeyPatch, forks: list[int]
) -> None:
    monkeypatch.setattr(forked, "LEAST_SECONDS", 1.0)
    assert facts(rare, p=0.01, jobs=2) == facts(rare, p=0.01)
    assert not forks


def test_beside_other_threads_it_stays_here_and_says_so_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    monkeypatch.setattr(forked, "LEAST_SECONDS", 0.0)
    monkeypatch.setattr(forked, "LEAST_WORK", 0.0)
    monkeypatch.setattr(forked, "_said", set())
    import threading

    goes_on = threading.Event()
    thread = threading.Thread(target=goes_on.wait, name="a thread")
    thread.start()
    try:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            first, second = facts(rare, p=0.01, jobs=2), facts(rare, p=0.01, jobs=2)
    finally:
        goes_on.set()
        thread.join()
    assert first == second == facts(rare, p=0.01)
    (warning,) = said
    assert warning.category is forked.ExecutedHere
    words = "ran here and not in 2 processes: other threads are running (a thread"
    assert str(warning.message).startswith(words)


def test_beside_other_threads_an_isolated_check_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    import threading

    goes_on = threading.Event()
    thread = threading.Thread(target=goes_on.wait, name="a thread")
    thread.start()
    executed: list[int] = []
    try:
        with pytest.raises(probtest.EngineError, match=r"other threads are running \(a thread"):
            probtest.check(lambda: executed.append(1), p=0.1, isolate=True)
    finally:
        goes_on.set()
        thread.join()
    assert not executed


def test_jobs_are_a_number_or_auto() -> None:
    for wrong in (0, -1, 1.5, "many", 5000):
        with pytest.raises(probtest.ClaimError, match="jobs is not a whole number from 1 to 1024"):
            probtest.check(rare, p=0.1, jobs=wrong)  # type: ignore[arg-type]
    assert facts(rare, p=0.01, jobs="auto") == facts(rare, p=0.01)


def test_an_interrupt_ends_all_processes(monkeypatch: pytest.MonkeyPatch, forks: list[int]) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(forked.Forked, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        facts(rare, p=0.01, jobs=2)
    assert forks
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
