"""Run every test of a package from the registries, and print one table: `make real`."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from . import exact

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
RUST = ROOT / "examples" / "real"
#: The same run each time, so that each verdict is as recorded.
SEED = "0x5eed"
HEAD = "| package | documented | claim | verdict | measured | exact |\n|---|---|---|---|---|---|"


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        environment = {key: value for key, value in os.environ.items() if not key.startswith("PROBTEST_")}
        environment |= {"PROBTEST_SEED": SEED, "PROBTEST_REPORT": folder, "PROBTEST_MEMORY": "off"}
        facts = Path(folder) / "pytest.json"
        pytest = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            str(HERE),
            "--probtest-json",
            str(facts),
            "-W",
            "ignore",
        ]
        cargo = ["cargo", "test", "--quiet", "--locked"]
        # A test of what is broken is an expected failure, so both succeed if every verdict is as recorded.
        for command, place in ((pytest, ROOT), (cargo, RUST)):
            done = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True)
            if done.returncode:
                print(done.stdout + done.stderr, file=sys.stderr)
                print("error: a verdict is not as recorded, or a test could not run", file=sys.stderr)
                return 1
        tests = [test for file in sorted(Path(folder).glob("**/*.json")) for test in read(file)]
    show(tests)
    return 0


def read(file: Path) -> list[dict[str, Any]]:
    facts = json.loads(file.read_text())
    return facts.get("tests", [facts])


def show(tests: list[dict[str, Any]]) -> None:
    documented, versions = dict(documents()), rust_versions()
    rows, replays = [], []
    for test in tests:
        name = re.split("::", test["test"])[-1].removeprefix("test_")
        package, words = documented[name].split(": ", 1)
        number = versions.get(package) or version(package)
        held = "keeps it" if test["verdict"] == "passed" else "violated"
        value = getattr(exact, name, lambda: "")()
        value = f"{value:.4g}" if isinstance(value, float) else value
        rows.append(
            (
                package,
                f"| {package} {number} | {words} | {claim(test)} | {held} | {measured(test)} | {value} |",
            )
        )
        if held == "violated":
            replays.append(f"  {name}\n    {test['summary']}\n    replay  {replay(test)}")
    print("\n".join([HEAD, *(row for _, row in sorted(rows))]))
    print("\nWhat is violated, and the execution that decided:\n" + "\n".join(replays))
    packages = len({package for package, _ in rows})
    kept = f"{len(rows) - len(replays)} keep what is documented, {len(replays)} don't"
    print(f"\n{len(rows)} tests of {packages} packages: {kept}; every verdict is as recorded")


def documents() -> Iterator[tuple[str, str]]:
    """What is documented, from the line at each test."""
    for file in HERE.glob("test_*.py"):
        for node in ast.parse(file.read_text()).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                yield node.name.removeprefix("test_"), " ".join((ast.get_docstring(node) or "").split())
    for file in (RUST / "tests").glob("*.rs"):
        for words, name in re.findall(r"^/// (.*)\n(?:#.*\n)+fn (\w+)", file.read_text(), re.MULTILINE):
            yield name, words


def rust_versions() -> dict[str, str]:
    manifest = (RUST / "Cargo.toml").read_text()
    return dict(re.findall(r'^([\w-]+) = "=(.*)"$', manifest, re.MULTILINE))


def claim(test: dict[str, Any]) -> str:
    claim = test["claim"]
    if test["kind"] == "fit":
        return f"fit, distance = {claim['distance']}"
    return f"tolerate = {claim['tolerate_exact']}, p = {claim['p_exact']}"


def replay(test: dict[str, Any]) -> str:
    """The line to copy, for the root of the repository; what is expected to fail is shown as a failure."""
    if "nodeid" in test:
        return f"target/real-env/bin/{test['replay']} --runxfail"
    return f"(cd examples/real && {test['replay']})"


def measured(test: dict[str, Any]) -> str:
    """The interval at 95 % of a rate; how far the labels are off."""
    executed = test["executed"]
    if test["kind"] == "fit":
        labels = zip(test["claim"]["labels"], test["observed"]["counts"], strict=True)
        off = max(abs(count / executed - label["p"]) for label, count in labels)
        return f"labels are off by at most {off:.2g} in {executed}"
    rate = test["rate"]
    return f"{rate['low']:.4g} to {rate['high']:.4g} in {executed}"


if __name__ == "__main__":
    sys.exit(main())
