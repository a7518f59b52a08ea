"""Options, ini keys and variables of a pytest run, and the claim that they make."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import pytest

from . import _native, budgets, packages, suites, writing
from .planning import Probability, claim_of, limit, smaller, whole

#: What a marker may say.
MARKER_OPTIONS = (
    "p",
    "epsilon",
    "tolerate",
    "false_alarm",
    "outcomes",
    "claim",
    "seed",
    "max_executions",
    "max_time",
    "on_budget",
    "max_rejections",
    "batch",
)

_OPTIONS: tuple[tuple[str, str, str, str], ...] = (
    # our name, the original's name, metavar, help
    (
        "--probtest-p",
        "--p",
        "P",
        "violation probability that must not go unnoticed; or a list of outcomes, a,b,..",
    ),
    ("--probtest-minp", "--minp", "P", "the least probable of N outcomes; with N"),
    ("--probtest-n", "--N", "N", "the number of outcomes; with minp"),
    ("--probtest-pbug", "--Pbug", "P", "the same as one violation probability"),
    ("--probtest-epsilon", "--epsilon", "EPSILON", "chance of missing it (default 0.05)"),
)


def add_options(parser: pytest.Parser) -> None:
    group = parser.getgroup("probtest", "tests of random behaviour")
    group.addoption(
        "--probtest",
        action="store_true",
        default=False,
        help="execute tests without a marker as often as --probtest-p and --probtest-epsilon need, too",
    )
    taken = _taken_names(parser)
    for name, short, metavar, text in _OPTIONS:
        destination = name.removeprefix("--").replace("-", "_")
        keywords: dict[str, Any] = {"dest": destination, "metavar": metavar, "default": None, "help": text}
        # Where another plugin has the short name, ours is there by its long one.
        names = [name] if short in taken else [name, short]
        group.addoption(*names, **keywords)
    group.addoption(
        "--probtest-tolerate",
        metavar="RATE",
        default=None,
        help="violation rate that is acceptable, for tests that do not say what they claim",
    )
    group.addoption(
        "--probtest-false-alarm",
        metavar="CHANCE",
        default=None,
        help="chance of failing a program at the tolerated rate (default 1e-6)",
    )
    group.addoption(
        "--probtest-seed", metavar="SEED", default=None, help="run seed, decimal or 0x.. (default: fresh)"
    )
    group.addoption(
        "--probtest-replay",
        metavar="SEED:INDEX",
        default=None,
        help="execute this one execution of each selected test, alone",
    )
    group.addoption(
        "--probtest-json", metavar="FILE", default=None, help="write the facts of each test to FILE"
    )
    group.addoption(
        "--probtest-strict",
        action="store_true",
        default=None,
        help="fail tests whose executions were seen not to be independent",
    )
    group.addoption(
        "--probtest-max-executions",
        metavar="N",
        default=None,
        help="end without a verdict, which is a failure, when a plan needs more than N executions",
    )
    budgets.add_options(parser, group)
    suites.add_options(parser, group)
    packages.add_ini(parser)
    for key, text in (
        ("probtest_p", "default p for marked tests that give neither p nor outcomes"),
        ("probtest_epsilon", "default epsilon"),
        ("probtest_tolerate", "as --probtest-tolerate"),
        ("probtest_false_alarm", "default false_alarm of tests with tolerate"),
        ("probtest_max_executions", "default most executions"),
    ):
        parser.addini(key, text, default=None)
    parser.addini("probtest_strict", "as --probtest-strict", type="bool", default=False)


def _taken_names(parser: Any) -> set[str]:
    """Return the option names that other plugins have registered so far."""
    taken: set[str] = set(getattr(getattr(parser, "optparser", None), "_option_string_actions", {}))
    for group in [*getattr(parser, "_groups", []), getattr(parser, "_anonymous", None)]:
        for option in getattr(group, "options", []):
            taken.update(option.names())
    return taken


@dataclass
class Request:
    """What one test asks for."""

    claim: _native.Claim
    seed: int | None
    max_executions: int | None
    max_rejections: int | None
    limits: budgets.Limits = field(default_factory=budgets.Limits)
    #: The executions that one call of the test makes, where that is a batch.
    batch: int | None = None
    #: A claim on what the test returns, instead of one on violations.
    numeric: _native.NumericClaim | None = None


class Settings:
    """What the run says, read once."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        _refuse_empty(config)
        self.everywhere: bool = config.getoption("probtest")
        self.strict: bool = bool(config.getoption("probtest_strict") or config.getini("probtest_strict"))
        self.json: str | None = config.getoption("probtest_json")
        seed = config.getoption("probtest_seed") or os.environ.get("PROBTEST_SEED")
        replay = config.getoption("probtest_replay") or os.environ.get("PROBTEST_REPLAY")
        self.fixed_seed: int | None = _native.parse_seed(seed) if seed else None
        self.replay: tuple[int, int] | None = _native.parse_replay(replay) if replay else None
        self._seed: int | None = None
        #: Whether a fixture of wider scope has drawn: then remembered executions of
        #: another run are not the same executions any more.
        self.wide_fixtures_drew = False
        if self.json is not None and not hasattr(config, "workerinput"):
            # Said before an hour of executions, not after.
            writing.look_at(self.json)
        self.max_executions = self._whole("probtest_max_executions", "PROBTEST_MAX_EXECUTIONS")
        self.budgets = budgets.Budgets(self._given)
        self.suite = suites.SuitePromise(self._given)
        self.p = self._given("probtest_p", "PROBTEST_P")
        self.epsilon = self._given("probtest_epsilon", "PROBTEST_EPSILON")
        self.tolerate = self._given("probtest_tolerate")
        self.false_alarm = self._given("probtest_false_alarm", "PROBTEST_FALSE_ALARM")
        if self.false_alarm is not None:
            # Refused before anything is collected, also when no test tolerates a rate.
            claim_of(None, None, None, "1/100", self.false_alarm)
        self.default: _native.Claim | None = self._default_claim()
        if self.default is not None:
            # A claim without a plan is refused before anything is collected.
            _native.plan(self.default)
        if self.everywhere and self.default is None:
            raise pytest.UsageError(
                "--probtest needs to know which violation probability must not go unnoticed\n"
                "  given  --probtest\n"
                "  help   add --probtest-p 0.01, or --p 0.5,0.5, or --minp 0.1 --N 2, or --Pbug 0.1"
            )

    @property
    def seed(self) -> int:
        """The run seed: given, that of the replay, or fresh."""
        if self._seed is None:
            worker = getattr(self._config, "workerinput", None)
            if self.replay is not None:
                self._seed = self.replay[0]
            elif self.fixed_seed is not None:
                self._seed = self.fixed_seed
            elif worker is not None and "probtest_seed" in worker:
                self._seed = int(worker["probtest_seed"])
            else:
                self._seed = _native.fresh_seed()
        return self._seed

    def _given(self, key: str, variable: str = "") -> str | None:
        found = self._config.getoption(key) or os.environ.get(variable) or self._config.getini(key)
        return str(found) if found else None

    def _whole(self, key: str, variable: str) -> int | None:
        text = self._given(key, variable)
        if text is None:
            return None
        return whole(key.replace("_", "-"), text)

    def _default_claim(self) -> _native.Claim | None:
        option = self._config.getoption
        minp, number, bug = option("probtest_minp"), option("probtest_n"), option("probtest_pbug")
        ways = [name for name, value in (("p", self.p), ("minp/N", minp or number), ("Pbug", bug)) if value]
        if len(ways) > 1 and (option("probtest_p") or self.p is None):
            raise pytest.UsageError(
                f"the violation probability is given in {len(ways)} ways\n"
                f"  given  {', '.join(ways)}\n"
                "  help   keep one of --p, --minp with --N, --Pbug"
            )
        if self.tolerate is not None:
            outcomes = "," if minp or number or "," in (self.p or "") else None
            return claim_of(bug or self.p, self.epsilon, outcomes, self.tolerate, self.false_alarm)
        if minp or number:
            return _native.cover(_at_least(minp, number), self.epsilon or "0.05")
        if bug:
            return _native.detect(bug, self.epsilon or "0.05")
        if self.p is None:
            if self.epsilon is not None:
                _native.detect("1/2", self.epsilon)
            return None
        if "," in self.p:
            return _native.cover(self.p, self.epsilon or "0.05")
        return _native.detect(self.p, self.epsilon or "0.05")

    def request(self, marker: pytest.Mark | None) -> Request:
        """Return what a test with this marker asks for, with its part of what the suite may miss."""
        request = self._request(marker)
        if request.numeric is not None:
            request.numeric = self.suite.limit_numeric(request.numeric)
        else:
            request.claim = self.suite.limit(request.claim)
        return request

    def _request(self, marker: pytest.Mark | None) -> Request:
        if marker is None:
            assert self.default is not None
            return Request(self.default, None, self.max_executions, None, self.budgets.limits({}))
        given = _arguments(marker)
        p: Probability | None = given.get("p")
        outcomes: Iterable[Probability] | str | None = given.get("outcomes")
        epsilon: Probability | None = given.get("epsilon", self.epsilon)
        tolerate: Probability | None = given.get("tolerate")
        alarm: Probability | None = given.get("false_alarm")
        numeric = given.get("claim")
        if numeric is not None:
            # What the claim on violations says does not matter; executions need one.
            claim = _native.detect("1/2", "1/2")
            _check_numeric(numeric, given, marker)
        elif p is None and outcomes is None and tolerate is None:
            if self.default is None:
                raise _native.ClaimError(
                    "the marker does not say which violation probability must not go unnoticed\n"
                    f"  given  {_call(marker)}\n"
                    "  help   write @pytest.mark.probtest(p=0.01), or set the ini key probtest_p"
                )
            claim = self.default
            if "epsilon" in given or alarm is not None:
                alarm = claim.false_alarm if alarm is None else alarm
                claim = claim_of(claim.p, epsilon, claim.outcomes, claim.tolerate, alarm)
        else:
            if alarm is None and tolerate is not None:
                alarm = self.false_alarm
            claim = claim_of(p, epsilon, outcomes, tolerate, alarm)
        seed = given.get("seed")
        most = smaller(limit("max_executions", given.get("max_executions")), self.max_executions)
        rejections = limit("max_rejections", given.get("max_rejections"))
        own = self.budgets.limits(given, numeric is not None)
        if numeric is not None:
            # Refused before anything is executed.
            _native.NumericTest(numeric).budget(on_budget=own.on_budget)
        number = None if seed is None else _native.parse_seed(str(seed))
        batch = limit("batch", given.get("batch"))
        return Request(claim, number, most, rejections, own, batch, numeric)


def _refuse_empty(config: pytest.Config) -> None:
    """Refuse options without a value: a variable of a script that was not set would lift a promise."""
    names = sorted(name for name in vars(config.option) if name.startswith("probtest_"))
    for name in names:
        value = config.getoption(name)
        if isinstance(value, str) and not value.strip():
            option = f"--{name.replace('_', '-')}"
            raise pytest.UsageError(
                f"{option} has no value\n"
                f"  given  {option} {value!r}\n"
                "  help   write a value, or leave the option out"
            )


def _check_numeric(claim: object, given: dict[str, Any], marker: pytest.Mark) -> None:
    """Refuse a claim that is none, or one beside another."""
    others = ("p", "epsilon", "tolerate", "false_alarm", "outcomes", "batch")
    beside = [name for name in others if name in given]
    if beside or not isinstance(claim, _native.NumericClaim):
        raise _native.ClaimError(
            "claim is a claim on what the test returns, and the only one of the marker\n"
            f"  given  {_call(marker)}\n"
            "  help   write claim=probtest.mean(..) or claim=probtest.fit(..); "
            "epsilon and false_alarm belong inside"
        )


def _at_least(minp: str | None, number: str | None) -> list[str]:
    """Return the hardest N outcomes that each have at least a given probability.

    All but one have that probability, and one has the rest: any other division
    shows all outcomes sooner.
    """
    if not minp or not number:
        raise pytest.UsageError(
            "--minp and --N belong together\n"
            f"  given  minp {minp}, N {number}\n"
            "  help   give both, such as --minp 0.1 --N 2"
        )
    count = whole("N", number)
    least = Fraction(_native.detect(minp, "1/2").p or "")
    rest = 1 - (count - 1) * least
    if count < 2 or rest < least:
        raise pytest.UsageError(
            f"{count} outcomes of at least {minp} each do not fit into a probability of 1\n"
            f"  given  --minp {minp} --N {number}\n"
            "  help   N is at least 2 and minp at most 1/N"
        )
    return [str(least)] * (count - 1) + [str(rest)]


def _arguments(marker: pytest.Mark) -> dict[str, Any]:
    if marker.args:
        raise _native.ClaimError(
            "the marker takes its options by name\n"
            f"  given  {_call(marker)}\n"
            "  help   write @pytest.mark.probtest(p=0.01, epsilon=0.02)"
        )
    unknown = [name for name in marker.kwargs if name not in MARKER_OPTIONS]
    if unknown:
        raise _native.ClaimError(
            f"the marker has no option {', '.join(unknown)}\n"
            f"  given  {_call(marker)}\n"
            f"  help   its options are {', '.join(MARKER_OPTIONS)}"
        )
    return dict(marker.kwargs)


def _call(marker: pytest.Mark) -> str:
    words = [repr(argument) for argument in marker.args]
    words += [f"{name}={value!r}" for name, value in marker.kwargs.items()]
    return f"probtest({', '.join(words)})"
