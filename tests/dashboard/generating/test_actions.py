"""Making a cluster or a draft of a description, with its timeline."""

from __future__ import annotations

import pytest

from dashboard.clusters.drafts.contents import contents_of_draft
from dashboard.clusters.models import Cluster, Draft
from dashboard.clusters.revisions.actions import BadObjects, newest_revision
from dashboard.common.problems import Conflict, Forbidden, Problem
from dashboard.documents.models import Timeline
from dashboard.documents.timelines.actions import timeline_text
from dashboard.documents.timelines.checking import check_timeline
from dashboard.generating import actions
from scheduler_core.manifests import ManifestSource
from scheduler_core.workloads.generator.plan import GenerationPlan, make_plan
from scheduler_core.workloads.generator.reading import read_description

TEXT = """
pools: [{name: gen, nodes: 3, shape: m5.xlarge, zones: 3}]
workloads:
- {name: there, pods: 2, sizes: {cpu: 1}, arrivals: at-once, priority: 9, namespace: team}
- {name: come, pods: 4, sizes: {cpu: 1}}
arrivals: {process: poisson, over: 1m}
"""
RENAMED = TEXT.replace("name: gen", "name: more").replace("name: there", "name: others")


def plan(text: str = TEXT) -> GenerationPlan:
    description = read_description(ManifestSource("d", text.encode())).description
    assert description is not None
    return make_plan(description)


def test_a_cluster_holds_the_objects_and_a_timeline_the_arrivals(editor):
    shares: list[float] = []
    parts = actions.generated_parts(plan(), shares.append)
    made = actions.make_cluster(editor.member, "synthetic", parts)
    revision = newest_revision(made.cluster)
    assert revision.counts == {"Namespace": 1, "Node": 3, "Pod": 2, "PriorityClass": 1}
    assert (revision.source, revision.message.split(",")[0]) == ("generated", "3 nodes")
    assert made.timeline.n_entries == 4
    assert made.timeline.timeline.name == "synthetic arrivals"
    assert check_timeline(timeline_text(made.timeline), revision).findings == []
    assert shares
    assert all(0 <= share <= 1 for share in shares)


def test_a_second_timeline_gets_a_free_name(editor):
    parts = actions.generated_parts(plan())
    actions.make_cluster(editor.member, "synthetic", parts)
    Cluster.objects.update(name="older")
    actions.make_cluster(editor.member, "synthetic", parts)
    assert set(Timeline.objects.values_list("name", flat=True)) == {"synthetic arrivals", "synthetic arrivals 2"}


def test_without_arrivals_there_is_no_timeline(editor):
    parts = actions.generated_parts(plan("pools: [{name: n, nodes: 1, shape: m5.large}]"))
    made = actions.make_cluster(editor.member, "plain", parts)
    assert made.timeline is None
    assert not Timeline.objects.exists()


def test_a_name_taken_makes_nothing(editor, cluster):
    with pytest.raises(Conflict):
        actions.make_cluster(editor.member, cluster.name, actions.generated_parts(plan()))
    assert not Timeline.objects.exists()


def test_a_description_of_nothing_is_refused():
    with pytest.raises(Problem, match="no object"):
        actions.generated_parts(plan("seed: 1"))


def test_a_draft_adds_the_objects_and_changes_no_revision(editor, cluster):
    parts = actions.generated_parts(plan())
    made = actions.make_draft(editor.member, actions.added_objects(cluster, parts), parts)
    assert cluster.revisions.count() == 1
    operation = made.draft.operations.get()
    assert operation.name == "Generate 3 nodes, 6 pods, seed 0"
    keys = {one["metadata"]["name"] for one in contents_of_draft(made.draft).manifests}
    assert {"gen-0", "gen-1", "gen-2", "there-0", "there-1"} <= keys
    assert made.timeline.n_entries == 4


def test_shared_objects_that_are_there_already_are_taken_as_they_are(editor, cluster):
    first = actions.make_cluster(editor.member, "first", actions.generated_parts(plan()))
    parts = actions.generated_parts(plan(RENAMED))
    added = actions.added_objects(first.cluster, parts)
    assert {edit.new_key.kind for edit in added.edits} == {"Node", "Pod"}


def test_names_that_are_taken_are_refused(editor):
    made = actions.make_cluster(editor.member, "first", actions.generated_parts(plan()))
    with pytest.raises(Conflict, match="Node gen-0"):
        actions.added_objects(made.cluster, actions.generated_parts(plan()))
    other = RENAMED.replace("priority: 9", "priority: {name: priority-9, value: 8}")
    with pytest.raises(Conflict, match="another value"):
        actions.added_objects(made.cluster, actions.generated_parts(plan(other)))
    assert not Draft.objects.exists()


def test_viewers_make_nothing(people, cluster):
    parts = actions.generated_parts(plan())
    member = people["viewer"].member
    with pytest.raises(Forbidden):
        actions.make_cluster(member, "x", parts)
    added = actions.added_objects(cluster, parts)
    with pytest.raises(Forbidden):
        actions.make_draft(member, added, parts)


def test_objects_that_are_not_valid_together_are_refused(editor, cluster):
    parts = actions.generated_parts(plan())
    manifest = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "A B"}}
    broken = parts._replace(made=parts.made._replace(manifests=[manifest]))
    with pytest.raises(BadObjects):
        actions.added_objects(cluster, broken)
