"""Seeds for fixtures that several tests share."""

from __future__ import annotations

from typing import Any

from . import _native


def seed_of_fixture(seed: int, definition: Any, request: Any) -> int:
    """Derive a seed from the run seed, the fixture and its parameter."""
    name = f"fixture {definition.baseid}::{definition.argname}[{getattr(request, 'param_index', 0)}]"
    return _native.Session(_native.detect("1/2", "1/2"), name, seed).execution_seed()
