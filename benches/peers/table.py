"""Table: what the measurements say, for people.

Only arithmetic and text, so that it is tested without installing anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    """One number that has a bound: by the wall clock, and by the processor where that differs."""

    what: str
    measured: float
    bound: float
    unit: str
    processor: float | None = None

    @property
    def is_met(self) -> bool:
        return self.measured <= self.bound

    @property
    def verdict(self) -> str:
        if self.is_met:
            return "met"
        # Other processes had the machine meanwhile: say so rather than blame the code.
        busy = self.processor is not None and self.processor <= self.bound
        return "MISSED, met by processor time" if busy else "MISSED"

    def row(self) -> list[str]:
        processor = "" if self.processor is None else f"{number(self.processor)} {self.unit}"
        measured = f"{number(self.measured)} {self.unit}"
        return [self.what, measured, processor, f"<= {number(self.bound)} {self.unit}", self.verdict]


def slope(few: float, many: float, k_few: int, k_many: int) -> float:
    """Return what one more execution costs, free of everything that is paid once."""
    return (many - few) / (k_many - k_few)


def number(value: float) -> str:
    """Write a number with as many digits as can be trusted."""
    if value == 0 or abs(value) < 0.005:
        return "0"
    if abs(value) < 10:
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.1f}".removesuffix(".0")


def render(header: Sequence[str], rows: Sequence[Sequence[str]], markdown: bool) -> str:
    """Return a table, its first column to the left and the others to the right."""
    lines = [list(header), *map(list, rows)]
    for line in lines:
        if len(line) != len(header):
            raise ValueError(f"a row of {len(line)} cells in a table of {len(header)} columns: {line}")
    if markdown:
        rule = ["---"] + ["--:"] * (len(header) - 1)
        escaped = [[cell.replace("|", "\\|") for cell in line] for line in lines]
        return "\n".join(f"| {' | '.join(line)} |" for line in [escaped[0], rule, *escaped[1:]])
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if column else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )
