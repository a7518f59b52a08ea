#!/usr/bin/env bash
# The main job in five commands. Started by `make walk`.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="${CARGO_TARGET_DIR:-$PWD/target}/release:$PATH"
unset "${!PROBTEST_@}"
# The demo shows how a violation is found, also the second time.
export PROBTEST_MEMORY=off

say() { printf '\n\033[1m%s\033[0m\n' "$1"; }
show() { printf '$ %s\n' "$*"; }

say "1. How many executions are enough to notice a violation probability of 1 in 100?"
show probtest plan --p 0.01 --epsilon 0.02
probtest plan --p 0.01 --epsilon 0.02

say "2. A test that holds: a random walk of 20 steps ends at most 20 away."
show cargo test -p random-walk walk_stays_within_its_steps -- --show-output
cargo test --quiet -p random-walk --test walk walk_stays_within_its_steps -- --show-output | grep probtest:

say "3. A test that does not hold: the walk ends below 10. It must fail."
show PROBTEST_SEED=0x5eed cargo test -p random-walk walk_stays_below_ten -- --ignored
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if PROBTEST_SEED=0x5eed RUST_BACKTRACE=0 cargo test --quiet -p random-walk --test walk walk_stays_below_ten -- --ignored >"$log" 2>&1; then
  echo "the violation was not found; this should not happen" >&2
  exit 1
fi
sed -n '/^panicked at/,/^  replay/p' "$log"

say "4. The replay line of that report, typed as it stands: the same execution alone."
replay=$(sed -n 's/^  replay *//p' "$log" | head -n 1)
show "$replay"
if env RUST_BACKTRACE=0 bash -c "$replay" >"$log" 2>&1; then
  echo "the replay did not fail; this should not happen" >&2
  exit 1
fi
grep -A 1 'panicked at' "$log" | head -n 2

say "5. The same for a program in any language, on two threads."
show probtest run --p 0.01 --epsilon 0.02 --jobs 2 --seed 0x5eed -- random-walk '{seed}'
code=0
probtest run --p 0.01 --epsilon 0.02 --jobs 2 --seed 0x5eed -- random-walk '{seed}' || code=$?
echo "(exit code $code: violated)"
[ "$code" -eq 1 ]

printf '\nRead on: README.md, then docs/README.md.\n'
