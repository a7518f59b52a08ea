"""The commands `probtest` and `probtest-paper`, built from this tree."""

from __future__ import annotations

import os
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
TARGET = ROOT / os.environ.get("CARGO_TARGET_DIR", "target")
#: As it was before `pytester` gave the tests another home: cargo has its toolchain there.
ENVIRONMENT = dict(os.environ)


@cache
def program(package: str = "probtest-cli", name: str = "probtest") -> Path:
    """Build a command, once for a process, and return its path."""
    subprocess.run(["cargo", "build", "--quiet", "-p", package], cwd=ROOT, env=ENVIRONMENT, check=True)
    return TARGET / "debug" / name


def probtest(*words: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the command and return what it did, whatever its exit code."""
    return subprocess.run([program(), *words], capture_output=True, text=True)


def probtest_paper(*words: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the command that reproduces the paper, likewise."""
    command = program("probtest-paper", "probtest-paper")
    return subprocess.run([command, *words], capture_output=True, text=True)
