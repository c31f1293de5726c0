# Schedscope: `make run` starts it, `make test` proves it, `make help` lists the rest.
# Needs python3.11 or newer and make; everything else is installed into .venv by the first command.

PORT ?= 8000
HOST ?= 127.0.0.1
VENV := .venv
PY := $(VENV)/bin/python
# The engine's compiled kernel is built by the machine's C compiler or by one from a package, and left out where neither is.
KERNEL_SOURCES := $(wildcard scheduler_core/compiled/*.[ch]) scheduler_core/compiled/build.py \
  scheduler_core/compiled/interface.py scheduler_core/compiled/arguments.py
# The plugins that come with Schedscope as packages of their own; their presets show once they are installed.
EXAMPLES := examples/coscheduling examples/capacity_scheduling
EXAMPLE_SOURCES := requirements/install_plugin.py $(EXAMPLES:%=%/pyproject.toml) $(wildcard $(EXAMPLES:%=%/*/*.py))
SETUP_SOURCES := $(addprefix requirements/,tools.txt compiler.txt install locked.py) $(KERNEL_SOURCES) $(EXAMPLE_SOURCES)
# Scripts of the pages, those of others left out.
SCRIPTS := $(filter-out static/vendor/%,$(wildcard static/*/*.js static/*/*/*.js)) $(wildcard tests/static/*.js tests/static/*/*.js tests/static/*/*/*.js)
# pytest-xdist: processes that run the tests ("0" keeps them in one, as a debugger wants it); one more than there are
# processors, since tests with servers wait for them.
JOBS ?= $(shell python3 -c "import os; print((os.cpu_count() or 1) + 1)")
# Tests without servers wait for nothing: one process for each processor, unless JOBS is given.
QUICK_JOBS := $(if $(filter file,$(origin JOBS)),$(shell python3 -c "import os; print(os.cpu_count() or 1)"),$(JOBS))
# The rooms of the core that ask the compiled kernel, or build on what does so at each step. The kernel's own tests are
# about it, and build it whether it is switched off or not.
KERNEL_TESTS := $(addprefix tests/scheduler_core/,columns engine framework plugins recording)
# make faults: what the moments of the kills follow from, and how many there are.
SEED ?= 7
KILLS ?= 200
# Without bytecode on disk each process compiles Django and the project again, which takes longer than all else it does.
unexport PYTHONDONTWRITEBYTECODE
# Further words for pytest, as in `make test-fast ARGS="-k queue -x"`.
ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help setup setup-dev run release demo worker signin-link compact-database answer-worker test test-all compiled-tests test-answers test-fast test-pages test-plain test-sanitized mutate fuzz worst-inputs test-browser test-services faults check lint format types imports migrations bench lock clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-17s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

# ---------------------------------------------------------------- environment

# A stamp says which lock file the environment was installed from; make compares the dates.
$(VENV)/.run-installed: requirements/run.txt $(SETUP_SOURCES)
	@requirements/install $(VENV) requirements/run.txt .run-installed $(EXAMPLES)

$(VENV)/.dev-installed: requirements/dev.txt $(SETUP_SOURCES)
	@requirements/install $(VENV) requirements/dev.txt ".dev-installed .run-installed" $(EXAMPLES)

# Whatever a stamp says: without its settings or its python it is no environment, and what is run by it is the machine's.
ifeq ($(and $(realpath $(VENV)/pyvenv.cfg),$(realpath $(PY))),)
$(VENV)/.run-installed $(VENV)/.dev-installed: FORCE
endif
FORCE:

setup: $(VENV)/.run-installed ## create .venv with what running needs
	@echo "setup: $(VENV) is ready; make run starts Schedscope"

setup-dev: $(VENV)/.dev-installed ## create .venv with what running and testing need
	@echo "setup: $(VENV) is ready; make test runs the tests"

# ---------------------------------------------------------------- running

run: $(VENV)/.run-installed ## start Schedscope (PORT=8000, HOST=127.0.0.1) and print the sign-in link
	@exec $(PY) manage.py serve --host $(HOST) --port $(PORT)

signin-link: $(VENV)/.run-installed ## print a fresh sign-in link for the owner
	@$(PY) manage.py signin_link

compact-database: $(VENV)/.run-installed ## rewrite the SQLite file without free space; says what it needs and asks
	@$(PY) manage.py compact_database $(ARGS)

demo: $(VENV)/.run-installed ## load the demo clusters and runs (make run does it by itself)
	@$(PY) manage.py migrate --verbosity 0
	@$(PY) manage.py load_demo

worker: $(VENV)/.run-installed ## start one more worker (production set-up with REDIS_URL only)
	@test -n "$$REDIS_URL" || { echo "make worker: set REDIS_URL and DATABASE_URL first; the embedded set-up has exactly one worker"; exit 1; }
	@exec $(PY) -m celery -A dashboard worker --queues runs,background --loglevel WARNING

answer-worker: $(VENV)/.run-installed ## start one more answer worker (production set-up with REDIS_URL only)
	@test -n "$$REDIS_URL" || { echo "make answer-worker: set REDIS_URL and DATABASE_URL first; the embedded set-up has exactly one"; exit 1; }
	@exec $(PY) -m celery -A dashboard worker --queues answers --loglevel WARNING

# ---------------------------------------------------------------- checking

# Every step runs even when one before it failed, so that one look shows all there is to mend. The long step comes last:
# the names of its failed tests end the output.
test: MARKS := -m "not long"
# Some tests make their inputs themselves: more of them where all tests run (tests/seeds.py).
test-all: export TEST_ALL := yes
test: ## lint, types, import rules, all tests but the long ones
test-all: ## make test with the long ones: before a release, and after changes of processes, storage or migrations
test test-all: $(VENV)/.dev-installed
	@failed=""; \
	$(MAKE) --no-print-directory --keep-going --jobs=2 types lint imports migrations compiled-tests || failed="$$failed check"; \
	$(MAKE) --no-print-directory test-plain || failed="$$failed test-plain"; \
	$(PY) -m pytest -n $(JOBS) --dist loadfile $(MARKS) $(ARGS) || failed="$$failed pytest"; \
	test -z "$$failed" || { echo "make $@: failed:$$failed" >&2; exit 1; }

# pytest compiles the tests once more, for what it says about assertions. Here one process does it while mypy runs,
# instead of all that run the tests.
compiled-tests: $(VENV)/.dev-installed ## compile what pytest makes of the tests, once for all processes that run them
	@$(PY) -m pytest --collect-only -q >/dev/null

test-fast: $(VENV)/.dev-installed ## tests without most pages, servers, browser and slow ones
	@$(PY) -m pytest -n $(QUICK_JOBS) --dist loadfile -m "not slow and not long and not pages and not services and not browser" $(ARGS)

test-pages: $(VENV)/.dev-installed ## the other tests that ask for pages, without browser and slow ones
	@$(PY) -m pytest -n $(QUICK_JOBS) --dist loadfile -m "pages and not slow and not services and not browser" tests/dashboard $(ARGS)

fuzz: $(VENV)/.dev-installed ## mutated inputs: what is accepted runs to its end in all settings (CASES=2000 SEED=1)
	@$(PY) -m tests.fuzz.fuzz --cases $(or $(CASES),2000) --seed $(or $(SEED),1)

# Minutes; each input is read in a process of its own.
worst-inputs: $(VENV)/.dev-installed ## search for the inputs that cost each reader most, within its limits (READER=tape MOST_BYTES=4194304)
	@$(PY) -m tests.worst_inputs $(if $(READER),--reader "$(READER)") --most-bytes $(or $(MOST_BYTES),4194304)

test-plain: $(VENV)/.dev-installed ## tests of what asks the core's compiled kernel, without it
	@SCHEDSCOPE_KERNEL=off $(PY) -m pytest -q -n $(QUICK_JOBS) --dist loadfile -m "not kernel_and_numpy and not any_engine$(if $(TEST_ALL),, and not long)" $(KERNEL_TESTS) $(ARGS)

test-sanitized: $(VENV)/.dev-installed ## tests of the kernel, compiled with sanitizers of addresses and undefined behaviour
	@$(PY) -m pytest -q -n 0 tests/scheduler_core/compiled/test_build.py -k sanitizers $(ARGS)

# What was found out is kept in var/mutation: a second start goes on with what is left. ARGS="compare --again" judges
# again what survived in one room.
mutate: $(VENV)/.dev-installed ## change the code in known and in random places: the tests must notice (SAMPLE=28 SEED=1)
	@$(PY) -m tests.mutation --sample $(or $(SAMPLE),28) --seed $(or $(SEED),1) $(ARGS)

test-browser: $(VENV)/.dev-installed ## tests in a real Chromium
	@$(PY) -m pytest tests/browser $(ARGS)

test-services: $(VENV)/.dev-installed ## tests against a real PostgreSQL and Redis
	@$(PY) -m pytest tests/services $(ARGS)

# One line of JSON for each set-up; ends with 1 where something was lost. The tests behind it take some 20 minutes.
faults: $(VENV)/.dev-installed ## kill processes and servers at random (SEED=7 KILLS=200), then the long forms of tests/faults, with 1,000 simulated seeds
	@$(PY) -m tests.faults --seed $(SEED) --kills $(KILLS)
	@TEST_FAULTS=long $(PY) -m pytest tests/faults $(ARGS)

# Half an hour; ANSWER_SEED is the first of the seeds.
test-answers: $(VENV)/.dev-installed ## the long form of what answers must show: remedies, facts and preemption on 500 random cycles (ANSWER_SEED=100)
	@TEST_ANSWERS=long TEST_SEED=$(or $(ANSWER_SEED),100) $(PY) -m pytest -s tests/scheduler_core/explain $(ARGS)

check: $(VENV)/.dev-installed ## lint, types and import rules, without the tests
	@$(MAKE) --no-print-directory lint types imports migrations

lint: $(VENV)/.dev-installed ## rules and format of Python (ruff), templates (djangofmt) and scripts (oxlint, oxfmt)
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(VENV)/bin/djangofmt check --quiet templates
	@$(VENV)/bin/djangofmt --check --quiet templates
	@$(VENV)/bin/oxlint --quiet $(SCRIPTS)
	@$(VENV)/bin/oxfmt --check $(SCRIPTS) >/dev/null || { echo "make lint: make format rewrites these scripts:"; $(VENV)/bin/oxfmt --list-different $(SCRIPTS); exit 1; }

format: $(VENV)/.dev-installed ## rewrite code, templates and scripts in the house format
	@$(PY) -m ruff check --fix .
	@$(PY) -m ruff format .
	@$(VENV)/bin/djangofmt check --fix --quiet templates
	@$(VENV)/bin/djangofmt --quiet templates
	@$(VENV)/bin/oxlint --quiet --fix $(SCRIPTS)
	@$(VENV)/bin/oxfmt $(SCRIPTS)

types: $(VENV)/.dev-installed ## mypy, strict in scheduler_core
	@$(PY) -m mypy scheduler_core dashboard manage.py tests/bench tests/gallery

imports: $(VENV)/.dev-installed ## which room may import which
	@$(VENV)/bin/lint-imports --no-logo

migrations: $(VENV)/.dev-installed ## every model change has its migration
	@DJANGO_SETTINGS_MODULE=tests.settings $(PY) manage.py makemigrations --check --dry-run

# ---------------------------------------------------------------- measuring

# What is around the engine needs the test servers and the browser; a workload of the engine runs without.
BENCH_TOPICS := growth preemption-budgets extenders reading ingest drafts whole-path page map steps cluster-page editor search live presence team fit answers answer-worker queries query-rows watches compare compare-page breakpoints branches
bench: $(if $(filter-out $(BENCH_TOPICS),$(WORKLOAD)),$(VENV)/.run-installed,$(VENV)/.dev-installed) ## measure; WORKLOAD=mix NODES=5000 CYCLES=5000 runs one and prints one JSON line, PART=pages a part of one
	@$(PY) -m tests.bench $(if $(WORKLOAD),--workload $(WORKLOAD)) $(if $(NODES),--nodes $(NODES)) $(if $(CYCLES),--cycles $(CYCLES)) $(addprefix --part ,$(PART))

# ---------------------------------------------------------------- upkeep

release: $(VENV)/.dev-installed ## wheel, list for a wheel house, bill of materials and checksums into dist/, from a clean checkout
	@$(PY) requirements/release.py dist

lock: $(VENV)/.dev-installed ## renew requirements/*.txt from pyproject.toml
	@requirements/lock $(VENV)

clean: ## remove the environment and caches; the data folder stays
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis staticfiles dist scheduler_core/compiled/_kernel*
