# Everything starts from here: a target makes what it needs, beginning with .venv. `make` alone lists the targets.

UV_VERSION := 0.13.8
VENV := .venv
STAMP := $(VENV)/.ready
NPM_STAMP := clients/typescript/node_modules/.package-lock.json
PEERS := .venv-peers
PEERS_STAMP := $(PEERS)/.ready
# An interpreter in place of those that are looked for. `yes` lets uv download one where none fits.
PYTHON ?=
PYTHON_DOWNLOADS ?=
PYTEST_ARGS ?= -n 3 --dist worksteal
SEEDS ?= 1000

# Where nobody may write bytecode, each process compiles the program and all tests again, which takes longer than to import.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup demo console wheel clients translations screenshots quick test test-postgresql lint docs bench vopr always

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-15s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

setup: $(STAMP) ## build .venv with the locked dependencies

demo: $(STAMP) ## run a whole campaign day in seconds of virtual time
	@$(VENV)/bin/dialer demo

console: $(STAMP) ## run a campaign at 60 times real time, and print the address and a password of the console
	@$(VENV)/bin/dialer demo --watch

wheel: $(STAMP) ## build the wheel of this checkout in dist, and the locked versions of its libraries as constraints
	@sh setup/wheel.sh

clients: $(STAMP) $(NPM_STAMP) ## make the clients in Python and TypeScript, ready to publish, in build/clients
	@$(VENV)/bin/python -m clients

translations: $(STAMP) ## bring the texts of the console into its catalogues, and print those without a translation
	@$(VENV)/bin/python -m tests.console.translations update
	@$(VENV)/bin/python -m tests.console.translations check

screenshots: $(STAMP) ## take the pictures of README.md and docs/console.md, with Chromium
	@$(VENV)/bin/python -m tests.console.screenshots

quick: $(STAMP) ## run the tests of all pure parts and one path from end to end, in less than a minute
	$(VENV)/bin/pytest -m quick -n 2 --dist worksteal

test: $(STAMP) ## run the whole test suite
	$(VENV)/bin/pytest $(PYTEST_ARGS)

test-postgresql: $(STAMP) ## run the tests that use a database on PostgreSQL, in a cluster of their own
	$(VENV)/bin/pytest --database postgresql $(PYTEST_ARGS)

lint: $(STAMP) ## check style, format and types
	$(VENV)/bin/ruff check
	$(VENV)/bin/ruff format --check
	$(VENV)/bin/mypy

docs: $(STAMP) ## make the documentation as a site in build/site, which opens without a network
	@$(VENV)/bin/sphinx-build --quiet --fail-on-warning --keep-going --jobs auto --conf-dir docs/site --doctree-dir build/doctrees . build/site
	@echo "Open build/site/docs/index.html"

vopr: $(STAMP) ## simulate faults: SEEDS=1000 of them and strangers at calls, then every planted bug
	$(VENV)/bin/python -m tests.vopr --seeds $(SEEDS)
	$(VENV)/bin/python -m tests.vopr --fleet --seeds $(shell expr $(SEEDS) / 4 + 1)
	$(VENV)/bin/python -m tests.vopr --events --seeds $(shell expr $(SEEDS) / 4 + 1)
	$(VENV)/bin/python -m tests.vopr --sound --seeds $(shell expr $(SEEDS) \* 10)
	$(VENV)/bin/python -m tests.vopr --recorded --seeds $(SEEDS)
	$(VENV)/bin/python -m tests.vopr --talks --seeds $(SEEDS)
	$(VENV)/bin/python -m tests.vopr --signalling --seeds $(SEEDS)
	$(VENV)/bin/python -m tests.vopr --connections --seeds $(SEEDS)
	$(VENV)/bin/python -m tests.vopr --crowd --seeds $(shell expr $(SEEDS) / 20 + 1)
	$(VENV)/bin/python -m tests.vopr --planted

bench: $(STAMP) $(PEERS_STAMP) ## measure speed beside other frameworks: 20 minutes, with QUICK=1 two
	@$(VENV)/bin/python -m benchmarks $(if $(QUICK),--quick)

# The stamp is written last and holds the path of the checkout. No stamp (an interrupted set-up) or another path
# (an environment survives neither a move nor a copy): .venv is built anew. A stamp that is merely older than the
# lock file: .venv is brought up to date.
ifneq ($(shell cat $(STAMP) 2>/dev/null),$(CURDIR))
$(STAMP): always
endif

$(STAMP): pyproject.toml uv.lock setup/venv.sh
	@cd '$(CURDIR)' && UV_VERSION=$(UV_VERSION) PYTHON='$(PYTHON)' PYTHON_DOWNLOADS='$(PYTHON_DOWNLOADS)' sh setup/venv.sh

# The generator and the compiler of the client in TypeScript.
$(NPM_STAMP): clients/typescript/package.json clients/typescript/package-lock.json
	@command -v npm >/dev/null || { echo "make: npm is missing: install it (Debian and Ubuntu: apt install npm)" >&2; exit 1; }
	@cd clients/typescript && npm ci --ignore-scripts --no-audit --no-fund --loglevel error
	@touch $@

# The frameworks that the benchmarks compare with, in an environment that nothing else uses.
$(PEERS_STAMP): benchmarks/peers/requirements.txt | $(STAMP)
	@echo "Building $(PEERS)"
	@rm -f $@
	@$(VENV)/bin/uv venv --quiet --clear --python $(VENV)/bin/python $(PEERS)
	@$(VENV)/bin/uv pip install --quiet --python $(PEERS)/bin/python --require-hashes --only-binary :all: \
		--requirement benchmarks/peers/requirements.txt || { echo "make: the frameworks to compare with cannot be installed" >&2; exit 1; }
	@touch $@
