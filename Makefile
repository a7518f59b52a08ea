# Two commands for a newcomer: `make demo` and `make test`.
.DEFAULT_GOAL := help
CARGO ?= cargo
.PHONY: help demo test lint bench bench-python mutants calibrate silent-greens fmt wheel docs browser hypothesis test-matrix packages oldest platforms fuzz real
PYTHON ?= python3
VENV := .venv/bin

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-13s %s\n", $$1, $$2}'

demo: ## a test that fails, its story and replay, a report, and the paper reproduced
	@echo "Building the command, the examples and the paper. The first time this takes some minutes."
	@$(CARGO) build --release -p probtest-cli -p probtest-paper -p random-walk
	@$(CARGO) test --quiet --no-run -p random-walk -p quick-sort
	@bash examples/demo.sh

# The environment of the Python side: the tools, and the package built into it.
.venv/ready: requirements-dev.txt
	$(PYTHON) -m venv .venv
	$(VENV)/pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@

test: ## every test: Rust, documentation, Python
# Side by side: tests leave a core idle now and then, since they wait for processes.
	@$(MAKE) --no-print-directory -j test-rust package
# Hundreds of tests start pytest, which is faster with compiled modules.
	PYTHONDONTWRITEBYTECODE= $(VENV)/python -m pytest python -q -n 2
	@echo "all tests passed"

.PHONY: test-rust package
test-rust:
	$(CARGO) test --workspace --all-features

# This also checks the library without its features, which is what the Python package needs of it.
package: .venv/ready
	$(VENV)/maturin develop --release --quiet

docs: ## the documents as a site, in target/site; a broken link is an error
	@test -x target/docs-env/bin/mkdocs || ($(PYTHON) -m venv target/docs-env && target/docs-env/bin/pip install --quiet --disable-pip-version-check -r requirements-docs.txt)
	@NO_MKDOCS_2_WARNING=1 target/docs-env/bin/mkdocs build
	@echo "open target/site/index.html; to search as well: $(PYTHON) -m http.server --directory target/site"

browser: ## install headless Chromium for the tests of the report's page
	@bash .ci/browser

hypothesis: .venv/ready ## tests of random inputs with every range of versions of Hypothesis
	@bash python/tests/hypothesis_versions.sh

lint: .venv/ready ## formatting, clippy, ruff, mypy; warnings are errors
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --all-features -- -D warnings
	$(CARGO) clippy -p probtest --all-features --test fixture -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --all-features --no-deps --quiet
	$(VENV)/ruff format --check python benches
	$(VENV)/ruff check python benches
	$(VENV)/mypy
	$(VENV)/mypy benches/peers benches/rl.py
	$(VENV)/maturin develop --release --quiet
	$(VENV)/python -m mypy.stubtest probtest._native

fmt: .venv/ready ## format the code
	$(CARGO) fmt --all
	$(VENV)/ruff format python benches

wheel: .venv/ready ## build the Python wheel into target/wheels
	$(VENV)/maturin build --release

test-matrix: ## the Python tests with pytest 8.0 and 9, and every Python that is installed
	@bash .ci/matrix

packages: .venv/ready ## package every crate, the wheel and the sdist, and build them from what is packaged
	@bash .ci/packages

oldest: ## build with the oldest versions of all dependencies
	@bash .ci/oldest

platforms: ## check the library and the native module for Windows and macOS, and with the oldest Rust
	@bash .ci/platforms

TIME ?= 60
fuzz: ## fuzz the parsers, TIME seconds for each target
	@bash .ci/fuzz $(TIME)

# As a user's Python does: without compiled modules, each start would compile the plugin.
bench bench-python: export PYTHONDONTWRITEBYTECODE =
bench: .venv/ready ## speed, as ratios within one run, instruction counts, and the peers
	@bash benches/run.sh
	@printf '\n== the pytest plugin, compared with its peers\n'
	@$(VENV)/python benches/peers/compare.py
	@printf '\n== random inputs, compared with Hypothesis\n'
	@$(VENV)/python -W ignore benches/inputs.py
	@printf '\n== looking at executions\n'
	@$(VENV)/python benches/guard.py
	@printf '\n== executions in other places\n'
	@$(VENV)/python benches/engines.py
	@printf '\n== the smallest story, compared with Hypothesis and proptest\n'
	@$(VENV)/python benches/stories.py

mutants: ## plant bugs in the skip list; its 26 properties must find them
	@$(CARGO) run --quiet -p probtest-paper --example mutants

calibrate: ## check every advertised error rate against programs of known rates; writes docs/reference/calibration.md
	@$(CARGO) run --release --quiet -p probtest --example calibrate docs/reference/calibration.md

# The packages under test have their own environment; it needs Python 3.11 or newer.
target/real-env/ready: python/examples/real/requirements.txt
	$(PYTHON) -m venv target/real-env
	target/real-env/bin/pip install --quiet --disable-pip-version-check -r $<
	@touch $@

real: .venv/ready target/real-env/ready ## test published packages against the probabilities that they document
	@VIRTUAL_ENV=$(CURDIR)/target/real-env $(VENV)/maturin develop --release --quiet
	@target/real-env/bin/python -m examples.real

silent-greens: .venv/ready ## what each tool reports for tests whose pass proves nothing
	@$(VENV)/python benches/peers/silent_greens.py --markdown

bench-python: .venv/ready ## only the pytest plugin, compared with its peers
	@$(VENV)/python benches/peers/compare.py
