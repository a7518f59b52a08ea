"""What tests cost: one run measures it, and the next one says it before it begins."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

#: Where pytest's cache has it: by test, what was spent by how many executions, of how many planned,
#: and the most that they might spend.
_KEY = "probtest/costs"
#: How many tests are listed; the others are in the sum.
_LISTED = 10


def keep(config: pytest.Config, tests: Iterable[dict[str, Any]]) -> None:
    """Remember what the executions of these tests have cost."""
    measured = {
        facts["nodeid"]: [facts["cost"]["spent"], facts["executed"], facts["planned"], facts["cost"]["max"]]
        for facts in tests
        if facts.get("cost") and facts["cost"]["spent"] > 0 and facts["executed"] and facts["planned"]
    }
    cache: Any = getattr(config, "cache", None)
    if measured and cache is not None:
        cache.set(_KEY, _known(config) | measured)


def planned(config: pytest.Config, items: Iterable[pytest.Item]) -> list[str]:
    """Say what the plans of these tests may cost, estimated from an earlier run."""
    known, rows = _known(config), []
    for item in items:
        if item.nodeid in known:
            spent, executed, most, limit = known[item.nodeid]
            whole = spent / executed * most
            if limit is not None and limit < whole:
                rows.append((limit, f"{item.nodeid}: {limit:.4g}, its max_cost"))
            else:
                words = f"{most} executions at {spent / executed:.4g}"
                rows.append((whole, f"{item.nodeid}: {whole:.4g}, {words}"))
    if not rows:
        return []
    rows.sort(key=lambda row: -row[0])
    total = sum(cost for cost, _ in rows)
    return [
        f"probtest: planned cost up to {total:.4g}, estimated from an earlier run",
        *(f"  {words}" for _, words in rows[:_LISTED]),
    ]


def _known(config: pytest.Config) -> dict[str, Any]:
    cache: Any = getattr(config, "cache", None)
    known = None if cache is None else cache.get(_KEY, None)
    return known if isinstance(known, dict) else {}
