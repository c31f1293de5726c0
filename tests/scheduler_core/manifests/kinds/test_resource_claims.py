"""Resource claims, and what pods say of theirs."""

from __future__ import annotations

import pytest

from scheduler_core.api.devices import Allocation, Consumer
from scheduler_core.api.objects import PodResourceClaim
from tests.scheduler_core.manifests.manifest_helpers import load, objects


def test_resource_claims_are_read_with_what_pods_say_of_theirs():
    cluster = objects("""\
        apiVersion: v1
        kind: List
        items:
        - apiVersion: resource.k8s.io/v1
          kind: ResourceClaim
          metadata: {name: g, ownerReferences: [{apiVersion: v1, kind: Pod, name: p, uid: u, controller: true}]}
          spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}
          status: {reservedFor: [{resource: pods, name: p, uid: u}], allocation: {devices: {}}}
        - {apiVersion: resource.k8s.io/v1beta1, kind: ResourceClaim, metadata: {name: idle, namespace: ns}}
        - apiVersion: v1
          kind: Pod
          metadata: {name: p}
          spec:
            containers: [{name: c, image: x}]
            resourceClaims:
            - {name: named, resourceClaimName: g}
            - {name: made, resourceClaimTemplateName: t}
            - {name: needless, resourceClaimTemplateName: t}
            - {name: waiting, resourceClaimTemplateName: t}
          status: {resourceClaimStatuses: [{name: made, resourceClaimName: p-made-x}, {name: needless}]}
        """)
    taken, idle = cluster.resource_claims
    assert (taken.key, taken.allocation, taken.owner_references[0].uid) == ("default/g", Allocation(), "u")
    assert taken.reserved_for == (Consumer("p", "u"),)
    assert [request.class_name for request in taken.spec.requests] == ["gpu"]
    assert (idle.key, idle.status) == ("ns/idle", (None, (), ()))
    assert cluster.pods[0].resource_claims == (
        PodResourceClaim("named", claim_name="g"),
        PodResourceClaim("made", template_name="t", generated="p-made-x"),
        PodResourceClaim("needless", template_name="t", generated=""),
        PodResourceClaim("waiting", template_name="t"),
    )


def pod(claims: str, entries: str = "[{name: a, resourceClaimName: g}]") -> str:
    return f"""\
apiVersion: v1
kind: Pod
metadata: {{name: p}}
spec:
  resourceClaims: {entries}
  containers: [{{name: c, image: x, resources: {{claims: {claims}}}}}]
"""


@pytest.mark.parametrize(
    ("claims", "field"),
    [
        ("[{name: b}]", "name"),
        ("[{}]", "name"),
        ("[{name: a}, {name: a}]", ""),
        ("[{name: a}, {name: a, request: r}]", None),
    ],
)
def test_containers_use_claims_that_their_pod_has_each_once(claims, field):
    place = f"spec.containers[0].resources.claims[{claims.count('{') - 1}]"
    expected = [] if field is None else [f"{place}.{field}".rstrip(".")]
    assert [one.field for one in load(pod(claims)).errors] == expected


def test_a_claim_that_is_in_use_has_devices_and_at_most_256_users():
    head = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: g}\n"
    user = "{resource: pods, name: p, uid: u}"
    assert [one.field for one in load(f"{head}status: {{reservedFor: [{user}]}}").errors] == ["status.reservedFor"]
    users = ", ".join([user] * 257)
    text = f"{head}status: {{allocation: {{devices: {{}}}}, reservedFor: [{users}]}}"
    assert [one.field for one in load(text).errors] == ["status.reservedFor"]
