"""What has to be put and removed so that one state of a cluster becomes another."""

from __future__ import annotations

from scheduler_core.api.objects import ClusterObjects, Namespace
from scheduler_core.explain.fit import changes_between, with_edits
from scheduler_core.testing.builders import make_node, make_pod


def test_objects_that_are_new_or_other_are_put_and_those_that_left_are_gone() -> None:
    before = ClusterObjects(
        nodes=[make_node("a", cpu="1"), make_node("b", cpu="1")], pods=[make_pod("p"), make_pod("q")]
    )
    after = ClusterObjects(
        nodes=[make_node("a", cpu="1"), make_node("b", cpu="2")], pods=[make_pod("q"), make_pod("r")]
    )
    changes = changes_between(before, after)
    assert [obj.name for obj in changes.put] == ["b", "r"]
    assert [obj.name for obj in changes.gone] == ["p"]
    assert len(changes) == 3
    assert len(changes_between(after, after)) == 0


def test_a_namespace_is_not_followed() -> None:
    before, after = ClusterObjects(), ClusterObjects(namespaces=[Namespace(name="team")])
    assert not changes_between(before, after).can_be_followed
    assert not changes_between(after, before).can_be_followed
    assert changes_between(before, ClusterObjects(nodes=[make_node("a")])).can_be_followed


def test_edited_objects_take_the_places_of_those_of_their_keys() -> None:
    objects = ClusterObjects(nodes=[make_node("a"), make_node("b")], pods=[make_pod("p", node_name="a"), make_pod("q")])
    edited = ClusterObjects(
        nodes=[make_node("a", cpu="9"), make_node("c")], pods=[make_pod("new"), make_pod("q", cpu="2")]
    )
    changed = with_edits(objects, edited)
    assert [(node.name, node is objects.nodes[1]) for node in changed.nodes] == [
        ("a", False),
        ("b", True),
        ("c", False),
    ]
    assert changed.pods is objects.pods, "edited pods that wait are in nobody's way"
    moved = with_edits(objects, ClusterObjects(pods=[make_pod("p", node_name="b")]))
    assert [(pod.name, pod.node_name) for pod in moved.pods] == [("p", "b"), ("q", "")]
    assert with_edits(objects, ClusterObjects(pods=[make_pod("p", node_name="b")]), tried="default/p") is objects
    assert [node.name for node in with_edits(objects, edited, gone=("nodes", "b")).nodes] == ["a", "c"]
