"""What the attribute costs the compiler, compared with plain tests and with proptest.

Processor seconds, debug, without incremental compilation; the best of some rounds. Started by `make bench`.
"""

from __future__ import annotations

import os
import resource
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROUNDS = 4
TESTS = 100
PROPTEST = 'proptest = "1"'


def _crate(folder: Path, name: str, source: str, dependency: str) -> Path:
    crate = folder / name
    (crate / "src").mkdir(parents=True)
    (crate / "src" / "lib.rs").write_text(source)
    (crate / "Cargo.toml").write_text(
        f'[package]\nname = "{name}"\nversion = "0.1.0"\nedition = "2024"\n'
        f"[dependencies]\n[dev-dependencies]\n{dependency}\n[workspace]\n"
    )
    return crate


def _build(crate: Path, target: Path, *words: str) -> float:
    environment = {**os.environ, "CARGO_INCREMENTAL": "0", "CARGO_TARGET_DIR": str(target)}
    before = _processor()
    subprocess.run(["cargo", *words, "--quiet"], cwd=crate, env=environment, check=True)
    return _processor() - before


def _processor() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _added(folder: Path, name: str, dependency: str) -> float:
    """Return the processor seconds that a dependency adds to the tests of a crate, from nothing."""
    crate = _crate(folder, f"with-{name}", "#[test]\nfn t() {}\n", dependency)
    subprocess.run(["cargo", "fetch", "--quiet"], cwd=crate, check=True)
    return _build(crate, folder / f"target-{name}", "test", "--no-run")


def _tests(crate: Path, target: Path) -> tuple[float, float]:
    """Return the processor seconds of a build of the tests alone, and the size of the binary in MB."""
    _build(crate, target, "test", "--no-run")
    times = []
    for number in range(ROUNDS):
        with (crate / "src" / "lib.rs").open("a") as source:
            source.write(f"// {number}\n")
        times.append(_build(crate, target, "test", "--no-run"))
    binaries = [file for file in (target / "debug" / "deps").glob(f"{crate.name}-*") if not file.suffix]
    newest = max(binaries, key=lambda file: file.stat().st_mtime)
    return min(times), newest.stat().st_size / 1e6


def main() -> None:
    library = f'probtest = {{ path = "{ROOT / "crates" / "probtest"}" }}'
    with_attribute = [
        "#![cfg(test)]\nuse probtest::{TestRng, probtest};\n",
        *(
            "#[probtest(p = 0.01, epsilon = 0.02)]\n"
            f"fn t{i}(rng: &mut TestRng) {{ assert!(rng.draw_u64() != {i}); }}\n"
            for i in range(TESTS)
        ),
    ]
    attribute = "".join(with_attribute)
    plain = "#![cfg(test)]\n" + "".join(
        f"#[test]\nfn t{i}() {{ assert!(std::process::id() != {i}); }}\n" for i in range(TESTS)
    )
    peer = "#![cfg(test)]\nuse proptest::prelude::*;\nproptest! {\n" + "".join(
        f"#[test]\nfn t{i}(x in any::<u64>()) {{ prop_assert!(x != {i}); }}\n" for i in range(TESTS)
    )
    with tempfile.TemporaryDirectory() as name:
        folder, target = Path(name), Path(name) / "target"
        added = {
            "probtest": _added(folder, "probtest", library),
            "proptest": _added(folder, "proptest", PROPTEST),
        }
        time, size = _tests(_crate(folder, "attribute", attribute, library), target)
        _, one = _tests(_crate(folder, "one", "".join(with_attribute[:2]), library), target)
        lines = _crate(folder, "lines", attribute, library)
        with (lines / "Cargo.toml").open("a") as manifest:
            manifest.write('[profile.dev.package."*"]\ndebug = "line-tables-only"\n')
        _, small = _tests(lines, folder / "target-lines")
        plain_time, plain_size = _tests(_crate(folder, "plain", plain, ""), target)
        peer_time, peer_size = _tests(_crate(folder, "peer", peer + "}\n", PROPTEST), target)
    library, times, sizes = added["probtest"] / added["proptest"], time / plain_time, size / plain_size
    print(
        f"library  {added['probtest']:.1f} s for probtest with its dependencies, from nothing; "
        f"proptest {added['proptest']:.1f} s: {library:.2f} times, {_goal(library, 1)}"
    )
    print(
        f"tests    {TESTS} with the attribute {time:.2f} s and {size:.1f} MB, plain {plain_time:.2f} s and "
        f"{plain_size:.1f} MB: {times:.1f} times the time, {_goal(times, 2)}; "
        f"{sizes:.1f} times the size, {_goal(sizes, 2)}"
    )
    print(
        f"         1 with the attribute {one:.1f} MB, "
        f"{(size - one) / (TESTS - 1) * 1000:.1f} kB more for each further one; "
        f"{TESTS} with line tables alone as debug information {small:.1f} MB"
    )
    print(
        f"         {TESTS} with proptest {peer_time:.2f} s and {peer_size:.1f} MB: the attribute takes "
        f"{time / peer_time:.2f} times the time and {size / peer_size:.2f} times the size"
    )


def _goal(ratio: float, most: int) -> str:
    return f"{'met' if ratio <= most else 'MISSED'} (at most {most})"


if __name__ == "__main__":
    main()
