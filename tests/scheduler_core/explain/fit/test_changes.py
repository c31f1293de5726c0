"""What has to be put and removed so that one state of a cluster becomes another."""

from __future__ import annotations

from scheduler_core.api.objects import ClusterObjects, Namespace
from scheduler_core.explain.fit import changes_between
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
