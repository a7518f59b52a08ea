#!/usr/bin/env bash
# All benchmarks, each a ratio or a difference within one run. Started by `make bench`.
set -euo pipefail
cd "$(dirname "$0")/.."
title() { printf '\n== %s\n' "$1"; }

title "planning"
cargo bench --quiet -p probtest --bench planning
title "executing"
cargo bench --quiet -p probtest --bench harness
title "inputs"
cargo bench --quiet -p probtest --features proptest --bench inputs
title "generators"
cargo bench --quiet -p probtest --bench generators
title "executing, beside proptest, feotest and nextest"
python3 benches/rust_peers.py
title "compiling"
python3 benches/compile.py
title "starting processes, beside xargs"
cargo build --release --quiet -p probtest-cli
bash benches/spawn.sh
title "studies"
bash benches/skip_list.sh
bash benches/rl.sh
title "instructions"
bash benches/instructions.sh
