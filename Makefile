# Everything runs with .venv/bin/python, which the set-up makes. `make` alone lists the targets.

SHELL := /bin/sh
VENV_PYTHON := .venv/bin/python

# The R packages that the set-up installs; the user's own libraries follow.
export R_LIBS := $(CURDIR)/.r-library$(if $(R_LIBS),:$(R_LIBS))
# Packages in the user's home must not stand in front of those that the set-up chose.
export PYTHONNOUSERSITE := 1
# Many processes are started: each module is compiled once for all of them.
export PYTHONPYCACHEPREFIX := $(CURDIR)/.cache/bytecode
unexport PYTHONDONTWRITEBYTECODE
# The R on PATH is the one that the set-up prepared; a wrong R_HOME would end Python.
unexport R_HOME PYTHONPATH PYTHONHOME

# A side of the set-up ends with a stamp, which names what could not be had. R's belongs to one version of R.
PYTHON_SIDE := .venv/pydpstat-ready-python
DEMO_SIDE := $(firstword $(wildcard $(PYTHON_SIDE)) .venv/pydpstat-ready-demo)
R_SIDE := .r-library/pydpstat-ready-$(shell R --version 2>/dev/null | sed -n 's/^R version \([0-9.]*\).*/\1/p')
NO_R := $(filter-out 0,$(PYDPSTAT_NO_R))
REQUIRE_R := $(filter-out 0,$(PYDPSTAT_REQUIRE_R))
ifneq ($(and $(NO_R),$(REQUIRE_R)),)
$(error PYDPSTAT_NO_R and PYDPSTAT_REQUIRE_R contradict each other: unset one of them)
endif

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo check test slow setup parity bench lint typecheck accounting engines wheel docs house clean works again ready

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /\1|/p' Makefile | while IFS='|' read -r target text; do \
		printf '  make %-10s %s\n' "$$target" "$$text"; done

demo: works ## set up Python's side, then the tutorial: R's numbers next to ours (R is not required)
	@$(MAKE) --no-print-directory --silent $(DEMO_SIDE)
	@$(VENV_PYTHON) -m pydpstat tutorial

test: ready ## set up both sides, then the tests and the live comparison with R
	@$(VENV_PYTHON) -m nox -s tests

check: ready ## before a commit: lint, one case of each test, some comparisons with R
	@$(VENV_PYTHON) -m nox -s check

setup: again ready ## set up both sides, and try again what could not be had before

slow: ready ## the tests that take more than about half a second
	@$(VENV_PYTHON) -m nox -s slow

parity: ready ## the full comparison with R
	@$(VENV_PYTHON) -m nox -s parity

bench: ready ## the benchmarks
	@$(VENV_PYTHON) -m nox -s bench

lint: ready ## ruff, or flake8 and isort
	@$(VENV_PYTHON) -m nox -s lint

typecheck: ready ## mypy
	@$(VENV_PYTHON) -m nox -s typecheck

accounting: ready ## the accounting beside dp-accounting, from PyPI
	@$(VENV_PYTHON) -m nox -s accounting

engines: ready ## data in Arrow, Polars, DuckDB, Dask and Spark, from PyPI
	@$(VENV_PYTHON) -m nox -s engines

wheel: ready ## build the wheel, install it elsewhere and use it
	@$(VENV_PYTHON) -m nox -s wheel

docs: ready ## the documentation as HTML
	@$(VENV_PYTHON) -m nox -s docs

house: ready ## count what the package's structure promises
	@$(VENV_PYTHON) tools/house.py
	@$(VENV_PYTHON) tools/ways.py

clean: ## remove what the set-up and the sessions made
	rm -rf .venv .r-library .r-library.new .cache .nox .pytest_cache .mypy_cache .hypothesis build dist output
	find . -name .git -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +

# What the targets above need: both sides, in a make of its own, because the first may remove what the second reads.
ready: works
	@$(MAKE) --no-print-directory --silent $(PYTHON_SIDE) $(if $(NO_R),,$(R_SIDE))
	@cat $(PYTHON_SIDE)
ifneq ($(NO_R),)
	@echo 'set-up: R is hidden (PYDPSTAT_NO_R): the comparison with R uses recorded references only.'
else
	@cat .r-library/pydpstat-ready-*
	@[ -z '$(REQUIRE_R)' ] || [ -z "$$(cat .r-library/pydpstat-ready-*)" ] || \
		{ echo "set-up failed: R's side is not complete, and PYDPSTAT_REQUIRE_R asks for all of it." >&2; exit 1; }
endif

# The folder may have been moved and its Python replaced. -P: what is in this folder is not yet installed.
works:
	@$(VENV_PYTHON) -P -c 'import os, sys, numpy, pydpstat; \
		sys.exit(not os.path.samefile(os.path.dirname(pydpstat.__file__), "pydpstat"))' 2>/dev/null || rm -rf .venv
	@[ -z '$(REQUIRE_R)' ] || find .r-library -maxdepth 1 -name 'pydpstat-ready-*' -size +0 -delete 2>/dev/null || :

again:
	@find .venv .r-library -maxdepth 1 -name 'pydpstat-ready-*' -size +0 -delete 2>/dev/null || :

.venv/pydpstat-ready-%: pyproject.toml tools/setup.sh
	@sh tools/setup.sh $*

$(R_SIDE): $(PYTHON_SIDE) tools/setup.sh $(wildcard r_reference/*.R r_reference/*.txt)
	@sh tools/setup.sh r
