#!/usr/bin/env bash
# The tests of random inputs with one version of Hypothesis of each range whose internals differ. Started by `make hypothesis`.
#
#   6.100 to 6.123   draws are bytes           6.125          draws are choices; state machines run once
#   6.124            written as choices        6.131 and on   constants of the program are tried
#
# Each is installed into a folder of its own under target/hypothesis, named as folders of libraries are: what lies elsewhere is
# taken for the program under test. Name versions to try others.
set -euo pipefail
cd "$(dirname "$0")/../.."
versions=("$@")
[ ${#versions[@]} -gt 0 ] || versions=(6.100.0 6.118.0 6.122.0 6.123.0 6.124.0 6.125.0 6.131.0 6.140.0 6.150.0 6.160.0 "")
for version in "${versions[@]}"; do
    folder=target/hypothesis/${version:-newest}/site-packages
    if [ ! -d "$folder" ] || [ -z "$version" ]; then
        .venv/bin/pip install --quiet --disable-pip-version-check --upgrade --target "$folder" "hypothesis${version:+==$version}"
    fi
    printf '%-9s' "${version:-newest}"
    # A module that is found first stands in for the version of the environment.
    PYTHONPATH=$folder .venv/bin/python -m pytest python/tests/test_given.py python/tests/test_inputs.py -q -n 2 -p no:randomly -p no:cacheprovider -W ignore | tail -n 1
done
