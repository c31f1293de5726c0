"""A described node: its amounts, taints and conditions, and the pods of its table."""

from __future__ import annotations

from decimal import Decimal

from scheduler_core.manifests.forms.describe.blocks import blocks_in
from scheduler_core.manifests.forms.describe.nodes import amount, described_node, is_node

TEXT = """Name:               n
Labels:             kubernetes.io/hostname=n
                    empty=
Taints:             sick:NoExecute
                    a=b:NoSchedule
Unschedulable:      true
Conditions:
  Type    Status   LastHeartbeatTime                 LastTransitionTime                Reason             Message
  ----    ------   -----------------                 ------------------                ------             -------
  Ready   Unknown  Thu, 01 Jan 2026 00:00:00 +0000   Thu, 01 Jan 2026 00:00:00 +0000   NodeStatusUnknown  It is lost.
Allocatable:
  cpu:                4
  memory:             8148156Ki
System Info:
  Kubelet Version:    v1.34.8
Non-terminated Pods:  (3 in total)
  Namespace           Name    CPU Requests  CPU Limits  Memory Requests  Memory Limits  Age
  ---------           ----    ------------  ----------  ---------------  -------------  ---
  shop                web-0   250m (6%)     0 (0%)      1Gi (12%)        0 (0%)         3d
  kube-system         dns     0 (0%)        0 (0%)      0 (0%)           0 (0%)
Allocated resources:
  Resource           Requests   Limits
  --------           --------   ------
  cpu                250m (6%)  0 (0%)
  ephemeral-storage  0 (0%)     0 (0%)
  nvidia.com/gpu     2          2
"""


def test_a_node_is_read_with_the_pods_of_its_table() -> None:
    (block,) = blocks_in(TEXT)
    assert is_node(block)
    node = described_node(block)
    assert node.raw["spec"]["taints"] == [
        {"key": "sick", "effect": "NoExecute"},
        {"key": "a", "value": "b", "effect": "NoSchedule"},
    ]
    assert node.raw["spec"]["unschedulable"] is True
    assert node.raw["metadata"]["labels"] == {"kubernetes.io/hostname": "n", "empty": ""}
    assert node.raw["status"]["allocatable"] == {"cpu": "4", "memory": "8148156Ki"}
    (ready,) = node.raw["status"]["conditions"]
    assert (ready["status"], ready["message"]) == ("Unknown", "It is lost.")
    assert [(pod.name, pod.requests) for pod in node.pods] == [("web-0", {"cpu": "250m", "memory": "1Gi"}), ("dns", {})]
    assert (node.n_pods, node.totals) == (3, {"nvidia.com/gpu": "2"})


def test_amounts_are_numbers() -> None:
    assert (amount("250m"), amount("1Ki"), amount("much")) == (Decimal("0.25"), 1024, 0)
