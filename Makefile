# Everything runs with .venv/bin/python, which the set-up makes. `make` alone lists the targets.

SHELL := /bin/sh
VENV_PYTHON := .venv/bin/python

# The R packages that the set-up installs; the user's own libraries follow.
export R_LIBS := $(CURDIR)/.r-library$(if $(R_LIBS),:$(R_LIBS))
# Packages in the user's home must not stand in front of those that the set-up chose.
export PYTHONNOUSERSITE := 1
# The R on PATH is the one that the set-up prepared; a wrong R_HOME would end Python.
unexport R_HOME PYTHONPATH PYTHONHOME

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo test setup parity bench lint typecheck wheel accounting docs clean

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /\1|/p' Makefile | while IFS='|' read -r target text; do \
		printf '  make %-10s %s\n' "$$target" "$$text"; done

demo: ## set up Python's side, then the tutorial: R's numbers beside ours (needs no R)
	@sh tools/setup.sh demo
	@$(VENV_PYTHON) -m pydpstat tutorial

test: ## set up both sides, then all tests and the live comparison with R
	@sh tools/setup.sh all
	@$(VENV_PYTHON) -m nox -s tests

setup: ## set up both sides, and try again what could not be had before
	@sh tools/setup.sh again

parity: ## the full comparison with R
	@sh tools/setup.sh all
	@$(VENV_PYTHON) -m nox -s parity

bench: ## the benchmarks
	@sh tools/setup.sh all
	@$(VENV_PYTHON) -m nox -s bench

lint: ## ruff, or flake8 and isort
	@sh tools/setup.sh all
	@$(VENV_PYTHON) -m nox -s lint

typecheck: ## mypy
	@sh tools/setup.sh all
	@$(VENV_PYTHON) -m nox -s typecheck

accounting: ## the accounting beside dp-accounting, from PyPI
	@sh tools/setup.sh all
	@$(VENV_PYTHON) -m nox -s accounting

wheel: ## build the wheel, install it elsewhere and use it
	@sh tools/setup.sh all
	@$(VENV_PYTHON) -m nox -s wheel

docs: ## the documentation as HTML
	@sh tools/setup.sh all
	@$(VENV_PYTHON) -m nox -s docs

clean: ## remove what the set-up and the sessions made
	rm -rf .venv .r-library .r-library.new .cache .nox .pytest_cache .mypy_cache .hypothesis build dist output
	find . -name .git -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +
