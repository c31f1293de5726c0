"""What is derived from a revision: rows, tables, differences; and that looking again costs nothing."""

from __future__ import annotations

import msgspec
import pytest

from dashboard.clusters.revisions import actions, contents, object_store
from dashboard.clusters.revisions.actions import NewCluster
from dashboard.clusters.revisions.contents import Contents, contents_of
from dashboard.clusters.revisions.diff import diff_manifests, diff_revisions, diff_texts
from dashboard.clusters.revisions.object_keys import (
    Key,
    Manifests,
    ManifestsByKey,
    are_equal,
    canonical,
    checked_form,
    key_of,
    stored_form,
    written_key,
)
from dashboard.clusters.revisions.object_rows import build_rows
from dashboard.clusters.revisions.object_store import Saving
from dashboard.clusters.revisions.totals import zones_of
from dashboard.clusters.tables import query as tables
from scheduler_core.manifests import ManifestSource, load_cluster, load_manifests, plain
from tests.dashboard.clusters.conftest import node, pod, small


def loaded(*manifests):
    return Contents(list(manifests), load_manifests(list(manifests)))


def test_requested_counts_bound_pods_that_still_run():
    done = pod("done", "n", cpu="4")
    done["status"] = {"phase": "Succeeded"}
    found = loaded(node("n"), pod("a", "n", cpu="1"), done, pod("waiting", cpu="2"), pod("away", "elsewhere"))
    row = found.rows.nodes[0]
    assert (row.requested["cpu"], row.n_pods) == (1000, 1)
    assert [pod.status for pod in found.rows.pods] == ["bound", "finished", "pending", "bound"]
    assert [pod.node_is_known for pod in found.rows.pods] == [True, True, False, False]


def test_gated_pods_say_so():
    found = loaded(pod("g", schedulingGates=[{"name": "a/b"}]))
    assert found.rows.pods[0].status == "gated"


def test_a_node_without_a_resource_counts_as_over_when_it_is_asked():
    empty = node("n")
    empty["status"]["allocatable"].pop("cpu")
    found = loaded(empty, pod("a", "n", cpu="1"))
    assert found.rows.nodes[0].share("cpu") == 1.0


def test_zones_group_by_zone_and_pool_and_put_nodes_without_a_zone_last():
    bare = node("bare")
    bare["metadata"]["labels"] = {}
    pooled = node("pooled", "a")
    pooled["metadata"]["labels"]["pool"] = "gpu"
    zones = zones_of(loaded(bare, node("x", "b"), pooled, node("y", "a")).rows.nodes)
    assert [(zone.name, [pool for pool, _ in zone.pools]) for zone in zones] == [
        ("a", ["", "gpu"]),
        ("b", [""]),
        ("", [""]),
    ]


def test_contents_are_read_once_per_content(cluster, monkeypatch, django_assert_num_queries):
    revision = actions.newest_revision(cluster)
    first = contents_of(revision)
    with django_assert_num_queries(0):
        assert contents_of(revision) is first
    again = object_store.save_revision(cluster, small(), Saving(None))
    assert again.sha256 == revision.sha256
    assert contents_of(again) is first


def test_the_cache_lets_go_of_what_was_not_used_for_long(monkeypatch):
    monkeypatch.setattr(contents, "OBJECT_BUDGET", 20)
    cache = contents._ContentsCache()
    kept = [loaded(*(node(f"n{m}") for m in range(8))) for _ in range(3)]
    for number, one in enumerate(kept):
        cache.put((1, str(number)), one)
        cache.get((1, "0"))
    assert [cache.get((1, str(n))) is not None for n in range(3)] == [True, False, True]


def test_keys_have_a_namespace_where_the_kind_has_one():
    assert key_of({"kind": "Pod", "metadata": {"name": "a"}}) == Key("Pod", "default", "a")
    assert key_of({"kind": "Node", "metadata": {"name": "a", "namespace": "x"}}) == Key("Node", "", "a")


def test_differences_are_found_by_the_index_alone(editor, cluster, django_assert_max_num_queries):
    changed = [node("node-a", cpu="16"), *small()[1:4], small()[5], pod("new")]
    revision = object_store.save_revision(cluster, changed, Saving(None))
    with django_assert_max_num_queries(4):
        changes = diff_revisions(actions.revision_of(cluster, 1), revision)
    found = [(change.what, change.key.name) for change in changes]
    assert found == [("changed", "node-a"), ("removed", "job-1"), ("added", "new")]


def test_a_text_diff_shows_lines_around_and_counts():
    old = "\n".join(f"line {n}" for n in range(20))
    diff = diff_texts(old, old.replace("line 10", "line ten"))
    assert (diff.added, diff.removed) == (1, 1)
    assert [line.mark for line in diff.lines] == ["@", " ", " ", " ", "-", "+", " ", " ", " "]
    assert diff.lines[5].new == 11
    assert diff_texts("a", "a").lines == []


def test_a_huge_diff_stays_bounded():
    diff = diff_texts("\n".join(map(str, range(20_000))), "\n".join(f"x{n}" for n in range(20_000)))
    assert (diff.removed, diff.added, len(diff.lines)) == (20_000, 20_000, 400)
    assert diff.left_out == 39_600


@pytest.mark.slow
def test_tables_of_50_000_pods_are_paged():
    manifests = [node(f"node-{n}", f"zone-{n % 3}") for n in range(500)]
    base = loaded(*manifests)
    one = load_manifests([pod("p", "node-1")]).objects.pods[0]
    import msgspec

    pods = [msgspec.structs.replace(one, name=f"pod-{n}", node_name=f"node-{n % 500}") for n in range(50_000)]
    base.loaded.objects.pods.extend(pods)
    base.rows = build_rows(base.loaded.objects, base.by_key.keys())
    for query, n_found in (
        ({"sort": "-cpu"}, 50_000),
        ({"q": "pod-4999"}, 11),
        ({"sort": "-cpu", "page": "900"}, 50_000),
        ({"status": "bound", "node": "node-7"}, 100),
    ):
        table = tables.pod_table(base, query)
        assert table.page.total == n_found
        assert len(table.page.items) <= 100


@pytest.mark.parametrize("url", ["", "nodes/", "pods/", "objects/", "history/"])
def test_pages_take_few_queries_once_warm(viewer, cluster, django_assert_max_num_queries, url):
    address = f"/w/team/clusters/prod/{url}"
    viewer.get(address)
    with django_assert_max_num_queries(10):
        viewer.get(address)


def test_the_list_takes_as_many_queries_for_many_clusters_as_for_one(editor, django_assert_max_num_queries):
    for n in range(5):
        actions.create_cluster(editor.member, NewCluster(f"c{n}"), [node("n")])
    with django_assert_max_num_queries(10):
        editor.get("/w/team/clusters/")


def test_manifests_kept_as_text_are_those_kept_as_values():
    raws = [node("node-1", "zone-1"), pod("p", "node-1"), {"kind": "Namespace", "metadata": {"name": "team"}}]
    texts = [msgspec.Raw(canonical(raw)) for raw in raws]
    by_key = ManifestsByKey(texts)
    assert list(Manifests(texts)) == raws
    assert dict(by_key) == dict(ManifestsByKey(raws)) == {key_of(raw): raw for raw in raws}
    assert Key("Pod", "default", "p") in by_key
    assert by_key.get(Key("Pod", "default", "q")) is None
    assert are_equal(texts, raws)
    assert not are_equal(texts, [*raws[:2], {"kind": "Namespace", "metadata": {"name": "other"}}])
    assert not are_equal(texts, raws[:2])


@pytest.mark.parametrize("metadata", [None, {}, {"name": None, "namespace": None}, {"name": "a", "namespace": None}])
def test_keys_of_manifests_without_what_they_should_have(metadata):
    raw = {"kind": "Pod", "metadata": metadata}
    expected = Key("Pod", "", (metadata or {}).get("name") or "")
    assert written_key(raw) == written_key(msgspec.Raw(canonical(raw))) == expected


@pytest.mark.parametrize("metadata", [b"{generateName: p-}", b"words", b"[]", b"null"])
def test_stored_form_is_kept_form_as_text(metadata):
    text = b"{apiVersion: v1, kind: Pod, metadata: %b, spec: {nodeName: a}}" % metadata
    found = load_cluster([ManifestSource("a.yaml", text)]).manifests
    stored = stored_form(found)
    assert [plain(content) for content in stored.manifests] == checked_form(found)
    assert not stored.is_named


def test_a_difference_folds_what_nobody_schedules_by():
    before, after = pod("web"), pod("web", cpu="2")
    after["status"] = {"phase": "Running", "hostIP": "1", "podIP": "2", "qosClass": "Burstable"}
    diff = diff_manifests(before, after)
    shown = [line.text.strip() for part in diff.parts if not part.is_folded for line in part.lines if line.mark == "+"]
    folded = [line.text.strip() for part in diff.parts if part.is_folded for line in part.lines]
    assert "status:" in shown
    assert any("cpu" in line for line in shown)
    assert sorted(folded) == ['hostIP: "1"', "phase: Running", 'podIP: "2"', "qosClass: Burstable"]
    assert diff.added == len(shown) + len(folded)
