"""What probtest says, written once for all tests, and how tests read it from what pytest printed.

Lines are patterns for `fnmatch_lines`: a number that a test does not know is `*`.
"""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest

NOT_INDEPENDENT = "*not independent*"
NO_LONGER_VIOLATES = "*no longer violates*"
NOT_THE_PLAN = "*this is not the plan"


def violated_at(index: object = "*", planned: object = "*") -> str:
    return f"probtest: violated at execution {index} of {planned}"


def violated_again(address: str = "*") -> str:
    return f"probtest: violated again by the remembered execution {address}"


def inconclusive_after(executed: object, planned: object = "*") -> str:
    return f"probtest: inconclusive after {executed} of {planned} executions"


def no_violation(test: str, executions: object, rejected: bool = False) -> str:
    """Return the line of a pass, as verbose runs have it below the name of the test."""
    return f"*{test}: {executions} executions, {'* rejected, ' if rejected else ''}no violation*"


def missed_with(p: object, chance: object) -> str:
    return f"a violation probability >= {p} would have been missed with probability {chance}"


def seen_with(p: object, chance: object) -> str:
    return f"one of {p} or more would have been seen with probability {chance}"


def within_budget(executed: object, planned: object, p: object, chance: object) -> str:
    return (
        f"passed within budget after {executed} of {planned} executions, no violation; "
        f"a violation probability of {p} or more would have been seen with probability {chance}"
    )


def below_the_plan(most: int) -> str:
    return f"*max_executions = {most} is below the plan"


def over_before(span: str, what: str = "the plan", limit: str = "max_time") -> str:
    return f"{limit} = {span} was over before {what}"


def fact(name: str, words: str) -> str:
    """Return a line of the section that a failure has."""
    return f"  {name:<9} {words}"


def replay_line(test: str, address: str) -> str:
    return fact("replay", f"pytest test_it.py::{test} --probtest-replay {address}")


def error(what: str, given: str = "*") -> list[str]:
    return [f"*probtest: error: {what}", f"*given  {given}", "*help   *"]


def facts_said(result: pytest.RunResult, name: str) -> list[str]:
    """Return what the lines of this name in sections say."""
    return [line[len(fact(name, "")) :] for line in result.outlines if line.startswith(fact(name, ""))]


def arguments_of(result: pytest.RunResult, name: str, test: str = "") -> list[str]:
    """Return what follows `pytest` in the only line to copy of this name, `replay` or `rerun`."""
    (line,) = [line for line in facts_said(result, name) if test in line]
    return shlex.split(line)[1:]


def address_of(result: pytest.RunResult) -> str:
    """Return the address in the only replay line."""
    words = arguments_of(result, "replay")
    return words[words.index("--probtest-replay") + 1]


def index_of(result: pytest.RunResult) -> int:
    """Return the execution that violated."""
    head, _ = violated_at("|").split("|")
    (line,) = [line for line in result.outlines if line.startswith(head)]
    return int(line.removeprefix(head).split()[0])


def drawn(result: pytest.RunResult) -> list[str]:
    """Return what the body printed of its draws."""
    return [line for line in result.outlines if line.startswith("drew ")]


def written(pytester: pytest.Pytester, file: str = "facts.json") -> tuple[dict[str, dict[str, Any]], Any]:
    """Return the facts of each test by its name, and those of the suite."""
    content = json.loads((pytester.path / file).read_text())
    return {test["nodeid"].partition("::")[2]: test for test in content["tests"]}, content["suite"]
