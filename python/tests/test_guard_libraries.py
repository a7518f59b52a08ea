"""Doubts about programs that draw through libraries, where these are installed."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable

import numpy
import pytest
from hypothesis import strategies as st

import probtest

from .conftest import WITHOUT_OTHERS
from .words import IN_DOUBT, fixed_seeds

DATA = "import sklearn.datasets as d\n    x, y = d.make_classification(50, random_state=0)\n    "
FOREST = "from sklearn.ensemble import RandomForestClassifier\n    "


def run(pytester: pytest.Pytester, library: str, body: str, *options: str) -> pytest.RunResult:
    # In a process of its own: some libraries can be loaded only once.
    pytester.makepyfile(test_it=source(library, body))
    return pytester.runpytest_subprocess(*WITHOUT_OTHERS, "--probtest-seed", "1", *options)


def source(library: str, body: str) -> str:
    """Return a test of a few executions, whose body is in line 6."""
    if importlib.util.find_spec(library) is None:
        pytest.skip(f"{library} is not installed")
    return (
        "import random, pytest\n\n@pytest.mark.probtest(p=0.5, epsilon=0.01)\n"
        f"def test_it():\n    import {library}\n    {body}\n"
    )


@pytest.mark.parametrize(
    ("library", "body", "place"),
    [
        (
            "sklearn",
            DATA + FOREST + "RandomForestClassifier(3, random_state=0).fit(x, y)",
            "numpy.random.RandomState(0) at *",
        ),
        ("networkx", "networkx.gnp_random_graph(9, 0.5, seed=42)", "random.Random(42) at test_it.py:6"),
        (
            "pandas",
            "pandas.DataFrame({'a': range(9)}).sample(3, random_state=1)",
            "numpy.random.RandomState(1) at test_it.py:6",
        ),
        ("jax", "jax.random.uniform(jax.random.PRNGKey(0))", "jax.random.key(0) at test_it.py:6"),
        ("torch", "torch.manual_seed(0); torch.rand(2)", "torch.manual_seed(0) at test_it.py:6"),
        (
            "torch",
            "torch.rand(2, generator=torch.Generator().manual_seed(3))",
            "torch.Generator.manual_seed(3) at test_it.py:6",
        ),
        (
            "tensorflow",
            "tensorflow.random.set_seed(0); tensorflow.random.uniform([2])",
            "tensorflow.random.set_seed(0) at test_it.py:6",
        ),
    ],
)
def test_a_fixed_seed_in_a_library_is_named(
    pytester: pytest.Pytester, library: str, body: str, place: str
) -> None:
    result = run(pytester, library, body)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines([fixed_seeds(place)])


@pytest.mark.parametrize(
    ("library", "body"),
    [
        ("sklearn", DATA + FOREST + "RandomForestClassifier(3).fit(x, y)"),
        ("sklearn", DATA + "x += random.random()"),
        ("networkx", "networkx.gnp_random_graph(9, 0.5)"),
        ("networkx", "networkx.spring_layout(networkx.gnp_random_graph(9, 0.5, seed=42))"),
        ("pandas", "pandas.DataFrame({'a': range(9)}).sample(3)"),
        ("jax", "jax.random.uniform(jax.random.PRNGKey(random.getrandbits(20)))"),
        ("torch", "torch.rand(2, generator=torch.Generator().manual_seed(3)); torch.rand(2)"),
        ("tensorflow", "tensorflow.random.uniform([2])"),
    ],
)
def test_fresh_randomness_through_a_library_is_left_in_peace(
    pytester: pytest.Pytester, library: str, body: str
) -> None:
    result = run(pytester, library, body, "--probtest-strict")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line(IN_DOUBT)


def seeded(x: int) -> float:
    numpy.random.seed(x)
    return numpy.random.random()


@pytest.mark.parametrize(
    ("program", "doubts"),
    [
        (seeded, ["fixed_seeds"]),
        (lambda x: numpy.random.default_rng(x).random(), ["fixed_seeds"]),
        (lambda x: numpy.random.RandomState(x).random_sample(), ["fixed_seeds"]),
        (lambda x: numpy.random.RandomState(x + numpy.random.randint(2**31)).random_sample(), []),
        (lambda x: numpy.random.default_rng(probtest.rng().integers(x + 2**31)).random(), []),
    ],
)
def test_generators_of_numpy_that_are_seeded_from_a_shared_input_are_in_doubt(
    program: Callable[[int], float], doubts: list[str]
) -> None:
    def body() -> None:
        assert program(probtest.draw(st.integers(0, 10**6))) < 1

    result = probtest.check(body, p=0.5, inputs=5, raises=False)
    assert [doubt.kind for doubt in result.doubts] == doubts
