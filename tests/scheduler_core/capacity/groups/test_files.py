"""The file form of groups, and what is said of each field that cannot be read."""

from __future__ import annotations

import pytest

from scheduler_core.capacity.groups.files import GroupsError, groups_from_raw
from tests.scheduler_core.capacity.inputs import inputs, node

NODES = {one.name: one for one in inputs(node("n1")).objects.nodes}
TEMPLATE = {"metadata": {"labels": {"a": "b"}}, "spec": {"taints": [{"key": "t", "effect": "NoSchedule"}]},
            "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "9"}}}  # fmt: skip


def read(*groups: object, **root: object) -> list:
    return groups_from_raw({"apiVersion": "schedscope/v1", "kind": "NodeGroups", "groups": list(groups), **root}, NODES)


def test_groups_like_a_node_and_of_a_template():
    first, second = read(
        {"name": "a", "like": "n1", "min": 1, "max": 5, "price": 0.5}, {"name": "b", "template": TEMPLATE}
    )
    assert (first.name, first.minimum, first.maximum, first.price) == ("a", 1, 5, 0.5)
    assert first.template.allocatable["cpu"] == 2000
    assert (second.minimum, second.maximum, second.price, second.source) == (0, None, None, "file")
    assert (second.template.labels, second.template.allocatable["cpu"]) == ({"a": "b"}, 4000)
    assert [taint.key for taint in second.template.taints] == ["t"]


LIKE = {"name": "a", "like": "n1"}


@pytest.mark.parametrize(
    ("group", "path"),
    [
        ("a", ("groups", 0)),
        ({"like": "n1"}, ("groups", 0, "name")),
        ({**LIKE, "name": "A B"}, ("groups", 0, "name")),
        ({**LIKE, "like": "n2"}, ("groups", 0, "like")),
        ({**LIKE, "like": ["n1"]}, ("groups", 0, "like")),
        ({"name": "a"}, ("groups", 0)),
        ({**LIKE, "template": TEMPLATE}, ("groups", 0)),
        ({"name": "a", "template": "x"}, ("groups", 0, "template")),
        ({"name": "a", "template": {"spec": {"taints": "x"}}}, ("groups", 0, "template")),
        ({"name": "a", "template": {"metadata": {}}}, ("groups", 0, "template", "status", "allocatable")),
        ({**LIKE, "min": -1}, ("groups", 0, "min")),
        ({**LIKE, "max": "5"}, ("groups", 0, "max")),
        ({**LIKE, "max": True}, ("groups", 0, "max")),
        ({**LIKE, "min": 3, "max": 2}, ("groups", 0, "max")),
        ({**LIKE, "price": -1}, ("groups", 0, "price")),
        ({**LIKE, "price": float("nan")}, ("groups", 0, "price")),
        ({**LIKE, "maxSize": 3}, ("groups", 0, "maxSize")),
    ],
)
def test_what_is_wrong_is_said_at_its_field(group, path):
    with pytest.raises(GroupsError) as problem:
        read(group)
    assert problem.value.path == path


@pytest.mark.parametrize(
    ("root", "path"),
    [
        ({"kind": "Groups"}, ("kind",)),
        ({"apiVersion": "v1"}, ("kind",)),
        ({"groups": []}, ("groups",)),
        ({"groups": "all"}, ("groups",)),
        ({"groups": [LIKE] * 1001}, ("groups",)),
        ({"groups": [LIKE, LIKE]}, ("groups", 1, "name")),
    ],
)
def test_what_is_wrong_with_the_file_is_said(root, path):
    with pytest.raises(GroupsError) as problem:
        read(LIKE, **root)
    assert problem.value.path == path
