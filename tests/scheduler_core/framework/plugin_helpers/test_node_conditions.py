"""Which taints say in which condition a node is; the keys are those of Kubernetes and of what taints new nodes."""

from __future__ import annotations

import pytest

from scheduler_core.api.objects import NodeCondition
from scheduler_core.api.taints import Taint
from scheduler_core.framework.plugin_helpers.node_conditions import is_symptom, mended, reported_conditions
from scheduler_core.testing.builders import make_node

BROKEN = (
    NodeCondition("Ready", "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status."),
    NodeCondition("DiskPressure", "True", "KubeletHasDiskPressure"),
)


@pytest.mark.parametrize(
    "key",
    [
        "node.kubernetes.io/unreachable",
        "node.kubernetes.io/disk-pressure",
        "node.cloudprovider.kubernetes.io/uninitialized",
        "node.cilium.io/agent-not-ready",
        "karpenter.sh/disrupted",
        "ebs.csi.aws.com/agent-not-ready",
        "ToBeDeletedByClusterAutoscaler",
    ],
)
def test_what_a_controller_sets_again_is_a_symptom(key: str) -> None:
    assert is_symptom(Taint(key, "", "NoSchedule"))


@pytest.mark.parametrize(
    "key", ["gpu", "node-role.kubernetes.io/control-plane", "example.com/dedicated", "maintenance"]
)
def test_what_somebody_chose_is_none(key: str) -> None:
    assert not is_symptom(Taint(key, "yes", "NoExecute"))


def test_a_taint_stands_for_the_condition_of_its_name_and_for_ready() -> None:
    node = make_node("n", conditions=BROKEN)
    assert reported_conditions(node, "node.kubernetes.io/disk-pressure") == [BROKEN[1]]
    assert reported_conditions(node, "node.kubernetes.io/unreachable") == [BROKEN[0]]
    assert reported_conditions(node, "node.kubernetes.io/not-ready") == [BROKEN[0]]
    assert reported_conditions(node, "node.kubernetes.io/memory-pressure") == []
    assert reported_conditions(make_node("n"), "node.kubernetes.io/unreachable") == []


def test_a_mended_node_keeps_the_taints_that_were_chosen() -> None:
    node = make_node("n", conditions=BROKEN, taints=["gpu:NoSchedule", "node.kubernetes.io/unreachable:NoExecute"])
    healthy = mended(node)
    assert ([taint.key for taint in healthy.taints], healthy.conditions) == (["gpu"], ())
    assert healthy.allocatable == node.allocatable
