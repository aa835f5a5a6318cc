# The one door to everything: `make help` lists what there is.
SHELL := /bin/bash
.DEFAULT_GOAL := help
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
DATA ?= data
SEEDS ?= 0:200
ROUNDS ?= 20
MINUTES ?= 10
# Most tests wait for something now and then.
JOBS ?= 3
# Quick tests wait more than they compute.
CHECK_JOBS ?= 4
SDK_JOBS ?= 10000
EDGE ?= hypercorn
MILLION ?= 1000000
PEERS ?=
# Code is compiled once, not by each of the hundreds of processes that the tests start; some machines say otherwise.
unexport PYTHONDONTWRITEBYTECODE

help: ## Show this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  \1\t\2/' | expand -t 14

# Set-up. Each stamp is redone when what it was made from changes.

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Corvo needs Python 3.11 or newer; set PYTHON=/path/to/python"; exit 1; }
	@$(PYTHON) -m venv $(VENV) 2>/dev/null || { rm -rf $(VENV); $(PYTHON) -m pip install --quiet --user virtualenv && $(PYTHON) -m virtualenv --quiet $(VENV); }

# plyvel ships wheels up to CPython 3.12; on newer ones it is built, which takes LevelDB's headers.
$(VENV)/.headers: $(BIN)/python
	@$(BIN)/python -c 'import sys; sys.exit(sys.version_info < (3, 13))' && ! dpkg -s libleveldb-dev >/dev/null 2>&1 \
		&& { apt-get install -y --quiet libleveldb-dev g++ || sudo apt-get install -y --quiet libleveldb-dev g++; } || true
	@touch $@

# With uvloop and Granian where they come as wheels, as in the figures of bench/; nobody has to compile them.
$(VENV)/.run: $(VENV)/.headers pyproject.toml constraints.txt corvo/__init__.py
	$(PIP) --only-binary granian,uvloop -e '.[top,fast]' || $(PIP) -e '.[top]'
	@touch $@

$(VENV)/.dev: $(VENV)/.run sdk/python/pyproject.toml
	$(PIP) -e '.[dev]' -e 'sdk/python[dev]'
	@touch $@

setup: $(VENV)/.dev ## Create the virtual environment with everything in it

serve: $(VENV)/.run ## Run a node on 127.0.0.1:8080 with its data in ./data
	$(BIN)/corvo serve --data-dir $(DATA)

# The web UI: its built files are in the package, so Node is needed only to change or to test it.

# Not `npm ci`: the lock names the binaries of this platform only, and it insists on those of all others.
ui/node_modules/.done: ui/package.json ui/package-lock.json
	cd ui && npm install --no-save --no-audit --no-fund --loglevel=error
	@touch $@

/usr/bin/chromium:
	{ apt-get update --quiet && apt-get install -y --quiet chromium; } || { sudo apt-get update --quiet && sudo apt-get install -y --quiet chromium; }

ui: $(VENV)/.dev ui/node_modules/.done ## Build the web UI into the package
	cd ui && npm run --silent types && npm run --silent format && npm run --silent build

test-ui: $(VENV)/.dev ui/node_modules/.done /usr/bin/chromium ## Test the web UI: logic by Node, journeys in Chromium
	cd ui && npm run --silent types && npm run --silent lint && npm run --silent check && npm run --silent test
	@rm -f build/ui-figures.txt
	$(BIN)/pytest -q -n $(JOBS) tests/ui
	@cat build/ui-figures.txt

screenshots: $(VENV)/.dev /usr/bin/chromium ## Take the pictures of docs/screenshots
	$(BIN)/python -m tests.ui.screenshots

# Gates.

check: lint quick ## Style, types, layers and the quick tests (under a minute; needs no browser)

lint: $(VENV)/.dev ## Style, types and layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

quick: $(VENV)/.dev ## The quick tests
	$(BIN)/pytest -q -n $(CHECK_JOBS) -m 'not slow'

hooks: $(VENV)/.dev ## Have git run what `make check` runs: style before a commit, tests before a push
	$(BIN)/pre-commit install

test: export EXAMPLES ?= 400
test: announce $(VENV)/.dev ui/node_modules/.done /usr/bin/chromium ## Everything that must pass before a change lands
	@$(MAKE) --no-print-directory lint
	$(BIN)/pytest -q -n $(JOBS)
	@$(MAKE) --no-print-directory test-ui

announce:
	@echo "make test installs what it needs, if it is not there: Python packages into $(VENV), npm packages into"
	@echo "ui/node_modules, and Debian's chromium by apt for the journeys through the UI. \`make check\` needs the first only."

sim: $(VENV)/.dev ## Simulate clusters: make sim SEEDS=0:1000
	$(BIN)/python -m tests.sim --seeds $(SEEDS) --secs 40 --nodes 3
	$(BIN)/python -m tests.sim --seeds $(SEEDS) --secs 40 --nodes 5
	$(BIN)/python -m tests.sim --seeds $(SEEDS) --secs 40 --nodes 3 --spares 3

# What is not said on the command line is for the scenario to say.
given = $(if $(filter command,$(firstword $(origin $(1)))),$(2) $($(1)))

chaos: $(VENV)/.dev ## Run a scenario of chaos/scenarios: make chaos SCENARIO=bad-network MINUTES=5 SEED=7
	$(BIN)/python -m chaos $(SCENARIO) $(call given,MINUTES,--minutes) $(call given,ROUNDS,--rounds) $(call given,SEED,--seed)

crash: $(VENV)/.dev ## Kill -9 a node under load: make crash ROUNDS=20
	$(BIN)/python -m chaos crash --rounds $(ROUNDS) $(call given,SEED,--seed)

crash-cluster: $(VENV)/.dev ## Kill, pause and restart nodes of three under load: make crash-cluster ROUNDS=60
	$(BIN)/python -m chaos crash-cluster --rounds $(ROUNDS) $(call given,SEED,--seed)

attack: $(VENV)/.dev ## Flood nodes on every edge and print what others notice: make attack SECONDS=60 ONLY=pings
	$(BIN)/python -m chaos.attack --seconds $(or $(call given,SECONDS,),60) $(call given,ONLY,--only)

upgrade: $(VENV)/.dev ## Roll a cluster and a folder from another work tree to this one: make upgrade OLD=../before
	$(BIN)/python -m chaos.upgrade $(OLD) .

hunt: $(VENV)/.dev ## Try other random histories than the tests do: make hunt EXAMPLES=5000
	HUNT=1 EXAMPLES=$(or $(EXAMPLES),5000) $(BIN)/pytest -q -n $(JOBS) tests/property tests/actors/mirror/test_history.py tests/core tests/fsm tests/storage

fuzz: $(VENV)/.dev ## Send everything the API says it takes, and worse: make fuzz MINUTES=10
	$(BIN)/python -m tests.fuzz.run --minutes $(MINUTES)

bench: $(VENV)/.dev ## Print the figures of bench/README.md: make bench EDGE=granian
	@for part in floor fsm wake idle backlog sdk cluster; do $(BIN)/python -m bench.$$part || exit 1; done
	@for part in edge lifecycle latency durable overload; do $(BIN)/python -m bench.$$part --edge $(EDGE) || exit 1; done

bench-million: $(VENV)/.dev ## A run that holds a million jobs: make bench-million MILLION=100000
	$(BIN)/python -m bench.million --jobs $(MILLION) --edge $(EDGE)

bench-peers: $(VENV)/.dev ## Corvo beside Celery, BullMQ, ...: make bench-peers PEERS='--quick --only celery,rq'
	$(BIN)/python -m bench.peers $(PEERS)

flame: $(VENV)/.dev ## Draw the flame graph of the lifecycle run, and share its time out to the stages
	$(BIN)/python -m bench.flame --edge $(EDGE)

chaos-sdk: $(VENV)/.dev ## Kill SDK workers and the server under load: make chaos-sdk SDK_JOBS=10000
	$(BIN)/python -m chaos.sdk --jobs $(SDK_JOBS)

sdk: $(VENV)/.dev ## Make the SDK's blocking client from its asyncio client
	$(BIN)/python sdk/python/make_sync.py

docs: $(VENV)/.dev ## Print anew what docs/reference has from the code: commands, settings, errors, metrics
	$(BIN)/python -m corvo.cli.reference docs/reference

format: $(VENV)/.dev ## Rewrite the code in the house style
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean: ## Remove the virtual environment and caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache

.PHONY: help setup serve ui test-ui screenshots check lint quick hooks announce test sim attack chaos crash crash-cluster chaos-sdk sdk upgrade hunt fuzz bench bench-million bench-peers flame docs format clean
