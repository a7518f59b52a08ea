"""Subtests of an execution: told to pytest only where that execution decides.

pytest reports a subtest as soon as it ends. A violation that is tolerated, or an execution that
is drawn again, would fail the run that way.
"""

from __future__ import annotations

import contextlib
from typing import Any

import pytest

from .. import _native
from ..saying import leave_by

try:
    from _pytest.subtests import failed_subtests_key as _failed_subtests
except ImportError:
    _failed_subtests = None  # type: ignore[assignment]


class Subtests:
    """What the subtests of the execution under way came to."""

    def __init__(self, item: pytest.Item) -> None:
        self._item = item
        #: Whether a body is being executed: what is reported meanwhile is a subtest of it.
        self.is_open = False
        self._failed: list[tuple[Any, Any]] = []
        self._failure = pytest.fail.Exception()
        self._held: list[Any] = []
        #: The same of the last execution in which one failed.
        self.last: tuple[list[tuple[Any, Any]], list[Any]] = ([], [])

    def begin(self) -> None:
        self.is_open = True
        self._failed = []
        self._held = []

    def hold(self, report: pytest.TestReport, call: pytest.CallInfo[None]) -> None:
        """Look at a subtest, and keep its failure back. One that rejects leaves the body at once."""
        exception = None if call.excinfo is None else call.excinfo.value
        if isinstance(exception, _native.Rejected):
            raise exception
        if report.failed:
            if not self._failed:
                # Whatever comes behind it: this execution has failed.
                self._failure = pytest.fail.Exception(pytrace=False)
                leave_by(self._failure)
            self._failed.append((report.longrepr, exception))
            report.outcome = "passed"
            report.longrepr = None
            report.probtest_held = len(self._failed) - 1  # type: ignore[attr-defined]

    def take(self, report: Any) -> None:
        """Take the report of a subtest whose failure is kept back, as pytest tells it."""
        self._held.append(report)

    def end(self) -> None:
        """Raise where a subtest of the execution has failed."""
        __tracebackhide__ = True
        if self._failed:
            self.last = (self._failed, self._held)
            count, first = len(self._failed), self._failed[0][1]
            said = f": {type(first).__name__}" if first is not None else ""
            self._failure.msg = f"{count} of its subtests failed, see above{said}"
            raise self._failure

    def tell(self) -> None:
        """Tell pytest of the failures: the execution has decided."""
        failed, held = self.last
        for report in held:
            report.longrepr, _ = failed[report.probtest_held]
            report.outcome = "failed"
            del report.probtest_held
            if _failed_subtests is not None:
                # The key is the node id: as an object where pytest has one, else as text.
                counts: Any = self._item.config.stash[_failed_subtests]
                counts[getattr(self._item, "id", self._item.nodeid)] += 1
            capture: Any = self._item.config.pluginmanager.getplugin("capturemanager")
            # What pytest writes about it is no output of the test.
            with capture.global_and_fixture_disabled() if capture else contextlib.nullcontext():
                self._item.ihook.pytest_runtest_logreport(report=report)
