#!/usr/bin/env bash
# The paper's figures and studies, reproduced. Started by `make demo`.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="${CARGO_TARGET_DIR:-$PWD/target}/release:$PATH"
unset "${!PROBTEST_@}"

printf '$ probtest-paper --quick\n'
probtest-paper --quick
printf '\nOpen reproduction/index.html in a browser: everything, beside the published numbers.\n'
printf 'docs/explanation/paper.md says what differs and why; `make walk` shows a first test.\n'
