"""Silent greens: what does each tool say to a test that proves less than it seems to?

    silent_greens.py [--markdown]

Every program is wrong, or its repetitions prove nothing. Each tool executes it as its
documentation shows, 20 times from nothing. Started by `make silent-greens`; the table
stands in `docs/reference/silent-greens.md`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from environments import ROOT, install_ours, prepare

#: Runs of each program under each tool.
RUNS = 20

#: What stands before a Python test under each tool, and its argument.
TOOLS = {
    "pytest-repeat": ("repeat", "import pytest\nMARK = pytest.mark.repeat(50)", ""),
    "flaky": ("flaky", "from flaky import flaky\nMARK = flaky", ""),
    "pytest-repeated": (
        "repeated",
        "import pytest\nMARK = pytest.mark.repeated(times=50, threshold=50)",
        "",
    ),
    "Hypothesis": (
        "hypothesis",
        "import hypothesis\nfrom hypothesis import strategies\n"
        "def MARK(test):\n"
        "    quiet = hypothesis.settings(suppress_health_check=list(hypothesis.HealthCheck))\n"
        "    return quiet(hypothesis.given(number=strategies.integers())(test))",
        "number",
    ),
    "probtest": ("probtest", "import pytest\nMARK = pytest.mark.probtest(p=0.02)", ""),
}


@dataclass(frozen=True)
class Program:
    """A program in the two languages; `MARK`, `ARGUMENT` and `RNG` are the tool's."""

    name: str
    python: str
    rust: str = ""


PROGRAMS = [
    Program(
        "a bug that shows up 5 times in 100",
        "@MARK\ndef test_program(ARGUMENT):\n    assert random.random() > 0.05\n",
        "assert!(RNG.random_range(0..100) >= 5);",
    ),
    Program(
        "a bug of 30 %, with a fixture that seeds the generator",
        "@pytest.fixture(autouse=True)\ndef seeded():\n    random.seed(0)\n\n"
        "@MARK\ndef test_program(ARGUMENT):\n    assert random.random() > 0.3\n",
    ),
    Program(
        "a bug of 30 %, with a generator that has a fixed seed",
        "@MARK\ndef test_program(ARGUMENT):\n    assert random.Random(0).random() > 0.3\n",
        "assert!(StdRng::seed_from_u64(1).random_range(0..100) >= 30);",
    ),
    Program(
        "a bug of 2 %, with a value that is drawn once and kept",
        "@functools.cache\ndef value():\n    return random.random()\n\n"
        "@MARK\ndef test_program(ARGUMENT):\n    assert value() > 0.02\n",
        "assert!(*ONCE.get_or_init(|| RNG.random_range(0..100)) >= 2);",
    ),
    Program(
        "a failure in a thread that the test does not join",
        "def work():\n    assert random.random() > 0.3\n\n"
        "@MARK\ndef test_program(ARGUMENT):\n"
        "    thread = threading.Thread(target=work)\n    thread.start()\n    thread.join()\n",
        "let lost = RNG.random_range(0..100) < 30;\n"
        "    drop(std::thread::spawn(move || assert!(!lost)).join());",
    ),
    Program(
        "a bug of 30 %, with a skip that sometimes comes first",
        "@pytest.fixture\ndef device():\n"
        "    if random.random() < 0.5:\n        pytest.skip('busy')\n\n"
        "@MARK\ndef test_program(device, ARGUMENT):\n    assert random.random() > 0.3\n",
    ),
    Program(
        "a result that is returned and not asserted",
        "@MARK\ndef test_program(ARGUMENT):\n    return random.random() > 0.3\n",
    ),
    Program(
        "nothing random at all",
        "@MARK\ndef test_program(ARGUMENT):\n    assert sorted([2, 1]) == [1, 2]\n",
        "let mut list = [2, 1];\n    list.sort();\n    assert_eq!(list, [1, 2]);",
    ),
]

_CARGO = """[package]
name = "silent"
version = "0.1.0"
edition = "2024"
[dependencies]
[dev-dependencies]
proptest = "1"
probtest = {{ path = "{library}" }}
rand = "0.10"
[workspace]
"""
_RUST_HEAD = "use rand::{{RngExt, SeedableRng, rngs::StdRng}};\nuse std::sync::OnceLock;\n"


def main() -> None:
    """Run every program under every tool and print one table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--markdown", action="store_true", help="print a table for a document")
    markdown = parser.parse_args().markdown
    folder = ROOT / ".venv-peers"
    pythons = {name: prepare(environment, folder) for name, (environment, _, _) in TOOLS.items()}
    install_ours(pythons["probtest"], str(Path(sys.executable).parent / "maturin"), folder)
    with tempfile.TemporaryDirectory() as scratch:
        rust = _rust(Path(scratch) / "silent")
        rows = []
        for number, program in enumerate(PROGRAMS):
            cells = [_python(pythons[tool], tool, program, Path(scratch)) for tool in TOOLS]
            cells[4:4] = [rust[number]["proptest"]]
            cells.append(rust[number]["probtest"])
            rows.append([program.name, *cells])
    head = ["program", *list(TOOLS)[:4], "proptest", "probtest, Python", "probtest, Rust"]
    widths = [max(len(row[place]) for row in [head, *rows]) for place in range(len(head))]
    for row in [head, *rows]:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        print("| " + " | ".join(cells) + " |" if markdown else "  ".join(cells))
        if markdown and row is head:
            print("|" + "---|" * len(head))


def _python(python: Path, tool: str, program: Program, scratch: Path) -> str:
    _, head, argument = TOOLS[tool]
    body = program.python.replace("ARGUMENT", argument).replace(", )", ")")
    file = scratch / "test_program.py"
    file.write_text(f"import functools, random, threading, pytest\n{head}\n\n{body}")
    command = [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", str(file)]
    said = []
    for _ in range(RUNS):
        done = subprocess.run(command, cwd=scratch, capture_output=True, text=True, check=False)
        said.append(_verdict(done.returncode, done.stdout))
    return _summary(said)


def _rust(crate: Path) -> list[dict[str, str]]:
    """Build all programs once, and run each alone."""
    (crate / "tests").mkdir(parents=True)
    (crate / "src").mkdir()
    (crate / "src" / "lib.rs").touch()
    (crate / "Cargo.toml").write_text(_CARGO.format(library=ROOT / "crates" / "probtest"))
    for tool in ("proptest", "probtest"):
        source = _RUST_HEAD.format()
        for number, program in enumerate(PROGRAMS):
            if not program.rust:
                continue
            source += f"static ONCE_{number}: OnceLock<u32> = OnceLock::new();\n"
            body = program.rust.replace("ONCE", f"ONCE_{number}")
            if tool == "proptest":
                body = body.replace("RNG", "rand::rng()")
                source += f"proptest::proptest! {{ #[test] fn t{number}(_x in 0..9) {{\n    {body}\n}} }}\n"
            else:
                body = body.replace("RNG", "rng")
                source += (
                    "#[probtest::probtest(p = 0.02)]\n"
                    f"fn t{number}(rng: &mut probtest::TestRng) {{\n    let _ = &rng;\n    {body}\n}}\n"
                )
        (crate / "tests" / f"{tool}.rs").write_text("#![allow(unused)]\n" + source)
    environment = {**os.environ, "CARGO_TARGET_DIR": str(crate / "target"), "PROBTEST_MEMORY": "off"}
    subprocess.run(["cargo", "test", "--quiet", "--no-run"], cwd=crate, env=environment, check=True)
    table: list[dict[str, str]] = []
    for number, program in enumerate(PROGRAMS):
        cells = {}
        for tool in ("proptest", "probtest"):
            said = []
            command = ["cargo", "test", "--quiet", "--test", tool, "--", "--exact", f"t{number}"]
            for _ in range(RUNS if program.rust else 0):
                done = subprocess.run(
                    command, cwd=crate, env=environment, capture_output=True, text=True, check=False
                )
                said.append(_verdict(done.returncode, done.stderr))
            cells[tool] = _summary(said)
        table.append(cells)
    return table


def _verdict(code: int, output: str) -> str:
    if code != 0:
        return "red"
    if "doubt" in output or "probtest: warning" in output:
        return "green, in doubt"
    return "green with a warning" if "warning" in output else "green"


def _summary(said: list[str]) -> str:
    counts = {word: said.count(word) for word in sorted(set(said))}
    if not counts:
        return "-"
    if len(counts) == 1:
        return said[0]
    return ", ".join(f"{word} {count}" for word, count in counts.items())


if __name__ == "__main__":
    main()
