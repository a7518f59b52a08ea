"""Options, ini keys and variables of a pytest run. What they mean together, the core says."""

from __future__ import annotations

import argparse
import functools
import os
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from .. import _native, sources
from ..planning import given_by, whole_number
from .markers import options_of
from .memory import Journals

_OPTIONS = {name: (metavar, text) for name, _, pytest, metavar, text in _native.options() if pytest}
#: Those that a file may give too. An address or a shard left there would replace every plan for ever.
_KEYS = [name for name in _OPTIONS if name not in ("replay", "shard")]
#: The names that the original plugin has for some of them.
_SHORT = {"p": "--p", "epsilon": "--epsilon"}
#: What no table of the core has: options of the original plugin alone, of files, and of audits.
_OTHERS = (
    ("minp", "P", "the probability of the rarest of N outcomes; needs --N", "--minp"),
    ("n", "N", "the number of outcomes; needs --minp", "--N"),
    ("pbug", "P", "another name for p", "--Pbug"),
    ("json", "FILE", "write the results of all tests to FILE as JSON"),
    ("audit_time", "TIME", "how long the audit may take (default: 60s)"),
    ("audit_timeout", "TIME", "end an execution that takes longer; it has failed (default: no limit)"),
    ("audit_max_rate", "RATE", "fail if a test may have a higher failure rate than this"),
    ("audit_known", "FILE", "a file with the ids of tests that may have a higher rate, one per line"),
    ("audit_precision", "WIDTH", "how wide an interval may be (default: 0.05)"),
    ("audit_confidence", "C", "the confidence that all intervals together hold (default: 0.95)"),
    ("audit_interpreters", "N", "how many interpreters run a test before it is decided (default: 8)"),
    ("import_seed", "SEED", "seed what modules draw on import; copy it from an audit's replay line"),
    # For the interpreters of an audit: the descriptor by which they talk to it.
    ("audit_channel", "N", argparse.SUPPRESS),
)


def add_options(parser: pytest.Parser) -> None:
    group = parser.getgroup("probtest", "tests of random behaviour")
    for flag, text in (
        (
            "--probtest",
            "also run tests without a marker, as often as --probtest-p and --probtest-epsilon need",
        ),
        ("--probtest-audit", "run every test again and again, and report how flaky each one is and why"),
    ):
        group.addoption(flag, action="store_true", default=False, help=text)
    taken = _taken_names(parser)

    def add(name: str, metavar: str, text: str, short: str | None = None) -> None:
        # Where another plugin has the short name, ours is there by its long one.
        names = [_flag(name)] if short is None or short in taken else [_flag(name), short]
        kind: Any = {"metavar": metavar} if metavar else {"action": "store_const", "const": "yes"}
        group.addoption(*names, dest=f"probtest_{name}", default=None, help=text, **kind)

    for name, (metavar, text) in _OPTIONS.items():
        or_list = "; or a list of outcomes, a,b,.." if name == "p" else ""
        add(name, metavar, f"{text}{or_list}", _SHORT.get(name))
        if name in _KEYS:
            parser.addini(f"probtest_{name}", f"as {_flag(name)}", default=None)
    for option in _OTHERS:
        add(*option)
    package = "the package name in the JSON file (default: the project's name in pyproject.toml)"
    parser.addini("probtest_package", package, default=None)


def refuse_misspelled(config: pytest.Config, parser: Any, words: list[str]) -> None:
    """Refuse flags and ini keys that begin with our name and that no plugin has registered.

    Pytest warns of such a key at the end and runs without it, and calls a flag only unrecognized.
    """
    words = words[: words.index("--")] if "--" in words else words
    flags = [word.partition("=")[0] for word in words if word.startswith("--probtest")]
    overrides = [word.partition("=")[0] for word in config.known_args_namespace.override_ini or []]
    # Private, but in every version from 8.0 on, and what pytest's own warning asks.
    unknown_keys: Iterable[str] = getattr(config, "_get_unknown_ini_keys", list)()
    keys = sorted(key for key in {*unknown_keys, *overrides} if key.startswith("probtest_"))
    ours = [name for name in _taken_names(parser) if name.startswith("--probtest")]
    for what, given, known in (
        ("pytest option", flags, sorted(ours)),
        ("ini key", keys, [key for key in parser._inidict if key.startswith("probtest_")]),
    ):
        unknown = [name for name in given if name not in known]
        if unknown:
            raise pytest.UsageError(
                f"there is no {what} {', '.join(unknown)}\n"
                f"  given  {', '.join(unknown)}\n"
                f"  help   {_native.suggestion(unknown, what.split()[1] + 's', known)}"
            )


def give_import_seed(config: pytest.Config) -> None:
    """Seed what modules draw while they are imported, where a seed for that is given."""
    given = config.known_args_namespace.probtest_import_seed
    if given is None:
        return
    try:
        sources.seed_imports(int(given, 0))
    except ValueError:
        raise pytest.UsageError(
            "the seed of imports is not a whole number\n"
            f"  given  --probtest-import-seed {given}\n"
            "  help   copy it from the replay line of an audit"
        ) from None


def _flag(name: str) -> str:
    return f"--probtest-{name.replace('_', '-')}"


def _taken_names(parser: Any) -> set[str]:
    """Return the option names that other plugins have registered so far."""
    taken: set[str] = set(getattr(getattr(parser, "optparser", None), "_option_string_actions", {}))
    for group in [*getattr(parser, "_groups", []), getattr(parser, "_anonymous", None)]:
        for option in getattr(group, "options", []):
            taken.update(option.names())
    return taken


class Settings:
    """What the run says, read once."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        _refuse_empty(config)
        self.everywhere: bool = config.getoption("probtest")
        self.json: str | None = config.getoption("probtest_json")
        #: Whether a fixture of wider scope has drawn: then remembered executions of
        #: another run are not the same executions any more.
        self.wide_fixtures_drew = False
        if self.json is not None and not hasattr(config, "workerinput"):
            # Said before an hour of executions, not after.
            look_at(self.json)
        #: How many tests there are, and how many share the chances of the suite; known once collected.
        self.tests = self.sharing = 0
        #: How many of them have not begun; under xdist, the part of one worker.
        self.left = 0
        self._began: int | None = None
        self.given = _native.Given()
        #: The warning about variables that mean nothing at all, and those that mean nothing to pytest.
        self.unknown: str | None = None
        self.ignored: list[str] = []
        self._read()
        if self.given.shard is not None and self.given.seed is None and self.given.replay is None:
            # The other shards would execute something else.
            raise pytest.UsageError(
                "a shard has no seed, so its executions would belong to a different "
                "run than those of the other shards\n"
                f"  given  shard {self.given.shard}, no seed\n"
                "  help   add --probtest-seed, the same for all shards, such as the number of the CI run"
            )
        folder, _ = self.given.journal
        if config.getoption("probtest_audit_channel") is not None:
            # The audit keeps the journal, and writes the results.
            folder, self.json = None, None
        #: The journals, where there are to be some.
        self.journals = None if folder is None else Journals(config, folder, self.given)
        if self.journals is not None:
            self.journals.begin(self.seed)
        #: The claim of tests without a marker; one without a plan is refused before anything is collected.
        self.default = self.given.claim() if self.given.has_default else None
        self.planned = None if self.default is None else self.default.planned
        if self.everywhere and self.default is None:
            raise pytest.UsageError(
                "--probtest needs a violation probability to catch\n"
                "  given  --probtest\n"
                "  help   add --probtest-p 0.01, or --p 0.5,0.5, or --minp 0.1 --N 2, or --Pbug 0.1"
            )

    def _read(self) -> None:
        """Read flags, then variables, then ini keys."""
        option = self._config.getoption
        minp, number, bug = option("probtest_minp"), option("probtest_n"), option("probtest_pbug")
        given = {"p": option("probtest_p"), "minp/N": minp or number, "Pbug": bug}
        ways = [name for name, value in given.items() if value]
        if len(ways) > 1:
            raise pytest.UsageError(
                f"the violation probability is given in {len(ways)} ways\n"
                f"  given  {', '.join(ways)}\n"
                "  help   keep one of --p, --minp with --N, --Pbug"
            )
        if minp or number:
            self.given.read("outcomes", "--minp", _at_least(minp, number))
        if bug:
            self.given.read("p", "--Pbug", bug)
        for name in _OPTIONS:
            text = option(f"probtest_{name}")
            if text:
                self.given.read(name, _flag(name), text)
        self.unknown, self.ignored = self.given.read_environment(list(os.environ.items()))
        for name in _KEYS:
            text = self._config.getini(f"probtest_{name}")
            if text:
                self.given.read(name, f"probtest_{name}", str(text))
        self.given.check()
        if self.given.executor is not None:
            from ..engines import clusters

            clusters.look_at(self.given.executor)

    @functools.cached_property
    def seed(self) -> int:
        """The run seed: that of the replay, given, or fresh. A process of an audit sets another one."""
        if self.given.replay is not None:
            return self.given.replay[0]
        if self.given.seed is not None:
            return self.given.seed
        if self.journals is not None and self.journals.resumed is not None:
            return self.journals.resumed
        worker = getattr(self._config, "workerinput", {})
        return int(worker.get("probtest_seed", _native.fresh_seed()))

    def count(self, items: Iterable[pytest.Item]) -> None:
        """Count the tests that are executed as often as their claim needs, and those that promise."""
        self.tests = self.sharing = 0
        for item in items:
            if not isinstance(item, pytest.Function):
                continue
            try:
                said = options_of(item)
            except _native.ClaimError:
                said = {}  # refused when its turn comes
            if said is None and not self.everywhere:
                continue
            self.tests += 1
            # An estimate measures: it has no share of what the suite may get wrong.
            self.sharing += getattr((said or {}).get("claim"), "kind", None) != "estimate"
        worker = getattr(self._config, "workerinput", {})
        self.left = -(-self.tests // int(worker.get("workercount", 1)))

    def suite_time_used(self) -> int:
        """Return the nanoseconds since the first test of the run began."""
        now = sources.now()
        if self._began is None:
            self._began = now
        return now - self._began


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


def _at_least(minp: str | None, number: str | None) -> str:
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
    count = whole_number("N", number)
    least = Fraction(given_by(p=minp).claim().p or "")
    rest = 1 - (count - 1) * least
    if count < 2 or rest < least:
        raise pytest.UsageError(
            f"{count} outcomes of at least {minp} each add up to more than 1\n"
            f"  given  --minp {minp} --N {number}\n"
            "  help   give an N of at least 2 and a minp of at most 1/N"
        )
    return ",".join([str(least)] * (count - 1) + [str(rest)])


def look_at(file: str) -> None:
    """Refuse a file for the facts that cannot be written, before anything is executed."""
    path = Path(file)
    if path.is_dir():
        raise pytest.UsageError(
            "the results cannot be written to a folder\n"
            f"  given  --probtest-json {file}\n"
            "  help   name a file, such as results.json"
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritten(file, error) from None
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise unwritten(file, PermissionError(13, os.strerror(13), file))


def unwritten(file: str, error: OSError) -> pytest.UsageError:
    return pytest.UsageError(
        f"the results cannot be written: {error}\n"
        f"  given  --probtest-json {file}\n"
        "  help   name a file that you can write to"
    )
