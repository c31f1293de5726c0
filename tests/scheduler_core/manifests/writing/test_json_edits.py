"""Edits in the form in which remedies carry theirs: read, and applied; the field that is wrong is named."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scheduler_core.manifests.writing.json_edits import EditProblem, JsonEdit, edited, new_object, parse_edit

NODE = {"metadata": {"name": "w1", "labels": {"example.com/tier": "iron"}}, "spec": {"taints": [{"key": "a"}]}}


def edit(op: str, path: str, value: Any = None) -> JsonEdit:
    return JsonEdit(op, "v1/Node//w1", path, value)  # type: ignore[arg-type]


def text(**fields: Any) -> str:
    return json.dumps({"op": "set", "object": "v1/Node//w1", "path": "/spec", "value": 1} | fields)


@pytest.mark.parametrize(
    ("name", "named"),
    [
        ("v1/Node//w1", ("Node", "", "w1")),
        ("v1/Pod/shop/web", ("Pod", "shop", "web")),
        ("storage.k8s.io/v1/StorageClass//fast", ("StorageClass", "", "fast")),
    ],
)
def test_an_edit_names_its_object(name: str, named: tuple[str, str, str]) -> None:
    assert parse_edit(text(object=name)).named == named


@pytest.mark.parametrize(
    ("change", "after"),
    [
        (edit("set", "/metadata/labels/example.com~1tier", "gold"), {"labels": {"example.com/tier": "gold"}}),
        (edit("add", "/metadata/labels/new", "x"), {"labels": {"example.com/tier": "iron", "new": "x"}}),
        (edit("remove", "/metadata/labels/example.com~1tier"), {"labels": {}}),
    ],
)
def test_a_value_in_the_object_is_set_added_or_removed(change: JsonEdit, after: dict[str, Any]) -> None:
    before = json.dumps(NODE)
    assert edited(NODE, change)["metadata"] == {"name": "w1", **after}
    assert json.dumps(NODE) == before, "a copy"


@pytest.mark.parametrize(
    ("change", "taints"),
    [
        (edit("add", "/spec/taints/0", {"key": "b"}), [{"key": "b"}, {"key": "a"}]),
        (edit("add", "/spec/taints/-", {"key": "b"}), [{"key": "a"}, {"key": "b"}]),
        (edit("set", "/spec/taints/0/key", "c"), [{"key": "c"}]),
        (edit("remove", "/spec/taints/0"), []),
    ],
)
def test_entries_of_lists_have_places(change: JsonEdit, taints: list[Any]) -> None:
    assert edited(NODE, change)["spec"]["taints"] == taints


def test_a_list_that_is_not_there_begins_with_what_is_added_at_its_end() -> None:
    made = edited({"metadata": {}}, edit("add", "/spec/tolerations/-", {"key": "a"}))
    assert made["spec"] == {"tolerations": [{"key": "a"}]}


def test_an_object_that_is_added_has_the_name_that_the_edit_gives_it() -> None:
    value = {"metadata": {"name": "other", "labels": {"a": "b"}}, "provisioner": "p"}
    made = new_object(JsonEdit("add", "storage.k8s.io/v1/StorageClass//fast", "", value))
    assert (made["apiVersion"], made["kind"]) == ("storage.k8s.io/v1", "StorageClass")
    assert made["metadata"] == {"name": "fast", "labels": {"a": "b"}}
    assert new_object(JsonEdit("set", "v1/Pod/shop/web", "", {}))["metadata"] == {"name": "web", "namespace": "shop"}
    with pytest.raises(EditProblem) as refused:
        new_object(JsonEdit("add", "v1/Pod/shop/web", "", 3))
    assert refused.value.field == "value"


def test_what_the_manifest_leaves_out_on_the_way_is_made() -> None:
    assert edited(NODE, edit("set", "/status/allocatable/cpu", "8"))["status"] == {"allocatable": {"cpu": "8"}}


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"op": "move"}, "edit"),
        ({"more": 1}, "edit"),
        ({"object": "Node/w1"}, "object"),
        ({"object": "v1//shop/w1"}, "object"),
        ({"path": "spec"}, "path"),
        ({"path": "/a" * 65}, "path"),
        ({"value": "x" * 100_001}, "edit"),
    ],
    ids=["op", "another field", "no version", "no kind", "no pointer", "too deep", "too long"],
)
def test_an_edit_that_cannot_be_read_names_the_field(fields: dict[str, Any], field: str) -> None:
    with pytest.raises(EditProblem) as problem:
        parse_edit(text(**fields))
    assert problem.value.field == field


@pytest.mark.parametrize(
    "change",
    [
        edit("remove", "/metadata/labels/none"),
        edit("set", "/spec/taints/1", {}),
        edit("set", "/spec/taints/x", {}),
        edit("set", "/metadata/name/x", 1),
        edit("remove", "/status/allocatable/cpu"),
        edit("set", "", {}),
    ],
    ids=["no such key", "after the list", "no place", "below a text", "nothing on the way", "the object itself"],
)
def test_a_place_that_is_not_there_is_refused(change: JsonEdit) -> None:
    with pytest.raises(EditProblem) as problem:
        edited(NODE, change)
    assert problem.value.field == "path"


@pytest.mark.parametrize(
    "change",
    [
        edit("set", "/metadata/name", "w2"),
        edit("set", "/metadata/namespace", "shop"),
        edit("set", "/metadata", {"labels": {}}),
        edit("remove", "/metadata"),
        edit("set", "/kind", "Pod"),
    ],
)
def test_an_edit_makes_no_other_object(change: JsonEdit) -> None:
    with pytest.raises(EditProblem) as problem:
        edited(NODE, change)
    assert problem.value.field == "path"
    assert edited(NODE, edit("set", "/metadata", {"name": "w1"}))["metadata"] == {"name": "w1"}


def test_an_object_that_is_added_is_of_the_kind_that_the_edit_names() -> None:
    assert new_object(JsonEdit("add", "v1/Pod/shop/web", "", {"kind": "Node"}))["kind"] == "Pod"
