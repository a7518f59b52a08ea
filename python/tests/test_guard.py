"""Executions that are not independent are noticed, and others are left in peace."""

from __future__ import annotations

import gc
import importlib.util
import random
import socket
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy.random  # noqa: F401 (a run within a run that imports it first would forget it)
import pytest

import probtest
from probtest import checking, guard, sources, watching

from .conftest import Run
from .words import COPIES, IN_DOUBT, few_drew, fixed_seeds


def source(body: str, head: str = "") -> str:
    return f"""
import random, time, pytest
{head}

@pytest.mark.probtest(p=0.1)
def test_it(tmp_path_factory):
{body}
"""


#: The line of the body in what `source` makes, without a head.
LINE = 6
CACHED = "import functools\n@functools.lru_cache\ndef drawn(): return random.random()"
NUMPY = "import numpy\nfrom numpy.random import default_rng, RandomState"


@pytest.mark.parametrize(
    ("body", "head", "call"),
    [
        ("random.seed(42); assert random.random() < 2", "", "random.seed(42)"),
        ("seed(42); random.random()", "from random import seed", "random.seed(42)"),
        ("copy.deepcopy(RNG).random()", "import copy; RNG = random.Random(1)", "random.Random.setstate(..)"),
        ("start = time.time(); random.seed(0); random.random()", "", "random.seed(0)"),
        ("random.Random(1).random()", "", "random.Random(1)"),
        ("random.Random('text').random()", "", "random.Random(..)"),
        ("random.setstate(STATE); random.random()", "STATE = random.getstate()", "random.setstate(..)"),
        ("numpy.random.seed(3); numpy.random.random()", NUMPY, "numpy.random.seed(3)"),
        ("default_rng(1).random()", NUMPY, "numpy.random.default_rng(1)"),
        ("RandomState(0).rand()", NUMPY, "numpy.random.RandomState(0)"),
        ("RandomState([1, 2]).rand()", NUMPY, "numpy.random.RandomState(..)"),
        ("default_rng(numpy.random.SeedSequence(5)).random()", NUMPY, "numpy.random.default_rng(5)"),
        (
            "numpy.random.set_state(STATE); numpy.random.random()",
            f"{NUMPY}; STATE = numpy.random.get_state()",
            "numpy.random was reset to the same state",
        ),
        # A name for a file is no randomness of the program.
        (
            "import tempfile; tempfile.TemporaryDirectory().cleanup(); random.seed(1); random.random()",
            "",
            "random.seed(1)",
        ),
        # How much is drawn may depend on the clock.
        ("random.seed(0); [random.random() for _ in range(1 + time.time_ns() % 7)]", "", "random.seed(0)"),
    ],
)
def test_seeds_that_are_the_same_in_every_execution_are_named(
    run: Run, body: str, head: str, call: str
) -> None:
    place = (
        call if "state" in call and "(" not in call else f"{call} at test_it.py:{LINE + head.count(chr(10))}"
    )
    result = run(source(f"    {body}", head))
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines([fixed_seeds(place)])
    run(source(f"    {body}", head), "--probtest-strict").assert_outcomes(failed=1)


def test_a_fixture_that_seeds_is_named(run: Run) -> None:
    result = run("""
        import random, time, pytest
        import numpy as np

        @pytest.fixture(autouse=True)
        def seeds(): random.seed(0); np.random.seed(0)

        @pytest.mark.probtest(p=0.1)
        def test_it():
            start = time.time()
            assert random.random() + np.random.random() < 3
    """)
    result.stdout.fnmatch_lines(
        ["doubt: every execution draws the same numbers: numpy.random.seed(0) at test_it.py:5 and 1 more; *"]
    )


@pytest.mark.parametrize(
    ("body", "head", "drew"),
    [
        ("drawn()", CACHED, 1),
        ("KEPT.setdefault('one', None) or KEPT.update(one=random.random())", "KEPT = {}", 1),
        ("if next(LEFT, None) is not None: random.random()", "LEFT = iter(range(1))", 1),
        ("if next(LEFT, None) is not None: random.random()", "LEFT = iter(range(3))", 2),
        # To look at the clock, or to write something, is not to draw.
        ("start = time.time(); drawn()", CACHED, 1),
        ("print(drawn())", CACHED, 1),
        ("logging.getLogger('x').warning('%s', drawn())", f"import logging\n{CACHED}", 1),
        ("datetime.now(); drawn()", f"from datetime import datetime\n{CACHED}", 1),
    ],
)
def test_that_only_the_first_executions_drew_is_noticed(run: Run, body: str, head: str, drew: int) -> None:
    result = run(source(f"    {body}", head))
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines([few_drew(drew, "*")])


@pytest.mark.parametrize(
    ("body", "head"),
    [
        ("value = 1 + 1; assert value == 2", ""),
        ("print(1 + 1)", ""),
        ("import sys; sys.stdout.write('2')", ""),
        ("assert sorted(map(abs, [3, -1])) == [1, 3]", ""),
        ("assert numpy.arange(3).sum() == 3", NUMPY),
        ("copy.deepcopy(RNG).random()", f"import copy\n{NUMPY}; RNG = default_rng(1)"),
    ],
)
def test_executions_without_randomness_are_noticed(run: Run, body: str, head: str) -> None:
    result = run(source(f"    {body}", head))
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines([COPIES])


@pytest.mark.parametrize(
    ("body", "head"),
    [
        ("assert random.random() < 2", ""),
        ("if random.random() < 0.5: assert random.random() < 2", ""),
        ("import secrets; assert secrets.randbelow(10) < 10", ""),
        ("import uuid; value = str(uuid.uuid4())", ""),
        ("value = float(default_rng().random())", NUMPY),
        ("value = RandomState().rand()", NUMPY),
        ("numpy.random.seed(); numpy.random.random()", NUMPY),
        ("assert random.Random().random() < 2", ""),
        ("assert RNG.random() < 2", "RNG = random.Random(1)"),
        ("assert RNG.random() < 2", f"{NUMPY}; RNG = default_rng(1)"),
        ("assert THING.rng.random() < 2", "class THING: rng = random.Random(1)"),
        ("import os; value = os.urandom(4)", ""),
        ("value = urandom(4)", "from os import urandom"),
        ("value = time.perf_counter_ns()", ""),
        ("assert clock() > 0", "from time import time as clock"),
        ("import os; assert os.getrandom(2)", ""),
        ("with open('/dev/urandom', 'rb') as file: assert file.read(2)", ""),
        ("assert RNG.random_raw() >= 0", f"{NUMPY}; RNG = numpy.random.PCG64(1)"),
        ("THING.value = random.SystemRandom().random()", "class THING: pass"),
        ("values = [time.time_ns() for _ in range(3)]", ""),
        ("value = random.random(); random.seed(0)", ""),
        # Fixed seeds beside fresh randomness.
        ("default_rng(0).random(); random.random()", NUMPY),
        ("data = RandomState(0).rand(9); default_rng().choice(data)", NUMPY),
        ("random.seed(0); RNG.random()", "RNG = random.Random(1)"),
        ("default_rng(random.getrandbits(40)).random()", NUMPY),
        ("random.Random(next(COUNT)).random()", "import itertools; COUNT = itertools.count()"),
        ("random.seed(0); random.random(); import os; os.urandom(1)", ""),
        ("random.seed(0); random.random(); import subprocess; subprocess.run(['true'])", ""),
        ("random.Random(0).random(); open('/dev/urandom', 'rb').read(2)", ""),
        ("random.Random(0).random(); Path('/dev/urandom').open('rb').read(2)", "from pathlib import Path"),
        ("copy.copy(RNG).random(); RNG.random()", "import copy; RNG = random.Random(1)"),
        ("rng = random.Random(); rng.setstate(rng.getstate()); rng.random()", ""),
        # The first ones draw more, and all draw.
        ("drawn(); random.random()", CACHED),
        # A library saves the state, seeds, and restores.
        ("state = random.getstate(); random.seed(1); random.setstate(state); random.random()", ""),
    ],
)
def test_programs_that_are_random_otherwise_are_left_in_peace(run: Run, body: str, head: str) -> None:
    result = run(source(f"    {body}", head), "--probtest-strict")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line(IN_DOUBT)


def test_a_fixture_may_bring_something_from_outside(run: Run) -> None:
    result = run(
        """
        import time, pytest

        @pytest.fixture
        def now(): return time.time()

        @pytest.mark.probtest(p=0.1)
        def test_it(now): assert now > 0
        """,
        "--probtest-strict",
    )
    result.assert_outcomes(passed=1)


def test_the_generator_fixture_counts_when_it_draws(run: Run) -> None:
    test = """
        import pytest

        @pytest.mark.probtest(p=0.1)
        def test_it(probtest_rng): {}
        """
    run(test.format("assert probtest_rng.random() < 2"), "--probtest-strict").assert_outcomes(passed=1)
    run(test.format("pass"), "--probtest-strict").assert_outcomes(failed=1)


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


HOSTILE = """
class Hostile:
    asked = []
    def _ask(self, *_): Hostile.asked.append(1); raise RuntimeError("asked")
    __repr__ = __str__ = __eq__ = __bool__ = __len__ = __iter__ = __getattr__ = items = keys = _ask
    __class__ = property(_ask)
    __hash__ = None

class Asking(type):
    def __getattribute__(cls, name):
        if name in ("__module__", "__name__", "__qualname__", "__mro__"): Hostile.asked.append(name)
        return super().__getattribute__(name)
    def __instancecheck__(cls, other): Hostile.asked.append(2); return False

class Table(dict, metaclass=Asking):
    items = keys = __len__ = __iter__ = __repr__ = Hostile._ask

proxy = Hostile()
BEGUN = []
"""


@pytest.mark.parametrize(
    "body",
    [
        "pass",
        "random.random()",
        "random.seed(0); random.random()",
        "number = 1 << 20_000; random.seed(number)",
        "proxy; Table; import numpy; numpy.random.default_rng(1 << 20_000).random()",
    ],
)
def test_watching_asks_no_object_of_the_program_anything(run: Run, body: str) -> None:
    lines = "\n".join(
        [
            # pytest has asked it while it collected.
            "    BEGUN or BEGUN.append(len(Hostile.asked))",
            "    hostile, table, number = Hostile(), Table(a=1), 1 << 20_000",
            "    table.get('a'); table.setdefault('b', 2)",
            f"    {body}",
            "    assert len(Hostile.asked) == BEGUN[0]",
        ]
    )
    run(source(lines, HOSTILE)).assert_outcomes(passed=1)


def test_a_module_that_loads_on_demand_is_not_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = importlib.util.find_spec("this")
    assert spec is not None
    assert spec.loader is not None
    spec.loader = importlib.util.LazyLoader(spec.loader)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    lazy = type(module)
    for name in ("torch", "tensorflow", "cupy", "cupy.random", "jax.random", "torch.random"):
        monkeypatch.setitem(sys.modules, name, module)
    probtest.check(lambda: None, p=0.1)
    assert type(module) is lazy


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> list[guard.Guard]:
    """Return the guards of the checks that a test makes."""
    made: list[guard.Guard] = []

    class Kept(guard.Guard):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            made.append(self)

    monkeypatch.setattr(checking, "Guard", Kept)
    return made


def test_a_test_that_draws_is_looked_at_a_few_times(watched: list[guard.Guard]) -> None:
    probtest.check(lambda: random.random() < 2, p=0.01)
    (only,) = watched
    assert [look.number for look in only._looks] == [1, 2, 4, 16, 64, 256]
    assert all(look.calls is None for look in only._looks)


def test_no_more_events_are_followed_than_two_executions_may_cost(watched: list[guard.Guard]) -> None:
    probtest.check(lambda: [abs(number) for number in range(100_000)] and None, p=0.1)
    (only,) = watched
    followed = [look.calls for look in only._looks if look.calls is not None]
    assert [(calls.is_whole, calls._left) for calls in followed] == [(False, 0)]
    assert only.doubts() == []


def test_everything_is_put_back_after_each_look() -> None:
    numpy = pytest.importorskip("numpy")
    asked = sys.modules["numpy.random.bit_generator"].ISeedSequence
    before = (vars(random).get("super"), random._urandom, type(asked), sys.getprofile())  # type: ignore[attr-defined]

    def body() -> None:
        numpy.random.default_rng(0).random()
        raise AssertionError

    with pytest.raises(probtest.Violated):
        probtest.check(body, p=0.1)
    assert (vars(random).get("super"), random._urandom, type(asked), sys.getprofile()) == before  # type: ignore[attr-defined]
    assert watching._active == []


def test_another_profiler_is_left_alone(watched: list[guard.Guard]) -> None:
    def profile(*_: Any) -> None: ...

    def body() -> None:
        random.seed(0)
        random.random()

    sys.setprofile(profile)
    try:
        probtest.check(body, p=0.1)
        probtest.check(lambda: None, p=0.1)
        assert sys.getprofile() is profile
    finally:
        sys.setprofile(None)
    assert [[doubt["kind"] for doubt in each.doubts()] for each in watched] == [["fixed_seeds"], []]


def test_tracing_is_no_obstacle(watched: list[guard.Guard]) -> None:
    def trace(*_: Any) -> None: ...

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        probtest.check(lambda: None, p=0.1)
        assert sys.gettrace() is trace
    finally:
        sys.settrace(before)
    assert watched[0].doubts() == [{"kind": "copies"}]


def test_a_guard_that_fails_says_nothing_and_raises_nothing(
    watched: list[guard.Guard], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("of the guard")

    monkeypatch.setattr(watching, "begin", fail)
    assert probtest.check(lambda: None, p=0.1).passed
    assert watched[0].doubts() == []


def test_what_no_seed_reaches_is_named(watched: list[guard.Guard], monkeypatch: pytest.MonkeyPatch) -> None:
    numpy = pytest.importorskip("numpy")
    module = types.ModuleType("a_module_of_the_program")
    module.__file__ = "/somewhere/a_module_of_the_program.py"
    module.RNG = random.Random(1)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)

    def body() -> None:
        numpy.random.default_rng().random()

    probtest.check(body, p=0.1)
    line = body.__code__.co_firstlineno + 1
    found = watched[0].unseeded()
    assert found[0].startswith("numpy.random.default_rng() without a seed, at ")
    assert found[0].endswith(f"test_guard.py:{line}")
    assert "a_module_of_the_program.RNG lives between executions" in found
    assert any("PYTHONHASHSEED" in words for words in found) == bool(sys.flags.hash_randomization)


class FakeCupy(types.ModuleType):
    """Stands for CuPy, which needs a GPU: its names and how they belong together."""

    def __init__(self) -> None:
        super().__init__("cupy")
        outer = self

        class RandomState:
            def __init__(self, seed: int = 0) -> None:
                self.state = seed

            def seed(self, seed: int = 0) -> None:
                self.state = seed

            def rand(self) -> float:
                self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
                return self.state / 2**64

        self.random: Any = types.ModuleType("cupy.random")
        self.current: Any = RandomState()
        self.random.RandomState = RandomState
        self.random.get_random_state = lambda: outer.current
        self.random.set_random_state = lambda state: setattr(outer, "current", state)
        self.random.seed = lambda seed=0: outer.current.seed(seed)
        self.random.rand = lambda: outer.current.rand()


@pytest.fixture
def cupy(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeCupy]:
    module = FakeCupy()
    monkeypatch.setitem(sys.modules, "cupy", module)
    monkeypatch.setitem(sys.modules, "cupy.random", module.random)
    yield module
    watching._hooks.pop("cupy.random", None)


def test_cupy_is_seeded_for_each_execution_and_put_back(cupy: FakeCupy) -> None:
    original, runs = cupy.current, []
    for _ in range(2):
        drawn: list[float] = []
        probtest.check(lambda drawn=drawn: drawn.append(cupy.random.rand()), p=0.3, seed=5)  # type: ignore[misc]
        runs.append(drawn)
        assert cupy.current is original
    assert runs[0] == runs[1]
    assert len(set(runs[0])) == len(runs[0])


def test_cupy_without_a_device_is_no_obstacle(cupy: FakeCupy) -> None:
    def fails() -> object:
        raise RuntimeError("cudaErrorNoDevice: no CUDA-capable device is detected")

    cupy.random.get_random_state = fails
    assert probtest.check(lambda: random.random() < 1, p=0.3, seed=5).verdict == "passed"


def test_a_device_is_not_used_before_processes_are_forked(cupy: FakeCupy) -> None:
    calls: list[str] = []
    cupy.random.get_random_state = lambda: calls.append("get")
    cupy.random.set_random_state = lambda _: calls.append("set")
    assert sources._Finder(7).find_spec("cupy.random") is None
    assert calls == []


def test_generators_that_lie_about_are_no_obstacle(watched: list[guard.Guard]) -> None:
    left = [random.Random() for _ in range(500)]
    probtest.check(lambda: random.Random(0).random() < 1, p=0.1)
    (doubt,) = watched[0].doubts()
    assert doubt["kind"] == "fixed_seeds"
    assert len(left) == 500


class Left:
    """Garbage that Python finds late, and that says something to the system as it goes."""

    def __init__(self) -> None:
        self.me = self
        self.socket = socket.socket()

    def __del__(self) -> None:
        self.socket.close()


def test_what_garbage_does_as_it_is_collected_is_not_the_programs_doing(watched: list[guard.Guard]) -> None:
    def draws() -> None:
        gc.collect()
        random.Random(0).random()

    for body, kind in ((draws, "fixed_seeds"), (gc.collect, "copies")):
        left = [Left() for _ in range(9)]

        def collects(body: Callable[[], object] = body, left: list[Left] = left) -> None:
            left.pop()
            body()

        probtest.check(collects, p=0.3)
        (doubt,) = watched[-1].doubts()
        assert doubt["kind"] == kind


def test_a_fixed_seed_of_cupy_is_named(cupy: FakeCupy, watched: list[guard.Guard]) -> None:
    def body() -> None:
        cupy.random.seed(3)
        cupy.random.rand()

    probtest.check(body, p=0.1)
    (doubt,) = watched[0].doubts()
    assert doubt["places"][0].startswith("cupy.random.seed(3) at ")
    probtest.check(lambda: cupy.random.rand() < 2, p=0.1)
    assert watched[1].doubts() == []


def test_numpy_is_peeked_at_as_its_state_says() -> None:
    numpy = pytest.importorskip("numpy")
    (found,) = [each for each in sources.Sources().sources if each.name == "numpy.random"]
    before = numpy.random.get_state()
    try:
        numpy.random.seed(1)
        begun = found.peek()
        assert found.peek() == begun
        numpy.random.random()
        moved = found.peek()
        numpy.random.seed(1)
        assert (found.peek() == begun, moved == begun) == (True, False)
    finally:
        numpy.random.set_state(before)
