"""The line to copy that executes one execution again."""

from __future__ import annotations

import os
import shlex
from typing import Any

import pytest

from . import _native
from .options import Request


def alone(item: pytest.Function, seed: int, index: int) -> str:
    """Say why an execution that passes is no pass where several tests are selected.

    An address left in the environment would make a whole suite green after one
    execution of each test.
    """
    line = replay_line(item, (seed, index), None)
    return (
        f"probtest: execution {seed:#x}:{index} passed, which is not the plan, "
        "and several tests are selected\n"
        f"  given     --probtest-replay {seed:#x}:{index}, or PROBTEST_REPLAY\n"
        f"  help      name the test, as in {line}; leave both out to test the claims"
    )


def replay_line(item: pytest.Function, address: tuple[int, int], unmarked: Request | None) -> str:
    """Write the line for an execution of this item; `unmarked` has the claim of a test without marker."""
    return _line(item, f"--probtest-replay {address[0]:#x}:{address[1]}", unmarked)


def rerun_line(item: pytest.Function, seed: int, request: Request, in_suite: bool) -> str:
    """Write the line that executes a whole marked test again.

    With other chances it may be decided sooner, and otherwise.
    """
    words = [f"--probtest-seed {seed:#x}", *_chances(request, in_suite)]
    return _line(item, " ".join(words), None)


def cut_line(
    item: pytest.Function, session: _native.Session, request: Request, marked: bool, in_suite: bool
) -> str:
    """Write the line that executes again what a limit of time has cut, however long it takes."""
    words = [
        f"--probtest-seed {session.seed:#x}",
        f"--probtest-max-executions {session.executed}",
        "--probtest-max-time off",
        # The plan must not end before the executions do.
        *_chances(request, in_suite),
    ]
    return _line(item, " ".join(words), None if marked else request)


def _chances(request: Request, in_suite: bool) -> list[str]:
    # A part of the suite's chance is the whole of it where one test is executed.
    prefix = "--probtest-suite" if in_suite else "--probtest"
    claim = request.numeric or request.claim
    # A claim on what the test returns has its own chances inside.
    if request.numeric is not None and not in_suite:
        return []
    words = [f"{prefix}-epsilon {shlex.quote(claim.epsilon)}"]
    if claim.false_alarm is not None:
        words.append(f"{prefix}-false-alarm {shlex.quote(claim.false_alarm)}")
    return words


def _line(item: pytest.Function, options: str, unmarked: Request | None) -> str:
    config: Any = item.config
    # The node id is relative to the root folder, the line to where pytest was started.
    inside = str(item.nodeid).partition("::")[2]
    try:
        path = os.path.relpath(item.path, config.invocation_params.dir)
    except ValueError:  # another drive
        path = str(item.path)
    words = ["pytest", shlex.quote(f"{path}::{inside}"), options]
    for option, name in (("--rootdir", "rootdir"), ("-c", "inifilename")):
        # The node id, from which the numbers are derived, depends on them.
        given = config.getoption(name, None)
        if given:
            words.append(f"{option} {shlex.quote(str(given))}")
    if unmarked is not None:
        claim = unmarked.claim
        p = claim.p or ",".join(claim.outcomes or [])
        words.append(f"--probtest --probtest-p {shlex.quote(p)}")
        if claim.tolerate is not None:
            words.append(f"--probtest-tolerate {shlex.quote(claim.tolerate)}")
    return " ".join(words)
