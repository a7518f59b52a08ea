#!/usr/bin/env bash
# Evaluating and training agents on the frozen lake, in Rust and with Gymnasium's own
# loop, side by side in one run. Fails when a ratio is below its target.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! .venv/bin/python -c 'import gymnasium' 2>/dev/null; then
  echo "skipped, Gymnasium is not there: make test sets up the environment"
  exit 0
fi
cargo bench --quiet -p probtest-paper --bench reinforcement | .venv/bin/python benches/rl.py
