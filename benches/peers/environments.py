"""Environments: where does each tool live?

One environment for each tool under `.venv-peers/`, so that no plugin pays for
another's start or memory. Nothing here measures. Next stage: `measuring`.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent


class Unavailable(Exception):
    """A tool cannot be installed here; the text says why, in one line."""


def prepare(name: str, folder: Path, sources: Path | None = None) -> Path:
    """Return the Python of the environment that has `requirements-NAME.txt` installed.

    With `sources`, the project in that folder is installed as well.
    """
    requirements = HERE / f"requirements-{name}.txt"
    python = folder / name / "bin" / "python"
    stamp = folder / name / "installed"
    wanted = hashlib.sha256(f"{requirements.read_text()}{sources}{sys.version}".encode()).hexdigest()
    if stamp.exists() and stamp.read_text() == wanted:
        return python
    venv.create(folder / name, clear=True, with_pip=True)
    _pip(python, "-r", str(requirements))
    if sources is not None:
        _pip(python, "--no-deps", "--no-build-isolation", str(sources))
    stamp.write_text(wanted)
    return python


def install_ours(python: Path, maturin: str, folder: Path) -> None:
    """Build the working tree as a release wheel and install it."""
    wheels = folder / "wheels"
    for old in wheels.glob("*.whl"):
        old.unlink()
    command = [maturin, "build", "--release", "--quiet", "--out", str(wheels)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if built.returncode != 0:
        sys.exit(f"error: the wheel of the working tree cannot be built\n{built.stderr}")
    wheel = next(wheels.glob("*.whl"))
    _pip(python, "--no-deps", "--force-reinstall", str(wheel))


def _pip(python: Path, *arguments: str) -> None:
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or ["no reason given"]
        raise Unavailable(lines[-1].removeprefix("ERROR: "))
