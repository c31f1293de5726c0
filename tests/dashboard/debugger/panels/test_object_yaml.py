"""Objects as YAML, as they were at a cursor."""

from __future__ import annotations

import pytest
import yaml

from dashboard.clusters.revisions import object_store
from dashboard.debugger.cursor.state_cache import state_at
from dashboard.debugger.inputs.facts import facts_of
from dashboard.debugger.panels.object_yaml import object_yaml
from dashboard.documents import store
from dashboard.documents.models import Timeline
from dashboard.runs import execution
from dashboard.runs.actions import find_run
from dashboard.runs.branches.actions import Branching, branch_run
from dashboard.runs.models import Cycle
from tests.dashboard.run_helpers import node, pod


@pytest.fixture
def shown():
    """A function that returns an object of a run at a seq, its YAML read again."""

    def shown(run, seq, kind, key):
        shown_yaml = object_yaml(run, facts_of(run), state_at(run, seq), kind, key)
        return shown_yaml, yaml.safe_load(shown_yaml.text) if shown_yaml and shown_yaml.text else None

    return shown


def test_a_pod_has_its_node_as_soon_as_it_is_bound(run, shown, cycle_of):
    cycle = cycle_of("small-0")
    _, before = shown(run, cycle.first_seq, "Pod", "default/small-0")
    assert "nodeName" not in before["spec"]
    assert before["spec"]["containers"][0]["resources"]["requests"]["cpu"] == "100m"
    assumed, raw = shown(run, cycle.last_seq + 1, "Pod", "default/small-0")
    assert "nodeName" not in raw["spec"]
    assert [f"on {cycle.node};" in note for note in assumed.notes] == [True]
    _, after = shown(run, run.head.seq, "Pod", "default/small-0")
    assert after["spec"]["nodeName"] == cycle.node


def test_nomination_and_eviction_are_told_as_of_the_cursor(run, shown, cycle_of):
    cycle = cycle_of("big-0")
    shown_yaml, raw = shown(run, cycle.last_seq + 1, "Pod", "default/big-0")
    assert "status" not in raw
    nominated = yaml.safe_load(shown_yaml.folds[0].text)["status"]["nominatedNodeName"]
    assert [f"Nominated to {nominated}" in note for note in shown_yaml.notes] == [True]
    victim = f"default/fill-{nominated[-1]}"
    gone, raw = shown(run, run.head.seq, "Pod", victim)
    assert raw is None
    assert "preempted" in gone.notes[0]
    _, raw = shown(run, cycle.first_seq, "Pod", victim)
    assert raw["spec"]["nodeName"] == nominated


def test_status_and_managed_fields_are_folded(run, shown):
    shown_yaml, raw = shown(run, 3, "Node", "full-a")
    assert "status" not in raw
    assert [(fold.name, fold.lines > 2) for fold in shown_yaml.folds] == [("status", True)]
    assert raw["metadata"]["labels"]["topology.kubernetes.io/zone"] == "eu-a"


def test_managed_fields_and_masked_values_stay_what_they_are(execute, shown):
    secret = pod("p")
    secret["metadata"]["managedFields"] = [{"manager": "kubectl"}]
    secret["spec"]["containers"][0]["env"] = [{"name": "PASSWORD", "value": "***"}]
    run = execute([node("n"), secret], slug="masked")
    shown_yaml, raw = shown(run, 0, "Pod", "default/p")
    assert "managedFields" not in raw["metadata"]
    assert [fold.name for fold in shown_yaml.folds] == ["managedFields"]
    assert raw["spec"]["containers"][0]["env"] == [{"name": "PASSWORD", "value": "***"}]


def test_versions_of_the_timeline_count_from_their_time(execute, workspace, shown):
    timeline = Timeline.objects.create(workspace=workspace, name="T", slug="t")
    entries = [
        {"at": "10s", "action": "update", "object": node("n", cpu="32", pool="x")},
        {"at": "20s", "action": "add", "object": pod("late")},
        {"at": "30s", "action": "delete", "object": node("n", cpu="32", pool="x")},
    ]
    revision = store.save_timeline(timeline, {"entries": entries}, object_store.Saving(None))
    run = execute([node("n"), pod("p")], slug="times", schedule="timeline", timeline=revision)
    seqs = {state_at(run, seq).at: seq for seq in range(run.head.seq + 1)}
    first, raw = shown(run, seqs[0], "Node", "n")
    assert (first.origin.startswith("as in"), "pool" in raw["metadata"]["labels"]) == (True, False)
    later, raw = shown(run, seqs[20_000_000], "Node", "n")
    assert (later.origin, raw["metadata"]["labels"]["pool"]) == ("as the timeline brought it", "x")
    gone, raw = shown(run, run.head.seq, "Node", "n")
    assert (raw, len(gone.notes)) == (None, 1)
    assert shown(run, seqs[0], "Pod", "default/late")[0] is None


def test_a_pod_of_a_workload_has_what_scheduling_reads(execute, shown):
    container = {"name": "c", "resources": {"requests": {"cpu": "1500m", "memory": "1Gi"}}}
    job = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container]}},
        },
    }
    run = execute([node("n"), job], slug="web", schedule="pending")
    key = Cycle.objects.filter(run_id=run.pk).first().pod
    shown_yaml, raw = shown(run, 0, "Pod", key)
    assert "web" in shown_yaml.origin
    assert raw["metadata"]["labels"]["app"] == "web"
    assert raw["spec"]["containers"][0]["requests"] == {"cpu": "1500m", "memory": "1Gi"}
    _, raw = shown(run, run.head.seq, "Pod", key)
    assert raw["spec"]["nodeName"] == "n"


def test_other_kinds_are_as_in_the_cluster_and_unknown_objects_are_none(run, shown):
    _, raw = shown(run, 3, "PriorityClass", "high")
    assert raw["value"] == 1000
    assert shown(run, 3, "PriorityClass", "nowhere")[0] is None
    assert shown(run, 3, "Nonsense", "a/b")[0] is None


def test_an_object_that_a_branch_changed_is_as_the_change_left_it(execute, editor, workspace, shown):
    origin = execute([node("n", cpu="8"), node("m"), pod("p")], slug="branched")
    changes = [
        {"action": "put", "object": node("n", cpu="48")},
        {"action": "patch", "object": {"kind": "Node", "metadata": {"name": "m", "labels": {"pool": "x"}}}},
    ]
    made = branch_run(editor.member, origin, Branching(3, changes))
    while execution.work():
        pass
    run = find_run(workspace, made.number)
    before, end = run.branch.seq, run.head.seq
    assert shown(run, before, "Node", "n")[0].origin.startswith("as in")
    put, raw = shown(run, end, "Node", "n")
    assert ("a change" in put.origin, put.is_partial) == (True, False)
    assert "48" in put.folds[0].text
    patched, raw = shown(run, end, "Node", "m")
    assert (patched.is_partial, raw["metadata"]["labels"]["pool"]) == (True, "x")
    gone = {"action": "delete", "object": {"kind": "Node", "metadata": {"name": "m"}}}
    second = branch_run(editor.member, run, Branching(end, [gone]))
    while execution.work():
        pass
    second = find_run(workspace, second.number)
    assert shown(second, second.head.seq, "Node", "m")[1] is None


def test_words(run, shown, cycle_of):
    placed, preempting = cycle_of("small-0"), cycle_of("big-0")
    assumed, _ = shown(run, placed.last_seq + 1, "Pod", "default/small-0")
    assert assumed.notes == [f"Assumed on {placed.node}; the binding is not done, so nodeName is not set yet."]
    nominated, _ = shown(run, preempting.last_seq + 1, "Pod", "default/big-0")
    node_name = yaml.safe_load(nominated.folds[0].text)["status"]["nominatedNodeName"]
    assert nominated.notes == [f"Nominated to {node_name} by preemption."]
    gone, _ = shown(run, run.head.seq, "Pod", f"default/fill-{node_name[-1]}")
    assert "gone at the cursor: preempted" in gone.notes[0]


def test_words_of_an_origin(execute, editor, workspace, shown):
    origin = execute([node("n", cpu="8"), node("m"), pod("p")], slug="branched")
    put = {"action": "put", "object": node("n", cpu="48")}
    gone = {"action": "delete", "object": {"kind": "Node", "metadata": {"name": "m"}}}
    made = branch_run(editor.member, origin, Branching(3, [put, gone]))
    while execution.work():
        pass
    run = find_run(workspace, made.number)
    assert shown(run, run.head.seq, "Node", "n")[0].origin == "as a change put it"
    assert shown(run, run.head.seq, "Node", "m")[0].notes == ["The cluster does not have this node at the cursor."]
