"""`make browser`: what its script says where no browser can be installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from .command import ROOT

BASH = shutil.which("bash")
ROOT_USER = "echo 0"
OTHER_USER = "echo 1000"


@pytest.mark.parametrize(
    ("programs", "given"),
    [
        ({"id": ROOT_USER}, "a system without apt-get"),
        ({"id": OTHER_USER, "apt-get": "exit 0"}, "a user who is not root"),
        ({"id": OTHER_USER, "apt-get": "exit 0", "sudo": "exit 1"}, "a user who is not root"),
        ({"id": ROOT_USER, "apt-get": "exit 100"}, "apt-get, which could not install"),
        ({"id": ROOT_USER, "apt-get": "exit 0"}, "brings no such program"),
    ],
)
def test_where_no_browser_can_be_installed_the_script_says_why_and_what_to_do(
    tmp_path: Path, programs: dict[str, str], given: str
) -> None:
    ran = browser_script(tmp_path, programs)
    assert ran.returncode == 1
    first, second, third, *_ = ran.stderr.splitlines()
    assert first == "error: chromium cannot be installed here"
    assert second.startswith("  given  ")
    assert given in second
    assert third.startswith("  help   ")


def test_where_a_browser_is_there_nothing_is_installed(tmp_path: Path) -> None:
    ran = browser_script(tmp_path, {"chromium": "", "apt-get": "exit 1"})
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.count("\n") == 1


def browser_script(folder: Path, programs: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run the script where these programs are all that there is."""
    assert BASH is not None
    known = {"true": "exit 0", "env": 'while [ "${1#*=}" != "$1" ]; do shift; done; "$@"', **programs}
    for name, body in known.items():
        program = folder / name
        program.write_text(f"#!{BASH}\n{body}\n")
        program.chmod(0o755)
    words = [BASH, ROOT / ".ci" / "browser"]
    return subprocess.run(words, env={"PATH": str(folder)}, capture_output=True, text=True)
