"""What changed since a kept moment, by kind, object and field manager."""

from __future__ import annotations

from dashboard.following.moments import changes
from tests.dashboard.clusters.conftest import node, pod
from tests.dashboard.following.collectors import bound, managed, work


def test_changes_since_a_moment_are_counted_by_kind_and_manager(followed, following, clock):
    base = following.moments.get().revision
    clock.on(minutes=1)
    followed.send(
        *followed.changed("MODIFIED", managed(bound("web-1", "node-b"), "kube-scheduler")),
        *followed.changed("ADDED", managed(pod("new-1"), "kubectl-create"), managed(pod("new-2"), "helm")),
        *followed.changed("DELETED", pod("big")),
        *followed.changed("MODIFIED", {**node("node-a"), "spec": {"unschedulable": True}}),
        *followed.changed("ADDED", {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}}),
    )
    work()
    following.refresh_from_db()
    pods, nodes = changes.since(base, following)
    assert (pods.kind, pods.counts, pods.total) == ("Pod", [2, 1, 1], 4)
    assert dict(pods.managers) == {"kube-scheduler": 1, "kubectl-create": 1, "helm": 1}
    assert ("gone", "default/big") in pods.named
    assert (nodes.kind, nodes.counts, nodes.by, nodes.named) == ("Node", [0, 0, 1], [], [("changed", "node-a")])


def test_a_state_as_it_was_has_no_changes(following):
    assert changes.since(following.moments.get().revision, following) == []


def test_many_objects_are_named_up_to_a_few(followed, following, clock):
    base = following.moments.get().revision
    followed.send(*followed.changed("ADDED", *(pod(f"p-{n}") for n in range(9))))
    work()
    (pods,) = changes.since(base, following)
    assert (len(pods.named), pods.n_more) == (changes.MOST_NAMED, 9 - changes.MOST_NAMED)
