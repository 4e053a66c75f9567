# Every target sets up what it needs in .venv by itself, and does nothing again that is done.

PYTHON ?= python3
PORT ?= 8000
HOST ?= 127.0.0.1
BIN := .venv/bin
WORKERS ?= 2
CODE := src tests examples benchmarks scripts

# Without kept bytecode, every run would rewrite the assertions of all tests anew: seconds a worker.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup play docs wheel test test-fast check format bench mutants clean

help:            ## show this list
	@sed -n 's/^\([a-z-]*\): .*##/  make \1\t/p' $(MAKEFILE_LIST) | expand -t 20

setup: .venv/dev ## create .venv with everything that developers need

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Trireme needs Python 3.11 or newer; try: make PYTHON=python3.12 …"; exit 1; }
	$(PYTHON) -m venv .venv

.venv/play: .venv/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[play]'
	@touch $@

.venv/compiled: .venv/play $(shell find src -name '*kernels.py' -o -name opponents.json)
	@$(BIN)/trireme compile
	@touch $@

.venv/docs: .venv/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@touch $@ .venv/play

.venv/dev: .venv/bin/python pyproject.toml scripts/install-system-packages
	scripts/install-system-packages
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ .venv/play .venv/docs

play: .venv/play ## open the web app; PORT=8080 takes another port, HOST=0.0.0.0 lets others join
	@scripts/build-client & build=$$!; $(MAKE) --no-print-directory .venv/compiled && wait $$build
	@$(BIN)/trireme serve --open --port $(PORT) --host $(HOST)

docs: .venv/docs ## build the manual, strictly; `trireme serve` shows it at /manual
	$(BIN)/python scripts/manual

test: .venv/dev  ## run all tests
	$(BIN)/pytest --numprocesses $(WORKERS) --dist worksteal

test-fast: .venv/dev ## run the fast tests
	$(BIN)/pytest --numprocesses $(WORKERS) --dist worksteal -m 'not slow'

check: .venv/dev ## format, lint and types, changing nothing
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/ruff check $(CODE)
	$(BIN)/mypy
	scripts/check-client

format: .venv/dev ## format, and fix what the linter can fix
	$(BIN)/ruff format $(CODE)
	$(BIN)/ruff check --fix $(CODE)

bench: .venv/dev ## measure the raw speed of the kernels
	@for script in benchmarks/*_kernels.py; do $(BIN)/python $$script || exit 1; done

mutants: .venv/dev ## change the code in one place at a time: does a fast test notice? (hours)
	$(BIN)/python benchmarks/mutants.py --workers $(WORKERS) $(MUTANTS)

wheel: docs      ## build the package with web client and manual, which needs no Node
	scripts/build-client
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .

clean:           ## remove .venv and everything that was generated
	rm -rf .venv build dist web/node_modules src/trireme/server/static src/trireme/server/manual .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
