"""Cases: which test file, under which tool, executes a body k times?

Every body draws one random number. Nothing here is executed. Next stage:
`measuring`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log, sqrt

#: Executions of the comparison: what epsilon = 0.05 needs for p = 0.01, 0.001, 0.0001.
COUNTS = (299, 2995, 29956)
#: What p = 0.00001 needs.
MANY = 299572
#: Enough to see a body of a tenth of a microsecond in the time of a process.
VERY_MANY = 2995732

#: The claims that need these numbers of executions.
CLAIMS = {299: "0.01", 2995: "0.001", 29956: "0.0001", 299572: "0.00001"}


@dataclass(frozen=True)
class Case:
    """One tool, and how it is asked for k executions."""

    name: str
    #: Names `requirements-ENVIRONMENT.txt` and the folder in `.venv-peers`.
    environment: str
    #: The test file. `COUNT` stands where a body counts itself when that is checked.
    source: Callable[[int], str]
    options: Callable[[int], list[str]] = lambda _k: []
    #: Whether function-scoped fixtures are set up for each execution; None for no tool.
    fresh_fixtures: bool | None = None
    #: The k at which the cost of an execution stands out from the noise of a start.
    large: int = COUNTS[2]

    def file(self, k: int, count: bool = False) -> str:
        """Return the text of the test file, its body counting its executions or not."""
        return self.source(k).replace("COUNT", 'open("counted", "a").write("x"); ' if count else "")


def _test(head: str = "", imports: str = "import random", argument: str = "") -> Callable[[int], str]:
    text = f"{imports}\n\n{head}\ndef test_draw({argument}):\n    COUNTrandom.random()\n"
    return lambda k: text.replace("<k>", str(k))


def _loop(before: str = "", imports: str = "import random") -> Callable[[int], str]:
    text = (
        f"{imports}\n\n"
        "def draw():\n    COUNTrandom.random()\n\n"
        "def test_draw():\n"
        f"    for number in range(1 << 62, (1 << 62) + <k>):\n        {before}draw()\n"
    )
    return lambda k: text.replace("<k>", str(k))


def _ours(imports: str = "import random, pytest", head: str = "", argument: str = "") -> Callable[[int], str]:
    def text(k: int) -> str:
        marker = f"@pytest.mark.probtest(p='{CLAIMS[k]}', epsilon='0.05')"
        return _test(f"{head}\n{marker}", imports, argument)(k)

    return text


def _stochastic(k: int) -> str:
    # The tolerance for which its bound asks for exactly k draws.
    tolerance = sqrt(0.5 * log(2 / 1e-8) / (k - 0.5))
    return (
        "import random\nfrom pytest_stochastic import stochastic_test\n\n"
        f"@stochastic_test(expected=0.5, atol={tolerance!r}, sub_gaussian_param=0.5)\n"
        "def test_draw():\n    COUNTreturn random.random()\n"
    )


PLAIN = Case("plain pytest, one test", "plain", _test())
BARE = Case("bare Python loop", "plain", _loop(), large=VERY_MANY)
OURS = Case("probtest", "probtest", _ours(), fresh_fixtures=True, large=MANY)

ORIGINAL = Case(
    "original ProbTest",
    "original",
    _test(),
    lambda k: ["--probtest", "--Pbug", CLAIMS[k], "--epsilon", "0.05"],
    fresh_fixtures=True,
)
PEERS = (
    Case("pytest-repeat", "repeat", _test(), lambda k: ["--count", str(k)], fresh_fixtures=True),
    Case(
        "pytest-flakefinder",
        "flakefinder",
        _test(),
        lambda k: ["--flake-finder", f"--flake-runs={k}"],
        fresh_fixtures=True,
    ),
    Case(
        "flaky",
        "flaky",
        _test("@flaky(max_runs=<k>, min_passes=<k>)", "import random\nfrom flaky import flaky"),
        fresh_fixtures=True,
    ),
    Case(
        "pytest-repeated",
        "repeated",
        _test("@pytest.mark.repeated(times=<k>, threshold=<k>)", "import random, pytest"),
        fresh_fixtures=False,
        large=MANY,
    ),
    Case("pytest-stochastic", "stochastic", _stochastic, fresh_fixtures=False, large=MANY),
    Case(
        "sik-stochastic-tests",
        "sik",
        _test("@pytest.mark.stochastic(samples=<k>, threshold=1.0)", "import random, pytest"),
        fresh_fixtures=False,
    ),
    Case(
        "Hypothesis randoms()",
        "hypothesis",
        _test(
            "@settings(max_examples=<k>, database=None, deadline=None)\n@given(randoms())",
            "from hypothesis import given, settings\nfrom hypothesis.strategies import randoms",
            "random",
        ),
        fresh_fixtures=False,
    ),
)

# What ours costs, part by part. The loops seed by hand what the plugin seeds, and
# the first draw after a seed fills the generator anew, which is slower than later
# draws: subtracting them leaves what the plugin itself adds.
_BOTH = "import random, numpy"
LOOP_RANDOM = Case("loop, random seeded by hand", "plain", _loop("random.seed(number); "), large=MANY)
LOOP_BOTH = Case(
    "loop, random and numpy seeded by hand",
    "probtest",
    _loop("random.seed(number); numpy.random.seed(number & 0xFFFFFFFF); ", _BOTH),
    lambda _k: ["-p", "no:probtest"],
)
OURS_BOTH = Case("probtest, random and numpy seeded", "probtest", _ours(f"{_BOTH}, pytest"))
OURS_FIXTURE = Case(
    "probtest, one function-scoped fixture",
    "probtest",
    _ours(head="@pytest.fixture\ndef die():\n    return 6\n", argument="die"),
)

# The same file with and without the plugin: what having it installed costs.
WITH = Case("plain pytest, probtest installed", "probtest", _test())
WITHOUT = Case("plain pytest, probtest switched off", "probtest", _test(), lambda _k: ["-p", "no:probtest"])

_NINTH = (
    "import itertools, pytest\n\nNUMBERS = itertools.count(1)\n\n"
    "{marker}def test_ninth_violates():\n    assert next(NUMBERS) != 9\n"
)
OURS_FAILING = Case(
    "probtest",
    "probtest",
    lambda k: _NINTH.format(marker=f"@pytest.mark.probtest(p='{CLAIMS[k]}', epsilon='0.05')\n"),
)
REPEAT_FAILING = Case(
    "pytest-repeat", "repeat", lambda _k: _NINTH.format(marker=""), lambda k: ["--count", str(k)]
)
