"""manage.py start_run reads what the import page, simulate and validate read."""

from __future__ import annotations

import json
import tempfile
from io import StringIO
from pathlib import Path

import msgspec
import pytest
from django.core.management import CommandError, call_command

from dashboard.clusters.revisions.contents import read_contents
from dashboard.runs.lifecycle import waiting
from dashboard.runs.models import Run
from scheduler_core.api.config import Extender
from scheduler_core.extenders.tape.blocks import header_for
from scheduler_core.testing.builders import make_node
from scheduler_core.versions.trains import NEWEST_MEASURED
from tests.dashboard.documents.tapes import small_tape
from tests.scheduler_core.extenders.tape.taping import write_tape


@pytest.fixture(autouse=True)
def _silent(monkeypatch):
    """No message is sent: nobody works here."""
    monkeypatch.setattr(waiting, "_send", lambda name: None)


@pytest.fixture
def start_run(owner, tmp_path):
    """A function that writes an object as JSON and starts a run of it with the options."""

    def start(raw, *options):
        path = tmp_path / "cluster.json"
        path.write_text(raw if isinstance(raw, str) else json.dumps(raw))
        out = StringIO()
        call_command("start_run", str(path), *options, stdout=out)
        return Run.objects.select_related("revision__cluster").get(pk=json.loads(out.getvalue())["id"])

    return start


def test_items_of_a_typed_list_need_no_kind(start_run):
    items = [{"metadata": {"name": f"n{i}"}, "status": {"allocatable": {"cpu": "4"}}} for i in range(2)]
    run = start_run({"apiVersion": "v1", "kind": "NodeList", "items": items})
    assert run.revision.counts == {"Node": 2}
    assert [key.label for key in read_contents(run.revision).by_key] == ["Node n0", "Node n1"]


def test_a_second_run_adds_a_revision_to_the_cluster(start_run):
    nodes = [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}} for name in "ab"]
    assert start_run(nodes[0]).revision.number == 1
    assert start_run(nodes[1]).revision.number == 2


def test_policies_are_named_one_by_one(start_run):
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}}
    assert start_run(node, "--policy", "owners=ignore", "--policy", "job_running_us=none").policies == {
        "decided": "hold",
        "claims": "play",
        "rollouts": "play",
        "kubernetes": NEWEST_MEASURED,
        "owners": "ignore",
        "job_running_us": None,
    }
    with pytest.raises(CommandError, match=r"--policy: .*no policy"):
        start_run(node, "--policy", "owner=keep")


def test_a_version_and_its_gates_are_named_or_refused(start_run):
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}}
    named = start_run(node, "--kubernetes", "1.35", "--feature-gates", "NodeDeclaredFeatures=true").policies
    assert (named["kubernetes"], named["gates"]) == ("1.35", "NodeDeclaredFeatures=true")
    gated = start_run(node, "--feature-gates", "NodeDeclaredFeatures=false").policies
    assert (gated["kubernetes"], gated["gates"]) == (NEWEST_MEASURED, "NodeDeclaredFeatures=false")
    with pytest.raises(CommandError, match="no version of Kubernetes"):
        start_run(node, "--kubernetes", "newest")
    with pytest.raises(CommandError, match="has no feature gate NoSuchGate"):
        start_run(node, "--feature-gates", "NoSuchGate=true")


def test_a_file_with_errors_starts_nothing(start_run):
    with pytest.raises(CommandError, match=r"cluster.json:\d+: Node n: status.allocatable.cpu"):
        start_run(
            {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "status": {"allocatable": {"cpu": "x"}}}
        )
    assert not Run.objects.exists()


EXTENDED = """apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
extenders:
- {urlPrefix: http://a.example, filterVerb: filter, nodeCacheCapable: true}
"""
NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n", "uid": "uid-n"}}


@pytest.fixture
def write(tmp_path):
    """A function that writes a file and gives its path."""

    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return write


def test_rules_answer_for_extenders_and_are_saved_once(start_run, write):
    rules = write("rules.yaml", "extenders: [{filter: [{refuse: busy}]}]\n")
    run = start_run(NODE, "--config", write("one.yaml", EXTENDED), "--declared-extender", rules)
    assert (str(run.declared_revision), run.tape_revision) == ("rules r1", None)
    again = start_run(NODE, "--config", write("two.yaml", EXTENDED), "--declared-extender", rules)
    assert again.declared_revision == run.declared_revision
    write("rules.yaml", "extenders: [{}]\n")
    other = start_run(NODE, "--config", write("three.yaml", EXTENDED), "--declared-extender", rules)
    assert str(other.declared_revision) == "rules r2"


def test_a_tape_answers_for_extenders(start_run, write):
    asked = Extender(url_prefix="http://a.example", filter_verb="filter", node_cache_capable=True)
    header = header_for([asked], [make_node("n", uid="uid-n")])
    tape = write("monday.tape", tape_with(header))
    run = start_run(NODE, "--config", write("one.yaml", EXTENDED), "--tape", tape)
    assert (str(run.tape_revision), run.tape_revision.file_name) == ("monday r1", "monday.tape")
    assert start_run(NODE, "--config", write("two.yaml", EXTENDED), "--tape", tape).tape_revision == run.tape_revision
    write("monday.tape", tape_with(msgspec.structs.replace(header, source="later.json")))
    later = start_run(NODE, "--config", write("three.yaml", EXTENDED), "--tape", tape)
    assert str(later.tape_revision) == "monday r2"


def tape_with(header):
    """A tape without calls."""
    with tempfile.TemporaryDirectory() as folder:
        return write_tape(Path(folder) / "t", [], header).read_bytes()


@pytest.mark.parametrize(
    ("option", "name", "content", "said"),
    [
        ("--tape", "x.tape", small_tape()[:-5], r"x.tape: byte \d+: the tape is cut off"),
        ("--tape", "x.tape", "kind: Node", "x.tape: is no tape"),
        ("--tape", "x.tape", small_tape(), "tape x r1: was recorded with 2 extenders; the configuration has 1"),
        (
            "--declared-extender",
            "x.yaml",
            "extenders: [{filter: [{refuse: no}]}]",
            r"extenders\[0\].filter\[0\].refuse",
        ),
        ("--declared-extender", "x.yaml", b"\xff\xfe", "x.yaml is not text in UTF-8: byte 0 is not"),
        ("--declared-extender", "x.yaml", "extenders: []\nextenders: []\n", "extenders"),
        ("--declared-extender", "x.yaml", "[" * 5_000, "x.yaml|nested|deep"),
    ],
)
def test_what_cannot_answer_is_refused_with_words(start_run, write, option, name, content, said):
    config = write("one.yaml", EXTENDED)
    with pytest.raises(CommandError, match=said):
        start_run(NODE, "--config", config, option, write(name, content))


def test_a_file_that_is_not_there_is_named(start_run, write, tmp_path):
    with pytest.raises(CommandError, match=r"none\.tape"):
        start_run(NODE, "--config", write("one.yaml", EXTENDED), "--tape", str(tmp_path / "none.tape"))
