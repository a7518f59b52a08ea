"""Processes that a body forks."""

from __future__ import annotations

import pytest

from .conftest import Run


@pytest.mark.parametrize(
    ("leave", "code"),
    [("sys.exit(0)", 0), ("sys.exit(3)", 3), ("sys.exit('words')", 1), ("1 / 0", 1), ("return", 0)],
)
@pytest.mark.parametrize("head", ["def test_it():", "def test_it(tmp_path):", "def test_it(probtest_batch):"])
def test_a_process_that_a_body_forks_ends_where_it_leaves_the_body(
    counting: Run, head: str, leave: str, code: int
) -> None:
    batch = ", batch=2" if "batch" in head else ""
    result = counting(
        f"""
    import os, sys
    parent = os.getpid()

    @marked(p=0.5{batch})
    {head}
        random.random()
        child = os.fork()
        if child == 0: {leave}
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == {code}
        {"assert tmp_path.exists()" if "tmp_path" in head else ""}
        {"return [True] * probtest_batch" if batch else ""}

    def test_behind(): assert os.getpid() == parent
        """,
        "-s",
    )
    result.assert_outcomes(passed=2)
    assert str(result.stdout).count("2 passed") == 1
