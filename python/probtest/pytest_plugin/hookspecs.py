"""Hooks that projects may implement in a conftest.py."""

from __future__ import annotations

import pytest


def pytest_probtest_seed(item: pytest.Item, seed: int, index: int) -> None:
    """Seed a source of randomness that probtest does not know, before each execution.

    `seed` has 64 bits and belongs to execution `index` of this test.
    """
