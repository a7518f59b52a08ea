# Two commands for a newcomer: `make demo` and `make test`.
.DEFAULT_GOAL := help
CARGO ?= cargo
.PHONY: help demo test lint bench fmt

help: ## list what can be made
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-8s %s\n", $$1, $$2}'

demo: ## plan, test the paper's random walk, see a violation and replay it
	@$(CARGO) build --release --quiet -p probtest-cli -p random-walk
	@bash examples/demo.sh

test: ## every test: units, functional tests, documentation
	$(CARGO) test --workspace --all-features
	$(CARGO) check --quiet -p probtest --no-default-features
	@echo "all tests passed"

lint: ## formatting and clippy, warnings are errors
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --all-features -- -D warnings
	$(CARGO) clippy -p probtest --all-features --test fixture -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --all-features --no-deps --quiet

fmt: ## format the code
	$(CARGO) fmt --all

bench: ## speed, as ratios within one run, and instruction counts
	@bash benches/run.sh
