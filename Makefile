# Three commands: `make demo`, `make check` and `make test`. They need Python 3.11, make and the package registry.
PYTHON ?= python3.11
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt

export PARTWHOLE_DATA ?= $(wildcard ../shared/data)

.PHONY: demo check test lint docs bench fuzz pretrained results results-page format clean

demo: $(VENV)/.demo
	$(BIN)/partwhole fit MUTAG --out runs/demo --epochs 60 --overwrite
	$(BIN)/partwhole evaluate runs/demo MUTAG
	$(BIN)/partwhole report runs/demo MUTAG
	@echo
	@echo "Look at runs/demo/report.html: the loss curve, the map of the molecules, and their learned subgraphs."

# A process of tests for each core, of one thread each: threads that wait for each other on busy cores crawl.
PYTEST = OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses auto --dist worksteal

# Before every commit: less than two minutes on two cores, after the first time, which compiles.
check: lint
	$(PYTEST) -m "not slow"

# Everything. The tests reach at least nine in ten lines of the package, or fail.
test: lint
	$(PYTEST) --durations 10 --cov

lint: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

# The site, in site/; a link or a name that leads nowhere is an error.
docs: $(VENV)/.dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

# Torch first, by its exact pin: anything looser may pull gigabytes of GPU packages.
$(VENV)/.torch: constraints.txt | $(VENV)/bin/python
	@echo "Installing PyTorch into $(VENV); this takes a minute or two."
	$(PIP) torch==2.13.0
	@touch $@

$(VENV)/.demo: pyproject.toml $(VENV)/.torch
	$(PIP) --editable ".[kernels,molecules,report]"
	@touch $@

$(VENV)/.dev: pyproject.toml $(VENV)/.torch
	$(PIP) --editable ".[dev]"
	@touch $@ $(VENV)/.demo

clean:
	rm -rf $(VENV) runs site build .mypy_cache .pytest_cache .ruff_cache

# One figure: make bench ONLY=mutag-epoch. All take about half an hour, and the machine to themselves.
bench: $(VENV)/.dev
	$(BIN)/python benchmarks/run.py $(if $(ONLY),--only $(ONLY))
	$(BIN)/python benchmarks/plot.py

# 100,000 damaged files and odd graphs, twenty minutes of one core; tells and stops at the first that is not
# refused with a sentence.
fuzz: $(VENV)/.dev
	OMP_NUM_THREADS=1 $(BIN)/python tests/fuzzing.py

# The encoder of molecules that comes with the package, anew; an hour of two cores, and it goes on if stopped.
pretrained: $(VENV)/.dev
	$(BIN)/python pretraining/molecules.py

# Every table, several hours; stopped at any moment, it goes on where it was.
results: $(VENV)/.dev
	for table in table2 table3 table4 table5 few-labels molecules choices recipe ablation; do $(BIN)/partwhole reproduce $$table --out results || exit 1; done
	$(MAKE) results-page

results-page: $(VENV)/.dev
	$(BIN)/python docs/make_results.py
