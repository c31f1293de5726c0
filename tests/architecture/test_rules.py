"""Rules about the project itself. A rule that nothing checks is not a rule."""

from __future__ import annotations

import ast
import re
import statistics
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

from tests.patience import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
MAX_FILE_LINES = 600
SOFT_FILE_LINES = 300
# {product file over the soft limit: the one subject that it has}. A file with two subjects is split instead.
LONG_FILES = {
    "dashboard/accounts/models.py": "one schema: users, workspaces, members, links and tokens, a few lines each",
    "scheduler_core/plugins/dynamic_resources/plugin.py": "one class: the plugin at each extension point",
    "scheduler_core/plugins/node_resources/fit.py": "one class: the plugin at each extension point, by columns",
    "scheduler_core/api/objects.py": "one table: the typed Kubernetes objects, a few lines each",
    "scheduler_core/columns/cluster.py": "one class: the cluster as columns, with what is on each node",
    "scheduler_core/engine/trials/trial.py": "one class: attempts on one state, with what they leave unchanged",
    "scheduler_core/explain/pending/own_change.py": "one table: the changes that people ask about, each as it is made",
    "scheduler_core/framework/contracts/plugin.py": "one table: the extension points, a class each",
    "scheduler_core/engine/consequences/aftermath.py": "one class: what goes on after a decision, in one step",
    "scheduler_core/engine/world.py": "one class: the API server's part, kind by kind",
    "scheduler_core/engine/scheduler.py": "one class: the scheduling and the binding cycle, read top-down",
    "scheduler_core/engine/checkpoint.py": "one table: the engine's part of a keyframe, written and read",
    "scheduler_core/manifests/expansion/pending_pods.py": "one class: workloads to pods, kind by kind",
    "scheduler_core/controllers/rollouts/deployments.py": "one sync, read top-down, as upstream has it in one folder",
    "scheduler_core/controllers/rollouts/played_jobs.py": "one sync, read top-down; upstream too has it in one file",
    "scheduler_core/testing/controller_scenarios/playing.py": "one class: a history played, and what is seen meanwhile",
    "scheduler_core/engine/simulation.py": "one class: the event loop with its heap",
    "scheduler_core/manifests/loader.py": "one class: from sources to objects, one pass with one state",
    "scheduler_core/manifests/masking/secrets.py": "one walk: where an object may hold a secret, field by field",
    "scheduler_core/manifests/parsing/yaml_events.py": "one reader: YAML's events to plain values under limits",
    "scheduler_core/plugins/node_affinity.py": "one plugin; upstream too has it in one file",
    "scheduler_core/query/fields.py": "one table: the fields of the query language",
    "scheduler_core/profiles/presets.py": "one table: ready configurations with their sources",
    "scheduler_core/queue/scheduling_queue.py": "one class: the queue's lanes, between which pods move under one order",
    "scheduler_core/recording/events.py": "one table: the types of events",
    "scheduler_core/recording/reader.py": "one class: a recording with what is cached of it",
    "scheduler_core/recording/recorder.py": "one class: from events to committed chunks",
    "scheduler_core/recording/state.py": "one table: the state, and what each event does to it",
    "scheduler_core/testing/queue_scenarios.py": "one class: the steps of queue scenarios",
    "scheduler_core/testing/scenario_steps.py": "one class: the steps of scheduling scenarios",
    "dashboard/answers/questions.py": "one table: the questions that pages ask",
    "dashboard/answers/answering/comparing/what_changes.py": "one answer: two runs carried out in turns and compared",
    "dashboard/runs/actions.py": "what people do to runs, each action with its checks",
    "dashboard/runs/launch/forms.py": "one form: all inputs of a run",
    "dashboard/clusters/drafts/operations.py": "one stack: operations of a draft put in, undone and done again",
    "dashboard/clusters/importing/views.py": "one page: an import's, and what is done on it",
    "dashboard/clusters/models/inputs.py": "one table: clusters, their drafts and imports",
    "dashboard/debugger/events/sentences.py": "one table: a sentence for each type of event",
    "dashboard/debugger/inputs/facts.py": "one question: the numbers behind what was decided, from a run's inputs",
    "dashboard/debugger/templatetags/debugger.py": "one library: the tags and filters of the debugger's templates",
    "dashboard/debugger/outcomes/table.py": "one class: the lines of the table, opened and paged",
    "dashboard/review/queries.py": "the reads of reviews: which there are, whose turn it is, what of one changed",
}
MAX_FUNCTION_LINES = 80
MAX_MEDIAN_FUNCTION_LINES = 10


def source_files(*suffixes):
    """Return the project's own files, without vendored, generated and ignored ones."""
    roots = ("scheduler_core", "dashboard", "templates", "static", "tests", "examples")
    all_files = [path for root in roots for path in (ROOT / root).rglob("*") if path.suffix in suffixes]
    left_out = {"vendor", "migrations", "__pycache__", "goldens"}
    return sorted(path for path in all_files if not left_out & set(path.relative_to(ROOT).parts))


def shown(path):
    return str(path.relative_to(ROOT))


@cache
def functions(path):
    """Return (name, lines) of every function of a Python file."""
    return [
        (node.name, node.end_lineno - node.lineno + 1)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def make_targets():
    """Return {target: help text} of the Makefile, None where a target has no help."""
    text = (ROOT / "Makefile").read_text()
    phony = re.search(r"^\.PHONY: (.*)$", text, re.MULTILINE).group(1).split()
    helped = dict(re.findall(r"^([a-z-]+):.*?## (.+)$", text, re.MULTILINE))
    return {name: helped.get(name) for name in phony}


@pytest.mark.parametrize("name", ["run.txt", "dev.txt", "tools.txt", "compiler.txt"])
def test_lock_file_has_hashes_and_names_no_host(name):
    text = (ROOT / "requirements" / name).read_text()
    assert "://" not in text
    assert "--index" not in text
    assert "--find-links" not in text
    pinned = re.findall(r"^[a-z0-9._-]+(?:\[[^\]]*\])?==\S+", text, re.MULTILINE | re.IGNORECASE)
    blocks = re.split(r"^(?=[a-z0-9])", text, flags=re.MULTILINE | re.IGNORECASE)
    assert pinned
    assert len(pinned) == sum("--hash=sha256:" in block for block in blocks)


def dependencies():
    """(what running needs, what building the kernel needs, what developing needs beyond the former two)."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    groups = project["dependency-groups"]
    assert {"include-group": "compiler"} in groups["dev"]
    return (
        project["project"]["dependencies"],
        groups["compiler"],
        [each for each in groups["dev"] if isinstance(each, str)],
    )


def test_lock_files_satisfy_the_project_file():
    run, compiler, dev = dependencies()
    for names, lock in ((run, "run.txt"), (compiler, "compiler.txt"), (run + compiler + dev, "dev.txt")):
        locked = set(re.findall(r"^([a-z0-9._-]+)", (ROOT / "requirements" / lock).read_text(), re.MULTILINE))
        declared = {re.match(r"[a-z0-9._-]+", name).group() for name in names}
        assert declared - locked == set(), f"run make lock: requirements/{lock} lacks them"


def test_every_dependency_has_a_reason():
    declared = {re.match(r"[a-z0-9._-]+", name).group() for names in dependencies() for name in names}
    text = (ROOT / "docs" / "dependencies.md").read_text()
    reasoned = set(re.findall(r"^\| ([a-z0-9._-]+) \|", text, re.MULTILINE)) - {"package", "---"}
    assert reasoned == declared


def test_every_make_target_is_in_help_and_in_the_readme_or_contributing():
    targets = make_targets()
    assert [name for name, text in targets.items() if not text] == []
    documents = (ROOT / "README.md").read_text() + (ROOT / "CONTRIBUTING.md").read_text()
    assert [name for name in targets if not re.search(rf"make {name}\b", documents)] == []


def test_every_environment_variable_is_in_the_operation_page():
    text = (ROOT / "docs" / "operation.md").read_text()
    named = {name for path in source_files(".py") for name in re.findall(r'"(SCHEDSCOPE_[A-Z_]+)"', path.read_text())}
    assert sorted(name for name in named if f"`{name}`" not in text) == []


def test_no_file_has_outgrown_one_room():
    lengths = {shown(path): len(path.read_text().splitlines()) for path in source_files(".py", ".js", ".css", ".html")}
    assert {path: lines for path, lines in lengths.items() if lines > MAX_FILE_LINES} == {}


@pytest.mark.slow
def test_a_product_file_over_the_soft_limit_is_listed_with_its_one_subject():
    files = [path for path in source_files(".py") if shown(path).split("/")[0] in ("scheduler_core", "dashboard")]
    lengths = {shown(path): len(path.read_text().splitlines()) for path in files}
    assert {path for path, lines in lengths.items() if lines > SOFT_FILE_LINES} - LONG_FILES.keys() == set()
    # A file near the limit may come and go; one far below it has no place in the list.
    assert {path for path in LONG_FILES if lengths.get(path, 0) < 0.8 * SOFT_FILE_LINES} == set()


@pytest.mark.slow
def test_no_function_has_outgrown_one_screen():
    long = [
        f"{shown(path)}:{name} has {lines} lines"
        for path in source_files(".py")
        if "tests" not in path.parts
        for name, lines in functions(path)
        if lines > MAX_FUNCTION_LINES
    ]
    assert long == []


@pytest.mark.slow
def test_functions_are_short_on_the_whole():
    lengths = [
        lines
        for path in source_files(".py")
        if "tests" not in path.relative_to(ROOT).parts
        for _name, lines in functions(path)
    ]
    assert statistics.median(lengths) <= MAX_MEDIAN_FUNCTION_LINES


def test_no_page_has_inline_script_style_or_handlers():
    inline = re.compile(
        r"<script(?![^>]*\bsrc=)(?![^>]*type=\"application/json\")|<style|\sstyle=|\son[a-z]+=|\bhx-on|javascript:"
    )
    guilty = [
        f"{shown(path)}:{text.count(chr(10), 0, match.start()) + 1}"
        for path in source_files(".html")
        for text in [path.read_text()]
        for match in inline.finditer(text)
    ]
    assert guilty == []


@pytest.mark.slow
def test_import_rules_hold():
    done = subprocess.run(
        [str(Path(sys.executable).with_name("lint-imports")), "--no-logo", "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 broken" in done.stdout


@pytest.mark.django_db
def test_every_model_change_has_its_migration(capsys):
    from django.core.management import call_command

    call_command("makemigrations", "--check", "--dry-run")


@pytest.mark.slow
def test_core_runs_without_django():
    code = (
        "import sys\n"
        "for name in ('django', 'channels', 'celery', 'asgiref'):\n"
        "    sys.modules[name] = None\n"
        "import pkgutil, importlib, scheduler_core\n"
        "for module in pkgutil.walk_packages(scheduler_core.__path__, 'scheduler_core.'):\n"
        "    if not module.name.endswith('__main__'):\n"
        "        importlib.import_module(module.name)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
