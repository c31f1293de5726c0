"""The pools of the nodes at hand, by the labels that EKS, GKE, AKS and others give their nodes."""

from __future__ import annotations

import pytest

from scheduler_core.capacity.groups.labels import POOL_LABELS, groups_by_labels
from tests.scheduler_core.capacity.inputs import SHAPE, ZONE, inputs, node

# Labels as the clouds document them for a node of their managed pools.
EKS = {"eks.amazonaws.com/nodegroup": "web", "eks.amazonaws.com/capacityType": "ON_DEMAND",
       "eks.amazonaws.com/nodegroup-image": "ami-1", "alpha.eksctl.io/nodegroup-name": "web"}  # fmt: skip
GKE = {"cloud.google.com/gke-nodepool": "web", "cloud.google.com/machine-family": "e2",
       "cloud.google.com/gke-os-distribution": "cos"}  # fmt: skip
AKS = {"kubernetes.azure.com/agentpool": "web", "agentpool": "web", "kubernetes.azure.com/mode": "system"}


def groups(*raws: dict) -> list:
    return groups_by_labels(inputs(*raws).objects.nodes)


@pytest.mark.parametrize(
    ("labels", "shape", "label"),
    [
        (EKS, "m5.large", "eks.amazonaws.com/nodegroup"),
        (GKE, "e2-standard-2", "cloud.google.com/gke-nodepool"),
        (AKS, "Standard_D2s_v3", "kubernetes.azure.com/agentpool"),
    ],
)
def test_a_cloud_s_nodes_give_their_pools(labels, shape, label):
    first, second = groups(*(node(f"n{i}", shape, zone, labels=labels) for i, zone in enumerate("aab")))
    assert (first.name, first.present, first.source) == ("web/a", ("n0", "n1"), f"label {label}")
    assert (second.name, second.present, second.template.labels[ZONE]) == ("web/b", ("n2",), "b")
    assert first.template.labels[SHAPE] == shape


@pytest.mark.parametrize("label", POOL_LABELS)
def test_each_label_names_a_pool(label):
    assert [one.name for one in groups(node("n", labels={label: "x"}))] == ["x"]


def test_a_template_is_the_newest_node_without_what_is_its_own():
    passing = [{"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"}, {"key": "t", "effect": "NoSchedule"}]
    (group,) = groups(node("new", day=3, cpu="1", labels=GKE, taints=passing), node("old", day=2, labels=GKE))
    assert (group.template.allocatable["cpu"], [one.key for one in group.template.taints]) == (1000, ["t"])
    assert "kubernetes.io/hostname" not in group.template.labels
    new = group.node(2)
    assert new.labels["kubernetes.io/hostname"] == new.name != group.node(1).name


def test_names_say_shape_and_zone_where_a_pool_has_several():
    raws = node("n1", labels=EKS), node("n2", "c5.large", "b", labels=EKS), node("n3")
    assert [one.name for one in groups(*raws)] == ["web/m5.large/a", "web/c5.large/b"]
    old = node("n4", labels={**EKS, "beta.kubernetes.io/instance-type": "m3.large"})
    del old["metadata"]["labels"][SHAPE], old["metadata"]["labels"][ZONE]
    assert [one.name for one in groups(old, node("n1", labels=EKS))] == ["web/m3.large/no zone", "web/m5.large/a"]
