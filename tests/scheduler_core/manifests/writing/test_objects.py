"""What the engine changed of an object stands in its manifest, which keeps all else, and is read as the same again."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from scheduler_core.api.labels import NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.api.objects import NodeCondition, PersistentVolume, PodDisruptionBudget, StorageClass
from scheduler_core.api.taints import Taint
from scheduler_core.explain import edited_objects
from scheduler_core.manifests.writing.objects import NotWritable, Writing, read_object, to_body, to_manifest
from tests.scheduler_core.crowded import crowded

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
CONTAINER = {
    "name": "c",
    "image": "i",
    "env": [{"name": "A", "value": "B"}],
    "resources": {"requests": {"cpu": "0.5", "memory": "1Gi"}},
    "ports": [{"containerPort": 80, "hostPort": 80, "name": "web"}],
}
SPREAD = {
    "maxSkew": 1,
    "topologyKey": "zone",
    "whenUnsatisfiable": "DoNotSchedule",
    "labelSelector": {"matchLabels": {"x": "y"}},
    "matchLabelKeys": ["x"],
}
POD: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "web", "namespace": "shop", "labels": {"x": "y"}},
    "spec": {
        "nodeSelector": {"disk": "ssd", "zone": "a"},
        "containers": [CONTAINER],
        "tolerations": [{"key": "k", "operator": "Exists"}],
        "schedulingGates": [{"name": "g"}],
        "topologySpreadConstraints": [SPREAD],
        "affinity": {
            "nodeAffinity": {
                REQUIRED: {
                    "nodeSelectorTerms": [{"matchExpressions": [{"key": "t", "operator": "In", "values": ["1"]}]}]
                }
            },
            "podAntiAffinity": {REQUIRED: [{"topologyKey": "host", "labelSelector": {"matchLabels": {"x": "y"}}}]},
        },
        "volumes": [{"name": "v", "emptyDir": {}}, {"name": "w", "persistentVolumeClaim": {"claimName": "w"}}],
    },
}
NODE: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "n", "labels": {"kubernetes.io/hostname": "n"}},
    "spec": {"taints": [{"key": "t", "effect": "NoSchedule"}], "unschedulable": True, "podCIDR": "10.0.0.0/24"},
    "status": {
        "allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"},
        "capacity": {"cpu": "4000m", "pods": "110"},
    },
}
pod, node = read_object(POD), read_object(NODE)


@pytest.mark.parametrize(
    ("edited", "changed"),
    [
        (edited_objects.asking_for(pod, "cpu", 100), {"containers"}),
        (edited_objects.asking_for_more(pod, "memory", 3 << 30), {"containers"}),
        (edited_objects.tolerating(pod, [Taint("z", "v", "NoSchedule"), Taint("y")]), {"tolerations"}),
        (edited_objects.without_selector_keys(pod, ["disk"]), {"nodeSelector"}),
        (edited_objects.without_selector_keys(pod, ["disk", "zone"]), {"nodeSelector"}),
        (edited_objects.without_required_nodes(pod), {"affinity"}),
        (edited_objects.selecting(pod, "disk", ("ssd", "hdd")), {"nodeSelector", "affinity"}),
        (edited_objects.with_value(pod, 0, 0, "2"), {"affinity"}),
        (edited_objects.without_term(pod, "anti_required", 0), {"affinity"}),
        (msgspec.structs.replace(pod, affinity=None), {"affinity"}),
        (edited_objects.with_constraint(pod, 0, max_skew=4), {"topologySpreadConstraints"}),
        (edited_objects.with_constraint(pod, 0, when_unsatisfiable="ScheduleAnyway"), {"topologySpreadConstraints"}),
        (edited_objects.without_constraint(pod, 0), {"topologySpreadConstraints"}),
        (edited_objects.without_gates(pod), {"schedulingGates"}),
        (edited_objects.without_host_ports(pod), {"containers"}),
        (edited_objects.without_volume(pod, "v"), {"volumes"}),
        (edited_objects.without_claim(pod, "shop/w"), {"volumes"}),
        (msgspec.structs.replace(pod, priority=70), {"priority"}),
    ],
)
def test_only_what_the_edit_changed_differs_in_a_pods_manifest(edited, changed):
    raw = to_manifest(edited, Writing(before=POD))
    assert read_object(raw) == edited
    spec, before = raw["spec"], POD["spec"]
    assert {name for name in spec.keys() | before.keys() if spec.get(name) != before.get(name)} == changed
    assert raw["metadata"] == POD["metadata"]


def test_what_nobody_reads_stays_as_it_was_written():
    written = to_manifest(edited_objects.asking_for(pod, "cpu", 100), Writing(before=POD))["spec"]["containers"]
    assert written == [{**CONTAINER, "resources": {"requests": {"cpu": "100m", "memory": "1Gi"}}}]
    constraint = to_manifest(edited_objects.with_constraint(pod, 0, max_skew=4), Writing(before=POD))
    assert constraint["spec"]["topologySpreadConstraints"] == [{**SPREAD, "maxSkew": 4}]
    assert POD["spec"]["containers"] == [CONTAINER]


@pytest.mark.parametrize(
    "edited",
    [
        edited_objects.enlarged(node, {"cpu": 1500, "nvidia.com/gpu": 1}),
        edited_objects.untainted(node, node.taints),
        edited_objects.another(node, "n-more"),
        msgspec.structs.replace(node, unschedulable=False),
        msgspec.structs.replace(node, labels={**node.labels, "disk": "ssd"}),
        msgspec.structs.replace(node, taints=(Taint("a", "b", "NoExecute"),)),
        msgspec.structs.replace(node, conditions=(NodeCondition("Ready", "False", "KubeletNotReady", "no network"),)),
    ],
)
def test_nodes_are_written_into_their_manifest_and_without_one(edited):
    if edited.name == "n":
        raw = to_manifest(edited, Writing(before=NODE))
        assert read_object(raw) == edited
        assert raw["spec"]["podCIDR"] == "10.0.0.0/24"
    assert read_object(to_manifest(edited, Writing())) == edited


def test_fields_that_a_run_sets_are_written_where_they_are_asked_for():
    bound = msgspec.structs.replace(
        edited_objects.without_gates(pod),
        uid="u",
        node_name="n",
        phase="Running",
        start_time=1e9,
        nominated_node_name="m",
    )
    plain = to_manifest(bound, Writing(before=POD))
    assert ("nodeName" in plain["spec"], "status" in plain, "uid" in plain["metadata"]) == (False, False, False)
    raw = to_manifest(bound, Writing(before=POD, with_fields_of_a_run=True))
    assert raw["spec"]["nodeName"] == "n"
    assert read_object(raw) == bound


def test_a_class_gives_the_priority_of_a_pod_that_is_written_anew():
    high = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 9}
    important = msgspec.structs.replace(edited_objects.without_volume(pod, "v"), priority=9, priority_class_name="high")
    raw = to_manifest(important, Writing(context=[high]))
    assert read_object(raw, [high]) == important


@pytest.mark.parametrize(
    ("obj", "sentence"),
    [
        (msgspec.structs.replace(pod, preempted=True), "Pod web: no manifest says its preempted as the engine has it"),
    ],
)
def test_words(obj, sentence):
    with pytest.raises(NotWritable) as refused:
        to_manifest(obj, Writing(before=POD, with_fields_of_a_run=True))
    assert str(refused.value) == sentence


def test_an_object_of_which_no_manifest_is_made_is_refused_by_its_kind():
    with pytest.raises(NotWritable, match="PodDisruptionBudget"):
        to_manifest(PodDisruptionBudget(name="b"), Writing())


def test_a_storage_class_is_made():
    made = StorageClass(name="late", provisioner="csi.example.com", volume_binding_mode="WaitForFirstConsumer")
    assert read_object(to_manifest(made, Writing())) == made


def test_a_body_has_the_parts_of_every_kind_and_what_stands_beside_them():
    late = StorageClass(name="late", provisioner="csi.example.com", volume_binding_mode="WaitForFirstConsumer")
    assert to_body(late) == {
        "metadata": {"name": "late"},
        "spec": {},
        "status": {},
        "provisioner": "csi.example.com",
        "volumeBindingMode": "WaitForFirstConsumer",
    }
    volume = PersistentVolume(name="v", source="hostPath", attributes={"path": "/v"})
    assert to_body(volume)["spec"]["hostPath"] == {"path": "/v"}
    assert to_body(node).keys() == {"metadata", "spec", "status"}


@pytest.mark.slow
def test_objects_of_a_crowded_cluster_are_the_same_again_when_they_are_written_anew():
    objects = crowded(5).objects
    classes = [
        {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": {"name": one.name},
            "value": one.value,
        }
        for one in objects.priority_classes
        if not one.name.startswith("system-")
    ]
    n_written, refusals = 0, []
    for obj in [*objects.nodes, *objects.pods, *objects.persistent_volumes, *objects.persistent_volume_claims]:
        try:
            raw = to_manifest(obj, Writing(context=classes, with_fields_of_a_run=True))
        except NotWritable as problem:
            refusals.append(str(problem))
            continue
        assert read_object(raw, classes) == obj
        n_written += 1
    # those that no API server would take, as they were made without its checks
    assert all("be valid. spec." in one for one in refusals)
    assert n_written > 25


def test_a_volume_is_bound_and_moved():
    raw = {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": "pv"},
        "spec": {"capacity": {"storage": "5Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/d"}},
    }
    volume = read_object(raw)
    there = NodeSelector((NodeSelectorTerm((Requirement("zone", "In", ("b",)),)),))
    edited = msgspec.structs.replace(volume, claim_ref=("shop", "w", "u"), node_affinity=there, phase="Bound")
    written = to_manifest(edited, Writing(before=raw))
    assert read_object(written) == edited
    assert written["spec"]["hostPath"] == {"path": "/d"}
