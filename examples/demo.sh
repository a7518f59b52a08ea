#!/usr/bin/env bash
# What probtest does, in six steps. Started by `make demo`, which builds what it needs.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="${CARGO_TARGET_DIR:-$PWD/target}/release:$PATH" RUST_BACKTRACE=0
unset "${!PROBTEST_@}"
# The demo finds the violation anew each time, instead of remembering it.
export PROBTEST_MEMORY=off

out=$PWD/target/demo
rm -rf "$out"
mkdir -p "$out"
log=$out/log

say() { printf '\n\033[1m%s\033[0m\n' "$1"; }
show() { printf '$ %s\n' "$*"; }
must_fail() {
  if "$@" >"$log" 2>&1; then
    echo "no violation was found, which should not happen" >&2
    exit 1
  fi
}

say "1. A test that fails: it claims that a random walk of 20 steps stays below 10. One walk in 50 doesn't."
show PROBTEST_SEED=0x5eed cargo test -p random-walk walk_stays_below_ten -- --ignored
must_fail env PROBTEST_SEED=0x5eed cargo test --quiet -p random-walk --test walk walk_stays_below_ten -- --ignored
sed -n '/^panicked at/,/^  small/p' "$log"
matter=$(sed -n 's/^  shrunk .* to \([0-9]*\) that matter$/\1/p' "$log")
echo
echo "The lines from 'shrunk' on are its story: $matter steps up out of 20 are the least bad luck that still fails."
[ "$matter" -eq 15 ]

say "2. Its replay line, copied as it is, reruns just that execution."
replay=$(sed -n 's/^  replay *//p' "$log" | head -n 1)
show "$replay"
must_fail bash -c "$replay"
grep -A 1 'panicked at' "$log" | head -n 2

say "3. How many executions are enough? As many as it takes to catch a failure rate of 1 in 100."
show probtest plan --p 0.01 --epsilon 0.02
probtest plan --p 0.01 --epsilon 0.02

say "4. The same for any program in any language, here on two cores."
show probtest run --p 0.01 --epsilon 0.02 --jobs 2 --seed 0x5eed -- random-walk '{seed}'
code=0
probtest run --p 0.01 --epsilon 0.02 --jobs 2 --seed 0x5eed -- random-walk '{seed}' || code=$?
echo "(exit code $code: violated)"
[ "$code" -eq 1 ]

say "5. A report on a whole suite: all example tests, including the one that fails."
show "PROBTEST_REPORT=$out/results cargo test -p random-walk -p quick-sort --no-fail-fast -- --include-ignored"
must_fail env PROBTEST_SEED=0x5eed PROBTEST_REPORT="$out/results" \
  cargo test --quiet -p random-walk -p quick-sort --tests --no-fail-fast -- --include-ignored
show probtest report target/demo/results --html target/demo/report.html
probtest report "$out/results" --html "$out/report.html" >"$log" || true
head -n 3 "$log"

say "6. The paper that this is based on: its figures and studies, compared with the published numbers."
show probtest-paper --quick
probtest-paper --quick

say "Open in a browser:"
printf '  target/demo/report.html     the report of the suite\n'
printf '  reproduction/index.html     the paper, reproduced; docs/explanation/paper.md explains what differs\n'
printf 'Read on: docs/tutorial/first-test.md (Rust), docs/tutorial/first-test-python.md, docs/README.md.\n'
