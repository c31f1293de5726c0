"""Where a changed object comes from decides what can keep the change."""

from __future__ import annotations

import msgspec
import pytest

from dashboard.clusters.revisions.contents import read_contents
from dashboard.runs import execution
from dashboard.runs.actions import find_run
from dashboard.runs.keeping.changed_objects import changed_objects
from dashboard.runs.keeping.entries import changed_entries
from dashboard.runs.models import Cycle
from scheduler_core.simulate import WholeObjectChange
from scheduler_core.testing.builders import make_node, make_pod
from tests.dashboard.run_helpers import node, pod
from tests.dashboard.runs.keeping.conftest import ANOTHER_POD, CORDON, deletion

pytestmark = pytest.mark.django_db
TEMPLATE = {"metadata": {"labels": {"app": "web"}}, "spec": pod("x", "1")["spec"]}
WEB = {
    "apiVersion": "apps/v1",
    "kind": "ReplicaSet",
    "metadata": {"name": "web", "namespace": "default"},
    "spec": {"replicas": 3, "selector": {"matchLabels": {"app": "web"}}, "template": TEMPLATE},
}


@pytest.fixture
def owned(launch, save):
    """A finished run of the pods of a ReplicaSet."""
    run = launch(revision=save([node("node-0", "8"), WEB]), schedule="pending")
    while execution.work():
        pass
    return find_run(run.workspace, run.number)


def one_of(made):
    (changed,) = changed_objects(made)
    return changed


def test_a_new_object_and_one_of_the_cluster_are_for_both(run, branch):
    several = changed_objects(branch(run, CORDON, ANOTHER_POD, deletion("Pod", "huge")))
    assert [(one.key.label, one.is_deletion, one.is_own) for one in several] == [
        ("Node node-1", False, True),
        ("Pod default/late", False, True),
        ("Pod default/huge", True, True),
    ]
    assert {one.not_in_cluster for one in several} == {""}
    assert several[0].in_cluster["metadata"]["labels"]["pool"] == "b"


def test_a_second_change_follows_the_first(run, branch):
    labelled = {"action": "patch", "object": {"kind": "Node", "metadata": {"name": "node-1", "labels": {"a": "b"}}}}
    first, second = changed_objects(branch(run, CORDON, labelled))
    assert "a" not in first.in_cluster["metadata"]["labels"]
    assert second.in_cluster["metadata"]["labels"]["a"] == "b"
    assert second.in_cluster["spec"] == {"unschedulable": True}


def test_a_pod_that_a_workload_makes_has_no_manifest_to_change(owned, branch):
    there = next(one for one in read_contents(owned.revision).loaded.objects.pods if one.name.startswith("web-"))
    smaller = msgspec.structs.replace(there, uid=there.key, priority=5)
    changed = one_of(branch(owned, cycle=2, objects=(WholeObjectChange.of("put", smaller),)))
    assert changed.not_in_cluster.startswith("It has no manifest of its own, as ReplicaSet web makes it.")
    assert changed.in_timeline["spec"]["priority"] == 5


def test_a_pod_that_the_run_made_is_for_a_timeline(owned, branch):
    stored = {pod.key for pod in read_contents(owned.revision).loaded.objects.pods}
    first = branch(owned, deletion("Pod", min(stored).split("/")[1]), cycle=3)
    cycle = next(one for one in Cycle.objects.filter(run=first).order_by("number") if one.pod not in stored)
    inherited, changed = changed_objects(branch(first, deletion("Pod", cycle.pod.split("/")[1]), cycle=cycle.number))
    assert (inherited.is_own, changed.is_own) == (False, True)
    assert changed.not_in_cluster.startswith("The run itself made it")
    assert changed.is_deletion


def test_what_arrived_by_the_timeline_is_for_a_timeline_also_when_it_changes_twice(following, branch):
    cycle = Cycle.objects.get(run=following, pod="default/follows").number
    edits = [{"action": "put", "object": pod("arrives", "1", priority=n)} for n in (1, 2)]
    for changed in changed_objects(branch(following, *edits, cycle=cycle)):
        assert changed.not_in_cluster.startswith("It arrived by the timeline")


def test_an_object_that_no_manifest_says_is_named_for_both(run, branch):
    odd = msgspec.structs.replace(make_pod("odd", cpu="1"), preempted=True)
    made = branch(run, objects=(WholeObjectChange.of("put", odd), WholeObjectChange.of("put", make_node("n"))))
    first, second = changed_objects(made)
    assert "says its preempted" in first.not_in_timeline
    assert (second.not_in_cluster, second.not_in_timeline) == ("", "")
    entries = changed_entries(made, [first, second])
    assert [bool(one.problem) for one in entries] == [True, False]
