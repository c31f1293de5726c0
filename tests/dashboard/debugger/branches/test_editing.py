"""Objects as of the cursor, as texts to edit."""

from __future__ import annotations

import pytest

from dashboard.clusters.editor.edits import check_text
from dashboard.clusters.revisions.contents import contents_of
from dashboard.debugger.branches.editing import NotEditable, is_there, kinds_of, named, text_of
from dashboard.runs.branches.actions import Branching, branch_run
from tests.dashboard.debugger.branches.test_views import worked
from tests.dashboard.debugger.conftest import page_of
from tests.dashboard.run_helpers import node

pytestmark = pytest.mark.django_db


def test_a_name_has_a_kind_and_where_it_lives_in_one_its_namespace():
    assert named("Pod", "web").path == "default/web"
    assert named("Pod", " shop/web ").path == "shop/web"
    assert named("Node", "n").path == "n"
    for kind, name in (("Cat", "tom"), ("Node", " "), ("Pod", "shop/")):
        with pytest.raises(NotEditable):
            named(kind, name)


def test_a_pod_has_its_node_once_it_is_bound(run, cycle_of):
    cycle = cycle_of("big-0")
    key = named("Pod", "big-0")
    assert "nodeName" not in text_of(page_of(run, seq=cycle.first_seq), key)
    assert "nodeName: full-" in text_of(page_of(run, seq=run.head.seq), key)


def test_a_node_keeps_its_amounts_when_its_text_is_put_as_it_is(run, editor):
    page = page_of(run, seq=5)
    text = text_of(page, named("Node", "full-a"))
    assert "allocatable" in text
    checked = check_text(text, contents_of(run.revision))
    assert checked.errors == []
    same = {"action": "put", "object": checked.manifests[0]}
    made = worked(branch_run(editor.member, run, Branching(5, [same])).number)
    assert (made.head.bound, made.head.pending) == (run.head.bound, run.head.pending)


def test_what_is_gone_or_was_never_there_cannot_be_edited(run):
    page = page_of(run, seq=run.head.seq)
    [gone] = page.moment.state.gone
    for name, message in ((gone, "is gone at the cursor"), ("default/nobody", "has no Pod default/nobody")):
        with pytest.raises(NotEditable, match=message):
            text_of(page, named("Pod", name))
        assert not is_there(page, named("Pod", name))
    assert is_there(page, named("PriorityClass", "high"))


def test_a_pod_of_a_workload_says_why_it_has_no_text(execute):
    template = {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    spec = {"replicas": 1, "selector": {"matchLabels": {"app": "a"}}, "template": template}
    workload = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web"}, "spec": spec}
    run = execute([node("n"), workload], slug="made")
    page = page_of(run, seq=run.head.seq)
    [name] = page.moment.state.placements
    with pytest.raises(NotEditable, match="has no manifest of its own"):
        text_of(page, named("Pod", name))
    assert is_there(page, named("Pod", name))


def test_what_a_branch_put_is_there_from_then_on_until_it_is_deleted(run, editor):
    key = named("Node", "extra")
    put = {"action": "put", "object": node("extra", "77")}
    first = worked(branch_run(editor.member, run, Branching(5, [put])).number)
    begins = first.branch.seq
    with pytest.raises(NotEditable):
        text_of(page_of(first, seq=begins), key)
    assert "77" in text_of(page_of(first, seq=begins + 1), key)
    gone = {"action": "delete", "object": {"kind": "Node", "metadata": {"name": "extra"}}}
    second = worked(branch_run(editor.member, first, Branching(first.head.seq, [gone])).number)
    with pytest.raises(NotEditable):
        text_of(page_of(second, seq=second.head.seq), key)


def test_kinds_of_the_cluster_come_first(run):
    kinds = kinds_of(page_of(run, seq=0))
    assert kinds[:2] == ["Pod", "Node"]
    assert len(kinds) == len(set(kinds))
