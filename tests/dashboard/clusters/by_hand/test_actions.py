"""Actions by hand: each is one operation with a name, undone by it, and gives the draft that its YAML gives."""

from __future__ import annotations

import copy

import pytest

from dashboard.clusters.by_hand.actions import act
from dashboard.clusters.by_hand.changes import HandValues
from dashboard.clusters.drafts.contents import contents_hash, contents_of_draft
from dashboard.clusters.drafts.edits import put_edits
from dashboard.clusters.drafts.opened import OpenedDraft
from dashboard.clusters.drafts.operations import Edit, undo
from dashboard.clusters.editor.object_text import check_text
from dashboard.clusters.revisions.actions import BadObjects
from dashboard.clusters.revisions.object_keys import Key, object_key
from dashboard.common.problems import Forbidden, NotFound, Problem
from scheduler_core.manifests import dump_yaml
from tests.dashboard.clusters.drafts.draft_helpers import JOB, NODE_A, change, fresh, manifest_of, new_draft

NODE_B = Key("Node", "", "node-b")
WEB_1, WEB_2 = Key("Pod", "default", "web-1"), Key("Pod", "default", "web-2")
DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "api", "namespace": "default"},
    "spec": {
        "replicas": 3,
        "selector": {"matchLabels": {"app": "api"}},
        "template": {
            "metadata": {"labels": {"app": "api"}},
            "spec": {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}]},
        },
    },
}
API = Key("Deployment", "default", "api")


@pytest.fixture
def draft(editor, cluster):
    return new_draft(editor, cluster)


def done(editor, draft, what, *keys, **values):
    """Carry out an action; return the name of its operation."""
    return act(editor.member, OpenedDraft(fresh(draft)), what, keys, HandValues(**values)).name


def by_yaml(editor, cluster, texts):
    """Return the state of another draft in which these YAML texts were written, by key."""
    other = new_draft(editor, cluster, name="By YAML")
    edits = [Edit(key, check_text(text).manifests[0]) for key, text in texts.items()]
    put_edits(editor.member, OpenedDraft(other), edits)
    return {key: one.manifest for key, one in OpenedDraft(fresh(other)).objects(texts).items()}


def test_each_action_has_its_name_and_one_undo_takes_all_of_it_back(editor, draft):
    before = contents_hash(fresh(draft))
    both = (NODE_A, NODE_B)
    for what, keys, values, name in (
        ("cordon", both, {}, "Cordon node-a and 1 more"),
        ("taint", both, {"key": "gpu", "value": "yes"}, "Taint gpu=yes:NoSchedule on node-a and 1 more"),
        ("label", (WEB_1,), {"key": "tier", "value": "a"}, "Label tier=a on Pod default/web-1"),
        ("zone", (NODE_A,), {"place": "zone-b"}, "Move node-a to zone zone-b"),
        ("resize", (NODE_A,), {"amounts": {"cpu": "16"}}, "Resize node-a to 16 cpu"),
        ("unbind", (WEB_1, WEB_2), {}, "Take default/web-1 and 1 more back to pending"),
        ("bind", (JOB,), {"place": "node-b"}, "Bind default/job-1 to node-b"),
        ("delete", (WEB_1,), {}, "Delete Pod default/web-1"),
        ("drain", (NODE_A,), {}, "Drain node-a"),
        ("duplicate", (NODE_A,), {"number": 3, "pattern": "gpu-##"}, "Duplicate Node node-a 3 times"),
    ):
        assert done(editor, draft, what, *keys, **values) == name
        assert contents_hash(fresh(draft)) != before
        assert undo(editor.user, fresh(draft)).name == name
        assert contents_hash(fresh(draft)) == before


def test_a_drag_gives_the_draft_that_its_yaml_gives(editor, cluster, draft):
    raw = copy.deepcopy(manifest_of(draft, JOB))
    raw["spec"]["nodeName"] = "node-b"
    done(editor, draft, "bind", JOB, place="node-b")
    assert {JOB: manifest_of(draft, JOB)} == by_yaml(editor, cluster, {JOB: dump_yaml([raw])})


def test_a_drain_gives_the_draft_that_its_yaml_gives(editor, cluster, draft):
    raws = {key: copy.deepcopy(manifest_of(draft, key)) for key in (NODE_A, WEB_1, WEB_2)}
    raws[NODE_A]["spec"]["unschedulable"] = True
    for key in (WEB_1, WEB_2):
        del raws[key]["spec"]["nodeName"]
    done(editor, draft, "drain", NODE_A)
    written = by_yaml(editor, cluster, {key: dump_yaml([raw]) for key, raw in raws.items()})
    assert {key: manifest_of(draft, key) for key in raws} == written
    assert {pod.status for pod in contents_of_draft(fresh(draft)).rows.pods} == {"pending"}


def test_a_scale_gives_the_draft_that_its_yaml_gives(editor, cluster, draft):
    change(editor, draft, DEPLOYMENT)
    done(editor, draft, "scale", API, number=5)
    other = new_draft(editor, cluster, name="By YAML")
    change(editor, other, DEPLOYMENT)
    text = dump_yaml([DEPLOYMENT]).replace("replicas: 3", "replicas: 5")
    put_edits(editor.member, OpenedDraft(fresh(other)), [Edit(API, check_text(text).manifests[0])])
    assert manifest_of(draft, API) == manifest_of(other, API)
    assert contents_hash(fresh(draft)) == contents_hash(fresh(other))


def test_a_drain_leaves_pods_of_daemon_sets_and_static_pods(editor, draft):
    for name, more in (
        ("agent-x", {"ownerReferences": [owner("DaemonSet", "agent")]}),
        ("etcd", {"annotations": {"kubernetes.io/config.mirror": "1"}}),
    ):
        raw = copy.deepcopy(manifest_of(draft, WEB_1))
        raw["metadata"] |= {"name": name, **more}
        change(editor, draft, raw)
    done(editor, draft, "drain", NODE_A)
    on = {pod.name for pod in contents_of_draft(fresh(draft)).rows.pods if pod.node}
    assert on == {"agent-x", "etcd"}


def owner(kind, name):
    return {"apiVersion": "apps/v1", "kind": kind, "name": name, "uid": "u", "controller": True}


def test_a_pod_that_a_workload_makes_is_bound_as_an_object_of_its_own_that_the_workload_counts(editor, draft):
    change(editor, draft, DEPLOYMENT)
    made = [pod for pod in contents_of_draft(fresh(draft)).rows.pods if pod.source == API]
    assert len(made) == 3
    key = Key("Pod", "default", made[0].name)
    assert done(editor, draft, "bind", key, place="node-b").endswith(f"{key.path} to node-b")
    pods = [pod for pod in contents_of_draft(fresh(draft)).rows.pods if pod.owner == "api"]
    assert sorted(pod.node for pod in pods) == ["", "", "node-b"]
    with pytest.raises(Problem, match="is made by Deployment default/api"):
        done(editor, draft, "delete", Key("Pod", "default", made[1].name))


def test_copies_of_a_node_have_their_own_names_labels_and_hostname(editor, draft):
    raw = manifest_of(draft, NODE_A)
    raw["metadata"]["labels"]["kubernetes.io/hostname"] = "node-a"
    change(editor, draft, raw)
    done(editor, draft, "duplicate", NODE_A, number=20, pattern="gpu-##", labels={"pool": "gpu"})
    names = [node.name for node in contents_of_draft(fresh(draft)).loaded.objects.nodes if "gpu" in node.name]
    assert names == [f"gpu-{n:02d}" for n in range(1, 21)]
    labels = manifest_of(draft, Key("Node", "", "gpu-07"))["metadata"]["labels"]
    assert labels["kubernetes.io/hostname"] == "gpu-07"
    assert labels["pool"] == "gpu"


def test_what_cannot_be_is_said_and_changes_nothing(editor, draft):
    before = contents_hash(fresh(draft))
    for what, keys, values, problem, sentence in (
        ("cordon", (), {}, Problem, "Select at least one"),
        ("cordon", (WEB_1,), {}, Problem, "Pod default/web-1 is no Node"),
        ("scale", (NODE_A,), {}, Problem, "is no Deployment or"),
        ("taint", (NODE_A,), {}, Problem, "key of the taint"),
        ("zone", (NODE_A,), {}, Problem, "name of the zone"),
        ("resize", (NODE_A,), {}, Problem, "at least one amount"),
        ("resize", (NODE_A,), {"amounts": {"cpu": "lots"}}, BadObjects, "allocatable.cpu"),
        ("label", (NODE_A,), {"key": "a b", "value": "x"}, BadObjects, "label"),
        ("bind", (JOB,), {"place": "node-z"}, NotFound, "no node node-z"),
        ("duplicate", (NODE_A,), {"number": 0}, Problem, "from 1 to 5,000"),
        ("delete", (Key("Node", "", "gone"),), {}, NotFound, "gone is not in this draft"),
    ):
        with pytest.raises(problem, match=sentence):
            done(editor, draft, what, *keys, **values)
    assert contents_hash(fresh(draft)) == before


def test_a_reviewer_may_not(reviewer, cluster, editor):
    draft = new_draft(editor, cluster, reviewer)
    with pytest.raises(Forbidden):
        act(reviewer.member, draft, "cordon", [NODE_A], HandValues())


def test_keys_of_texts_are_those_of_manifests(draft):
    assert object_key(manifest_of(draft, NODE_A)) == NODE_A
