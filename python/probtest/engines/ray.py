"""Executions on a Ray cluster."""

from __future__ import annotations

import contextlib
import importlib
from typing import Any

from . import EngineError, hosts
from .addresses import Address
from .futures import Futures, failed


class Ray(Futures):
    """One run of a test on a cluster."""

    def __init__(self, ray: Any, address: Address, jobs: int | None, isolates: bool) -> None:
        super().__init__(ray, address, jobs, isolates)
        # A retry of Ray would hide that a worker is gone, and take its time without telling.
        self._make = ray.remote(hosts.make).options(max_retries=0, retry_exceptions=False, num_cpus=1)

    def _workers(self) -> int:
        return int(self._executor.cluster_resources().get("CPU", 1))

    def _submit(self, _ticket: int, *asked: Any) -> Any:
        return self._make.remote(*asked).future()

    def _result(self, future: Any) -> hosts.Answer:
        errors = self._executor.exceptions
        try:
            found: hosts.Answer = self._executor.get(future.object_ref)
        except errors.RayTaskError as error:
            if isinstance(error.cause, (errors.TaskCancelledError, KeyboardInterrupt)):
                return "lost", None
            raise failed(error.cause or error) from error
        except (errors.RuntimeEnvSetupError, errors.TaskUnschedulableError) as error:
            raise failed(error) from error
        except errors.RayError:
            # The worker, its node or the result is gone. No body ran in that worker.
            return "lost", None
        return found

    def _cancel(self, futures: list[Any]) -> None:
        for future in futures:
            with contextlib.suppress(Exception):
                self._executor.cancel(future.object_ref, force=False, recursive=False)

    def _stop_processes(self, index: int) -> None:
        """The processes of this run end when they are idle."""


class Cluster:
    """A connection to a cluster, for any number of tests."""

    def __init__(self, where: str) -> None:
        try:
            ray: Any = importlib.import_module("ray")
        except ImportError:
            raise EngineError(
                f"Ray is not installed\n  given  ray:{where}\n  help   pip install 'probtest[ray]'"
            ) from None
        self._ray = ray
        #: Whether we have connected, and so disconnect.
        self._is_ours = not ray.is_initialized()
        if not self._is_ours:
            return
        options: dict[str, Any] = {"include_dashboard": False} if where == "local" else {"address": where}
        try:
            ray.init(log_to_driver=False, **options)
        except Exception as error:
            raise EngineError(
                f"the Ray cluster does not answer\n  given  ray:{where}: {type(error).__name__}: {error}\n"
                "  help   start one with `ray start --head`, or write ray:local to start your own"
            ) from error

    def engine(self, address: Address, jobs: int | None, isolates: bool) -> Ray:
        return Ray(self._ray, address, jobs, isolates)

    def close(self) -> None:
        if self._is_ours:
            self._ray.shutdown()
