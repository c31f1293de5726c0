"""Claims as they are made again, and where manifests say what they ask for."""

from __future__ import annotations

from msgspec.structs import replace

from scheduler_core.api.devices import ClaimSpec, DeviceRequest, DeviceToleration, ResourceSlice
from scheduler_core.api.objects import PodResourceClaim
from scheduler_core.columns.cluster import Listers
from scheduler_core.explain.remedies import edited_claims
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.diagnosis.device_clusters import claim, gpu, held, pool_of, request, same

LISTED = claim(request("a"), DeviceRequest(name="b", alternatives=(request("x"), request("y"))), constraints=[same()])


def test_a_request_is_edited_in_each_of_its_alternatives_and_no_other() -> None:
    made = edited_claims.with_request(LISTED, "b", lambda one: replace(one, count=7))
    first, second = made.spec.requests
    assert first == LISTED.spec.requests[0]
    assert [one.count for one in second.alternatives] == [7, 7]
    assert edited_claims.without_constraint(LISTED, same().match_attribute).spec.constraints == ()
    assert edited_claims.without_constraint(LISTED, "other").spec == LISTED.spec


def test_places_are_those_of_the_claim_or_of_its_template() -> None:
    made = make_pod("p", resource_claims=(PodResourceClaim("g", template_name="t", generated="c"),))
    assert edited_claims.written(LISTED, made) == (
        "resource.k8s.io/v1/ResourceClaimTemplate/default/t", "/spec/spec/devices",
    )  # fmt: skip
    assert edited_claims.written(LISTED, make_pod("p")) == (
        "resource.k8s.io/v1/ResourceClaim/default/c",
        "/spec/devices",
    )
    places = [edited_claims.place_of(LISTED, name) for name in ("a", "b", "none")]
    assert places == ["/requests/0/exactly", "/requests/1/firstAvailable/0", "/requests"]
    assert edited_claims.raw_toleration(DeviceToleration(key="k", operator="Exists")) == {
        "key": "k",
        "operator": "Exists",
    }


def test_a_claim_that_is_released_has_no_devices_and_nobody_who_reserves_it() -> None:
    freed = edited_claims.released(held("h", "q", ("n1", "gpu-0")))
    assert (freed.allocation, freed.reserved_for, freed.spec) == (None, (), ClaimSpec((request(),)))


def test_a_node_like_another_has_the_slices_of_its_own_pools_alone() -> None:
    listers = Listers()
    everywhere = ResourceSlice(name="net", driver="d", pool="net", all_nodes=True)
    for one in (pool_of("n1", gpu(0)), pool_of("n1", gpu(1), name="x", pool="own"), pool_of("n2", gpu(0)), everywhere):
        listers.put(one)
    made = edited_claims.slices_of_node(listers, make_node("n1"), "m")
    assert [(one.name, one.node_name, one.pool) for one in made] == [
        ("n1-slice-of-m", "m", "m"), ("x-of-m", "m", "own-of-m"),
    ]  # fmt: skip
