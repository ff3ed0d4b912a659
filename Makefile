# Every target makes the environment it needs: Python 3.11 to 3.14, pip and make are enough to begin with.
# Another Python: make PYTHON=python3.13 ...   More arguments for a script or pytest: make train ARGS="--seed 7"
.DEFAULT_GOAL := help
.PHONY: help install train test prove lint format bench bench-peers speed matrix frameworks cluster ladder documents docs mutants release clean

VENV ?= .venv
WORKERS ?= 2
ARGS ?=
BASE ?= main
DIST ?= dist
RUN := $(VENV)/bin/python
INSTALLED := $(VENV)/.installed
DEV := $(INSTALLED)-dev

SUITABLE := import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))
PYTHON ?= $(shell for p in python3 python3.11 python3.12 python3.13 python3.14; do \
	$$p -c '$(SUITABLE)' 2>/dev/null && echo $$p && break; done)

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1  /p' $(MAKEFILE_LIST) | awk '{name = $$1; $$1 = ""; printf "make %-12s%s\n", name, $$0}'

install: $(INSTALLED) ## make the environment in .venv, for training and playing, with the versions of constraints.txt

train: $(INSTALLED) ## train an agent (five minutes on 2 cores) and show how it does against the bots
	$(RUN) scripts/train.py --preset quick $(ARGS)

# Both write the time of every test into build/; the order is random.
PYTEST := $(RUN) -m pytest -n $(WORKERS) --dist worksteal

test: $(DEV) ## run the tests that every change has to pass
	$(PYTEST) --junitxml build/test.xml $(ARGS)

prove: $(DEV) ## run all other tests: every game with everything, browsers, GPU code, notebooks, long searches for errors
	$(PYTEST) -m prove --junitxml build/prove.xml $(ARGS)

lint: $(DEV) ## check style, format and types
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy

format: $(DEV) ## format the code and repair what can be repaired
	$(RUN) -m ruff check --fix-only .
	$(RUN) -m ruff format .

bench: $(INSTALLED)-bench ## measure speed
	$(RUN) -m scripts.speed.bench $(ARGS)

bench-peers: $(INSTALLED)-peers ## measure speed, that of other libraries too
	$(RUN) -m scripts.speed.bench --peers $(ARGS)

speed: $(INSTALLED)-bench ## compare the speed of this tree with that of a commit, BASE=main by default
	$(RUN) -m scripts.speed.bench --base $(BASE) $(ARGS)

matrix: $(DEV) ## run tests on every Python, with the oldest and newest dependencies, and with every extra
	$(RUN) -m nox -s package extras $(ARGS)

frameworks: $(DEV) ## install RLlib, TorchRL and others in environments of their own, run their examples and tests
	$(RUN) -m nox -s frameworks $(ARGS)

cluster: $(INSTALLED)-cluster ## install Ray, and run the tests that need a cluster of it on this machine
	$(RUN) -m pytest -n 0 -m "" $(wildcard tests/agents/test_cluster*.py) $(ARGS)

ladder: $(DEV) ## play the ladders of all games again, as they were published, and write their tables
	$(RUN) -m scripts.measure ladder --again $(ARGS)
	$(RUN) -m scripts.pages

documents: $(DEV) ## write the tables and pictures of all documents, from results
	$(RUN) -m scripts.pages $(ARGS)

docs: $(INSTALLED)-docs ## build the documentation as a site, build/site/index.html
	$(RUN) -m scripts.build_site $(ARGS)

mutants: $(INSTALLED)-mutants ## see whether the tests notice small changes of the rules of every game (two hours)
	@set -e; for game in $$($(RUN) -c "from blackjacky_env.games import GAMES; print(*GAMES)"); do \
		$(RUN) -m scripts.proofs.mutate_rules --game $$game $(ARGS); \
	done

release: $(INSTALLED)-release ## build wheel and sdist in dist, compare them with their limits, and try the wheel
	$(RUN) -m scripts.proofs.release $(DIST)

clean: ## delete the environment and everything that tools left behind; runs/ stays
	rm -rf $(VENV) build dist .cache .nox .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The new environment is filled by the pip that is already there: Debian's Python cannot put one into it.
$(INSTALLED): pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "No Python 3.11 to 3.14 found; name one: make PYTHON=/path/to/python ..." >&2; exit 1; }
	@echo "Installing into $(VENV); the first time this takes some minutes, most of them for torch."
	$(PYTHON) -m venv --without-pip $(VENV)
	$(PYTHON) -m pip --python $(RUN) install -c constraints.txt -e ".[train,web]" pip
	@touch $@

# What only tests, checks and documents need, CUDA's compiler and browsers' drivers among it, is as large as all above.
$(DEV): $(INSTALLED)
	$(RUN) -m pip install -c constraints.txt -e ".[dev]"
	@touch $@

$(INSTALLED)-mutants: $(DEV)
	$(RUN) -m pip install -c constraints.txt -e ".[mutants]"
	@touch $@

$(INSTALLED)-release: $(DEV)
	$(RUN) -m pip install -c constraints.txt -e ".[release]"
	@touch $@

$(INSTALLED)-cluster: $(DEV)
	$(RUN) -m pip install -c constraints.txt -e ".[cluster]"
	@touch $@

$(INSTALLED)-docs: $(INSTALLED)
	$(RUN) -m pip install -c constraints.txt -e ".[docs]"
	@touch $@

# Environments of PettingZoo that ours is compared with.
$(INSTALLED)-bench: $(DEV)
	$(RUN) -m pip install -c constraints.txt -e ".[bench]"
	@touch $@

# Libraries that ours is compared with; none of them asks for other versions than constraints.txt has.
$(INSTALLED)-peers: $(DEV)
	$(RUN) -m pip install -c constraints.txt -e ".[peers]"
	@touch $@
