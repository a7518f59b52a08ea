"""What an execution costs in each Rust tool: a plain loop, probtest, proptest, feotest and nextest.

Each tool runs the same body, one draw and one comparison, a few times and many times. The difference is the
price of an execution without the start of the process. Processor time in release, the best of some rounds.
Started by `make bench`; nextest is left out where it is missing.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROUNDS = 3
FEW, MANY = 1_000, 101_000
STARTS = (5, 55)

MANIFEST = f"""[package]
name = "peers"
version = "0.1.0"
edition = "2024"
[dev-dependencies]
feotest = "=0.5.0"
probtest = {{ path = "{ROOT / "crates" / "probtest"}" }}
proptest = "=1.9.0"
rand = "0.9"
[workspace]
"""

SOURCE = f"""#![cfg(test)]
use std::hint::black_box;

fn plain(executions: u64) {{
    use rand::Rng;
    let mut rng = rand::rng();
    for _ in 0..executions {{
        assert!(black_box(rng.random::<u64>()) != 7);
    }}
}}

#[test]
fn plain_few() {{ plain({FEW}) }}
#[test]
fn plain_many() {{ plain({MANY}) }}
#[test]
fn plain_once() {{ plain(1) }}

#[probtest::probtest(p = 1e-9, on_budget = "pass", max_executions = {FEW})]
fn probtest_few(rng: &mut probtest::TestRng) {{ assert!(black_box(rng.draw_u64()) != 7); }}
#[probtest::probtest(p = 1e-9, on_budget = "pass", max_executions = {MANY})]
fn probtest_many(rng: &mut probtest::TestRng) {{ assert!(black_box(rng.draw_u64()) != 7); }}

proptest::proptest! {{
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases({FEW}))]
    #[test]
    fn proptest_few(x in proptest::prelude::any::<u64>()) {{ assert!(black_box(x) != 7); }}
}}
proptest::proptest! {{
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases({MANY}))]
    #[test]
    fn proptest_many(x in proptest::prelude::any::<u64>()) {{ assert!(black_box(x) != 7); }}
}}

fn trial() -> Result<(), feotest::model::ContractViolation> {{
    use rand::Rng;
    if black_box(rand::rng().random::<u64>()) == 7 {{
        return Err(feotest::model::ContractViolation::new("seven", "drew a seven"));
    }}
    Ok(())
}}
#[feotest::probabilistic_test(samples = {FEW}, threshold = 0.95, threshold_origin = "slo")]
fn feotest_few() -> Result<(), feotest::model::ContractViolation> {{ trial() }}
#[feotest::probabilistic_test(samples = {MANY}, threshold = 0.95, threshold_origin = "slo")]
fn feotest_many() -> Result<(), feotest::model::ContractViolation> {{ trial() }}
"""


def _processor() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _time(words: list[str], folder: Path) -> float:
    best = float("inf")
    for _ in range(ROUNDS):
        before = _processor()
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(words)} failed:\n{done.stdout}{done.stderr}")
        best = min(best, _processor() - before)
    return best


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "src").mkdir()
        (folder / "Cargo.toml").write_text(MANIFEST)
        (folder / "src" / "lib.rs").write_text(SOURCE)
        target = ROOT / "target" / "peers"
        os.environ["CARGO_TARGET_DIR"] = str(target)
        build = ["cargo", "test", "--release", "--no-run", "--quiet"]
        subprocess.run(build, cwd=folder, check=True)
        binaries = [file for file in (target / "release" / "deps").glob("peers-*") if not file.suffix]
        binary = str(max(binaries, key=lambda file: file.stat().st_mtime))
        for tool in ("plain", "probtest", "proptest", "feotest"):
            few, many = (_time([binary, "--exact", f"{tool}_{size}"], folder) for size in ("few", "many"))
            print(f"{tool:9} {(many - few) / (MANY - FEW) * 1e9:10.0f} ns for an execution")
        if shutil.which("cargo-nextest"):
            few, many = (
                _time(
                    [
                        "cargo",
                        "nextest",
                        "run",
                        "--release",
                        "--stress-count",
                        str(count),
                        "-E",
                        "test(=plain_once)",
                    ],
                    folder,
                )
                for count in STARTS
            )
            each = (many - few) / (STARTS[1] - STARTS[0]) * 1e9
            print(f"{'nextest':9} {each:10.0f} ns for an execution, in a process of its own")
        else:
            print("nextest   not installed: cargo install cargo-nextest")


if __name__ == "__main__":
    main()
