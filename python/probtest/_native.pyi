from collections.abc import Callable, Iterable
from collections.abc import Sequence as _Sequence
from typing import Any, final

__all__ = [
    "Claim",
    "ClaimError",
    "Estimation",
    "NumericClaim",
    "NumericTest",
    "Rejected",
    "Sequence",
    "Session",
    "__version__",
    "at_rate",
    "cover",
    "detect",
    "epsilon_attained",
    "fit",
    "fresh_seed",
    "interval",
    "limit_claim",
    "limit_numeric",
    "mean",
    "outcome",
    "parse_probability",
    "parse_replay",
    "parse_seed",
    "parse_time",
    "plan",
    "sensitivity",
    "smallest_p",
    "suite_epsilon",
    "suite_false_alarm",
    "text_of_time",
    "tolerate",
    "variables",
]

__version__: str

class ClaimError(ValueError): ...
class Rejected(BaseException): ...

@final
class Claim:
    @property
    def p(self) -> str | None: ...
    @property
    def epsilon(self) -> str: ...
    @property
    def tolerate(self) -> str | None: ...
    @property
    def false_alarm(self) -> str | None: ...
    @property
    def outcomes(self) -> list[str] | None: ...
    @property
    def promise(self) -> str: ...

@final
class Sequence:
    def __new__(cls, seed: int, test: str, index: int, attempt: int) -> Sequence: ...
    def next_u64(self) -> int: ...
    def bytes(self, count: int) -> bytes: ...

@final
class Session:
    def __new__(
        cls,
        claim: Claim,
        test: str,
        seed: int,
        max_executions: int | None = None,
        max_rejections: int | None = None,
        batch: int | None = None,
    ) -> Session: ...
    @property
    def planned(self) -> int: ...
    @property
    def executed(self) -> int: ...
    @property
    def current(self) -> tuple[int, int]: ...
    @property
    def seed(self) -> int: ...
    @property
    def key(self) -> tuple[int, int]: ...
    @property
    def exception(self) -> BaseException | None: ...
    @property
    def verdict(self) -> str | None: ...
    @property
    def violating_index(self) -> int | None: ...
    @property
    def address(self) -> tuple[int, int] | None: ...
    @property
    def counts(self) -> tuple[int, int, int, int, int] | None: ...
    @property
    def section(self) -> str | None: ...
    @property
    def summary(self) -> str | None: ...
    @property
    def notes(self) -> list[str]: ...
    @property
    def odd_return(self) -> str | None: ...
    @property
    def broken(self) -> str | None: ...
    @property
    def json(self) -> str | None: ...
    @property
    def cut_by_time(self) -> bool: ...
    def budget(
        self,
        *,
        on_budget: str | None = None,
        times: _Sequence[tuple[int, int, bool]] = ...,
        clock: Callable[[], int] | None = None,
    ) -> None: ...
    def part_of(
        self, tests: int, epsilon: object | None = None, false_alarm: object | None = None
    ) -> None: ...
    def choose(self, seed: int, index: int) -> None: ...
    def execution_seed(self) -> int: ...
    def execute_one(
        self,
        body: Callable[[], object],
        seeders: Iterable[tuple[Callable[[int], object], int]],
        rejecting: tuple[type[BaseException], ...],
        leaving: tuple[type[BaseException], ...],
        seeded: bool,
        imported: Callable[[], Iterable[tuple[Callable[[int], object], int]] | None] | None = None,
    ) -> str: ...
    def execute(
        self,
        body: Callable[[], object],
        *,
        seeders: Iterable[tuple[Callable[[int], object], int]],
        rejecting: tuple[type[BaseException], ...],
        leaving: tuple[type[BaseException], ...],
        seeded: bool = False,
        cleaner: tuple[_Sequence[int], _Sequence[list[Any]], Callable[[], object]] | None = None,
        imported: Callable[[], Iterable[tuple[Callable[[int], object], int]] | None] | None = None,
        probe: Callable[[bool, int], object] | None = None,
        probes: int = 0,
        tick: Callable[[int, int], object] | None = None,
    ) -> None: ...
    def again(self) -> None: ...
    def stopped(self) -> None: ...
    def mended(self, addresses: _Sequence[tuple[int, int]]) -> None: ...
    def annotate(
        self,
        *,
        message: str | None = None,
        replay: str | None = None,
        reseeds: bool = False,
        copies: bool = False,
    ) -> None: ...

@final
class Estimation:
    def __new__(
        cls,
        width: float,
        confidence: float,
        max_executions: int | None = None,
        max_rejections: int | None = None,
    ) -> Estimation: ...
    def budget(
        self, *, times: _Sequence[tuple[int, int, bool]], clock: Callable[[], int] | None = None
    ) -> None: ...
    @property
    def most(self) -> int: ...
    def execute(
        self,
        session: Session,
        body: Callable[[], object],
        *,
        seeders: Iterable[tuple[Callable[[int], object], int]],
        rejecting: tuple[type[BaseException], ...],
        leaving: tuple[type[BaseException], ...],
        imported: Callable[[], Iterable[tuple[Callable[[int], object], int]] | None] | None = None,
        probe: Callable[[bool, int], object] | None = None,
        probes: int = 0,
        tick: Callable[[int, int], object] | None = None,
    ) -> None: ...
    def annotate(
        self,
        *,
        replay: str | None = None,
        rerun: str | None = None,
        reseeds: bool = False,
        copies: bool = False,
    ) -> None: ...
    @property
    def executed(self) -> int: ...
    @property
    def index(self) -> int | None: ...
    @property
    def text(self) -> str | None: ...
    @property
    def summary(self) -> str | None: ...
    @property
    def json(self) -> str | None: ...

@final
class NumericClaim:
    @property
    def epsilon(self) -> str: ...
    @property
    def false_alarm(self) -> str: ...
    @property
    def promise(self) -> str: ...
    @property
    def planned(self) -> int: ...

@final
class NumericTest:
    def __new__(
        cls,
        claim: NumericClaim,
        max_executions: int | None = None,
        max_rejections: int | None = None,
    ) -> NumericTest: ...
    def budget(
        self,
        *,
        on_budget: str | None = None,
        times: _Sequence[tuple[int, int, bool]] = ...,
        clock: Callable[[], int] | None = None,
    ) -> None: ...
    def part_of(
        self, tests: int, epsilon: object | None = None, false_alarm: object | None = None
    ) -> None: ...
    @property
    def planned(self) -> int: ...
    @property
    def executed(self) -> int: ...
    def execute(
        self,
        session: Session,
        body: Callable[[], object],
        *,
        seeders: Iterable[tuple[Callable[[int], object], int]],
        rejecting: tuple[type[BaseException], ...],
        leaving: tuple[type[BaseException], ...],
        seeded: bool = False,
        cleaner: tuple[_Sequence[int], _Sequence[list[Any]], Callable[[], object]] | None = None,
        imported: Callable[[], Iterable[tuple[Callable[[int], object], int]] | None] | None = None,
        probe: Callable[[bool, int], object] | None = None,
        probes: int = 0,
        tick: Callable[[int, int], object] | None = None,
    ) -> None: ...
    def execute_one(
        self,
        session: Session,
        body: Callable[[], object],
        seeders: Iterable[tuple[Callable[[int], object], int]],
        rejecting: tuple[type[BaseException], ...],
        leaving: tuple[type[BaseException], ...],
        seeded: bool,
        imported: Callable[[], Iterable[tuple[Callable[[int], object], int]] | None] | None = None,
    ) -> str: ...
    def stopped(self) -> None: ...
    def annotate(self, *, replay: str | None = None, reseeds: bool = False, copies: bool = False) -> None: ...
    @property
    def verdict(self) -> str | None: ...
    @property
    def cut_by_time(self) -> bool: ...
    @property
    def violating_index(self) -> int | None: ...
    @property
    def address(self) -> tuple[int, int] | None: ...
    @property
    def counts(self) -> tuple[int, int, int, int, int] | None: ...
    @property
    def section(self) -> str | None: ...
    @property
    def summary(self) -> str | None: ...
    @property
    def notes(self) -> list[str]: ...
    @property
    def json(self) -> str | None: ...

def mean(
    between: tuple[float, float],
    bounds: tuple[float | None, float | None],
    margin: float,
    epsilon: object,
    false_alarm: object,
) -> NumericClaim: ...
def fit(
    labels: _Sequence[tuple[str, object]], distance: float, epsilon: object, false_alarm: object
) -> NumericClaim: ...
def detect(p: object, epsilon: object) -> Claim: ...
def cover(outcomes: object, epsilon: object) -> Claim: ...
def tolerate(
    tolerate: object | None,
    p: object | None,
    epsilon: object,
    false_alarm: object | None,
    outcomes: bool,
) -> Claim: ...
def at_rate(claim: Claim, rate: float) -> tuple[float, float] | None: ...
def plan(claim: Claim) -> tuple[str, str]: ...
def smallest_p(executions: int, epsilon: object) -> tuple[float, str]: ...
def epsilon_attained(executions: int, p: object) -> float: ...
def sensitivity(p: object, believed: object, epsilon: object) -> tuple[int, int, int, float, float]: ...
def interval(violations: int, executions: int, confidence: float) -> tuple[float, float]: ...
def parse_seed(text: str) -> int: ...
def parse_replay(text: str) -> tuple[int, int]: ...
def fresh_seed() -> int: ...
def variables() -> list[str]: ...
def parse_probability(value: object) -> str: ...
def limit_claim(
    claim: Claim, tests: int, epsilon: object | None = None, false_alarm: object | None = None
) -> Claim: ...
def limit_numeric(
    claim: NumericClaim, tests: int, epsilon: object | None = None, false_alarm: object | None = None
) -> NumericClaim: ...
def suite_epsilon(
    total: object, tests: int, executed: int, within_budget: list[float], repeated: int
) -> tuple[str, list[str]]: ...
def suite_false_alarm(
    total: object, tests: int, tolerating: int, numeric: int, strict: int, undecided: int
) -> tuple[str, list[str]]: ...
def parse_time(text: str, what: str) -> int: ...
def text_of_time(nanoseconds: int) -> str: ...
def outcome(number: int) -> None: ...
