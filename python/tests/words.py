"""What probtest says, in the words that Rust tests match too, and how tests read it from what pytest printed.

Lines are patterns for `fnmatch_lines`: a number that a test does not know is `*`.
"""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

#: Any doubt, and each of them.
IN_DOUBT = "doubt: *"
COPIES = "doubt: every execution that was checked did the same thing; *"


def fixed_seeds(place: str) -> str:
    return f"doubt: every execution draws the same numbers: {place}; *"


def few_drew(drew: object, looked_at: object) -> str:
    return f"doubt: {drew} of {looked_at} executions drew a random number; *"


NO_LONGER_VIOLATES = "*no longer violates*"
NOT_THE_PLAN = "*this is not the plan"


_FILE = Path(__file__).parents[2] / "crates" / "probtest-testing" / "words.txt"
_WORDS = dict(line.split(maxsplit=1) for line in _FILE.read_text().splitlines())


def violated_at(index: object = "*", planned: object = "*") -> str:
    return _WORDS["violated_at"].format(index=index, planned=planned)


def violated_again(address: str = "*") -> str:
    return _WORDS["violated_again"].format(address=address)


def inconclusive_after(executed: object, planned: object = "*") -> str:
    return _WORDS["inconclusive_after"].format(executed=executed, planned=planned)


def no_violation(test: str, executions: object, rejected: bool = False) -> str:
    """Return the line of a pass, as verbose runs have it below the name of the test."""
    words = _WORDS["no_violation"].format(executed=executions)
    return f"*{test}: {words.replace(', ', ', * rejected, ') if rejected else words}*"


def passing(executions: int, meaning: str) -> str:
    """Return the summary of a pass."""
    return f"probtest: {_WORDS['no_violation'].format(executed=executions)}; {meaning}"


def missed_with(p: object, chance: object) -> str:
    return _WORDS["missed_with"].format(p=p, chance=chance)


def seen_with(p: object, chance: object) -> str:
    return _WORDS["seen_with"].format(p=p, chance=chance)


def within_budget(executed: object, planned: object, p: object, chance: object) -> str:
    words = _WORDS["within_budget"].format(executed=executed, planned=planned)
    return f"{words}; {seen_with(p, chance)}"


def below_the_plan(most: int) -> str:
    return f"*max_executions = {most} is below the plan"


def over_before(span: str, what: str = "the plan was finished", limit: str = "max_time") -> str:
    return f"{limit} = {span} ran out before {what}"


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
