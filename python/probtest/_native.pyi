from collections.abc import Callable, Iterable
from collections.abc import Sequence as _Sequence
from os import PathLike
from types import FrameType
from typing import final

from .sources import Surroundings

__all__ = [
    "ANY_INDEX",
    "FORMAT",
    "Audit",
    "AuditOrder",
    "Board",
    "Claim",
    "ClaimError",
    "Deputy",
    "GaveUp",
    "Given",
    "Rejected",
    "Report",
    "Sequence",
    "Stream",
    "TestRun",
    "Twisters",
    "Watchdog",
    "__version__",
    "at_rate",
    "compare",
    "compare_means",
    "cost",
    "die_with_parent",
    "epsilon_attained",
    "estimate",
    "fit",
    "forked",
    "forks",
    "fresh_draws",
    "fresh_seed",
    "interval",
    "is_drawn",
    "is_seen",
    "label",
    "leave_by",
    "mean",
    "options",
    "outcome",
    "plan",
    "record",
    "refuse_story",
    "sensitivity",
    "smallest_p",
    "suggestion",
    "suite_promises",
    "tape_address",
]

ANY_INDEX: int
FORMAT: int
__version__: str

class ClaimError(ValueError): ...
class Rejected(BaseException): ...
class GaveUp(Rejected): ...

@final
class Claim:
    @property
    def kind(self) -> str: ...
    @property
    def p(self) -> str | None: ...
    @property
    def epsilon(self) -> str | None: ...
    @property
    def tolerate(self) -> str | None: ...
    @property
    def false_alarm(self) -> str | None: ...
    @property
    def outcomes(self) -> list[str] | None: ...
    @property
    def promise(self) -> str: ...
    @property
    def planned(self) -> int: ...
    @property
    def is_about_returned(self) -> bool: ...
    @property
    def first_violation_decides(self) -> bool: ...

# Attributes of the classes below are read-only.

@final
class Given:
    def __new__(cls) -> Given: ...
    def set(self, name: str, value: object) -> None: ...
    def read(self, name: str, place: str, text: str) -> None: ...
    def read_environment(self, variables: Iterable[tuple[str, str]]) -> tuple[str | None, list[str]]: ...
    def check(self) -> None: ...
    def claim(self) -> Claim: ...
    def with_run(self, run: Given) -> Given: ...
    has_default: bool
    batch: int | None
    jobs: int | None
    isolate: bool
    vary_seeds: bool
    concurrency: int | None
    threads: bool
    seed: int | None
    replay: tuple[int, int, bool] | None
    suite_time: int | None
    shard: str | None
    journal: tuple[str | None, str | None]
    memory: str | None
    executor: str | None
    suite: list[tuple[str, str]]

@final
class Stream:
    def __new__(cls, seed: int, test: str) -> Stream: ...
    seed: int
    key: tuple[int, int]
    inputs: int | None
    def execution_seed(self, index: int, attempt: int = 0) -> int: ...
    def input_seed(self, index: int, rejected: int = 0) -> int: ...
    def sequence(self, index: int, attempt: int = 0) -> Sequence: ...

@final
class Sequence:
    def next_u64(self) -> int: ...
    def bytes(self, count: int) -> bytes: ...

@final
class Deputy:
    def __new__(cls, capsule: object, rejects_zero: bool) -> Deputy: ...
    capsule: object
    def step_back(self) -> None: ...

@final
class Watchdog:
    def begin(self, thread: int) -> None: ...
    def end(self) -> bool: ...

@final
class Twisters:
    def __new__(
        cls, known: object, state: tuple[int, ...], seeded: Callable[[object, FrameType, bool], None]
    ) -> Twisters: ...
    def __call__(self, frame: FrameType, event: str, argument: object) -> None: ...
    def begin(self, generators: _Sequence[object]) -> None: ...
    def follow(self, generator: object) -> None: ...
    def leave(self, generator: object) -> None: ...
    def end(self) -> None: ...
    missed: bool

@final
class TestRun:
    def __new__(
        cls,
        given: Given,
        test: str,
        seed: int | None = None,
        *,
        tests: int = 0,
        suite_time_used: int = 0,
        remaining_tests: int = 1,
        remembered: _Sequence[str] = ...,
        unchanged: bool = False,
        claims: bool = True,
        journal: tuple[str, str, int | None, str | None] | None = None,
    ) -> TestRun: ...
    journal_news: str | None
    claim: Claim
    planned: int
    most: int
    batch: int | None
    replay: tuple[int, int] | None
    current: tuple[Stream, int, int]
    input_attempt: int
    rejections: int
    calls: int
    is_last: bool
    is_planned: bool
    is_followed: bool
    sees_first: bool
    has_violated: bool
    begun: str
    odd_return: str | None
    lost_ranges: int
    report: Report | None
    def execute(self, body: Callable[[], object], around: Surroundings) -> None: ...
    def make_range(
        self,
        body: Callable[[], object],
        around: Surroundings,
        seed: int,
        first: int,
        last: int,
        attempt: int = 0,
        board: Board | None = None,
        worker: int = 0,
    ) -> bytes: ...

@final
class AuditOrder:
    test: int
    interpreter: int
    seeds: list[int]
    soon: float | None
    varies: bool
    watches: bool

@final
class Audit:
    def __new__(
        cls,
        tests: _Sequence[tuple[str, bool]],
        options: _Sequence[tuple[str, str]],
        seed: int | None = None,
        journal: tuple[str, str] | None = None,
        varies: bool = False,
        hash_seed: int | None = None,
    ) -> Audit: ...
    @property
    def time(self) -> float | None: ...
    @property
    def timeout(self) -> float | None: ...
    def next(self, seconds: float, present: int | None, others: _Sequence[int]) -> AuditOrder | None: ...
    def interpreter_seed(self, interpreter: int) -> int: ...
    def take_back(self, order: AuditOrder) -> None: ...
    def observe(self, order: AuditOrder, made: bytes) -> None: ...
    def interrupt(self) -> None: ...
    def news(self) -> list[str]: ...
    def finish(self, replay: Callable[[int, int, int | None], str | None]) -> tuple[str, str, str]: ...

@final
class Board:
    def __new__(cls, workers: int = 1, file: str | PathLike[str] | None = None) -> Board: ...
    def stop_after(self, index: int) -> None: ...
    def at(self, worker: int) -> tuple[int, int]: ...
    def leave(self, worker: int) -> None: ...

@final
class Report:
    verdict: str
    accepted: bool
    claim: Claim
    executed: int
    seed: int
    address: tuple[int, int] | None
    violating_index: int | None
    cut_by_time: bool
    is_rerun_whole: bool
    returned: str | None
    refusal: str | None
    exception: BaseException | None
    memory: tuple[str | None, list[str]]
    tape: str | None
    played: str | None
    section: str
    summary: str
    json: str
    confirmed: bool | None
    def annotate(
        self,
        *,
        replay: str | None = None,
        rerun: str | None = None,
        small: str | None = None,
        sources: _Sequence[str] = ...,
        keeps_memory: bool = False,
    ) -> None: ...
    shard: str | None
    def annotate_part(self, replay: str, rerun: str) -> None: ...

def options() -> list[tuple[str, bool, bool, str, str]]: ...
def mean(
    between: object,
    margin: object,
    within: object | None = None,
    above: object | None = None,
    below: object | None = None,
    epsilon: object | None = None,
    false_alarm: object | None = None,
) -> Claim: ...
def fit(
    labels: _Sequence[tuple[str, object]],
    distance: object,
    epsilon: object | None = None,
    false_alarm: object | None = None,
) -> Claim: ...
def compare(p_change: object, epsilon: object | None = None, false_alarm: object | None = None) -> Claim: ...
def compare_means(
    change: object,
    between: object,
    worse: str,
    epsilon: object | None = None,
    false_alarm: object | None = None,
) -> Claim: ...
def estimate(width: object, confidence: object | None = None) -> Claim: ...
def at_rate(claim: Claim, rate: float) -> tuple[float, float] | None: ...
def plan(claim: Claim) -> tuple[str, str]: ...
def smallest_p(executions: int, epsilon: object | None = None) -> float: ...
def epsilon_attained(executions: int, p: object) -> float: ...
def sensitivity(
    p: object, believed: object, epsilon: object | None = None
) -> tuple[int, int, int, float, float]: ...
def interval(violations: int, executions: int, confidence: float) -> tuple[float, float]: ...
def fresh_seed() -> int: ...
def tape_address(seed: int, index: int, test: str, tape: str) -> str: ...
def fresh_draws() -> list[int]: ...
def is_drawn(seed: object) -> bool: ...
def is_seen() -> bool: ...
def refuse_story(why: str) -> None: ...
def suggestion(given: _Sequence[str], kind: str, names: _Sequence[str]) -> str: ...
def suite_promises(tests: str) -> str: ...
def forked() -> None: ...
def forks() -> int: ...
def die_with_parent() -> None: ...
def leave_by(exception: BaseException) -> None: ...
def outcome(number: int) -> None: ...
def cost(amount: float) -> None: ...
def record(hash: int) -> int | None: ...
def label(label: tuple[str, bool | float | str, float | None]) -> None: ...
