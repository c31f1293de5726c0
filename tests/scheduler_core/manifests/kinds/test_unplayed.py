"""Objects that decide in a real cluster and are not played are kept with the few values that answers name."""

from __future__ import annotations

import json

import msgspec
import pytest

from scheduler_core.api.unplayed import Unplayed, decoded, encoded
from scheduler_core.manifests import ManifestSource, load_cluster, load_manifests, masked_source
from scheduler_core.manifests.kinds.unplayed import (
    MOST_NAMED,
    MOST_READ,
    UNPLAYED,
    decides,
    fact_paths,
    note_unplayed,
    note_version,
    unplayed_kind,
)
from scheduler_core.manifests.masking.secrets import MASK, mask

GROUP = {
    "apiVersion": "scheduling.volcano.sh/v1beta1",
    "kind": "PodGroup",
    "metadata": {"name": "g", "namespace": "a", "labels": {"who": "me"}},
    "spec": {"minMember": 3, "secret": "x"},
    "status": {"conditions": [{"message": "first"}, {"message": "last"}]},
}


def test_the_rows_have_known_roles_and_concerns():
    roles = {"admission", "maker", "scaler", "rollout", "gang", "queue", "nodes"}
    assert {row.role for row in UNPLAYED.values()} == roles
    assert {row.concerns for row in UNPLAYED.values()} == {"placement", "counts"}


def test_an_object_keeps_its_names_and_facts():
    unplayed = Unplayed()
    note_unplayed(unplayed, "PodGroup", "scheduling.volcano.sh/v1beta1", GROUP)
    (first,) = unplayed.objects
    assert first.reference == "scheduling.volcano.sh/v1beta1/PodGroup/a/g"
    assert first.facts == {"minMember": "3", "says": "first\nlast"}


def test_only_so_many_of_a_kind_are_kept_and_all_are_counted():
    unplayed = Unplayed()
    for i in range(MOST_NAMED + 5):
        note_unplayed(unplayed, "LimitRange", "v1", {"metadata": {"name": f"l{i}"}})
    assert (len(unplayed.objects), unplayed.counts) == (MOST_NAMED, {"v1/LimitRange": MOST_NAMED + 5})


@pytest.mark.parametrize(
    ("kind", "version", "spec", "expected"),
    [
        ("ResourceQuota", "v1", {}, True),
        ("Fleet", "acme.io/v1", {"parts": [{"template": {"spec": {"containers": []}}}]}, True),
        ("Fleet", "acme.io/v1", {"template": {"spec": {"size": 1}}}, False),
        ("Fleet", "acme.io/v1", ["no mapping"], False),
        ("StatefulSet", "apps.kruise.io/v1beta1", {"template": {"spec": {"containers": []}}}, True),
        ("ControllerRevision", "apps/v1", {"template": {"spec": {"containers": []}}}, False),
        ("PodGroup", "scheduling.k8s.io/v1alpha1", {}, True),
    ],
)
def test_a_kind_decides_by_its_row_or_by_a_pod_template(kind, version, spec, expected):
    assert decides(kind, version, {"spec": spec}) is expected


def test_a_kind_without_a_row_makes_pods():
    assert unplayed_kind("Fleet", "acme.io/v1").role == "maker"
    assert fact_paths("Fleet", "acme.io/v1") == frozenset()


@pytest.mark.parametrize("content", [msgspec.Raw(b'{"status":{"nodeInfo":{"kubeletVersion":"v1.33.1"}}}'),
                                     {"status": {"nodeInfo": {"kubeletVersion": "v1.33.1"}}}])  # fmt: skip
def test_versions_are_counted(content):
    versions: dict[str, int] = {}
    for _ in range(2):
        note_version(versions, content)
    note_version(versions, {"status": {"nodeInfo": "odd"}})
    assert versions == {"v1.33.1": 2}


@pytest.mark.parametrize("as_list", [True, False])
def test_all_ways_of_reading_keep_them(as_list):
    items = {"apiVersion": "v1", "kind": "List", "items": [GROUP]} if as_list else GROUP
    loaded = load_cluster([ManifestSource("x.json", json.dumps(items).encode())])
    assert [one.name for one in loaded.unplayed.objects] == ["g"]
    assert not any("passed over" in finding.message for finding in loaded.findings)


def test_masking_leaves_what_answers_name():
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": [GROUP]}).encode()
    masked = masked_source(ManifestSource("x.json", text))
    loaded = load_cluster([masked.parsed or masked.source])
    assert loaded.unplayed.objects[0].facts == {"minMember": "3", "says": "first\nlast"}
    assert b'"secret":"***"' in masked.source.data


def test_what_was_kept_is_taken_again():
    loaded = load_cluster([ManifestSource("x.json", json.dumps(GROUP).encode())])
    again = load_manifests([], unplayed=loaded.unplayed)
    assert again.unplayed == loaded.unplayed


def test_a_value_that_looks_like_a_secret_is_masked_nevertheless():
    group = {**GROUP, "status": {"conditions": [{"message": "password: hunter2"}]}}
    masked = masked_source(ManifestSource("x.json", json.dumps(group).encode()))
    assert b"hunter2" not in masked.source.data


def test_what_groups_of_nodes_are_read_from_is_kept_as_written():
    notes = {"machine.openshift.io/vCPU": "4", "kubectl.kubernetes.io/last-applied-configuration": "{}"}
    provider = {"instanceType": "m5.large", "userDataSecret": {"name": "s"}}
    spec = {"taints": [{"key": "a", "timeAdded": "x"}], "providerSpec": {"value": provider}}
    raw = {"metadata": {"name": "w", "annotations": notes}, "spec": {"replicas": 2, "template": {"spec": spec}}}
    unplayed = Unplayed()
    note_unplayed(unplayed, "MachineSet", "machine.openshift.io/v1beta1", raw)
    template = {"taints": [{"key": "a"}], "providerSpec": {"value": {"instanceType": "m5.large"}}}
    assert unplayed.objects[0].fields == {
        "metadata": {"annotations": {"machine.openshift.io/vCPU": "4"}},
        "spec": {"template": {"spec": template}},
    }
    again = decoded(encoded(unplayed))
    assert again.objects == unplayed.objects


@pytest.mark.parametrize(
    "limits", [[1] * MOST_READ, {str(i): i for i in range(MOST_READ)}, [[[[[[[[[[[[[[1]]]]]]]]]]]]]]]
)
def test_an_object_that_holds_too_much_keeps_its_name_alone(limits):
    unplayed = Unplayed()
    note_unplayed(unplayed, "NodePool", "karpenter.sh/v1", {"metadata": {"name": "p"}, "spec": {"limits": limits}})
    assert (unplayed.objects[0].name, unplayed.objects[0].fields) == ("p", {})


def test_values_are_kept_so_that_they_can_be_stored():
    unplayed = Unplayed()
    limits = {"cpu": 10**40, "memory": "x" * 5000, 3: float("nan")}
    note_unplayed(unplayed, "NodePool", "karpenter.sh/v1", {"metadata": {"name": "p"}, "spec": {"limits": limits}})
    limits = decoded(encoded(unplayed)).objects[0].fields["spec"]["limits"]
    assert (limits["cpu"], len(limits["memory"]), limits["3"]) == (f"1{'0' * 40}", 1025, None)


def test_an_object_that_was_stored_without_fields_opens():
    old = b'{"objects":[{"api_version":"karpenter.sh/v1","kind":"NodePool","name":"p","facts":{}}]}'
    assert decoded(old).objects[0].fields == {}


def test_masking_leaves_what_groups_of_nodes_are_read_from():
    spec = {"taints": [{"key": "a", "effect": "NoSchedule"}], "requirements": [{"key": "b", "values": ["c"]}]}
    raw = {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodePool",
        "metadata": {"name": "p", "annotations": {"a/token": "x"}},
        "spec": {"limits": {"cpu": "9"}, "template": {"spec": {**spec, "userData": "key"}}, "disruption": {"x": "y"}},
    }
    mask(raw)
    assert raw["metadata"]["annotations"] == {"a/token": MASK}
    template = {"spec": {**spec, "userData": MASK}}
    assert raw["spec"] == {"limits": {"cpu": "9"}, "template": template, "disruption": {"x": MASK}}
