"""The page of `probtest-paper`, in a real browser. Pictures go to target/browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from . import webdriver
from .command import TARGET, probtest_paper

MISSING = webdriver.missing()
pytestmark = pytest.mark.skipif(MISSING is not None, reason=MISSING or "")

#: A sheet of US letter within margins of a centimetre, in CSS pixels: the smaller one of the usual two.
SHEET = (740, 980)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
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


def test_the_page_loads_without_errors_and_asks_for_nothing(running: webdriver.Browser, page: Path) -> None:
    running.open_fresh(page.as_uri())
    assert running.log("browser") == []
    assert running.requests() == [page.as_uri()]


def test_a_figure_fits_on_a_sheet_of_paper(running: webdriver.Browser, page: Path) -> None:
    width, height = SHEET
    running.emulate(width=width)
    running.devtools("Emulation.setEmulatedMedia", media="print")
    running.open(page.as_uri())
    tall = running.run(
        "return [...document.querySelectorAll('figure')].map(f => f.getBoundingClientRect().height)"
    )
    running.devtools("Emulation.setEmulatedMedia", media="")
    assert len(tall) == 1
    assert max(tall) < height


def test_no_table_is_wider_than_a_sheet(running: webdriver.Browser, page: Path, lakes: Path) -> None:
    # A browser makes everything smaller until the widest table fits: text and figures too.
    width, _ = SHEET
    running.emulate(width=width)
    running.devtools("Emulation.setEmulatedMedia", media="print")
    for address in (page, lakes):
        running.open(address.as_uri())
        assert running.run("return document.documentElement.scrollWidth") <= width, address
    running.devtools("Emulation.setEmulatedMedia", media="")


def test_a_figure_is_legible_on_a_phone_and_the_page_no_wider(running: webdriver.Browser, page: Path) -> None:
    running.emulate(width=360)
    running.open(page.as_uri())
    assert running.run("return document.documentElement.scrollWidth") <= 360
    high = running.run(
        "return [...document.querySelectorAll('figure svg text')].map(t => t.getBoundingClientRect().height)"
    )
    assert min(high) > 7
    assert running.screenshot(TARGET / "browser" / "paper-phone.png")[:4] == b"\x89PNG"
