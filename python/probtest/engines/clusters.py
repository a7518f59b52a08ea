"""Which engine a word, a client or an executor means; connections are made once in a process."""

from __future__ import annotations

import atexit
import importlib
import os
from concurrent.futures import Executor
from typing import Any

from .. import _native
from . import EngineError
from .addresses import Address

#: Modules here that have a `Cluster`, a connection for any number of tests.
_KINDS = ("dask", "ray")
_open: dict[str, Any] = {}


def look_at(given: object) -> None:
    """Refuse what means no engine, before anything is executed."""
    if isinstance(given, Executor) or _is_client(given):
        return
    kind, _, where = str(given).partition(":")
    if not isinstance(given, str) or kind not in _KINDS or not where:
        raise _native.ClaimError(
            "there is no engine with this name\n"
            f"  given  executor {given!r}\n"
            "  help   write dask:tcp://host:port, dask:local, ray:auto or ray:local; "
            "probtest.check also takes a concurrent.futures.Executor or a client of Dask"
        )


def engine_for(given: object, address: Address, jobs: int | None, isolates: bool) -> Any:
    """Return the engine for one run of a test, with so many workers at once; 0 or None is all."""
    look_at(given)
    if os.name != "posix":
        raise EngineError(
            "this system cannot run executions on a cluster\n"
            f"  given  executor {given!r}, {os.name}\n"
            "  help   leave it out, or run the test on Linux or macOS"
        )
    if isinstance(given, Executor):
        from .futures import Futures

        return Futures(given, address, jobs, isolates)
    if not isinstance(given, str):
        from .dask import Dask

        return Dask(given, address, jobs, isolates)
    if given not in _open:
        kind, _, where = given.partition(":")
        _open[given] = importlib.import_module(f".{kind}", __package__).Cluster(where)
        atexit.register(close)
    return _open[given].engine(address, jobs, isolates)


def close() -> None:
    """Leave all clusters, and end those that were started here."""
    while _open:
        _open.popitem()[1].close()


def _is_client(given: object) -> bool:
    return type(given).__module__.startswith("distributed.") and type(given).__name__ == "Client"
