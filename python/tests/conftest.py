"""Shared by all tests of the plugin."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

import probtest.pytest_plugin.item  # noqa: F401  An inner run forgets, and reads again, what it has imported first.
from probtest import sources


def without_others(*but: str) -> list[str]:
    """Return pytest's options for a run without other plugins but these: they take time to load."""
    others = {"randomly", "xdist", "pytest_cov", "timeout", "asyncio", "anyio", "hypothesispytest"}
    return [word for name in sorted(others - set(but)) for word in ("-p", f"no:{name}")]


WITHOUT_OTHERS = without_others()

#: A way to run a test file, as the fixture `run`.
#: Begins a test file that counts what it executes.
COUNTING = """
    import pytest, probtest, random
    from collections import Counter
    seen = Counter()
    marked = pytest.mark.probtest
"""

#: Begins a test file with inputs of Hypothesis. The numbers are all as likely in every version: `st.integers`
#: favours small ones.
GIVEN = """import random, time, pytest, probtest
from hypothesis import *
from hypothesis import strategies as st
NUMBERS = st.binary(min_size=8, max_size=8).map(lambda found: int.from_bytes(found, 'big'))
"""

#: A way to run a test file, as the fixture `run`.
Run = Callable[..., pytest.RunResult]

#: Subtests are part of pytest from 9 on, and a plugin before.
needs_subtests = pytest.mark.skipif(
    not any(map(importlib.util.find_spec, ("_pytest.subtests", "pytest_subtests"))),
    reason="needs pytest 9, or pytest-subtests",
)

#: Why tests in a browser are skipped.
NO_BROWSER = "tests in a browser are skipped: chromium not found; `make browser` installs it"

#: Variables that change what the inner pytest prints: in CI its summary repeats whole reports.
PRINTING = {"BUILD_NUMBER", "CI", "COLUMNS", "FORCE_COLOR", "NO_COLOR", "PYTEST_ADDOPTS", "PY_COLORS"}

# A shell starts what runs in the background with Ctrl-C ignored, and so would every inner run be.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests of clusters last: clients of clusters leave threads and processes behind for good."""
    items.sort(key=lambda item: item.path.name == "test_clusters.py")


@pytest.fixture(scope="session", autouse=True)
def installed_plugins() -> Iterator[None]:
    """Look once which packages bring plugins: every inner run in this process would, among all packages."""
    bring = [
        package
        for package in importlib.metadata.distributions()
        if any(entry.group == "pytest11" for entry in package.entry_points)
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(importlib.metadata, "distributions", lambda: iter(bring))
        yield


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take variables away that would change what the inner pytest does."""
    for name in list(os.environ):
        if name.startswith("PROBTEST_") or name in PRINTING:
            monkeypatch.delenv(name)
    # How much of a story is told in the time that there is depends on what else the machine does.
    monkeypatch.setenv("PROBTEST_SHRINK_TIME", "600s")


@pytest.fixture(autouse=True)
def clock_of_the_system() -> Iterator[None]:
    """Put the clock back that a test, or an inner run in this process, has changed."""
    yield
    sources.clock = sources.sleep = None


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Start the system's Chromium, headless; Playwright must never download its own."""
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        pytest.skip(NO_BROWSER)
    # Containers have no GPU, and nothing in these tests needs the network.
    quiet = ["--disable-gpu", "--disable-quic", "--disable-sync", "--hide-scrollbars"]
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=program, args=quiet) as browser,
    ):
        yield browser


@pytest.fixture
def show(chromium: Browser) -> Iterator[Callable[..., Page]]:
    """Open a file in a fresh window, wide and light if not told otherwise."""
    contexts = []

    def show(
        file: Path, *, width: int = 1200, media: Literal["screen", "print"] = "screen", **options: Any
    ) -> Page:
        size = {"width": width, "height": 900}
        contexts.append(chromium.new_context(viewport=size, is_mobile=width < 600, **options))
        page = contexts[-1].new_page()
        page.emulate_media(media=media)
        page.goto(file.as_uri())
        return page

    yield show
    for context in contexts:
        context.close()


@pytest.fixture
def run(pytester: pytest.Pytester) -> Run:
    """Write one test file and run it, under a fixed seed and without other plugins."""

    def run(source: str, *options: str) -> pytest.RunResult:
        pytester.makepyfile(test_it=source)
        return pytester.runpytest(*WITHOUT_OTHERS, "--probtest-seed", "1", *options)

    return run


@pytest.fixture
def counting(run: Run) -> Run:
    """Write a test file that counts what it executes, and run it."""
    return lambda source, *options: run(COUNTING + source, *options)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say once why tests in a browser were skipped, also where skips are not listed."""
    skipped = terminalreporter.stats.get("skipped", [])
    if any(NO_BROWSER in str(report.longrepr) for report in skipped):
        terminalreporter.write_line(NO_BROWSER)
