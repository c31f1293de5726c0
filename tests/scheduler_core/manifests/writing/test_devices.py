"""Devices, and what pods say of their claims, are written as they are read, whole and into what was there."""

from __future__ import annotations

import copy
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler_core.api.devices import ServedResource
from scheduler_core.api.objects import PodResourceClaim
from scheduler_core.collect.fields.allowed import PlainNames, projected
from scheduler_core.collect.fields.pseudonyms import Pseudonyms
from scheduler_core.manifests import load_manifests
from scheduler_core.manifests.writing.objects import Writing, read_object, to_manifest
from tests.scheduler_core.device_objects import ALL

KINDS = sorted(ALL)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_every_object_is_read_again_as_it_was(kind: str, data: st.DataObject) -> None:
    obj, other = data.draw(ALL[kind]), data.draw(ALL[kind])
    raw = to_manifest(obj, Writing())
    assert load_manifests([raw]).findings == []
    assert read_object(raw) == obj
    before = copy.deepcopy(raw)
    assert to_manifest(obj, Writing(before=raw)) == before
    assert read_object(to_manifest(other, Writing(before=raw))) == other
    assert raw == before


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_what_leaves_a_cluster_is_all_but_the_configuration_of_drivers(kind: str, data: st.DataObject) -> None:
    obj = data.draw(ALL[kind])
    raw = to_manifest(obj, Writing())
    leaving = projected(kind, raw["apiVersion"], raw, PlainNames())
    assert _bare(read_object(leaving)) == _bare(obj)
    under_pseudonyms = projected(kind, raw["apiVersion"], raw, Pseudonyms(b"k" * 32))
    assert load_manifests([under_pseudonyms]).findings == []


def _bare(obj: Any) -> Any:
    """The object as far as it leaves: without parameters of drivers, and annotations that nobody reads."""

    def bare(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: bare(v) for k, v in value.items() if k not in ("config", "rest", "annotations")}
        return [bare(one) for one in value] if isinstance(value, list | tuple) else value

    return bare(msgspec.to_builtins(obj))


BETA_SLICE = {
    "apiVersion": "resource.k8s.io/v1beta1",
    "kind": "ResourceSlice",
    "metadata": {"name": "s", "labels": {"kept": "yes"}},
    "spec": {
        "driver": "gpu.example.com",
        "nodeName": "n",
        "pool": {"name": "n", "generation": 1, "resourceSliceCount": 1},
        "devices": [{"name": "a", "basic": {"attributes": {"model": {"string": "A"}}}}, {"name": "b", "basic": {}}],
    },
}
BETA_CLAIM = {
    "apiVersion": "resource.k8s.io/v1beta1",
    "kind": "ResourceClaim",
    "metadata": {"name": "c", "namespace": "default"},
    "spec": {"devices": {"requests": [{"name": "r", "deviceClassName": "gpu", "count": 2}]}},
}


@pytest.mark.parametrize(
    ("raw", "change"),
    [
        (BETA_SLICE, lambda one: msgspec.structs.replace(one, devices=one.devices[:1])),
        (BETA_CLAIM, lambda one: msgspec.structs.replace(one, uid="u")),
    ],
)
def test_a_beta_stays_as_it_is_until_it_is_changed_and_is_then_written_as_v1(raw: dict[str, Any], change: Any) -> None:
    obj = read_object(raw)
    assert to_manifest(obj, Writing(before=raw)) == raw
    changed = change(obj)
    made = to_manifest(changed, Writing(before=raw))
    assert made["apiVersion"] == "resource.k8s.io/v1"
    assert made["metadata"].get("labels") == raw["metadata"].get("labels")
    assert (read_object(made), "basic" in str(made)) == (changed, False)


POD: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "p", "namespace": "default"},
    "spec": {
        "containers": [{"name": "c", "image": "i", "resources": {"claims": [{"name": "a"}, {"name": "b"}]}}],
        "resourceClaims": [
            {"name": "a", "resourceClaimTemplateName": "t"},
            {"name": "b", "resourceClaimName": "shared"},
        ],
    },
}


def test_names_of_generated_claims_and_the_claim_of_extended_resources_are_status() -> None:
    pod = read_object(POD)
    served = (ServedResource("c", "example.com/gpu", "container-0-request-0"),)
    changed = msgspec.structs.replace(
        pod,
        resource_claims=(PodResourceClaim("a", "", "t", "p-a-x1"), pod.resource_claims[1]),
        extended_claim="p-extended",
        extended_requests=served,
    )
    raw = to_manifest(changed, Writing(before=POD, with_fields_of_a_run=True))
    assert raw["status"]["resourceClaimStatuses"] == [{"name": "a", "resourceClaimName": "p-a-x1"}]
    assert raw["spec"] == POD["spec"]
    assert read_object(raw) == changed
    entries = PodResourceClaim("a", "", "t", ""), *changed.resource_claims[1:]
    nothing = msgspec.structs.replace(changed, resource_claims=entries)
    assert read_object(to_manifest(nothing, Writing(before=raw))).resource_claims[0].generated == ""
    back = to_manifest(pod, Writing(before=raw, with_fields_of_a_run=True))
    assert back == POD


def test_containers_lose_the_claims_that_their_pod_no_longer_has() -> None:
    pod = read_object(POD)
    raw = to_manifest(msgspec.structs.replace(pod, resource_claims=pod.resource_claims[:1]), Writing(before=POD))
    assert raw["spec"]["containers"][0]["resources"] == {"claims": [{"name": "a"}]}
    raw = to_manifest(msgspec.structs.replace(pod, resource_claims=()), Writing(before=POD))
    assert raw["spec"] == {"containers": [{"name": "c", "image": "i", "resources": {}}]}
