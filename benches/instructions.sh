#!/usr/bin/env bash
# Instruction counts under callgrind, compared with benches/instructions.csv.
#
# Counts do not depend on what else the machine is doing. Each case is run twice,
# for N and 2N operations, so that start-up cancels out. A count more than 5 %
# above the recorded one is a failure; `benches/instructions.sh --record` writes
# the counts of this machine instead.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! command -v valgrind >/dev/null; then
  echo "skipped: valgrind is not installed"
  exit 0
fi
record=benches/instructions.csv

# Prints the path of a benchmark's binary.
binary() {
  cargo bench --quiet -p probtest --features proptest --bench "$1" --no-run --message-format=json |
    sed -n "s/.*\"name\":\"$1\".*\"executable\":\"\([^\"]*\)\".*/\1/p" | tail -n 1
}

# Prints how many instructions a command executes.
count() {
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null |
    sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

# Prints the instructions of one operation: binary, words.., N.
each() {
  local n=${!#}
  local once twice
  once=$(count "${@:1:$#-1}" "$n")
  twice=$(count "${@:1:$#-1}" "$((2 * n))")
  echo $(((twice - once) / n))
}

planning=$(binary planning)
harness=$(binary harness)
inputs=$(binary inputs)
measured=$(
  echo "operation,instructions"
  echo "plan p=0.01 epsilon=0.05,$(each "$planning" count 0.01 0.05 2000)"
  echo "plan p=1e-12 epsilon=0.05,$(each "$planning" count 1e-12 0.05 2000)"
  echo "plan p=0.3 epsilon=0.37 (a tie),$(each "$planning" count 0.3 0.37 2000)"
  echo "one execution of a trivial body,$(each "$harness" count 100000)"
  echo "one execution with a list as input,$(each "$inputs" count probtest 5000)"
)
if [ "${1:-}" = --record ]; then
  echo "$measured" >"$record"
  echo "recorded in $record"
fi
failed=0
while IFS=, read -r operation instructions; do
  [ "$operation" = operation ] && continue
  known=$(awk -F, -v name="$operation" '$1 == name {print $2}' "$record")
  verdict=ok
  if [ -z "$known" ] || [ "$((instructions * 100))" -gt "$((known * 105))" ]; then
    verdict="MORE THAN RECORDED"
    failed=1
  fi
  printf '%-34s %8d instructions, recorded %8s: %s\n' "$operation" "$instructions" "${known:-none}" "$verdict"
done <<<"$measured"
exit $failed
