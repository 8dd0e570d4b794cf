# Everything runs inside .venv; each target does its own set-up.
# Needs only Python 3.11+ with pip, a C++20 compiler and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(PYTHON) -m pip --python $(BIN)/python
NATIVE := $(wildcard native/*/*.cpp native/*/*.hpp) CMakeLists.txt
FOLDERS := $(shell find src -type d -not -name __pycache__)
SHARED := $(abspath ../shared/data)
export PIP_DISABLE_PIP_VERSION_CHECK := 1
ifneq ($(wildcard $(SHARED)),)
export DISCREET_DATA ?= $(SHARED)
endif

.DEFAULT_GOAL := help
.PHONY: help setup demo app test fuzz coverage check docs figures picture tables bench bench-page bench-mining bench-suppress bench-generalize bench-randomize peers synthesis-peers sanitize thorough stub lock wheel clean

help:            ## show the targets
	@grep -hE '^[a-z-]+: .*##|^[a-z-]+:  +##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | sort

$(BIN)/python:
	$(PYTHON) -m venv --without-pip $(VENV)

# Third-party packages, exactly as locked: all are listed, and resolving anew could take a newer one.
# What running and building need comes first and alone; versions in both files are the same.
# Python compiles what it imports; for the many processes of the tests all is compiled before, on
# all cores; some packages ship templates that are no Python.
LOCKED := $(PIP) install --quiet --no-compile --no-deps --require-hashes -r

$(VENV)/.locked: requirements.lock | $(BIN)/python
	$(LOCKED) $<
	touch $@

$(VENV)/.locked-dev: requirements-dev.lock $(VENV)/.locked
	$(LOCKED) $<
	$(BIN)/python -m compileall -q -j 0 $(VENV)/lib >/dev/null || true
	touch $@

# discreet itself, editable; again when a kernel changes or a module comes or goes.
$(VENV)/.installed: $(VENV)/.locked pyproject.toml $(NATIVE) $(FOLDERS)
	$(PIP) install --quiet --no-build-isolation --no-deps --editable .
	$(BIN)/python -m compileall -q src
	touch $@

setup: $(VENV)/.installed   ## make the virtual environment and build discreet into it

develop: setup $(VENV)/.locked-dev   ## the same, with what tests, checks and the guide need

demo: setup      ## protect the built-in census: look, release, verify, report, in discreet-demo/
	$(BIN)/discreet demo

app: demo develop ## open the app on the folder of the demo
	$(BIN)/discreet app discreet-demo

test: develop      ## run all tests, doctests and documentation examples
	$(BIN)/python -m pytest -n auto --dist worksteal

# The kernels are those of the environment: nothing is compiled twice. On Linux the wheel says which
# systems it runs on.
wheel: develop   ## build a wheel into dist/ and try it in an empty environment, without a compiler
	rm -rf build/wheel dist
	$(PIP) wheel --quiet --no-build-isolation --no-deps --wheel-dir build/wheel .
	if [ "$$(uname)" = Linux ]; then PATH="$(abspath $(BIN)):$$PATH" auditwheel repair --wheel-dir dist build/wheel/*.whl; \
	    else mkdir dist && cp build/wheel/*.whl dist; fi
	$(PYTHON) tests/try_wheel.py dist requirements.lock

thorough: sanitize docs ## kernels under sanitizers, the guide, and all tests with more examples
	DISCREET_UPLOADS=10000 $(BIN)/python -m pytest -n auto --dist worksteal --hypothesis-profile=thorough

SECONDS ?= 28800
fuzz: develop      ## break files, policies, releases and arrays all night (SECONDS=60: a minute) and read them
	$(BIN)/python -m tests.fuzz --seconds $(SECONDS) --keep build/fuzz
	$(BIN)/python -m tests.fuzz.bindings 0 $$(( $(SECONDS) / 2 + 100 ))

coverage: develop  ## run all tests and say which lines of src none of them runs; below 98 % fails
	$(BIN)/python -m pytest -q -n auto --dist worksteal --cov=discreet --cov-report=term:skip-covered --cov-fail-under=98

check: develop     ## format, lint, types, layers, stub
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tests/check_stub.py
	$(BIN)/python tests/check_structure.py

docs: develop      ## build the guide into docs/_build/html; warnings are errors
	rm -rf docs/api
	$(BIN)/sphinx-build -W -q -j auto -b html docs docs/_build/html

figures: develop   ## draw the figures of the guide anew, from built-in data
	$(BIN)/python docs/draw.py

picture: develop   ## take the picture of a report in the README anew; needs chromium
	$(BIN)/python docs/draw.py picture

tables: develop    ## write the tables of methods in the guide anew, from their records
	$(BIN)/python docs/tables.py

bench: develop peers synthesis-peers ## run every benchmark into benchmarks/RESULTS.md and results.html; hours
	$(BIN)/python benchmarks/bench.py

bench-page: develop ## make benchmarks/results.html of what was measured before
	$(BIN)/python benchmarks/html_page.py

bench-mining: develop ## time the mining engine against its peers (see benchmarks/README.md)
	$(BIN)/python benchmarks/mining.py

bench-suppress: develop ## measure suppression beside its peers and the thesis
	$(BIN)/python benchmarks/suppress.py

bench-generalize: develop ## measure loss and time of generalization beside its peers and the thesis
	$(BIN)/python benchmarks/generalize.py

bench-randomize: develop ## measure randomization and mining, and the paper's tables on real data
	$(BIN)/python benchmarks/randomize.py

# PYTHONPATH without .pth files hides the editable install, so the sanitized build is the one tested.
# Without DISCREET_DATA: tests on real data run in "make test"; they add nothing here but time.
SANITIZED := build/sanitized
sanitize: develop  ## run the kernel tests under AddressSanitizer and UndefinedBehaviorSanitizer
	$(PIP) install --quiet --no-build-isolation --no-deps --upgrade --target $(SANITIZED) \
	    --config-settings build-dir=build/sanitize --config-settings cmake.define.DISCREET_SANITIZE=ON .
	env -u DISCREET_DATA LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libubsan.so) $$($(CXX) -print-file-name=libstdc++.so)" \
	    ASAN_OPTIONS=detect_leaks=0 PYTHONPATH="$(SANITIZED):$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')" \
	    $(PYTHON) -m pytest -q -n auto --dist worksteal -p no:benchmark -p no:cacheprovider --hypothesis-profile=sanitized $(wildcard tests/*/test_*_kernels.py)

.venv-peers/.installed: benchmarks/requirements-peers.txt
	$(PYTHON) -m venv --without-pip .venv-peers
	$(PYTHON) -m pip --python .venv-peers/bin/python install --quiet -r $<
	touch $@

peers: .venv-peers/.installed ## make the environment of the benchmark's peers

.venv-synthesis-peers/.installed: benchmarks/requirements-synthesis-peers.txt
	$(PYTHON) -m venv --without-pip .venv-synthesis-peers
	$(PYTHON) -m pip --python .venv-synthesis-peers/bin/python install --quiet -r $<
	touch $@

synthesis-peers: .venv-synthesis-peers/.installed ## make the environment of MST, AIM and PrivBayes

# No address of a registry: a lock holds wherever the packages come from.
LOCKING := --quiet --universal --generate-hashes --no-header --no-emit-index-url --no-emit-find-links
lock: develop    ## renew both locks from pyproject.toml: to develop, and of that what running and building need
	$(BIN)/uv pip compile pyproject.toml --extra all --group dev $(LOCKING) -o requirements-dev.lock
	$(BIN)/uv pip compile pyproject.toml --group build $(LOCKING) -c requirements-dev.lock -o requirements.lock

clean:           ## remove the environment and everything built
	rm -rf $(VENV) build dist docs/_build .mypy_cache .ruff_cache .pytest_cache .hypothesis

stub: develop      ## renew the typed stub of the compiled module
	$(BIN)/python tests/check_stub.py --write
