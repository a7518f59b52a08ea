"""The tests of packages from the registries: `make real` runs them, here is what needs no package."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from examples.real import exact
from examples.real.__main__ import HERE, ROOT, documents, rust_versions

PAGE = (ROOT / "docs" / "explanation" / "real-packages.md").read_text()


def pinned() -> dict[str, str]:
    lines = (HERE / "requirements.txt").read_text().splitlines()
    return rust_versions() | dict(line.split("==") for line in lines if not line.startswith("#"))


def test_the_page_has_each_test_with_its_pinned_version() -> None:
    tests = dict(documents())
    assert len(tests) >= 12
    for documented in tests.values():
        package, words = documented.split(": ", 1)
        assert f"| {package} {pinned()[package]} | {words} | " in PAGE
        # The source is in brackets at the end.
        assert re.search(r"\((docs|paper|README).*\)$", words)
    assert f"{len(tests)} tests of " in PAGE


@pytest.mark.parametrize("file", sorted(HERE.glob("test_*.py")), ids=lambda file: file.stem)
def test_each_test_that_is_expected_to_fail_is_strict(file: Path) -> None:
    tests = file.read_text()
    assert tests.count("mark.xfail(") == tests.count("strict=True")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (exact.pybloom_filter, "0.01131"),
        (exact.pybloom_scalable, "0.02426"),
        (exact.rbloom, "0.01004"),
        (exact.scipy_wilson, "0.08614"),
        (exact.scipy_exact, "0.0115"),
    ],
)
def test_the_page_quotes_the_exact_values(value, expected: str) -> None:
    assert f"{value():.4g}" == expected
    assert f" | {expected} |" in PAGE
