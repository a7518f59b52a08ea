"""The page of `probtest-paper`, in a real browser. Pictures go to target/browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from .command import TARGET, probtest_paper

#: A sheet of US letter within margins of a centimetre, in CSS pixels: the smaller one of the usual two.
SHEET = (740, 980)

Show = Callable[..., Page]


@pytest.fixture(scope="module")
def comparison(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the page with the tallest figure."""
    folder = tmp_path_factory.mktemp("paper")
    made = probtest_paper("comparison", "--out", folder)
    assert made.returncode == 0, made.stderr
    return folder / "index.html"


@pytest.fixture(scope="module")
def lakes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the page with the widest tables."""
    folder = tmp_path_factory.mktemp("lakes")
    less = ("--episodes", "10", "--samples", "100", "--repeats", "1")
    made = probtest_paper("frozen-lake", "--lake", "4x4", *less, "--out", folder)
    assert made.returncode in (0, 1), made.stderr
    return folder / "index.html"


def test_the_page_loads_without_errors_and_asks_for_nothing(show: Show, comparison: Path) -> None:
    page = show(comparison)
    said, asked = [], []
    page.on("console", lambda message: said.append(message.text))
    page.on("request", lambda request: asked.append(request.url))
    page.reload()
    assert (said, asked) == ([], [comparison.as_uri()])


def test_figures_and_tables_fit_on_a_sheet_of_paper(show: Show, comparison: Path, lakes: Path) -> None:
    # A browser makes everything smaller until the widest table fits: text and figures too.
    width, height = SHEET
    for file in (comparison, lakes):
        page = show(file, width=width, media="print")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, file
    figures = show(comparison, width=width, media="print").locator("figure")
    assert figures.count() == 1
    box = figures.bounding_box()
    assert box is not None
    assert box["height"] < height


def test_a_figure_is_legible_on_a_phone_and_the_page_no_wider(show: Show, comparison: Path) -> None:
    page = show(comparison, width=360)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    letters = page.locator("figure svg text")
    assert min(letters.evaluate_all("all => all.map(t => t.getBoundingClientRect().height)")) > 7
    page.screenshot(path=TARGET / "browser" / "paper-phone.png", full_page=True)
