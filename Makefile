# Everything a newcomer needs: `make demo` trains a generated project, `make test` runs the tests.
# Each command sets up the local environment in .venv first, and may be repeated at any time.

PYTHON ?= python3
BIN := .venv/bin
DEMO := .demo/digits
READY := .venv/ready
EXPLORE := generator/torchgen_cli/explore
SITE_READY := .venv/ready-site

PYTEST_ALONE := $(BIN)/python -m pytest --durations=10
PYTEST := $(PYTEST_ALONE) -n auto --maxschedchunk=1

.PHONY: help setup explorer demo test test-fast test-faults test-mutants test-random test-updates test-edits test-recipes test-cluster test-browser test-all golden size pictures site site-check lint bench clean

help:
	@echo "make demo       generate a project with the default answers, train it on real scans"
	@echo "make test       the generator's tests; every set rendered and linted, covering ones trained"
	@echo "make test-fast  the same without training"
	@echo "make test-faults   kills, signals, full disks, damaged and missing files"
	@echo "make test-mutants  breaks each rule in a project, whose own tests must notice"
	@echo "make test-random    makes random changes in a project: how many are noticed"
	@echo "make test-updates  covering sets of answers updated, every answer changed and changed back"
	@echo "make test-edits    the edits that the docs tell people to make: no test of a project breaks"
	@echo "make test-recipes  projects that follow each recipe train, resume and are updated"
	@echo "make test-cluster  two hosts and a Slurm on this machine: signals, lost nodes, cut links; needs root"
	@echo "make test-browser   the page of torchgen explore in Chromium; needs Node.js and Debian's chromium"
	@echo "make test-all   all of these, and the updates of every set"
	@echo "make golden     writes anew the numbers that short runs must give"
	@echo "make explorer   fetches the libraries of the page of torchgen explore; needs Node.js"
	@echo "make size       writes docs/size.md: how large projects are, and their ceilings"
	@echo "make pictures   draws the README's pictures anew, from the real programs"
	@echo "make site       builds docs/ as a website, in .site"
	@echo "make site-check the same; finds dead links, dead anchors and pages that no menu leads to"
	@echo "make bench      measures torchgen against plain Copier, and training against an earlier template"
	@echo "make lint       formatting, lint and types"
	@echo "make clean      removes the environment, the demo and what the tests keep"

setup: $(READY)

$(READY): pyproject.toml Makefile
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet torch==2.13.0
	$(BIN)/python -m pip install --quiet -e '.[dev]'
	@touch $@

# The libraries of the page of `torchgen explore`, from npm; needs Node.js.
explorer: $(EXPLORE)/page/vendor

$(EXPLORE)/page/vendor: $(EXPLORE)/package-lock.json
	npm ci --silent --prefix $(EXPLORE)
	rm -rf $@ && mkdir $@
	cp $(EXPLORE)/node_modules/@highlightjs/cdn-assets/es/highlight.min.js $@/highlight.js
	cp $(EXPLORE)/node_modules/@highlightjs/cdn-assets/LICENSE $@/highlight.LICENSE
	cp $(EXPLORE)/node_modules/diff/dist/diff.min.js $@/diff.js
	cp $(EXPLORE)/node_modules/diff/LICENSE $@/diff.LICENSE
	cp $(EXPLORE)/node_modules/fflate/esm/browser.js $@/fflate.js
	cp $(EXPLORE)/node_modules/fflate/LICENSE $@/fflate.LICENSE

demo: $(READY)
	rm -rf $(DEMO)
	$(BIN)/torchgen new $(DEMO) --defaults
	$(BIN)/python -m pip install --quiet -e '$(DEMO)[dev]'
	cd $(DEMO) && ../../$(BIN)/python -m digits.prepare --demo
	cd $(DEMO) && ../../$(BIN)/python -m digits.train --run-dir runs/first
	@cd $(DEMO) && echo "Evaluated again from the checkpoint alone:" \
		&& ../../$(BIN)/python -m digits.evaluate runs/first/checkpoints/best.pt
	@echo "The project is in $(DEMO), the run in $(DEMO)/runs/first, the model in" \
		"$(DEMO)/runs/first/checkpoints/best.pt"

test: $(READY)
	$(PYTEST) -m "not scheduled and not faults and not mutants and not updates and not edits and not recipes and not cluster and not browser"

test-fast: $(READY)
	$(PYTEST) -m "not smoke and not faults and not mutants and not updates and not edits and not recipes and not cluster and not browser"

test-faults: $(READY)
	$(PYTEST) -m "faults and not scheduled" tests/faults  # named, so that its summary is printed

test-mutants: $(READY)
	$(PYTEST) -m "mutants and not scheduled"

test-random: $(READY)
	$(PYTEST) tests/mutants/test_random.py

test-updates: $(READY)
	$(PYTEST) -m "updates and not scheduled"

test-edits: $(READY)
	$(PYTEST) -m "edits and not scheduled"

test-recipes: $(READY)
	$(PYTEST) -m "recipes and not scheduled"

test-cluster: $(READY)
	$(PYTEST_ALONE) -rs -m "cluster and not scheduled" tests/cluster  # named, as above

test-browser: $(READY) explorer
	$(PYTEST) -rs -m "browser and not scheduled" tests/explore

test-all: test test-mutants test-faults test-cluster test-browser
	$(PYTEST) -m "(updates or edits or recipes or scheduled) and not cluster" tests/faults tests
	$(PYTEST_ALONE) -m "cluster and scheduled" tests/cluster

golden: $(READY)
	GOLDEN=write $(PYTEST) tests/matrix/test_smoke.py

size: $(READY)
	cd tests && ../$(BIN)/python -m matrix.sizes

pictures: $(READY)
	$(BIN)/python -m pip install --quiet -e '.[pictures]'
	$(BIN)/python docs/pictures/record.py

$(SITE_READY): pyproject.toml Makefile
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet -e '.[site]'
	@touch $@

site: $(SITE_READY) explorer
	$(BIN)/zensical build --clean
	$(BIN)/torchgen explore --write .site/explore

site-check: site
	$(BIN)/python docs/check.py

lint: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: $(READY) explorer
	$(BIN)/python benchmarks/generate.py
	$(BIN)/python benchmarks/update.py
	$(BIN)/python benchmarks/training.py --before 53766db7
	$(BIN)/python benchmarks/explore.py

clean:
	rm -rf .venv .demo .renderings .site .cache
