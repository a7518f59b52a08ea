"""Constant seeds are varied: by `--probtest-vary-seeds`, and around any one execution."""

from __future__ import annotations

import builtins
import importlib.util
import operator
import pickle
import random
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from random import Random
from random import seed as seed_random
from typing import Any

import numpy
import pytest
from numpy.random import MT19937, PCG64, PCG64DXSM, SFC64, Philox, RandomState, SeedSequence, default_rng

from probtest import _native, vary, watching
from probtest.sources import Sources, generator

from .conftest import WITHOUT_OTHERS, Run


def globally(seed: Callable[[Any], object], value: Any, draw: Callable[[], float]) -> float:
    seed(value)
    return draw()


#: What a program may write, by a seed that it is given. Names are imported before anything is varied.
WAYS: dict[str, Callable[[Any], Any]] = {
    "random.seed": lambda seed: globally(random.seed, seed, random.random),
    "seed of random": lambda seed: globally(seed_random, seed, random.random),
    "Random": lambda seed: Random(seed).random(),
    "numpy.random.seed": lambda seed: globally(numpy.random.seed, seed, numpy.random.random),
    "RandomState": lambda seed: RandomState(seed).random_sample(),
    "RandomState.seed": lambda seed: globally(legacy.seed, seed, legacy.random_sample),
    "default_rng": lambda seed: default_rng(seed).random(),
    "SeedSequence": lambda seed: int(SeedSequence(seed).generate_state(1)[0]),
    "spawned": lambda seed: int(SeedSequence(seed).spawn(2)[1].generate_state(1)[0]),
} | {
    kind.__name__: lambda seed, kind=kind: kind(seed).random_raw()
    for kind in (MT19937, PCG64, PCG64DXSM, Philox, SFC64)
}
legacy = RandomState(1)


@contextmanager
def varied(seed: int | None) -> Iterator[None]:
    """Vary the seeds of one execution, as whoever seeds its sources does."""
    source = vary.source()
    before = source.save()
    vary.use(seed)
    try:
        yield
    finally:
        source.restore(before)


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    states = random.getstate(), numpy.random.get_state()
    yield
    random.setstate(states[0])
    numpy.random.set_state(states[1])


def is_varied(draw: Callable[[Any], Any]) -> None:
    """A constant gives other numbers in another execution, the same ones again, and its own outside."""
    own, seen = draw(5), []
    for seed in (1, 2, 1):
        with varied(seed):
            assert draw(5) == draw(5) != draw(6)
            seen.append(draw(5))
    assert seen[0] == seen[2]
    assert len({own, *seen}) == 3
    assert draw(5) == own


@pytest.mark.parametrize("way", WAYS)
def test_a_constant_gives_other_numbers_in_another_execution_and_the_same_ones_again(way: str) -> None:
    is_varied(WAYS[way])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (lambda: Random(1), lambda: Random(-1)),
        (lambda: Random(1), lambda: Random(1.0)),
        (lambda: Random("a"), lambda: Random("a")),
        (lambda: RandomState(5), lambda: RandomState(numpy.int64(5))),
        (lambda: RandomState([1, 2]), lambda: RandomState(numpy.array([1, 2], numpy.uint16))),
        (lambda: default_rng(5), lambda: numpy.random.Generator(PCG64(SeedSequence(5)))),
        (lambda: default_rng((1, 2)), lambda: default_rng([1, numpy.uint32(2)])),
    ],
)
def test_seeds_that_are_equal_to_a_library_stay_equal(one: Any, other: Any) -> None:
    def numbers(made: Any) -> Any:
        return [made.uniform(0, 1) for _ in range(3)]

    assert numbers(one()) == numbers(other())
    with varied(3):
        assert numbers(one()) == numbers(other())


#: The same for libraries that may be installed: the module, and what a program writes with a seed.
OTHERS: list[tuple[str, str]] = [
    ("torch", "torch.manual_seed(seed); return torch.rand(1).item()"),
    ("torch", "torch.random.manual_seed(seed); return torch.initial_seed()"),
    (
        "torch",
        "torch.cuda.manual_seed_all(seed) if torch.cuda.is_available() else torch.manual_seed(seed)\n"
        "    where = 'cuda' if torch.cuda.is_available() else 'cpu'\n"
        "    return torch.rand(1, device=where).item()",
    ),
    ("jax", "return jax.random.uniform(jax.random.key(seed)).item()"),
    ("jax", "return jax.random.uniform(jax.random.PRNGKey(seed)).item()"),
    ("tensorflow", "tensorflow.random.set_seed(seed); return float(tensorflow.random.uniform([]))"),
    ("sklearn", "from sklearn.utils import check_random_state; return check_random_state(seed).rand()"),
    ("scipy", "from scipy.stats import norm; return norm.rvs(random_state=seed)"),
]


@pytest.mark.parametrize(("library", "code"), OTHERS)
def test_constants_of_other_libraries_are_varied(library: str, code: str) -> None:
    names: dict[str, Any] = {library: pytest.importorskip(library)}
    exec(f"def draw(seed):\n    {code}", names)
    is_varied(names["draw"])


def test_a_number_and_a_list_of_it_stay_different() -> None:
    with varied(3):
        assert RandomState(5).random_sample() != RandomState([5]).random_sample()


def test_what_comes_out_is_of_the_class_of_the_library() -> None:
    with varied(3):
        made = [Random(1), RandomState(1), default_rng(1), PCG64(1), SeedSequence(1)]
        kinds = [Random, RandomState, numpy.random.Generator, PCG64, SeedSequence]
        assert [type(each) for each in made] == kinds
        assert repr(made[1]).startswith("RandomState(MT19937)")
        assert repr(made[4]) == "SeedSequence(\n    entropy=1,\n)"
        drawing: list[Any] = made[:3]
        copies = pickle.loads(pickle.dumps(drawing))
    assert [each.uniform(0, 1) for each in drawing] == [each.uniform(0, 1) for each in copies]


@pytest.mark.parametrize(
    "seed", [-1, 1 << 32, 1.5, "a", [], [[1]], [1.5], [-1], [1 << 33], numpy.bool_(True), object()]
)
@pytest.mark.parametrize("kind", [RandomState, default_rng, Random])
def test_what_a_library_refuses_is_refused_in_its_words(kind: Any, seed: Any) -> None:
    def words() -> str | None:
        try:
            kind(seed)
        except Exception as error:
            return f"{type(error)} {error}"
        return None

    own = words()
    with varied(3):
        assert words() == own


def test_no_seed_states_and_generators_are_left_as_they_are() -> None:
    state, legacy_state, source = random.getstate(), RandomState(1).get_state(), PCG64(1)
    expected = [source.random_raw() for _ in range(3)]
    with varied(3):
        assert Random().random() != Random().random()
        assert default_rng().random() != default_rng(None).random()
        random.setstate(state)
        assert random.getstate() == state
        again = RandomState()
        again.set_state(legacy_state)
        assert again.random_sample() == 0.417022004702574
        source = PCG64(numpy.random.SeedSequence(1))
        given = numpy.random.Generator(source)
        assert default_rng(given) is given
    assert expected != [source.random_raw() for _ in range(3)]


def test_our_own_seeds_are_left_alone() -> None:
    found = Sources()
    stream = _native.Stream(7, "test")
    torch = importlib.import_module("torch") if importlib.util.find_spec("torch") else None

    def numbers() -> list[Any]:
        found.seed(99)
        drawn = [random.random(), numpy.random.random(), generator(stream, 3).random()]
        return drawn if torch is None else [*drawn, float(torch.rand(1))]

    own = numbers()
    with varied(3):
        assert numbers() == own


def test_seeds_of_hypothesis_are_left_alone() -> None:
    names: dict[str, Any] = {"__name__": "hypothesis.internal.entropy", "Random": Random}
    exec("def draw(): return Random(5).random()", names)
    own = names["draw"]()
    with varied(3):
        assert names["draw"]() == own


def names_now() -> list[Any]:
    legacy_names = vars(sys.modules["numpy.random._mt19937"])
    sequences = vars(sys.modules["numpy.random.bit_generator"])
    return [
        vars(random).get("super"),
        legacy_names["operator"],
        legacy_names["np"],
        sequences["_coerce_to_uint32_array"],
    ]


def test_names_are_put_back_after_an_exception_and_nest() -> None:
    before = names_now()
    assert before[:3] == [None, operator, numpy]
    draw = WAYS["default_rng"]
    with varied(1):
        outer = draw(5)
        with varied(2):
            inner = draw(5)
        assert draw(5) == outer != inner
        with varied(None):
            assert draw(5) not in (outer, inner)
    with pytest.raises(ZeroDivisionError), varied(1):
        raise ZeroDivisionError
    assert names_now() == before
    assert builtins.super is not vars(random).get("super")


def test_a_watch_inside_disturbs_nothing_and_sees_the_seeds() -> None:
    def seen(seed: int | None) -> list[Any]:
        watch = watching.SeedWatch({}, {})
        with varied(seed):
            own = [draw(5) for name, draw in WAYS.items() if name != "SeedSequence"]
            watching.begin(watch)
            try:
                assert own == [draw(5) for name, draw in WAYS.items() if name != "SeedSequence"]
            finally:
                watching.end(watch)
        return list(watch.seeds.values())

    assert seen(1) == seen(2) == seen(None)
    assert len(seen(1)) >= 6
    assert names_now()[:3] == [None, operator, numpy]


def test_threads_of_an_execution_have_its_seed_and_contexts_their_own() -> None:
    draw = WAYS["RandomState"]
    seen: list[float] = []

    def on_a_thread() -> None:
        thread = threading.Thread(target=lambda: seen.append(draw(5)))
        thread.start()
        thread.join()

    def in_a_context(seed: int) -> float:
        vary.use_here(seed)
        return float(draw(5))

    with varied(1):
        on_a_thread()
        assert seen == [draw(5)]
        first, second = copy_context(), copy_context()
        assert first.run(in_a_context, 1) == draw(5) != second.run(in_a_context, 2)
        assert seen == [draw(5)]


# In pytest.

LUCKY = """
import random, pytest, numpy as np
from numpy.random import default_rng

@pytest.mark.probtest(p=0.1)
def test_lucky(): assert default_rng(42).random() > 0.5

@pytest.mark.probtest(p=0.1)
def test_robust(): assert np.random.RandomState(0).normal() < 20

@pytest.mark.probtest(p=0.1)
def test_expected(): assert random.Random(1).random() == 0.13436424411240122
"""


def test_a_test_that_passes_only_for_its_own_seed_is_violated_and_replayed(run: Run) -> None:
    run(LUCKY).assert_outcomes(passed=3)
    result = run(LUCKY, "--probtest-vary-seeds")
    result.assert_outcomes(failed=2, passed=1)
    result.stdout.fnmatch_lines(
        [
            "probtest: constant seeds are mixed with the seed of each execution",
            "*replay*test_lucky --probtest-replay 0x1:2 --probtest-vary-seeds",
            "*replay*test_expected --probtest-replay 0x1:1 --probtest-vary-seeds",
        ]
    )
    replays = [line.split()[2:] for line in result.outlines if "  replay  " in line]
    for words in replays:
        run(LUCKY, *words).assert_outcomes(failed=1)
        run(LUCKY, *(word for word in words if "vary" not in word)).assert_outcomes(passed=1)


def test_seeds_that_are_varied_are_no_doubt(run: Run) -> None:
    robust = LUCKY.replace("> 0.5", "> -1")
    run(robust, "-k", "lucky or robust", "--probtest-strict").assert_outcomes(failed=2)
    options = ("--probtest-strict", "--probtest-vary-seeds")
    run(robust, "-k", "lucky or robust", *options).assert_outcomes(passed=2)
    fixed = "import random, pytest\nSTATE = random.getstate()\n@pytest.mark.probtest(p=0.1)\n"
    fixed += "def test_it():\n    random.setstate(STATE)\n    random.random()\n"
    run(fixed, *options).assert_outcomes(failed=1)


def test_counterexamples_under_varied_seeds_are_remembered_apart(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it=LUCKY)
    words = (*WITHOUT_OTHERS, "-k", "lucky")
    pytester.runpytest(*words, "--probtest-vary-seeds", "--probtest-seed=1").assert_outcomes(failed=1)
    # Its own seeds do not violate, which takes nothing back.
    pytester.runpytest(*words).assert_outcomes(passed=1)
    result = pytester.runpytest(*words, "--probtest-vary-seeds")
    result.stdout.fnmatch_lines(["*--probtest-replay 0x1:2 --probtest-vary-seeds"])


def test_another_numpy_is_refused(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vary, "_hooks", watching.LibraryHooks(vary._LIBRARIES))
    monkeypatch.delattr(sys.modules["numpy.random.bit_generator"], "_coerce_to_uint32_array")
    result = run(LUCKY, "--probtest-vary-seeds", "-k", "robust")
    result.stdout.fnmatch_lines(
        [
            "*constant seeds of this numpy cannot be varied*",
            f"*given  numpy {numpy.__version__}",
            "*help   leave out --probtest-vary-seeds*",
        ]
    )


#: Writes down what each execution draws with constant seeds.
WRITES = """
import random, pytest, pathlib
from numpy.random import default_rng

def write(*numbers):
    with open("drawn.txt", "a") as file:
        file.write(repr(numbers) + "\\n")

@pytest.fixture(scope="module")
def wide(): return default_rng(7).random()

@pytest.fixture
def narrow(): return random.Random(7).random()
"""


def drawn(pytester: pytest.Pytester, body: str, *options: str) -> list[Any]:
    """Return what executions wrote, sorted."""
    file = pytester.path / "drawn.txt"
    file.unlink(missing_ok=True)
    pytester.makepyfile(test_it=WRITES + body)
    words = (*WITHOUT_OTHERS, "--probtest-seed=1", "--probtest-vary-seeds", *options)
    # Forked from a process that has nothing else.
    pytest_run = pytester.runpytest_subprocess if "--probtest-isolate" in options else pytester.runpytest
    pytest_run(*words).assert_outcomes(passed=1)
    return sorted(eval(line) for line in file.read_text().splitlines())


def test_fixtures_are_varied_each_by_the_seed_that_it_has(pytester: pytest.Pytester) -> None:
    body = """
@pytest.mark.probtest(p=0.2)
def test_it(wide, narrow): write(wide, narrow, default_rng(7).random(), random.Random(7).random())
"""
    seen = drawn(pytester, body)
    assert len(seen) == 14
    assert len({wide for wide, *_ in seen}) == 1
    assert len({narrow for _, narrow, *_ in seen}) == len({own for _, _, own, _ in seen}) == 14
    assert all(narrow == own for _, narrow, _, own in seen)
    assert seen[0][0] != default_rng(7).random()
    assert seen == drawn(pytester, body)
    # As in other processes.
    eager = "from probtest.engines import forked\nforked.LEAST_SECONDS = forked.LEAST_WORK = 0.0\n"
    pytester.makeconftest(eager)
    assert set(seen) <= set(drawn(pytester, body, "--probtest-isolate"))


def test_executions_at_the_same_time_are_varied_each_by_its_own_seed(pytester: pytest.Pytester) -> None:
    body = """
import asyncio

@pytest.mark.probtest(p=0.2{more})
async def test_it():
    first = random.Random(7).random()
    await asyncio.sleep(0)
    assert random.Random(7).random() == first
    write(first)
"""
    alone = drawn(pytester, body.format(more=", concurrency=1"))
    assert len(set(alone)) == 14
    assert drawn(pytester, body.format(more=", concurrency=5")) == alone


def test_a_file_of_the_project_may_say_it(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nprobtest_vary_seeds = yes\n")
    run(LUCKY).assert_outcomes(failed=2, passed=1)
