# make run       start the app            make run ARGS="--server.port 8600"      for a class: make run ARGS=--class
# make dev       start the app, which sees a change of a .py file after a reload
# make test      run all tests            make test ARGS="tests/test_bpe.py -x"
# make quick     run all but the browser's and the slow ones    (both take two workers; WORKERS=4 takes four)
# make browsers  run what people touch in Firefox and WebKit, as Debian has them
# make lint      check format, style and types, of JavaScript too
# make types     check the types of JavaScript
# make wheel     build the package, and try it in an empty environment
# make bundle    write the .zip for people without a terminal, with files to double-click
# make mutants   plant faults, and list those that no test notices    make mutants ARGS="--count 400"
# make fuzz      compare with other libraries on random input    make fuzz MINUTES=60
# make clean     remove what these made
#
# Each sets up .venv first, once, and again when the requirements change.

PYTHON ?= python3
PINS ?= -c constraints.txt
ARGS ?=
WORKERS ?= 2

BIN = .venv/bin
# Each worker takes half of the tests, in their order (the browser's come first), and then of what the other has
# left. Python keeps what it compiled, even where the environment says otherwise: the tests start many processes.
PYTEST = PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal
INSTALL = $(BIN)/python -m pip install -q --disable-pip-version-check $(PINS)
NOT_INSTALLED = { echo "The packages could not be installed, as said above. If this Python cannot have a pinned version, make PINS= leaves the pins out." >&2; exit 1; }

run: .venv/ready
	$(BIN)/python -m token_grove --no-browser $(ARGS)

dev: .venv/ready
	$(BIN)/python -m token_grove --no-browser --server.fileWatcherType auto $(ARGS)

test: .venv/ready-dev
	$(PYTEST) $(ARGS)

quick: .venv/ready-dev
	$(PYTEST) -m "not browser and not slow" $(ARGS)

browsers: .venv/ready-dev
	GROVE_EXAMPLES=all $(PYTEST) --dist loadgroup tests/test_engines.py $(ARGS)

lint: .venv/ready-dev
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m ruff check .
	$(BIN)/python -m mypy
	$(BIN)/oxlint --deny-warnings assets/components tests/modules.js
	$(BIN)/oxfmt --check 'assets/components/**/*.js' tests/modules.js

# Deno checks the types in the comments of the scripts. It is 42 MB, so only this installs it.
types: .venv/ready-dev
	$(INSTALL) deno
	DENO_NO_UPDATE_CHECK=1 DENO_DIR=build/deno $(BIN)/deno check --quiet --no-remote --config tools/deno.json assets/components

wheel: .venv/ready-dev
	rm -f build/*.whl
	$(BIN)/python -m hatchling build -t wheel -d build
	$(BIN)/python -m tools.try_wheel build/token_grove-*.whl

bundle: wheel
	$(BIN)/python -m pip download -q --disable-pip-version-check --no-deps -d build pip==26.3
	$(BIN)/python -m tools.make_bundle build/token_grove-*.whl build/pip-*.whl

mutants: .venv/ready-dev
	$(BIN)/python -m tools.mutants $(ARGS)

MINUTES ?= 10
fuzz: .venv/ready-dev .venv-peers/ready
	$(BIN)/python -m benchmarks.fuzz --minutes $(MINUTES) --python .venv-peers/bin/python $(ARGS)

clean:
	rm -rf .venv .venv-peers .pytest_cache .mypy_cache .ruff_cache .hypothesis build
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/made:
	@command -v "$(PYTHON)" > /dev/null || { echo "Token Grove needs Python 3.11 or later, and there is no $(PYTHON) here: install it, or name one with make PYTHON=/path/to/python." >&2; exit 1; }
	@"$(PYTHON)" -c "import sys; sys.version_info >= (3, 11) or sys.exit('Token Grove needs Python 3.11 or later, and $(PYTHON) is %d.%d: name a newer one with make PYTHON=/path/to/python.' % sys.version_info[:2])"
	@"$(PYTHON)" -c "import ensurepip, venv" 2> /dev/null || { echo "Token Grove needs Python's venv module, and $(PYTHON) came without it: on Debian and Ubuntu, apt install python3-venv." >&2; exit 1; }
	@"$(PYTHON)" -m venv --clear .venv
	@touch $@

.venv/ready: .venv/made requirements.txt constraints.txt
	@echo "Installing what the app needs into .venv: once, a minute or so."
	@$(INSTALL) -r requirements.txt || $(NOT_INSTALLED)
	@$(BIN)/python -m tools.compile_kernels
	@touch $@

.venv/ready-dev: .venv/made requirements-dev.txt requirements.txt constraints.txt
	@echo "Installing what the tests need into .venv: once, a minute or so."
	@$(INSTALL) -r requirements-dev.txt || $(NOT_INSTALLED)
	@$(BIN)/python -m tools.compile_kernels
	@touch $@

# Other trainers and tokenizers, in an environment of their own: ours has a package of the same name.
.venv-peers/ready: benchmarks/requirements.txt .venv/made
	@"$(PYTHON)" -m venv --clear .venv-peers
	@.venv-peers/bin/python -m pip install -q --disable-pip-version-check -r benchmarks/requirements.txt
	@touch $@

.PHONY: run dev test quick browsers lint types wheel bundle mutants fuzz clean
