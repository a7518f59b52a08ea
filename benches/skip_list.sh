#!/usr/bin/env bash
# One suite run of the skip list at R = 4, 26 tests of 767 executions, in Rust and
# in Python under pytest, side by side.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo bench --quiet -p probtest-paper --bench skip_list
if [ ! -x .venv/bin/pytest ]; then
  echo "skipped in Python: make test sets up the environment"
  exit 0
fi
export SKIP_LIST_R=4
# Prints the milliseconds of the best of three.
measure() {
  local began ended
  for _ in 1 2 3; do
    began=$(date +%s%N)
    .venv/bin/python -m pytest python/examples/skip_list -q -p no:randomly -p no:cacheprovider "$@" >/dev/null
    ended=$(date +%s%N)
    echo $(((ended - began) / 1000000))
  done | sort -n | head -n 1
}
start=$(measure --collect-only)
whole=$(measure)
echo "skip list, one suite run at R = 4 in Python: $((whole - start)) ms over a start of $start ms"
