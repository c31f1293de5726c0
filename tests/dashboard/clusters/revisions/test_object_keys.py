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
from scheduler_core.manifests import ManifestSource, load_cluster, load_manifests, plain
from tests.dashboard.clusters.conftest import node, pod
from tests.scheduler_core.manifests.kinds.two_groups import BOTH, NAME, both_registered


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


def test_kinds_of_one_word_have_keys_of_their_own_and_are_written_as_they_were():
    with both_registered():
        loaded = load_cluster([ManifestSource("a.yaml", BOTH.encode())])
        stored = stored_form(loaded.manifests).manifests
        by_key = ManifestsByKey(stored)
        assert list(by_key) == [Key("PodGroup", "default", "g"), Key(NAME, "default", "g")]
        assert {raw["kind"] for raw in by_key.values()} == {"PodGroup"}
        assert [written_key(content) for content in stored] == [object_key(raw) for raw in by_key.values()]
        assert [one.kind for one in load_manifests(stored).manifests] == ["PodGroup", NAME]
