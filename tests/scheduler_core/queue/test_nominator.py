from __future__ import annotations

import msgspec
import pytest

from scheduler_core.queue.nominator import Nominator
from tests.scheduler_core.queue.queue_helpers import pod


def names(nominator, node):
    return [p.name for p in nominator.pods_on(node)]


def test_pods_are_kept_by_node_in_order_of_nomination():
    nominator = Nominator()
    for name, node in (("a", "n1"), ("b", "n1"), ("c", "n2")):
        nominator.add(pod(name), node)
    assert (names(nominator, "n1"), names(nominator, "n2")) == (["a", "b"], ["c"])
    nominator.add(pod("a"), "n2")
    assert (names(nominator, "n1"), names(nominator, "n2")) == (["b"], ["c", "a"])
    assert nominator.node_of(pod("a")) == "n2"
    nominator.delete(pod("b"))
    assert names(nominator, "n1") == []
    assert nominator.node_names() == ["n2"]


def test_without_a_node_the_status_decides_and_an_empty_one_forgets():
    nominator = Nominator()
    nominator.add(pod("a", nominated_node_name="n1"))
    assert names(nominator, "n1") == ["a"]
    nominator.add(pod("a"))
    assert len(nominator) == 0


def test_a_nomination_to_no_node_is_kept_but_is_no_node():
    nominator = Nominator()
    nominator.add(pod("a"), "")
    assert nominator.node_of(pod("a")) == ""
    assert dict(nominator) == {"": [pod("a")]}
    assert nominator.node_names() == []


@pytest.mark.parametrize("current", [None, pod("a", node_name="n9")], ids=["gone", "bound"])
def test_a_pod_that_is_gone_or_bound_loses_its_nomination_and_gets_no_new_one(current):
    pods = {"default/a": pod("a")}
    nominator = Nominator(pods.get)
    nominator.add(pod("a"), "n1")
    pods["default/a"] = current
    nominator.add(pod("a"), "n2")
    assert len(nominator) == 0


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [("", "", "n1"), ("n1", "", None), ("", "n2", "n2"), ("n1", "n3", "n3")],
    ids=["status never had one: kept", "cleared", "set", "changed"],
)
def test_an_update_follows_the_status_unless_it_never_had_a_nomination(before, after, expected):
    nominator = Nominator()
    nominator.add(pod("a", nominated_node_name=before), "n1")
    new = pod("a", nominated_node_name=after, labels={"version": "2"})
    nominator.update(pod("a", nominated_node_name=before), new)
    assert nominator.node_of(new) == expected
    if expected:
        assert nominator.pods_on(expected) == [new]


def test_pods_are_told_apart_by_uid():
    nominator = Nominator()
    nominator.add(pod("a"), "n1")
    nominator.delete(msgspec.structs.replace(pod("a"), uid="another"))
    assert names(nominator, "n1") == ["a"]
