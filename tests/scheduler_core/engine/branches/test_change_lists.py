"""Changes as files hold them: each action read, patches merged, and one clear message for what is wrong."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_core.api.config import SchedulerConfiguration
from scheduler_core.engine.branches.change_lists import MAX_CHANGES, merged
from scheduler_core.simulate import (
    Changed,
    ChangesError,
    InputChange,
    Policies,
    Timeline,
    TimelineEntry,
    changes_from_raw,
)
from scheduler_core.testing.builders import make_pod

CONTAINER = {"name": "main", "image": "i", "resources": {"requests": {"cpu": "1"}}}


def pod(name: str, **spec: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {"containers": [CONTAINER], **spec}}


NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "n-1", "labels": {"disk": "ssd"}},
    "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10"}},
}
CLASS = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 100}
SERVICE = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "web", "namespace": "shop"},
    "spec": {"selector": {"app": "web"}},
}
SHOP = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}
CLUSTER = Changed(
    manifests=[NODE, CLASS, SHOP, SERVICE, pod("a"), pod("moving")],
    timeline=Timeline((TimelineEntry(0, "put", make_pod("moving")), TimelineEntry(5, "delete", make_pod("moving")))),
    at=40,
)


def read(*entries: Any, of: Changed = CLUSTER) -> list[InputChange]:
    return changes_from_raw({"changes": list(entries)}, of)


def test_each_action_is_read() -> None:
    changes = read(
        {"object": pod("new")},
        {"at": 50, "action": "delete", "object": {"kind": "Node", "metadata": {"name": "n-1"}}},
        {"action": "configure", "configuration": {"apiVersion": "kubescheduler.config.k8s.io/v1",
                                                  "kind": "KubeSchedulerConfiguration"}},
        {"action": "set_policies", "policies": {"draw": "smallest"}},
        {"action": "switch_off", "entry": 1},
    )  # fmt: skip
    assert [(change.seq, change.action) for change in changes] == [
        (40, "put"),
        (50, "delete"),
        (40, "configure"),
        (40, "set_policies"),
        (40, "switch_off"),
    ]
    assert [changes[0].object.key, changes[1].object.name] == ["default/new", "n-1"]
    assert changes[2].object == SchedulerConfiguration()
    assert (changes[3].object, changes[4].object) == (Policies(draw="smallest"), 1)


def test_a_patch_changes_what_it_names_and_leaves_the_rest() -> None:
    metadata = {"name": "n-1", "labels": {"zone": "a"}}
    patch = {"kind": "Node", "metadata": metadata, "spec": {"unschedulable": True}}
    (change,) = read({"action": "patch", "object": patch})
    assert change.action == "put"
    assert (change.object.unschedulable, change.object.labels) == (True, {"disk": "ssd", "zone": "a"})
    assert change.object.allocatable["cpu"] == 4000


def test_an_edit_changes_one_value_of_what_the_changes_before_it_left() -> None:
    n_1, fast = "v1/Node//n-1", "storage.k8s.io/v1/StorageClass//fast"
    made = read(
        {"action": "edit", "edit": {"op": "set", "object": n_1, "path": "/metadata/labels/zone", "value": "a"}},
        {"action": "edit", "edit": {"op": "remove", "object": n_1, "path": "/metadata/labels/disk"}},
        {"action": "edit", "edit": {"op": "add", "object": fast, "value": {"provisioner": "p"}}},
        {"at": 50, "action": "edit", "edit": {"op": "remove", "object": "v1/Pod/default/a"}},
    )
    assert [(one.seq, one.action) for one in made] == [(40, "put"), (40, "put"), (40, "put"), (50, "delete")]
    assert [made[0].object.labels, made[1].object.labels] == [{"disk": "ssd", "zone": "a"}, {"zone": "a"}]
    assert (made[2].object.name, made[2].object.provisioner, made[3].object.key) == ("fast", "p", "default/a")


def test_each_change_is_read_as_the_ones_before_it_left_the_objects() -> None:
    changes = read(
        {"object": {**CLASS, "value": 5000}},
        {"object": pod("urgent", priorityClassName="high")},
        {"action": "patch", "object": {"kind": "Pod", "metadata": {"name": "urgent", "labels": {"app": "x"}}}},
        {"action": "set_policies", "policies": {"draw": "smallest"}},
        {"action": "set_policies", "policies": {"victims": "at_once"}},
    )
    assert changes[0].object.value == 5000
    assert changes[1].object.priority == 5000
    assert (changes[2].object.labels, changes[2].object.priority) == ({"app": "x"}, 5000)
    assert changes[4].object == Policies(draw="smallest", victims="at_once")


def test_objects_of_every_kind_that_a_run_reads_are_named_to_delete_them() -> None:
    kinds = ["Pod", "Node", "PodDisruptionBudget", "PriorityClass", "Namespace", "StorageClass", "Service", "CSINode"]
    changes = read(*({"action": "delete", "object": {"kind": kind, "metadata": {"name": "x"}}} for kind in kinds))
    assert [change.object.name for change in changes] == ["x"] * len(kinds)
    service = read(
        {"action": "delete", "object": {"kind": "Service", "metadata": {"name": "web", "namespace": "shop"}}}
    )
    assert service[0].object.key == "Service/shop/web"


@pytest.mark.parametrize(
    ("entry", "message", "path"),
    [
        (3, "a mapping with at, action", ()),
        ({"action": "x"}, '"x" is no action', ("action",)),
        ({"action": []}, "a list is no action", ("action",)),
        ({"object": pod("a"), "entry": 3}, "unknown field", ("entry",)),
        ({"at": -1, "object": pod("a")}, "is no number of events", ("at",)),
        ({"at": True, "object": pod("a")}, "is no number of events", ("at",)),
        ({"at": 1 << 60, "object": pod("a")}, "is no number of events", ("at",)),
        ({"at": 39, "object": pod("a")}, "lies before the branch", ("at",)),
        ({"object": None}, "a Kubernetes object is needed", ("object",)),
        ({"object": {"kind": "Pod"}}, "kind and metadata.name are needed", ("object",)),
        ({"object": {"kind": "Pod", "metadata": {"name": 3}}}, "kind and metadata.name are needed", ("object",)),
        ({"object": pod("a", nodeSelector=3)}, "nodeSelector", ("object", "spec", "nodeSelector")),
        ({"object": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}}}, "stands for 0", ("object",)),
        (
            {"action": "patch", "object": {"kind": "Pod", "metadata": {"name": "z"}}},
            "no manifest of Pod z",
            ("object",),
        ),
        (
            {"action": "patch", "object": {"kind": "Pod", "metadata": {"name": "moving"}}},
            "the timeline changes Pod moving",
            ("object",),
        ),
        (
            {"action": "delete", "object": {"kind": "Nothing", "metadata": {"name": "a"}}},
            "is no kind",
            ("object", "kind"),
        ),
        ({"action": "edit", "edit": {"op": "set"}}, "missing required field", ("edit", "edit")),
        (
            {"action": "edit", "edit": {"op": "set", "object": "v1/Node//n-1", "path": "/spec/taints/3", "value": {}}},
            "there is nothing|no place|so none",
            ("edit", "path"),
        ),
        (
            {"action": "edit", "edit": {"op": "set", "object": "v1/Node//none", "path": "/spec", "value": {}}},
            "there is no manifest of Node none",
            ("edit",),
        ),
        (
            {"action": "edit", "edit": {"op": "remove", "object": "v1/Nothing//n"}},
            "is no kind",
            ("edit", "kind"),
        ),
        ({"action": "configure", "configuration": 3}, "is no configuration", ("configuration",)),
        ({"action": "configure"}, "is no configuration", ("configuration",)),
        ({"action": "set_policies", "policies": {}}, "a mapping of policies", ("policies",)),
        ({"action": "set_policies", "policies": {"pace": 1}}, "there is no such policy", ("policies", "pace")),
        ({"action": "set_policies", "policies": {"draw": "luck"}}, "Invalid enum value", ("policies",)),
        ({"action": "set_policies", "policies": {"kubernetes": "newest"}}, "no version of Kubernetes", ("policies",)),
        ({"action": "set_policies", "policies": {"gates": "A=true"}}, "feature gates need", ("policies",)),
        (
            {"action": "set_policies", "policies": {"attempt_order": "listed"}},
            "says with what a run begins",
            ("policies", "attempt_order"),
        ),
        ({"action": "switch_off", "entry": 2}, "is no entry of the timeline, which has 2", ("entry",)),
        ({"action": "switch_off", "entry": True}, "is no entry", ("entry",)),
        ({"action": "switch_off"}, "is no entry", ("entry",)),
    ],
)
def test_what_is_wrong_is_named_with_its_place(entry: Any, message: str, path: tuple[str, ...]) -> None:
    with pytest.raises(ChangesError, match=message) as refused:
        read({"object": pod("fine")}, entry)
    assert refused.value.path == ("changes", 1, *path)
    assert str(refused.value).startswith("changes[1]")


@pytest.mark.parametrize("raw", [None, [], {}, {"changes": None}, {"changes": "text"}, {"changes": {"a": 1}}])
def test_what_is_no_list_of_changes_is_refused(raw: Any) -> None:
    with pytest.raises(ChangesError, match="changes: a list"):
        changes_from_raw(raw, CLUSTER)


def nested(depth: int) -> dict[str, Any]:
    deep: dict[str, Any] = {}
    for _ in range(depth):
        deep = {"a": deep}
    return deep


def named(action: str, kind: str, name: str, **fields: Any) -> dict[str, Any]:
    return {"action": action, "object": {"kind": kind, "metadata": {"name": name}, **fields}}


@pytest.mark.parametrize(
    ("entries", "sentence"),
    [
        ([{}] * (MAX_CHANGES + 1), "changes: 1,001 are more than the 1,000 allowed"),
        ([named("patch", "Node", "n-1", spec=nested(100_000))], "changes[0].object: is nested too deeply"),
        ([named("delete", "Pod", "a"), named("patch", "Pod", "a")],
         "changes[1].object: there is no manifest of Pod a to change. Put it whole"),
    ],
    ids=["too many", "nested too deeply", "a patch of what was deleted"],
)  # fmt: skip
def test_words(entries: list[dict[str, Any]], sentence: str) -> None:
    with pytest.raises(ChangesError) as refused:
        read(*entries)
    assert str(refused.value) == sentence


@pytest.mark.parametrize(
    ("before", "patch", "after"),
    [
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        (["a", "b"], ["c", "d"], ["c", "d"]),
        ({"a": "b"}, ["c"], ["c"]),
        ({"a": "foo"}, None, None),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ],
)
def test_patches_are_merged_as_the_examples_of_rfc_7386_say(before: Any, patch: Any, after: Any) -> None:
    assert merged(before, patch) == after


def test_deleting_the_default_class_leaves_later_pods_without_its_priority() -> None:
    usual = {**CLASS, "metadata": {"name": "usual"}, "value": 7, "globalDefault": True}
    other = {**CLASS, "metadata": {"name": "other"}, "value": 9, "globalDefault": True}
    of = Changed(manifests=[CLASS, usual, other], at=40)

    def gone(name: str) -> dict[str, Any]:
        return {"action": "delete", "object": {"kind": "PriorityClass", "metadata": {"name": name}}}

    pods = [{"object": pod(name)} for name in "abcd"]
    changes = read(pods[0], gone("high"), pods[1], gone("usual"), pods[2], gone("other"), pods[3], of=of)
    assert [change.object.priority for change in changes[::2]] == [7, 7, 9, 0], "the one of the lowest value counts"


def test_a_configuration_with_extenders_is_read_where_something_answers_for_them() -> None:
    extenders = [{"urlPrefix": "http://127.0.0.1:1/", "filterVerb": "filter", "weight": 1}]
    entry = {
        "action": "configure",
        "configuration": {
            "apiVersion": "kubescheduler.config.k8s.io/v1",
            "kind": "KubeSchedulerConfiguration",
            "extenders": extenders,
        },
    }
    [change] = read(entry, of=Changed(extenders_answered=True))
    assert isinstance(change.object, SchedulerConfiguration)
    with pytest.raises(ChangesError) as refused:
        read(entry, of=Changed())
    assert refused.value.path[:3] == ("changes", 0, "configuration")


def test_a_default_class_that_a_change_brings_counts_for_the_pods_after_it() -> None:
    usual = {**CLASS, "metadata": {"name": "usual"}, "value": 7, "globalDefault": True}
    changes = read({"object": pod("a")}, {"object": usual}, {"object": pod("b")})
    assert [changes[n].object.priority for n in (0, 2)] == [0, 7]
