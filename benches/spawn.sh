#!/bin/sh
# Starts the same small program under `xargs -P` and under `probtest run`, side by
# side and in turns, and prints the ratio of the medians: above 1, probtest is
# faster.
#
#   benches/spawn.sh [JOBS] [ROUNDS] [PROGRAM]

set -eu
jobs=${1:-2}
rounds=${2:-7}
program=${3:-/bin/true}
root=$(cd "$(dirname "$0")/.." && pwd)
cargo build --release --quiet --manifest-path "$root/Cargo.toml" -p probtest-cli
probtest=${CARGO_TARGET_DIR:-$root/target}/release/probtest
p=0.001
count=$("$probtest" plan --p $p --json | sed 's/.*"executions":\([0-9]*\).*/\1/')
times=$(mktemp -d)
trap 'rm -r "$times"' EXIT

measure() {
    name=$1
    shift
    began=$(date +%s%N)
    "$@" > /dev/null
    ended=$(date +%s%N)
    echo $(((ended - began) / 1000)) >> "$times/$name"
}
xargs_plain() { seq "$count" | xargs -P "$jobs" -n 1 "$program"; }
xargs_replace() { seq "$count" | xargs -P "$jobs" -I '{}' "$program" '{}'; }
# With an argument, as xargs gives one: /bin/true does more when it has any.
probtest_plain() { "$probtest" run --p $p --jobs "$jobs" -- "$program" 1; }
probtest_replace() { "$probtest" run --p $p --jobs "$jobs" -- "$program" '{execution}'; }
probtest_timeout() { "$probtest" run --p $p --jobs "$jobs" --timeout 10s -- "$program" 1; }

names='xargs_plain probtest_plain probtest_timeout xargs_replace probtest_replace'
for _ in $(seq "$rounds"); do
    for name in $names; do
        measure "$name" "$name"
    done
done

median() { sort -n "$times/$1" | sed -n "$(((rounds + 1) / 2))p"; }
echo "$count executions of $program, $jobs jobs, median of $rounds rounds"
for name in $names; do
    awk -v name="$name" -v us="$(median "$name")" -v n="$count" \
        'BEGIN { printf "  %-17s %8.1f ms  %7.1f us each\n", name, us / 1000, us / n }'
done
awk -v a="$(median xargs_plain)" -v b="$(median probtest_plain)" \
    -v t="$(median probtest_timeout)" \
    -v c="$(median xargs_replace)" -v d="$(median probtest_replace)" \
    'BEGIN { printf "ratio xargs / probtest: %.2f plain, %.2f with a time-out, %.2f with a placeholder\n", a / b, a / t, c / d }'
