"""Executions on a Dask cluster."""

from __future__ import annotations

import contextlib
import importlib
import logging
import os
from concurrent.futures import CancelledError
from typing import Any

from . import EngineError, hosts
from .addresses import Address
from .futures import Futures, broken, failed

#: How long a cluster may take to have its first worker, in seconds.
STARTING = 60.0


class Dask(Futures):
    """One run of a test on a cluster.

    Dask executes a range again where the worker died that had it, or its result: that does no harm,
    since a body never runs in the worker, and a range comes to the same wherever it runs.
    """

    def _workers(self) -> int:
        return sum(self._executor.nthreads().values())

    def _submit(self, ticket: int, *asked: Any) -> Any:
        # A key of its own: Dask would take two equal tasks for one, and a pure one for done.
        key = f"probtest-{self._run}-{ticket}"
        try:
            return self._executor.submit(hosts.make, *asked, key=key, pure=False, retries=0)
        except Exception as error:
            raise broken(self._executor, error) from error

    def _result(self, future: Any) -> hosts.Answer:
        killed = importlib.import_module("distributed.scheduler").KilledWorker
        try:
            found: hosts.Answer = future.result()
        except (killed, CancelledError):
            # More workers died than Dask allows one task, none of them by the body.
            return "lost", None
        except Exception as error:
            raise failed(error) from error
        finally:
            future.release()
        return found

    def _cancel(self, futures: list[Any]) -> None:
        if futures:
            self._executor.cancel(futures, force=True)

    def _stop_processes(self, index: int) -> None:
        # Beside the threads that execute tasks, which Dask cannot interrupt.
        with contextlib.suppress(Exception):
            self._executor.run(_stop_after, self._run, index, wait=False, on_error="ignore")


async def _stop_after(run: str, index: int) -> None:
    hosts.stop_after(run, index)


def _local(distributed: Any) -> Any:
    # Its scheduler is in this process, and would write every range to the log of a test.
    for name in ("distributed", "distributed.scheduler", "distributed.nanny", "distributed.core"):
        logging.getLogger(name).setLevel(logging.WARNING)
    # Dask writes down for its workers how they hash, in the variables of this process: a test would take
    # that for its own.
    hashing = {"PYTHONHASHSEED": os.environ.get("PYTHONHASHSEED") or "random"}
    config: Any = importlib.import_module("dask").config
    before = config.get("distributed.nanny.pre-spawn-environ", {})
    variables = set(os.environ)
    try:
        with config.set({"distributed.nanny.pre-spawn-environ": before | hashing}):
            return distributed.LocalCluster(threads_per_worker=1, dashboard_address=":0")
    finally:
        for name in set(os.environ) - variables:
            del os.environ[name]


class Cluster:
    """A connection to a cluster, for any number of tests."""

    def __init__(self, where: str) -> None:
        try:
            distributed: Any = importlib.import_module("distributed")
        except ImportError:
            raise EngineError(
                f"Dask is not installed\n  given  dask:{where}\n  help   pip install 'probtest[dask]'"
            ) from None
        self._local: Any = None
        try:
            if where == "local":
                self._local = _local(distributed)
            self._client = distributed.Client(self._local or where, set_as_default=False)
            self._client.wait_for_workers(1, timeout=STARTING)
        except Exception as error:
            self.close()
            raise EngineError(
                f"the Dask cluster does not answer\n  given  dask:{where}: {type(error).__name__}: {error}\n"
                "  help   check that its scheduler and at least one worker are running"
            ) from error

    def engine(self, address: Address, jobs: int | None, isolates: bool) -> Dask:
        return Dask(self._client, address, jobs, isolates)

    def close(self) -> None:
        for found in (getattr(self, "_client", None), self._local):
            if found is not None:
                found.close()
