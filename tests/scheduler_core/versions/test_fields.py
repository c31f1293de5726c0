"""Fields that a version does not know are named at their place, whatever holds them."""

from __future__ import annotations

import pytest

from scheduler_core.manifests import ManifestSource, load_cluster
from scheduler_core.manifests.field_guide.guide import field_at
from scheduler_core.versions.detecting import detect
from scheduler_core.versions.fields import _PLACES, FIELDS, FieldVersion
from scheduler_core.versions.gates import GateError
from scheduler_core.versions.semantics import behaviours_of
from scheduler_core.versions.trains import NAMES

EXACT = {"name": "r", "exactly": {"deviceClassName": "c", "tolerations": [{"operator": "Exists"}]}}
EITHER = {"name": "s", "firstAvailable": [{"name": "a", "deviceClassName": "c"}]}
CLAIM = {"spec": {"devices": {"requests": [EXACT, EITHER]}}}


def lacking(version: str, kind: str, raw: dict, gates: str = "") -> list[tuple]:
    return [path for path, _ in FieldVersion.of(version, gates).lacking(kind, raw)]


@pytest.mark.parametrize("row", FIELDS.object, ids=lambda row: row.field)
def test_a_field_counts_from_the_version_on_in_which_its_behaviour_holds(row):
    assert [row.behaviour in behaviours_of(name).names() for name in NAMES] == [
        NAMES.index(name) >= NAMES.index(row.since) for name in NAMES
    ]


@pytest.mark.parametrize(("kind", "steps"), [(kind, steps) for kind, rows in _PLACES.items() for steps, _ in rows])
def test_every_place_is_one_of_the_field_guide(kind, steps):
    path = tuple(step for step in steps if step != "[]")
    assert path[-1] in ("image", "resources") or field_at(kind, path) is not None


def test_fields_are_named_where_they_stand():
    exact = ("spec", "devices", "requests", 0, "exactly", "tolerations")
    either = ("spec", "devices", "requests", 1, "firstAvailable")
    assert lacking("1.33", "ResourceClaim", CLAIM) == [either, exact]
    assert lacking("1.34", "ResourceClaim", CLAIM) == [exact]
    assert lacking("1.34", "ResourceClaim", CLAIM, "DRADeviceTaints=true") == []
    assert lacking("1.36", "ResourceClaim", CLAIM) == []
    assert lacking("1.34", "ResourceClaimTemplate", {"spec": CLAIM}) == [("spec", *exact)]
    beta = {"spec": {"devices": [{"name": "d", "basic": {"taints": [{"key": "a"}]}}]}}
    assert lacking("1.35", "ResourceSlice", beta) == [("spec", "devices", 0, "basic", "taints")]
    pod = {"spec": {"resourceClaims": [{"name": "a"}]}}
    assert lacking("1.33", "Pod", pod) == [("spec", "resourceClaims")]
    template = {"spec": {"template": pod}}
    assert lacking("1.33", "Deployment", template) == [("spec", "template", "spec", "resourceClaims")]


@pytest.mark.parametrize("value", [None, False, [], {}, ""])
def test_what_says_nothing_needs_no_version(value):
    assert lacking("1.33", "Pod", {"spec": {"resourceClaims": value}}) == []
    assert lacking("1.33", "Pod", {"spec": value}) == []
    assert lacking("1.33", "Widget", {"spec": {"resourceClaims": [1]}}) == []


def test_the_version_of_a_cluster_is_said_and_an_unknown_one_asks_nothing():
    assert FieldVersion.of_cluster(detect(())) is None
    (message,) = [text for _, text in FieldVersion.of_cluster(detect((), ["v1.33.4-gke.1"])).lacking("Pod", {
        "spec": {"resourceClaims": [{"name": "a"}]}})]  # fmt: skip
    assert message == "needs Kubernetes 1.34; the cluster runs 1.33"
    with pytest.raises(GateError):
        FieldVersion.of("1.34", "NoSuchGate=true")


def test_they_are_warnings_with_their_lines():
    text = b"""\
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: c}
spec:
  extendedResourceName: example.com/gpu
"""
    sources = [ManifestSource("a.yaml", text)]
    assert load_cluster(sources).findings == []
    (finding,) = load_cluster(sources, fields=FieldVersion.of("1.35")).findings
    assert (finding.severity, finding.line, finding.field) == ("warning", 5, "spec.extendedResourceName")
    assert load_cluster(sources, fields=FieldVersion.of("1.36")).findings == []
