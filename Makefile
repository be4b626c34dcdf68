# make crawl [LOCATOR=pypi:mmcv==2.2.0]   set up, then run the main job here
# make test                               set up, then pass every check and test
# make test-gpu                           the tests of devices, on the GPUs of this machine
# make bench-gpu DEVICE=rocm FOLDERS=…    unpacked packages on a GPU, held against what they do on the CPU
SHELL := /bin/bash
# each of the many processes of the tests would compile what it imports
unexport PYTHONDONTWRITEBYTECODE
PYTHON ?= python3
VENV := .venv
TORCH := .torch
READERS := .readers
EVALUATORS := .evaluators
MODEL := .model
DEVICE ?= cuda
LOCATOR ?= pypi:mmcv==2.2.0
STAMP := $(VENV)/.setup-stamp

LOCKING = $(VENV)/bin/uv pip compile -q --universal --generate-hashes --no-emit-index-url --no-header --no-annotate \
	--python-version 3.11
LOCKED = $(LOCKING) --extra telemetry pyproject.toml

.PHONY: setup bootstrap crawl test test-gpu bench-gpu check lint types format lock bench clean

setup: bootstrap $(STAMP)

bootstrap:
	@deploy/bootstrap

$(STAMP): requirements.lock deploy/libraries.lock deploy/page/package-lock.json pyproject.toml
	@deploy/venv "$(PYTHON)" "$(VENV)"
	@touch $@

crawl: setup
	@$(VENV)/bin/kernelset crawl "$(LOCATOR)"

# at once: each check and each installation keeps a single core busy
test: setup
	@$(MAKE) --no-print-directory --jobs=3 --output-sync=target check $(TORCH) $(READERS) $(EVALUATORS) $(MODEL)
	@TESTS_TORCH_PYTHON="$(abspath $(TORCH))/bin/python" TESTS_READERS_PYTHON="$(abspath $(READERS))/bin/python" \
		TESTS_EVALUATORS="$(abspath $(EVALUATORS))" TESTS_MODEL_PYTHON="$(abspath $(MODEL))/bin/python" $(VENV)/bin/pytest -n 2 --dist worksteal

# without it, what runs projects' own tests is skipped
$(TORCH): deploy/torch-venv
	@rm -rf $(TORCH)
	@PYTHON="$(PYTHON)" deploy/torch-venv $(TORCH) || true

# without it, the walkthrough of the documentation is not run
$(READERS): deploy/readers-venv
	@rm -rf $(READERS)
	@PYTHON="$(PYTHON)" deploy/readers-venv $(READERS) || true

# without it, exports are not evaluated by the libraries that people do it with
$(EVALUATORS): deploy/evaluators-venv pyproject.toml
	@rm -rf $(EVALUATORS)
	@PYTHON="$(PYTHON)" deploy/evaluators-venv $(EVALUATORS) || true

# without it, no trained model is asked to repair anything
$(MODEL): deploy/model-venv
	@rm -rf $(MODEL)
	@PYTHON="$(PYTHON)" deploy/model-venv $(MODEL) || true

# what every device must make of kernels, on the stand-ins and on the GPUs that are here
test-gpu: setup
	@for file in /dev/kfd /dev/nvidia0 /dev/dxg; do [ -e $$file ] && exit 0; done; echo "no GPU here: nothing to run on"; exit 1
	@$(VENV)/bin/pytest tests/contract/devices tests/acceptance/kernels/test_validate_device.py

bench-gpu: setup
	@$(VENV)/bin/python -m benchmarks devices --device $(DEVICE) $(FOLDERS)

check: setup lint types

lint: setup
	@$(VENV)/bin/ruff check .
	@$(VENV)/bin/ruff format --check .
	@$(VENV)/bin/lint-imports

types: setup
	@$(VENV)/bin/mypy

format: setup
	@$(VENV)/bin/ruff check --fix .
	@$(VENV)/bin/ruff format .

lock:
	@$(LOCKED) --group dev -o requirements.lock
	@$(LOCKED) --group build --constraint requirements.lock -o deploy/requirements.lock
	@$(LOCKING) --no-deps --group libraries -o deploy/libraries.lock
	@cd deploy/page && npm update --package-lock-only --omit-lockfile-registry-resolved --ignore-scripts --no-audit --no-fund --silent

bench: setup
	@$(VENV)/bin/python -m benchmarks

clean:
	@rm -rf $(VENV) $(TORCH) $(READERS) $(EVALUATORS) .mypy_cache .ruff_cache .pytest_cache .hypothesis
