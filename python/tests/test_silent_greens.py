"""One regression test for each way in which the original goes silently green.

Three are elsewhere: programs that seed themselves in `test_guard.py`, pytest-randomly in `test_plugins.py`,
and packages that are not installed in `test_seeds.py`.
"""

from __future__ import annotations

import pytest

#: k = 29 for --Pbug 0.1; the bug shows in execution 20 of each test.
LATE = ["--probtest", "--Pbug", "0.1", "-p", "no:randomly"]


def late(head: str, body: str) -> str:
    return (
        "import pytest\nexecuted = []\n\ndef count():\n"
        f"    executed.append(1)\n    assert len(executed) != 20\n\n{head}{body}"
    )


@pytest.mark.parametrize(
    ("head", "body"),
    [
        ("class TestIt:\n", "    def test_it(self): count()\n"),
        ("@pytest.mark.parametrize('n', [1])\n", "def test_it(n): count()\n"),
        ("import unittest\nclass Case(unittest.TestCase):\n", "    def test_it(self): count()\n"),
        # A skip rejects one execution, and no more.
        (
            "calls = []\n",
            "def test_it():\n    calls.append(1)\n    if len(calls) == 3: pytest.skip('no')\n    count()\n",
        ),
    ],
    ids=["class", "first parametrized", "unittest", "skip"],
)
def test_every_kind_of_test_is_executed_to_its_plan(pytester: pytest.Pytester, head: str, body: str) -> None:
    pytester.makepyfile(late(head, body))
    pytester.runpytest(*LATE).assert_outcomes(failed=1)


def test_xdist_executes_every_plan_to_its_end(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        late("", "def test_it(): count()\n")
        + "\n\ndef test_fine():\n    with open('executed', 'a') as file: file.write('x')\n"
        "\n\n@pytest.mark.probtest(max_executions=20, on_budget='pass')\ndef test_cut(): pass\n"
    )
    result = pytester.runpytest_subprocess(*LATE, "-n", "2", "--probtest-json", "facts.json")
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(
        ["*::test_cut: passed within budget after 20 of 29 *", "* 1 passed within budget in *"]
    )
    assert (pytester.path / "executed").read_text() == "x" * 29
    assert (pytester.path / "facts.json").read_text().count('"nodeid"') == 3


def test_last_failed_executes_the_whole_plan_again(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makepyfile("""
        import os, random

        def test_it():
            with open("executed", "a") as file: file.write("x")
            assert "FIXED" in os.environ or random.random() < 0.5
    """)
    pytester.runpytest(*LATE, "--probtest-seed", "1").assert_outcomes(failed=1)
    (pytester.path / "executed").unlink()
    monkeypatch.setenv("FIXED", "1")
    pytester.runpytest(*LATE, "--lf").assert_outcomes(passed=1)
    # The remembered counterexample, its small execution, then the 29 executions of the plan.
    assert (pytester.path / "executed").read_text() == "x" * 31
