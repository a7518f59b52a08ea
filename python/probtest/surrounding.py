"""What surrounds the body of each execution."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from .executing import LEAVING, REJECTING, Exceptions
from .guarding import Guard
from .seeding import Seeder, Sources


@dataclass
class Surroundings:
    """Everything that the core needs besides the body; it reads these names."""

    #: The sources that are seeded for each execution.
    seeders: Iterable[Seeder]
    #: Answers with more sources when an execution has imported one.
    imported: Callable[[], Iterable[Seeder] | None] | None = None
    #: Exceptions that reject an execution.
    rejecting: Exceptions = REJECTING
    #: Exceptions that end the test here and now.
    leaving: Exceptions = LEAVING
    #: Whether the sources have the seed of the first execution already.
    seeded: bool = False
    #: Descriptors and lists that show that an execution left something behind, and what clears it away.
    cleaner: tuple[Sequence[int], Sequence[list[Any]], Callable[[], object]] | None = None
    #: Is called before and after each of the first executions, and how many those are.
    probe: Callable[[bool, int], object] | None = None
    probes: int = 0
    #: Is called from time to time with the executions and the rejections so far.
    tick: Callable[[int, int], object] | None = None


@contextmanager
def guarded(
    progress: Callable[[int, int], object] | None, planned: int
) -> Iterator[tuple[Surroundings, Guard]]:
    """Seed and watch the executions of a callable, outside pytest; put the sources back afterwards."""
    sources = Sources()
    try:
        guard = Guard(sources)
        around = Surroundings(sources.seeders, sources.imported, probe=guard.probe, probes=guard.probes)
        if progress is not None:
            observer = progress
            around.tick = lambda executed, _rejected: observer(executed, planned)
        yield around, guard
    finally:
        sources.restore_all()
