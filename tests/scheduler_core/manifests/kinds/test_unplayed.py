"""Objects that decide in a real cluster and are not played are kept with the few values that answers name."""

from __future__ import annotations

import json

import msgspec
import pytest

from scheduler_core.api.unplayed import Unplayed
from scheduler_core.manifests import ManifestSource, load_cluster, load_manifests, masked_source
from scheduler_core.manifests.kinds.unplayed import (
    MOST_NAMED,
    UNPLAYED,
    decides,
    fact_paths,
    note_unplayed,
    note_version,
    unplayed_kind,
)

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
