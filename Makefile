# Two commands are all a newcomer needs: `make try` and `make test`. Everything else is for people who change wisen.
.DEFAULT_GOAL := help
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.wisen-stamp

.PHONY: help try test check fmt lint types layers docs docs-check e2e bench corpus stress results lock clean has-git

# Made anew when its interpreter is gone, and when the checkout was moved: what is in it names its old place.
ifneq ($(shell $(BIN)/python -c 'print("runs")' 2>/dev/null) $(shell cat $(STAMP) 2>/dev/null),runs $(CURDIR))
.PHONY: $(STAMP)
endif

help: ## List the targets
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## /  make \1\t/' | expand -t 18

$(STAMP): requirements/dev.lock pyproject.toml scripts/bootstrap.sh
	@sh scripts/bootstrap.sh $(VENV)

# Before the environment is made, so that nobody waits for it in vain.
has-git:
	@command -v git >/dev/null || { \
	  echo "error: there is no git on PATH, and wisen is about git repositories" >&2; \
	  echo "hint: install git, then run this again" >&2; exit 1; }

try: has-git $(STAMP) ## Learn from three short sessions in a throw-away home and show what the next one gets
	@$(BIN)/wisen try

test: has-git $(STAMP) ## Run the tests
	$(BIN)/python -m pytest -n auto -m "not e2e and not bench and not corpus and not stress"

check: fmt lint types layers docs-check test ## The whole gate: format, lint, types, layers, docs, tests

fmt: $(STAMP)
	$(BIN)/ruff format --check .

lint: $(STAMP)
	$(BIN)/ruff check .

types: $(STAMP)
	$(BIN)/mypy

layers: $(STAMP)
	$(BIN)/lint-imports

docs: $(STAMP) ## Rewrite the generated reference pages
	$(BIN)/python scripts/docs.py

docs-check: $(STAMP)
	$(BIN)/python scripts/docs.py --check

e2e: $(STAMP) ## Drive the real harness binary against a mock model on loopback
	$(BIN)/python -m pytest -m e2e -n 2 tests/e2e

bench: $(STAMP) ## Print the benchmarks
	$(BIN)/python -m pytest -m bench -s -p no:randomly tests/bench

results: $(STAMP) ## Score the search and rewrite docs/results (needs the shared measurement data)
	$(BIN)/python scripts/results.py

corpus: $(STAMP) ## Play real sessions through the live path (needs the shared measurement data)
	$(BIN)/python -m pytest -m corpus -s tests

stress: $(STAMP) ## Run the long forms: power cuts, kill -9, full disks, faults, soak (about 30 minutes)
	$(BIN)/python -m pytest -m stress -s -p no:randomly --timeout=1800 tests

lock: ## Rewrite the lock files (needs uv)
	scripts/lock.sh

clean: ## Remove everything that was made here
	rm -rf $(VENV) .cache .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache dist build
