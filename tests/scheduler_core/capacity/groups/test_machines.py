"""MachineDeployments and MachineSets give the group of their nodes at hand, else what annotations say."""

from __future__ import annotations

import pytest

from scheduler_core.capacity.groups.machines import group_of_machines, owner_of
from scheduler_core.capacity.groups.model import GroupError, NodeGroup
from tests.scheduler_core.capacity.inputs import SHAPE, ZONE, inputs, machines, node

CAPACITY, SIZE = "capacity.cluster-autoscaler.kubernetes.io/", "cluster-api-autoscaler-node-group-"
FROM_ZERO = {f"{CAPACITY}cpu": "4", f"{CAPACITY}memory": "16G"}
PLACE = {"availabilityZone": "us-east-1a", "region": "us-east-1"}
OF_AWS = {"providerSpec": {"value": {"instanceType": "m5.xlarge", "userDataSecret": {"name": "s"}, "placement": PLACE}}}
OF_AZURE = {"providerSpec": {"value": {"vmSize": "Standard_D4s_v3", "location": "eastus", "zone": "2"}}}
OF_GCP = {"providerSpec": {"value": {"machineType": "n1-standard-4", "region": "us-east1", "zone": "us-east1-b"}}}


def group(raw: dict, *more: dict) -> NodeGroup:
    """Return the group of an object without nodes."""
    first, *scalers = inputs(raw, *more).unplayed.objects
    return group_of_machines(first, [], scalers)


def test_a_node_says_who_made_it():
    of_deployment = {"cluster.x-k8s.io/owner-kind": "MachineSet", "cluster.x-k8s.io/owner-name": "md-0-5f7c9",
                     "cluster.x-k8s.io/cluster-namespace": "m"}  # fmt: skip
    of_set = {"machine.openshift.io/machine": "m/worker-a-x2x4p"}
    of_plane = {"cluster.x-k8s.io/owner-kind": "KubeadmControlPlane", "cluster.x-k8s.io/owner-name": "c-cp"}
    nodes = inputs(*(node(f"n{i}", annotations=one) for i, one in enumerate((of_deployment, of_set, of_plane, {}))))
    owners = [owner_of(one) for one in nodes.objects.nodes]
    assert owners == [("MachineDeployment", "m", "md-0"), ("MachineSet", "m", "worker-a"), None, None]


def test_a_new_node_is_like_the_newest_one():
    labels = {"node-role.kubernetes.io/web": "", "team": "x", "a.node.cluster.x-k8s.io/b": "c"}
    raw = machines("MachineDeployment", "md-0", {f"cluster.x-k8s.io/{SIZE}max-size": "5"}, {}, labels)
    of = inputs(raw, node("old", cpu="1"), node("new", day=2, taints=[{"key": "t", "effect": "NoSchedule"}]))
    one = group_of_machines(of.unplayed.objects[0], of.objects.nodes)
    assert (one.name, one.present, one.maximum, one.room) == ("md-0", ("old", "new"), 5, 3)
    assert (one.template.allocatable["cpu"], one.source) == (2000, "MachineDeployment m/md-0, like new")
    assert [taint.key for taint in one.template.taints] == ["t"]
    own = {key for key in labels if key in one.template.labels}
    assert own == {"node-role.kubernetes.io/web", "a.node.cluster.x-k8s.io/b"}


def test_annotations_describe_a_node_where_none_is_there():
    typed = {**FROM_ZERO, f"{CAPACITY}maxPods": "30", f"{CAPACITY}gpu-count": "2", f"{CAPACITY}gpu-type": "a.b/gpu",
             f"{CAPACITY}labels": "kubernetes.io/arch=arm64,a=b", f"{CAPACITY}taints": "k=v:NoSchedule,l=:NoExecute",
             f"cluster.x-k8s.io/{SIZE}min-size": "1", f"cluster.x-k8s.io/{SIZE}max-size": "3"}  # fmt: skip
    one = group(machines("MachineDeployment", "md-0", typed, {"taints": [{"key": "k", "effect": "NoSchedule"}]}))
    assert one.template.allocatable == {"cpu": 4000, "memory": 16 * 10**9, "pods": 30, "a.b/gpu": 2}
    assert (one.template.labels["kubernetes.io/arch"], one.template.labels["a"]) == ("arm64", "b")
    assert [(one.key, one.value, one.effect) for one in one.template.taints] == [
        ("k", "v", "NoSchedule"),
        ("l", "", "NoExecute"),
    ]
    assert (one.minimum, one.maximum) == (1, 3)


@pytest.mark.parametrize(
    ("spec", "labels"),
    [
        (OF_AWS, ("m5.xlarge", "us-east-1a")),
        (OF_AZURE, ("Standard_D4s_v3", "eastus-2")),
        (OF_GCP, ("n1-standard-4", "us-east1-b")),
    ],
)
def test_a_machine_set_of_openshift(spec, labels):
    sizes = {"vCPU": "4", "memoryMb": "16384", "GPU": "0", f"{SIZE}max-size": "6"}
    notes = {f"machine.openshift.io/{name}": text for name, text in sizes.items()}
    spec = {**spec, "metadata": {"labels": {"node-role.kubernetes.io/infra": ""}}}
    one = group(machines("MachineSet", "worker-a", notes, spec))
    assert one.template.allocatable == {"cpu": 4000, "memory": 16 << 30, "pods": 250}
    assert (one.template.labels[SHAPE], one.template.labels[ZONE]) == labels
    assert ("node-role.kubernetes.io/infra" in one.template.labels, one.maximum) == (True, 6)


def test_a_machine_autoscaler_bounds_its_machine_set():
    scaler = {"apiVersion": "autoscaling.openshift.io/v1beta1", "kind": "MachineAutoscaler",
              "metadata": {"name": "x", "namespace": "m"},
              "spec": {"minReplicas": 1, "maxReplicas": 12,
                       "scaleTargetRef": {"kind": "MachineSet", "name": "worker-a"}}}  # fmt: skip
    one = group(machines("MachineSet", "worker-a", FROM_ZERO, {}), scaler)
    assert (one.minimum, one.maximum) == (1, 12)
    other = group(machines("MachineSet", "worker-b", FROM_ZERO, {}), scaler)
    assert (other.minimum, other.maximum) == (0, None)


@pytest.mark.parametrize(
    ("notes", "spec", "message"),
    [
        ({}, {}, "no node of it is at hand"),
        ({f"{CAPACITY}cpu": "4"}, {}, "no node of it is at hand"),
        ({**FROM_ZERO, f"{CAPACITY}memory": "lots"}, {}, f"metadata.annotations[{CAPACITY}memory]: "),
        ({**FROM_ZERO, f"cluster.x-k8s.io/{SIZE}max-size": "ten"}, {}, "metadata.annotations["),
        (
            {**FROM_ZERO, f"cluster.x-k8s.io/{SIZE}min-size": "4", f"cluster.x-k8s.io/{SIZE}max-size": "3"},
            {},
            "its max",
        ),
        ({**FROM_ZERO, f"{CAPACITY}taints": "nonsense"}, {}, "metadata.annotations["),
        ({**FROM_ZERO, f"{CAPACITY}labels": "a b=c"}, {}, "metadata.annotations["),
        (FROM_ZERO, {"taints": "none"}, "spec.template.spec.taints: "),
    ],
)
def test_what_cannot_be_known_is_said(notes, spec, message):
    with pytest.raises(GroupError) as problem:
        group(machines("MachineDeployment", "md-0", notes, spec))
    assert str(problem.value).startswith(message)
