"""Entries as rows."""

from __future__ import annotations

from dashboard.clusters.revisions.object_keys import Key
from dashboard.common.lru_cache import LruCache
from dashboard.documents.timelines.arrivals import rows
from dashboard.documents.timelines.arrivals.rows import arrival_rows, owning_workload, read_entries
from tests.dashboard.documents.timelines.arrivals.some_entries import entry, pod, rush, stored


def test_rows_are_in_order_of_time_and_know_their_places():
    in_order = arrival_rows([*reversed(rush())])
    assert [row.at for row in in_order] == [1_000_000, 2_000_000, 2_000_000, 4_000_000, 10_000_000]
    assert [row.key.name for row in in_order] == ["web-1", "job-1", "web-2", "web-3", "web-1"]
    assert [row.place for row in in_order] == [4, 2, 3, 1, 0]


def test_a_deletion_has_priority_and_workload_of_what_it_deletes():
    pair = arrival_rows([entry("1s", "a", app="x", priority=7), entry("2s", "a", "delete")])
    assert [(row.action, row.priority, row.owner, row.is_end) for row in pair] == [
        ("add", "7", "app=x", False),
        ("delete", "7", "app=x", True),
    ]


def test_an_entry_without_action_and_time_adds_at_0():
    [row] = arrival_rows([{"object": pod("a", priority=0)}])
    assert (row.at, row.action, row.key, row.priority) == (0, "add", Key("Pod", "default", "a"), "0")


def test_a_workload_is_the_controller_or_the_app_of_the_labels():
    assert owning_workload({"metadata": {"ownerReferences": [{"kind": "Job", "name": "train", "controller": True}]}})
    assert owning_workload({"metadata": {"labels": {"app.kubernetes.io/name": "shop", "app": "x"}}}) == "app=shop"
    assert owning_workload({"metadata": {"labels": {"tier": "x"}}}) == ""
    [node] = arrival_rows([{"at": 1, "action": "put", "object": {"kind": "Node", "metadata": {"name": "n"}}}])
    assert (node.priority, node.owner, node.action) == ("", "", "update")


def test_rows_of_a_revision_are_read_once(editor):
    revision = stored(editor.member, rush())
    assert read_entries(revision) is read_entries(revision)
    assert len(read_entries(revision).rows) == revision.n_entries


def test_only_so_many_entries_are_remembered(editor, monkeypatch):
    short, long = stored(editor.member, rush()), stored(editor.member, [*rush(), entry("20s", "late")], "late")
    monkeypatch.setattr(rows, "_cache", LruCache(len(rush()) + 2, rows._cache._size_of))
    first, second = read_entries(short), read_entries(long)
    assert read_entries(long) is second
    assert read_entries(short) is not first
