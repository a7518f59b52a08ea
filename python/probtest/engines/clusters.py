"""Which engine a word, a client or an executor stands for; connections are made once in a process."""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any, Protocol

from .. import _native
from . import EngineError
from .addresses import Address


class Cluster(Protocol):
    """A connection to a cluster, for any number of tests."""

    def engine(self, address: Address, jobs: int | None = None, isolates: bool = False) -> Any: ...

    def close(self) -> None: ...


def _dask(where: str) -> Cluster:
    from . import dask

    return dask.Cluster(where)


def _ray(where: str) -> Cluster:
    from . import ray

    return ray.Cluster(where)


_KINDS: dict[str, Callable[[str], Cluster]] = {"dask": _dask, "ray": _ray}
_open: dict[str, Cluster] = {}


def engine_for(given: object, address: Address, jobs: int | None, isolates: bool) -> Any:
    """Return the engine for one run of a test, with so many workers at once; 0 or None is all."""
    return _cluster(given).engine(address, jobs, isolates)


def look_at(given: object) -> None:
    """Refuse what stands for no engine, before anything is executed."""
    if isinstance(given, Executor) or _is_client(given):
        return
    kind, colon, where = str(given).partition(":")
    if not isinstance(given, str) or not colon or kind not in _KINDS or not where:
        raise _native.ClaimError(
            "there is no engine with this name\n"
            f"  given  executor {given!r}\n"
            "  help   write dask:tcp://host:port, dask:local, ray:auto or ray:local; "
            "probtest.check also takes a concurrent.futures.Executor or a client of Dask"
        )


def _cluster(given: object) -> Cluster:
    look_at(given)
    if os.name != "posix":
        raise EngineError(
            "this system cannot run executions on a cluster\n"
            f"  given  executor {given!r}, {os.name}\n"
            "  help   leave it out, or run the test on Linux or macOS"
        )
    if isinstance(given, Executor):
        from . import futures

        return futures.Cluster(given)
    if not isinstance(given, str):
        from . import dask

        return dask.Connected(given)
    if given not in _open:
        kind, _, where = given.partition(":")
        _open[given] = _KINDS[kind](where)
        atexit.register(close)
    return _open[given]


def close() -> None:
    """Leave all clusters, and end those that were started here."""
    while _open:
        _open.popitem()[1].close()


def _is_client(given: object) -> bool:
    return type(given).__module__.startswith("distributed.") and type(given).__name__ == "Client"
