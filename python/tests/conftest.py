"""Shared by all tests of the plugin."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from probtest import timing

from . import webdriver

#: pytest's options for a run without other plugins: they take time to load.
WITHOUT_OTHERS = [
    word
    for name in ("randomly", "xdist", "pytest_cov", "timeout", "asyncio", "anyio", "hypothesispytest")
    for word in ("-p", f"no:{name}")
]


#: Variables that change what the inner pytest prints: in CI its summary repeats whole reports.
PRINTING = {"BUILD_NUMBER", "CI", "COLUMNS", "FORCE_COLOR", "NO_COLOR", "PYTEST_ADDOPTS", "PY_COLORS"}


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take variables away that would change what the inner pytest does."""
    for name in list(os.environ):
        if name.startswith("PROBTEST_") or name in PRINTING:
            monkeypatch.delenv(name)


@pytest.fixture(autouse=True)
def clock_of_the_system() -> Iterator[None]:
    """Put the clock back that a test, or an inner run in this process, has changed."""
    yield
    timing.clock = None


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Browser]:
    """Return a browser that shows nothing in particular."""
    browser = webdriver.Browser(tmp_path_factory.mktemp("profile"))
    try:
        yield browser
    finally:
        browser.close()


@pytest.fixture
def run(pytester: pytest.Pytester) -> Callable[..., pytest.RunResult]:
    """Write one test file and run it, under a fixed seed and without other plugins."""

    def run(source: str, *options: str) -> pytest.RunResult:
        pytester.makepyfile(test_it=source)
        return pytester.runpytest(*WITHOUT_OTHERS, "--probtest-seed", "1", *options)

    return run


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say once why tests in a browser were skipped, also where skips are not listed."""
    skipped = terminalreporter.stats.get("skipped", [])
    if any("/test_browser" in f"/{report.nodeid}" for report in skipped):
        terminalreporter.write_line(webdriver.missing() or "tests in a browser were skipped")
