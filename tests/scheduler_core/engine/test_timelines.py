"""Timelines from their file form: times with units, actions, and errors that name entry and field."""

from __future__ import annotations

import re
from typing import Any

import pytest

from scheduler_core.engine import timelines
from scheduler_core.engine.timelines import entry_time
from scheduler_core.simulate import TimelineError, timeline_from_raw

POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "p"},
    "spec": {"containers": [{"name": "c"}], "priorityClassName": "high"},
}
ASKS_CORES = {**POD, "spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "4 cores"}}}]}}
HIGH = {"kind": "PriorityClass", "apiVersion": "scheduling.k8s.io/v1", "metadata": {"name": "high"}, "value": 7}


def entry(**changes: Any) -> dict[str, Any]:
    return {"entries": [{"at": 1, "action": "add", "object": POD, **changes}]}


@pytest.mark.parametrize(
    ("at", "us"),
    [(3, 3e6), ("3", 3e6), ("1.5s", 1.5e6), ("20ms", 20_000), ("7us", 7), ("2m", 120e6), ("1h", 3600e6)],
)
def test_times_may_have_units(at: Any, us: int) -> None:
    assert timeline_from_raw(entry(at=at)).entries[0].at == us


def test_entries_are_put_in_order_and_equal_times_keep_theirs() -> None:
    raw = {
        "entries": [
            {"at": t, "object": {**POD, "metadata": {"name": name}}} for t, name in ((2, "c"), (1, "a"), (1, "b"))
        ]
    }
    assert [e.object.name for e in timeline_from_raw(raw).entries] == ["a", "b", "c"]


def test_objects_are_admitted_with_the_clusters_priority_classes() -> None:
    assert timeline_from_raw(entry(), [HIGH]).entries[0].object.priority == 7


def test_deletes_name_an_object() -> None:
    assert timeline_from_raw(entry(action="delete")).entries[0].action == "delete"


def test_the_time_of_an_entry_is_read_alone() -> None:
    assert [entry_time(one) for one in ({"at": "2s"}, {"at": 0.5}, {})] == [2_000_000, 500_000, 0]
    for wrong in ({"at": "soon"}, "2s", None):
        with pytest.raises(TimelineError):
            entry_time(wrong)


@pytest.mark.parametrize("kind", ["Pod", "PersistentVolumeClaim", "ReplicaSet", "Node"])
def test_a_deletion_needs_no_more_than_kind_and_name(kind: str) -> None:
    bare = {"kind": kind, "metadata": {"name": "p"}}
    assert timeline_from_raw(entry(action="delete", object=bare)).entries[0].object.name == "p"


@pytest.mark.parametrize(
    "bare",
    [
        {"kind": "Pod"},
        {"kind": "Pod", "metadata": {"name": ""}},
        {"kind": "Pod", "metadata": {"name": "P P"}},
        {"kind": "Secret", "metadata": {"name": "p"}},
        {"kind": ["Pod"], "metadata": {"name": "p"}},
    ],
)
def test_a_deletion_that_names_nothing_is_refused(bare: Any) -> None:
    with pytest.raises(TimelineError, match=r"entries\[0\]"):
        timeline_from_raw(entry(action="delete", object=bare))


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ({}, "entries: a list"),
        ({"entries": "x"}, "entries: a list"),
        (entry(at="soon"), 'entries[0].at: "soon" is no time'),
        (entry(at=-1), 'entries[0].at: "-1" is no time'),
        (entry(at=True), "entries[0].at"),
        (entry(at="999999999999h"), 'entries[0].at: "999999999999h" is too late. Write at most 8766000h'),
        (entry(action="explode"), "entries[0].action: write add, update or delete"),
        (entry(object=None), "entries[0].object: a Kubernetes object"),
        (entry(when=3), "entries[0].when: unknown field"),
        (entry(object={"kind": "Deployment", "apiVersion": "apps/v1", "metadata": {"name": "d"}}), "entries[0].object"),
        (entry(object=ASKS_CORES), "4 cores"),
    ],
)  # fmt: skip
def test_errors_name_entry_and_field(raw: dict[str, Any], message: str) -> None:
    with pytest.raises(TimelineError, match=re.escape(message)):
        timeline_from_raw(raw)


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        ({}, ("entries",)),
        (entry(when=3), ("entries", 0, "when")),
        (entry(at="soon"), ("entries", 0, "at")),
        (entry(object=None), ("entries", 0, "object")),
        (
            entry(object=ASKS_CORES),
            ("entries", 0, "object", "spec", "containers", 0, "resources", "requests", "cpu"),
        ),
    ],
)
def test_errors_lead_to_the_field(raw: dict[str, Any], path: tuple[str | int, ...]) -> None:
    with pytest.raises(TimelineError) as caught:
        timeline_from_raw(raw)
    assert caught.value.path == path


CLASS = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 1_000}


def prioritised(priority: int | None, action: str = "add") -> dict[str, Any]:
    """Return a timeline of one pod of the class "high"."""
    spec = {"priorityClassName": "high", "containers": [{"name": "main", "image": "app"}]}
    if priority is not None:
        spec["priority"] = priority
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}, "spec": spec}
    return entry(object=pod, action=action)


def test_a_new_pod_has_the_priority_of_its_class() -> None:
    message = "entries[0].object: Pod default/web: spec.priority: 5 is not the 1000 of PriorityClass high"
    with pytest.raises(TimelineError, match=re.escape(message)) as caught:
        timeline_from_raw(prioritised(5), [CLASS])
    assert caught.value.path == ("entries", 0, "object", "spec", "priority")
    for priority in (None, 1_000):
        assert timeline_from_raw(prioritised(priority), [CLASS]).entries[0].object.priority == 1_000
    # A pod that is there already is not admitted again, and without the class nobody knows better.
    assert timeline_from_raw(prioritised(5, "update"), [CLASS]).entries[0].object.priority == 5
    assert timeline_from_raw(prioritised(5)).entries[0].object.priority == 5


def test_a_run_goes_on_with_a_priority_that_was_let_pass_before() -> None:
    assert timeline_from_raw(prioritised(5), [CLASS], follows_run=True).entries[0].object.priority == 5


def test_a_workload_is_one_object_without_the_pods_that_its_controller_makes() -> None:
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "main", "image": "app"}]}}
    spec = {"replicas": 3, "selector": {"matchLabels": {"a": "b"}}, "template": template}
    deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": spec}
    (read,) = timeline_from_raw(entry(object=deployment)).entries
    assert (read.object.kind, read.object.key, read.object.replicas) == ("Deployment", "Deployment/default/d", 3)
    named = {"kind": "Job", "metadata": {"name": "j"}}
    (gone,) = timeline_from_raw(entry(action="delete", object=named)).entries
    assert gone.object.key == "Job/default/j"


def test_objects_that_are_read_together_are_those_that_are_read_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def pod(name: str, **spec: Any) -> dict[str, Any]:
        containers = [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}]
        metadata = {"name": name, "labels": {"app": name}}
        return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": containers, **spec}}

    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "status": {"allocatable": {"cpu": "4"}}}
    base = [{"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 9}]
    entries = [
        {"at": "1s", "object": pod("a", priorityClassName="high")},
        {"at": "1s", "object": node},
        {"at": "2s", "action": "update", "object": pod("a", priorityClassName="high", schedulingGates=[{"name": "g"}])},
        {"at": "3s", "action": "delete", "object": node},
        {"at": "4s", "object": pod("b")},
    ]
    together = timeline_from_raw({"entries": entries}, base)
    monkeypatch.setattr(timelines, "_read_together", lambda *_: {})
    assert timeline_from_raw({"entries": entries}, base) == together
