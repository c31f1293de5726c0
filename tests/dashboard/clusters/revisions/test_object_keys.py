"""Keys of objects in a revision, from text as from values."""

from __future__ import annotations

import msgspec
import pytest

from dashboard.clusters.revisions.object_keys import (
    Key,
    Manifests,
    ManifestsByKey,
    canonical,
    checked_form,
    object_key,
    stored_form,
    written_key,
)
from scheduler_core.manifests import ManifestSource, load_cluster, plain
from tests.dashboard.clusters.conftest import node, pod


def test_keys_have_a_namespace_where_the_kind_has_one():
    assert object_key({"kind": "Pod", "metadata": {"name": "a"}}) == Key("Pod", "default", "a")
    assert object_key({"kind": "Node", "metadata": {"name": "a", "namespace": "x"}}) == Key("Node", "", "a")


def test_manifests_kept_as_text_are_those_kept_as_values():
    raws = [node("node-1", "zone-1"), pod("p", "node-1"), {"kind": "Namespace", "metadata": {"name": "team"}}]
    texts = [msgspec.Raw(canonical(raw)) for raw in raws]
    by_key = ManifestsByKey(texts)
    assert list(Manifests(texts)) == raws
    assert dict(by_key) == dict(ManifestsByKey(raws)) == {object_key(raw): raw for raw in raws}
    assert Key("Pod", "default", "p") in by_key
    assert by_key.get(Key("Pod", "default", "q")) is None


@pytest.mark.parametrize("metadata", [None, {}, {"name": None, "namespace": None}, {"name": "a", "namespace": None}])
def test_keys_of_manifests_without_what_they_should_have(metadata):
    raw = {"kind": "Pod", "metadata": metadata}
    expected = Key("Pod", "", (metadata or {}).get("name") or "")
    assert written_key(raw) == written_key(msgspec.Raw(canonical(raw))) == expected


@pytest.mark.parametrize("metadata", [b"{generateName: p-}", b"words", b"[]", b"null"])
def test_stored_form_is_kept_form_as_text(metadata):
    text = b"{apiVersion: v1, kind: Pod, metadata: %b, spec: {nodeName: a}}" % metadata
    manifests = load_cluster([ManifestSource("a.yaml", text)]).manifests
    stored = stored_form(manifests)
    assert [plain(content) for content in stored.manifests] == checked_form(manifests)
    assert not stored.is_named
