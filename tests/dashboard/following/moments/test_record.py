"""The record of a followed cluster: a kept moment, and what was folded after it."""

from __future__ import annotations

from dashboard.following.moments.record import record_of
from scheduler_core.manifests import ManifestSource
from scheduler_core.manifests.bundle.folding import name_of
from scheduler_core.manifests.bundle.reading import open_bundle


def test_the_record_is_the_state_of_a_kept_moment_and_what_was_folded_after_it(followed_cluster):
    record = record_of(followed_cluster)
    bundle = open_bundle(ManifestSource("x", record.data))
    assert record.began.kind == "listed"
    assert sorted(name_of(one.object).name for one in bundle.objects()) == ["big", "node-a", "node-b", "web-1"]
    assert [(one.type, name_of(one.object).name) for one in bundle.changes] == [
        ("ADDED", "web-2"), ("MODIFIED", "web-2"), ("ADDED", "web-3"), ("MODIFIED", "web-3"),
    ]  # fmt: skip
    assert (bundle.meta.server_version, bundle.meta.began) == ("v1.34.1", record.began.moment)


def test_a_record_that_begins_with_an_hour_has_the_rest_alone(followed_cluster, monkeypatch):
    monkeypatch.setattr("dashboard.following.moments.record.LONGEST_SECONDS", 1800.0)
    record = record_of(followed_cluster)
    bundle = open_bundle(ManifestSource("x", record.data))
    assert record.began.kind == "hour"
    at_beginning = {name_of(one.object).name: one.object for one in bundle.objects()}
    assert b'"nodeName":"node-b"' in bytes(at_beginning["web-2"]).replace(b" ", b"")
    assert {name_of(one.object).name for one in bundle.changes} == {"web-3"}
