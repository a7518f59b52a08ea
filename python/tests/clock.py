"""A clock that tests move, for the limits of time."""

from __future__ import annotations

#: Begins a test file in which each call of `second` takes a second.
CLOCK = """
    import random, pytest, probtest
    from probtest import sources

    now = 0
    sources.clock = lambda: now * 1_000_000_000

    def second():
        global now
        now += 1
        drawn = random.random()
        print("drew", drawn)
        return drawn
"""
