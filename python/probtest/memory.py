"""Counterexamples of earlier runs, kept in pytest's cache."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from . import _native

#: How many counterexamples of one test are kept, newest first.
KEPT = 8


class Memory:
    """The remembered counterexamples of one test."""

    def __init__(self, config: pytest.Config, nodeid: str, batch: int | None = None) -> None:
        self._cache: Any = getattr(config, "cache", None)
        # In batches of another size the same address is another execution, which says
        # nothing about the counterexample.
        name = nodeid if batch is None else f"{nodeid} in batches of {batch}"
        # One file for each test: workers of xdist write side by side.
        self._key = f"probtest/{hashlib.sha256(name.encode()).hexdigest()[:24]}"

    def read(self) -> list[tuple[int, int]]:
        if self._cache is None:
            return []
        found = []
        kept = self._cache.get(self._key, None) or {}
        for text in kept.get("counterexamples", []) if isinstance(kept, dict) else []:
            try:
                found.append(_native.parse_replay(text))
            except (_native.ClaimError, TypeError):
                continue
        return found

    def update(self, nodeid: str, found: tuple[int, int] | None, mended: list[tuple[int, int]]) -> None:
        if self._cache is None or (found is None and not mended):
            return
        kept = [address for address in self.read() if address not in mended and address != found]
        if found is not None:
            kept.insert(0, found)
        texts = [f"{seed:#x}:{index}" for seed, index in kept[:KEPT]]
        self._cache.set(self._key, {"test": nodeid, "counterexamples": texts})
