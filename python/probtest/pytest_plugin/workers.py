"""Forked processes under pytest: what they print, where they write, and what they must not do."""

from __future__ import annotations

import contextlib
import inspect
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from .. import _native
from ..engines.forked import WorkerHooks, cores, has_open
from .leftovers import Leftovers
from .renewal import Renewal


@dataclass
class ItemHooks(WorkerHooks):
    """What surrounds the workers of one item."""

    _item: Any
    _renewal: Renewal | None
    _leftovers: Leftovers
    _folders: Path | None = None

    def unsafe(self) -> str | None:
        if not inspect.iscoroutinefunction(inspect.unwrap(self._item.obj)):
            return None
        if self._renewal is not None and not self._renewal.is_static:
            self._renewal.tear_down()
        # That of one execution is closed by now.
        shared = has_open("anon_inode:[eventpoll]")
        return "several tests share one event loop, and processes cannot" if shared else None

    def before(self) -> None:
        if self._renewal is not None and not self._renewal.is_static:
            # Set up here, it would be torn down by each of them.
            self._renewal.tear_down()
        factory: Any = getattr(self._item.config, "_tmp_path_factory", None)
        if factory is not None:
            self._folders = factory.getbasetemp()

    def files(self) -> list[tuple[str, Any]]:
        # A file that is forked has one position for all: each worker has its own.
        names = self._leftovers.captured
        return [(f"Captured std{name} call", tempfile.TemporaryFile(buffering=0)) for name in names]

    def inside(self, worker: int, files: list[tuple[str, Any]]) -> None:
        for capture, (_, file) in zip(self._leftovers.captured.values(), files, strict=True):
            for descriptor in (capture.tmpfile.fileno(), capture.targetfd):
                os.dup2(file.fileno(), descriptor)
        config: Any = self._item.config
        if self._folders is not None:
            folder = self._folders / f"probtest-process-{worker}"
            folder.mkdir(mode=0o700, exist_ok=True)
            config._tmp_path_factory._basetemp = folder
        # Reports of subtests: only the process of the test reports them.
        reports = config.pluginmanager.hook.pytest_runtest_logreport
        for implementation in reports.get_hookimpls():
            with contextlib.suppress(ValueError):
                reports._remove_plugin(implementation.plugin)

    def describe(self, exception: BaseException | None) -> str | None:
        if exception is None:
            return None
        try:
            found = pytest.ExceptionInfo.from_exception(exception)
            text = str(self._item.repr_failure(found))
        except Exception:
            text = super().describe(exception) or ""
        return "\n".join([text, *self._leftovers.take()])

    def after(self) -> None:
        if self._folders is None:
            return
        for folder in self._folders.glob("probtest-process-*"):
            shutil.rmtree(folder, ignore_errors=True)


def jobs_of(given: _native.Given, of_run: _native.Given) -> int:
    """Return how many processes a test has: with those of xdist no more than cores, unless the run asks."""
    jobs = given.jobs
    if jobs is None:
        return 1
    try:
        beside = max(1, int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))
    except ValueError:
        beside = 1
    share = max(1, cores() // beside)
    if jobs == 0:
        return share
    return jobs if beside == 1 or of_run.jobs is not None else min(jobs, share)
