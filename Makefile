# Every target sets up what it needs, once, into the user's cache folder (scripts/setup.sh).
.PHONY: help panel test fuzz bench npm types dist fmt lint screenshot clean
.DEFAULT_GOAL := help

help: ## this list
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-11s %s\n", $$1, $$2}'

panel: ## the panel on http://127.0.0.1:8080
	@scripts/panel.sh serve

test: ## everything that is checked, browser tests included
	@scripts/test.sh

fuzz: ## importers and the context manager under a fuzzer, eleven minutes with a pinned nightly compiler
	@scripts/fuzz.sh

bench: ## the figures, with their targets beside them
	@scripts/bench.sh

npm: ## the npm package: `npm pack` in pkg/ gives the whole of it
	@scripts/npm.sh

types: ## writes pkg/types and pkg/schema anew from the Rust types
	@scripts/npm.sh --write-types

dist: ## the panel as static files for any sub-path, in dist/
	@scripts/panel.sh build

fmt: ## formats the Rust code
	@scripts/setup.sh rust && cargo fmt --all

lint: ## rustfmt, clippy and rustdoc, warnings refused
	@scripts/lint.sh

screenshot: ## the pictures of the README, taken from the built page
	@scripts/screenshot.sh

clean: ## removes what was built here; the installed tools stay
	rm -rf target dist pkg/dist
