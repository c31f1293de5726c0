"""Totals of a revision."""

from __future__ import annotations

from dashboard.clusters.revisions import actions, object_store, views
from dashboard.clusters.revisions.contents import contents_of
from dashboard.clusters.revisions.totals import fullness_of, totals_of
from tests.dashboard.clusters.conftest import node, pod


def newest(cluster):
    return actions.newest_revision(cluster)


def test_figures_count_bound_and_waiting(cluster):
    figures = totals_of(newest(cluster))
    assert (figures["nodes"], figures["pods"], figures["bound"], figures["pending"]) == (2, 3, 2, 1)
    assert figures["requested"] == {"cpu": 2500, "memory": 128 << 20}
    assert figures["waiting"] == {"cpu": 500, "memory": 64 << 20}
    assert figures["allocatable"] == {"cpu": 16000, "memory": 64 << 30}


def test_figures_of_a_revision_saved_elsewhere_are_made_once(cluster):
    revision = object_store.save_revision(cluster, [node("n")], object_store.Saving(None))
    assert revision.figures == {}
    totals_of(revision)
    revision.refresh_from_db()
    assert revision.figures["nodes"] == 1


def test_nodes_are_counted_by_how_full_they_are(cluster):
    bins = {one.words: one.count for one in fullness_of(contents_of(newest(cluster)).rows.nodes)}
    assert bins["empty"] == 1
    assert bins["30 to 40 %"] == 1  # 2.5 of 8 cpu
    assert sum(bins.values()) == 2


def test_a_bin_that_is_not_empty_is_never_invisible(cluster):
    crowd = [node(f"n-{number}") for number in range(200)]
    revision = object_store.save_revision(cluster, [*crowd, pod("p", "n-0", cpu="12")], object_store.Saving(None))
    bins = fullness_of(contents_of(revision).rows.nodes)
    assert [(one.words, one.count, one.height > 1) for one in bins if one.count] == [
        ("empty", 199, True),
        ("above 100 %", 1, True),
    ]


def test_what_waits_is_a_second_number_beside_the_share_of_bound_pods(editor, cluster):
    for address in ("/w/team/", "/w/team/clusters/", "/w/team/clusters/prod/"):
        page = editor.get(address).content.decode()
        assert "<span>16 %</span>" in page  # 2.5 of 16 cpu are bound
        assert '<span class="mine">+3 %</span>' in page  # half a cpu waits


def test_thousands_of_nodes_are_a_histogram(editor, cluster, monkeypatch):
    monkeypatch.setattr(views, "CARD_LIMIT", 1)
    monkeypatch.setattr(views, "CELL_LIMIT", 1)
    page = editor.get("/w/team/clusters/prod/").content.decode()
    assert page.count("<title>1 30 to 40 %</title>") == 1
    assert "1 empty" in page
