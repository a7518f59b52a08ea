"""Executions on a Ray cluster."""

from __future__ import annotations

import contextlib
import importlib
from typing import Any

from . import Died, EngineError, hosts
from .addresses import Address
from .futures import Elsewhere, failed, read


class Ray(Elsewhere):
    """One run of a test on a cluster."""

    def __init__(self, ray: Any, address: Address, jobs: int | None, isolates: bool) -> None:
        super().__init__(address, jobs, isolates)
        self._ray = ray
        # A retry of Ray would hide that a worker is gone, and take its time without telling.
        self._make = ray.remote(hosts.make).options(max_retries=0, retry_exceptions=False, num_cpus=1)
        #: By reference: the ticket, and the first execution of its range.
        self._under_way: dict[Any, tuple[int, int]] = {}

    def _workers(self) -> int:
        return int(self._ray.cluster_resources().get("CPU", 1))

    def start(self, ticket: int, seed: int, first: int, last: int, attempt: int) -> None:
        reference = self._make.remote(self._address, seed, first, last, attempt)
        self._under_way[reference] = ticket, first

    def wait(self, timeout: float) -> list[tuple[int, bytes | Died | None]]:
        under_way = list(self._under_way)
        if not under_way:
            return []
        done, rest = self._ray.wait(under_way, num_returns=1, timeout=timeout)
        if done and rest:
            done += self._ray.wait(rest, num_returns=len(rest), timeout=0)[0]
        found = []
        for reference in done:
            ticket, _ = self._under_way.pop(reference)
            found.append((ticket, read(self._result(reference))))
        return found

    def _result(self, reference: Any) -> hosts.Answer:
        errors = self._ray.exceptions
        try:
            found: hosts.Answer = self._ray.get(reference)
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

    def stop_after(self, index: int) -> None:
        for reference, (_, first) in self._under_way.items():
            if first > index:
                with contextlib.suppress(Exception):
                    self._ray.cancel(reference, force=False, recursive=False)

    def close(self) -> None:
        """Take back what is under way. The processes of this run end when they are idle."""
        self.stop_after(0)
        self._under_way.clear()


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
