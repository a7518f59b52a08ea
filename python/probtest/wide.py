"""Seeds for fixtures that several tests share."""

from __future__ import annotations

from typing import Any

from . import _native
from .options import Settings
from .seeding import Sources


class Seeded:
    """While it is entered, the sources have the seed of one fixture of wider scope."""

    def __init__(self, settings: Settings, definition: Any, request: Any, sources: Sources | None) -> None:
        self._settings = settings
        self._sources = sources if sources is not None else Sources()
        self._states: list[tuple[Any, Any]] = []
        self._begun: list[Any] = []
        parameter = getattr(request, "param_index", 0)
        name = f"fixture {definition.baseid}::{definition.argname}[{parameter}]"
        self._seed = _native.Session(_native.detect("1/2", "1/2"), name, settings.seed).execution_seed()

    def __enter__(self) -> None:
        self._states = self._sources.save()
        self._sources.seed(self._seed)
        self._begun = [source.fingerprint() for source, _ in self._states]

    def __exit__(self, *_: object) -> None:
        if any(
            source.fingerprint() != begun
            for (source, _), begun in zip(self._states, self._begun, strict=True)
        ):
            self._settings.wide_fixtures_drew = True
        Sources.restore(self._states)
        if self._sources.find_new():
            self._settings.wide_fixtures_drew = True
