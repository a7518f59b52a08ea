"""What works where there is no fork: a process in which what only Unix has is missing."""

from __future__ import annotations

import subprocess
import sys

import pytest

#: Takes away what Python has on Unix alone, as far as pytest itself does without.
WITHOUT_UNIX = """
import os, signal, sys
for name in ("fcntl", "grp", "pwd", "resource", "termios"):
    sys.modules[name] = None
for name in ("fork", "forkpty", "killpg", "getpgid", "register_at_fork", "sched_getaffinity", "waitid"):
    if hasattr(os, name):
        delattr(os, name)
for name in ("SIGKILL", "SIGHUP", "SIGQUIT", "SIGALRM", "SIGCHLD", "setitimer", "pthread_sigmask"):
    if hasattr(signal, name):
        delattr(signal, name)
"""

TESTS = """
import random, pytest

@pytest.mark.probtest(p=0.01, epsilon=0.02)
def test_passes(): assert random.random() < 2

@pytest.mark.probtest(p=0.1)
def test_fails(): assert random.random() < 0.5

@pytest.mark.probtest(p=0.1, isolate=True)
def test_isolated(): assert random.random() < 2
"""


def run(*words: str) -> subprocess.CompletedProcess[str]:
    program = f"{WITHOUT_UNIX}\nimport pytest\nsys.exit(pytest.main({list(words)!r}))"
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)


def test_the_plugin_executes_in_its_own_process_and_says_so(pytester: pytest.Pytester) -> None:
    path = str(pytester.makepyfile(TESTS))
    done = run(path, "-rA", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:randomly")
    assert "2 passed, 1 failed" in done.stdout or "1 failed, 2 passed" in done.stdout, (
        done.stdout + done.stderr
    )
    assert "has no fork" in done.stdout
    assert "--probtest-replay" in done.stdout


def test_the_plain_functions_need_nothing_of_unix(pytester: pytest.Pytester) -> None:
    path = pytester.makepyfile("""
        import random, probtest
        result = probtest.check(lambda: random.random() < 2, p=0.01, epsilon=0.02)
        print(result.verdict, result.executed)
    """)
    program = f"{WITHOUT_UNIX}\nimport runpy\nrunpy.run_path({str(path)!r})"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.split() == ["passed", "390"], done.stdout + done.stderr
