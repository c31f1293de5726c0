"""A described pod: what is printed of it, in every notation of kubectl."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_core.manifests.forms.describe.blocks import blocks_in
from scheduler_core.manifests.forms.describe.pods import described_pod, is_pod, pairs

TEXT = """Name:         p
Namespace:    a
Node:         {node}
Status:       {status}
Controlled By:  {owner}
Containers:
  c:
    Image:       i
    Ports:       80/UDP, 81/ (n)
    Host Ports:  8080/UDP, 0/ (n)
Tolerations:     {toleration}
Volumes:
  v:
    Type:       PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)
    ClaimName:  data
  e:
    Type:       EphemeralVolume (an inline specification for a volume)
Events:
  Type     Reason            Age  From  Message
  ----     ------            ---  ----  -------
  Warning  FailedScheduling  3m   mine  {message}
"""
PLAIN = {"node": "<none>", "status": "Pending", "owner": "", "toleration": "<none>", "message": "no room"}


def read(**fields: str) -> Any:
    (block,) = blocks_in(TEXT.format(**{**PLAIN, **fields}))
    assert is_pod(block)
    return described_pod(block)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("op=Exists", {"operator": "Exists"}),
        (":NoExecute op=Exists", {"operator": "Exists", "effect": "NoExecute"}),
        ("a:NoSchedule op=Exists", {"key": "a", "operator": "Exists", "effect": "NoSchedule"}),
        ("a=b:NoExecute for 30s", {"key": "a", "value": "b", "effect": "NoExecute", "tolerationSeconds": 30}),
        ("a:NoExecute", {"key": "a", "effect": "NoExecute"}),
        ("a op=Exists", {"key": "a", "operator": "Exists"}),
        ("a=b", {"key": "a", "value": "b"}),
        ("op=x:NoSchedule", {"key": "op", "value": "x", "effect": "NoSchedule"}),
    ],
)
def test_tolerations(text: str, expected: dict[str, Any]) -> None:
    assert read(toleration=text).raw["spec"]["tolerations"] == [expected]


def test_a_pod_that_waits_has_its_scheduler_its_claims_and_its_message() -> None:
    pod = read()
    assert (pod.key, pod.waits, pod.said, pod.claims) == (("a", "p"), True, "no room", ("data", "p-e"))
    spec = pod.raw["spec"]
    assert spec["schedulerName"] == "mine"
    assert spec["containers"][0]["ports"] == [{"containerPort": 80, "hostPort": 8080, "protocol": "UDP"}]
    assert "volumes" not in spec


def test_a_claim_that_the_scheduler_did_not_find_stays_named() -> None:
    pod = read(message='persistentvolumeclaim "data" not found. preemption: not helpful')
    assert pod.raw["spec"]["volumes"] == [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]
    assert pod.claims == ()


@pytest.mark.parametrize(
    ("fields", "node", "phase", "waits", "ends"),
    [
        ({"node": "n/10.0.0.1", "status": "Running"}, "n", "Running", False, False),
        ({"node": "n/", "status": "Terminating (lasts 5m)"}, "n", "Running", False, True),
        ({"status": "Succeeded"}, None, "Succeeded", False, False),
    ],
)
def test_where_it_is_and_whether_it_waits(fields, node, phase, waits, ends) -> None:
    pod = read(**fields)
    assert (pod.raw["spec"].get("nodeName"), pod.raw["status"]["phase"], pod.waits) == (node, phase, waits)
    assert ("deletionTimestamp" in pod.raw["metadata"]) is ends


def test_an_owner_is_one_of_a_kind_that_is_read() -> None:
    (owner,) = read(owner="ReplicaSet/web-1").raw["metadata"]["ownerReferences"]
    assert (owner["kind"], owner["name"], owner["controller"]) == ("ReplicaSet", "web-1", True)
    assert "ownerReferences" not in read(owner="Widget/x").raw["metadata"]


def test_pairs_are_keys_with_values() -> None:
    assert pairs(["a=b", "c=", "d"]) == {"a": "b", "c": ""}
