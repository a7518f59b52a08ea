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
def built() -> Path:
    """Build the commands and examples that are used here, once for a process, and return their folder.

    They are those of the whole workspace with its tests, as `make test` has built them before: the same for
    one package has other features of dependencies, and would compile half of them again.
    """
    words = ["--workspace", "--all-features", "--test", "command", "--example", "dynamics"]
    cargo = ["cargo", "test", "--quiet", "--no-run", *words]
    subprocess.run(cargo, cwd=ROOT, env=ENVIRONMENT, check=True)
    return TARGET / "debug"


def probtest(*words: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the command and return what it did, whatever its exit code."""
    return subprocess.run([built() / "probtest", *words], capture_output=True, text=True)


def probtest_paper(*words: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the command that reproduces the paper, likewise."""
    return subprocess.run([built() / "probtest-paper", *words], capture_output=True, text=True)
