"""`python -m examples.policies`: the paper's table on learned policies, checked."""

from __future__ import annotations

import argparse
import csv
import os
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TextIO

from .comparing import COLUMNS, Comparison, compare
from .rows import PAST_THE_GOAL, NoSuchRow, Q, Row, all_rows, select

UNFINISHED = 1
REFUSED = 2
INTERRUPTED = 130


class Progress:
    """One line that is written over, on a terminal only."""

    def __init__(self) -> None:
        self._shows = sys.stderr.isatty()
        self._shown = 0.0

    def __call__(self, what: str, done: int, of: int) -> None:
        now = time.monotonic()
        if self._shows and (now - self._shown > 0.1 or done == of):
            self._shown = now
            print(f"\r\x1b[K{what} {done} of {of}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        if self._shows:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def counting(text: str) -> int:
    number = int(text) if text.isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(
            f"a whole number of at least 1 is needed\n  given  {text}\n  help   write a number such as 1000"
        )
    return number


def arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m examples.policies",
        description="Train the paper's policies in Gymnasium and compare, as CSV, each published number with "
        "the exact one, an estimate from episodes, and how often probtest finds a violation.",
        epilog="All rows take about half an hour; --samples 1000 --repeats 10 two minutes.",
    )
    parser.add_argument(
        "--rows",
        default="",
        metavar="ROWS",
        help="only these, separated by commas: ENVIRONMENT[:PROPERTY[:EPISODES[:STEPS]]], such as 4x4,7x7:Q2",
    )
    parser.add_argument("--samples", type=counting, default=100_000, help="episodes for an estimate")
    parser.add_argument("--repeats", type=counting, default=100, help="checks for the probability of finding")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the CSV here too, row by row")
    return parser.parse_args(given)


def main(given: Sequence[str] | None = None) -> int:
    options = arguments(given)
    rows = all_rows()
    done: list[Comparison] = []
    progress = Progress()
    try:
        with ExitStack() as files:
            try:
                if options.rows:
                    rows = select(rows, [word.strip() for word in options.rows.split(",")])
                targets = [sys.stdout]
                if options.out is not None:
                    targets.append(files.enter_context(options.out.open("w", newline="")))
            except NoSuchRow as error:
                print(f"error: {error}", file=sys.stderr)
                return REFUSED
            except OSError as error:
                print(
                    f"error: the table cannot be written\n  given  --out {options.out}: {error.strerror}\n"
                    "  help   name a file in a folder that exists",
                    file=sys.stderr,
                )
                return REFUSED
            write(rows, options, targets, done, progress)
    except KeyboardInterrupt:
        progress.clear()
        print(f"interrupted: {len(done)} of {len(rows)} rows are written", file=sys.stderr)
        return INTERRUPTED
    except OSError as error:
        progress.clear()
        print(
            f"error: the table cannot be written any further\n  given  {error.strerror}; {len(done)} of "
            f"{len(rows)} rows are written\n  help   keep what reads the table open, and look for space",
            file=sys.stderr,
        )
        if isinstance(error, BrokenPipeError):
            # What is left in the buffer would be written at the end, and fail again.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return UNFINISHED
    print(summary(done), file=sys.stderr)
    return 0


def write(
    rows: list[Row],
    options: argparse.Namespace,
    targets: list[TextIO],
    done: list[Comparison],
    progress: Progress,
) -> None:
    """Write the table to the targets, row by row; `done` has the rows that are there."""
    writers = [csv.DictWriter(target, COLUMNS, lineterminator="\n") for target in targets]
    for writer, target in zip(writers, targets, strict=True):
        writer.writeheader()
        target.flush()
    for comparison in compare(rows, options.samples, options.repeats, progress):
        progress.clear()
        for writer, target in zip(writers, targets, strict=True):
            writer.writerow(comparison.line())
            target.flush()
        done.append(comparison)


def summary(done: list[Comparison]) -> str:
    """Say how many published numbers agree, and why those of the cliff do not."""
    lines = []
    for steps in (100, 200):
        verdicts = [found.line()["verdict"] for found in done if found.row.steps == steps]
        if verdicts:
            agree = verdicts.count("agrees")
            lines.append(
                f"lakes, {steps} steps: {agree} of {len(verdicts)} published numbers agree with the exact"
            )
    if any(found.row.property == Q for found in done):
        lines.append(
            "cliff walking, Q: the published numbers count falls after the goal was reached, where the "
            "episode is over"
        )
    if any(found.row.property == PAST_THE_GOAL for found in done):
        lines.append(
            "cliff walking, Q past the goal: the published numbers are means of 100 agents that nobody can "
            "train again, ours are those of one; `probtest-paper cliff-walking` compares the means"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
