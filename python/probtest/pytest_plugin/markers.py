"""What the markers of a test say together: for each option, the nearest one that names it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from .. import _native
from ..planning import OPTIONS

#: A claim comes from one marker as a whole: parts of two would be a third claim.
_CLAIMS = ("p", "outcomes", "tolerate", "claim")
#: What a farther marker says that makes no sense for what a nearer one claims.
_OF_VIOLATIONS = ("epsilon", "false_alarm", "on_budget")


def marks_of(item: pytest.Item) -> list[pytest.Mark]:
    """Return the markers that reach a test, whatever they say."""
    chain = reversed(item.listchain())
    return [mark for node in chain for mark in node.own_markers if mark.name == "probtest"]


def options_of(item: pytest.Item) -> dict[str, Any] | None:
    """Return what the markers of a test say, or None where it has none.

    Raises `ClaimError` for options that do not exist, and where two markers of one place disagree.
    """
    levels = [level for level in _levels(item) if level]
    if not levels:
        return None
    found: dict[str, Any] = {}
    for level in levels:
        said = _together(level)
        if any(name in found for name in _CLAIMS):
            said = {name: value for name, value in said.items() if name not in _CLAIMS}
            if "claim" in found:
                said = {name: value for name, value in said.items() if name not in _OF_VIOLATIONS}
            elif "tolerate" not in found:
                said.pop("false_alarm", None)
        found = said | found
    return found


def _levels(item: pytest.Item) -> Iterator[list[pytest.Mark]]:
    """Yield the markers of each place, nearest first: parameters, function, classes, module, folders."""
    for node in reversed(item.listchain()):
        marks = [mark for mark in node.own_markers if mark.name == "probtest"]
        if not marks:
            continue
        if isinstance(node, pytest.Class):
            # pytest lists those of a base class before those of the class itself.
            written = [_written(vars(kind).get("pytestmark", [])) for kind in node.obj.__mro__]
        else:
            parameters = getattr(getattr(node, "callspec", None), "marks", [])
            written = [parameters, _written(getattr(getattr(node, "obj", None), "pytestmark", []))]
        places = [[mark for mark in marks if is_in(mark, known)] for known in written]
        known = [mark for place in places for mark in place]
        # Added by a hook: at the front it was meant to win, at the end as a default.
        first = next((number for number, mark in enumerate(marks) if is_in(mark, known)), 0)
        added = [(number, mark) for number, mark in enumerate(marks) if not is_in(mark, known)]
        yield from ([mark] for number, mark in added if number < first)
        yield from places
        yield from ([mark] for number, mark in added if number >= first)


def _written(found: Any) -> list[pytest.Mark]:
    """Return the marks of a function, a class or a module, in whatever form they were written."""
    found = found if isinstance(found, (list, tuple)) else [found]
    return [getattr(mark, "mark", mark) for mark in found]


def is_in(mark: pytest.Mark, marks: Iterable[pytest.Mark]) -> bool:
    # By identity: what a mark holds may not be comparable.
    return any(mark is other for other in marks)


def _together(marks: list[pytest.Mark]) -> dict[str, Any]:
    """Return what the markers of one place say; they must not disagree."""
    found: dict[str, Any] = {}
    for mark in marks:
        for name, value in _arguments(mark).items():
            if name in found and found[name] is not value and repr(found[name]) != repr(value):
                raise _native.ClaimError(
                    f"two markers in one place disagree on {name}\n"
                    f"  given  {', '.join(_call(mark) for mark in marks)}\n"
                    f"  help   keep one of them; a marker on a function wins over one on its class or module"
                )
            found.setdefault(name, value)
    return found


def _call(mark: pytest.Mark) -> str:
    words = [repr(argument) for argument in mark.args]
    words += [f"{name}={value!r}" for name, value in mark.kwargs.items()]
    return f"probtest({', '.join(words)})"


def _arguments(mark: pytest.Mark) -> dict[str, Any]:
    if mark.args:
        raise _native.ClaimError(
            "the marker takes its options by name\n"
            f"  given  {_call(mark)}\n"
            "  help   write @pytest.mark.probtest(p=0.01, epsilon=0.02)"
        )
    unknown = [name for name in mark.kwargs if name not in OPTIONS]
    if unknown:
        raise _native.ClaimError(
            f"the marker has no option {', '.join(unknown)}\n"
            f"  given  {_call(mark)}\n"
            f"  help   {_native.suggestion(unknown, 'options', OPTIONS)}"
        )
    # As elsewhere, None means not given.
    return {name: value for name, value in mark.kwargs.items() if value is not None}
