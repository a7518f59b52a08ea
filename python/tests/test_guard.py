"""Executions that are not independent are noticed, and others are left in peace."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from .words import NOT_INDEPENDENT

Run = Callable[..., pytest.RunResult]


def source(body: str, head: str = "") -> str:
    return f"""
import random, pytest
{head}

@pytest.mark.probtest(p=0.1)
def test_it(tmp_path_factory):
{body}
"""


@pytest.mark.parametrize(
    "body",
    [
        "    random.seed(42)\n    assert random.random() < 2",
        "    import numpy\n    numpy.random.seed(3)\n    assert numpy.random.random() < 2",
        "    rng = random.Random(1)\n    value = rng.random()\n    assert value < 2",
        "    import numpy\n    value = float(numpy.random.default_rng(1).random())\n    assert value < 2",
        "    value = 1 + 1\n    assert value == 2",
    ],
)
def test_executions_that_repeat_each_other_are_noticed(run: Run, body: str) -> None:
    result = run(source(body))
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines([NOT_INDEPENDENT])
    strict = run(source(body), "--probtest-strict")
    strict.assert_outcomes(failed=1)
    strict.stdout.fnmatch_lines([NOT_INDEPENDENT])


@pytest.mark.parametrize(
    ("body", "head"),
    [
        ("    assert random.random() < 2", ""),
        ("    if random.random() < 0.5: assert random.random() < 2", ""),
        ("    import secrets\n    assert secrets.randbelow(10) < 10", ""),
        ("    import uuid\n    value = str(uuid.uuid4())", ""),
        ("    import numpy\n    value = float(numpy.random.default_rng().random())", ""),
        ("    assert RNG.random() < 2", "RNG = random.Random(1)"),
        ("    assert RNG.random() < 2", "import numpy\nRNG = numpy.random.default_rng(1)"),
        ("    import os\n    value = os.urandom(4)", ""),
        ("    import time\n    value = time.perf_counter_ns()", ""),
        ("    import time\n    assert time.perf_counter_ns() > 0", ""),
        ("    import os\n    assert os.getrandom(2)", ""),
        ("    with open('/dev/urandom', 'rb') as file: assert file.read(2)", ""),
        ("    assert RNG.random_raw() >= 0", "import numpy\nRNG = numpy.random.PCG64(1)"),
        ("    THING.value = random.SystemRandom().random()", "class THING: pass"),
        ("    import time\n    values = [time.time_ns() for _ in range(3)]", ""),
        ("    value = random.random()\n    random.seed(0)", ""),
    ],
)
def test_programs_that_are_random_otherwise_are_left_in_peace(run: Run, body: str, head: str) -> None:
    result = run(source(body, head), "--probtest-strict")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line(NOT_INDEPENDENT)


def test_the_generator_fixture_counts_as_drawing(run: Run) -> None:
    result = run(
        """
        import pytest

        @pytest.mark.probtest(p=0.1)
        def test_it(probtest_rng): assert probtest_rng.random() < 2
        """,
        "--probtest-strict",
    )
    result.assert_outcomes(passed=1)


def test_a_doubt_is_not_the_violation_that_xfail_expects(run: Run) -> None:
    result = run(
        """
        import pytest, random

        @pytest.mark.xfail
        @pytest.mark.probtest(p=0.1)
        def test_it(): random.seed(1); random.random()
        """,
        "--probtest-strict",
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([NOT_INDEPENDENT])
