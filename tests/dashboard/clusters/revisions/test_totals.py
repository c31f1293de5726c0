"""Totals of a revision."""

from __future__ import annotations

from dashboard.clusters.revisions import actions, object_store
from dashboard.clusters.revisions.totals import read_totals
from tests.dashboard.clusters.conftest import node


def newest(cluster):
    return actions.newest_revision(cluster)


def test_figures_count_bound_and_waiting(cluster):
    figures = read_totals(newest(cluster))
    assert (figures["nodes"], figures["pods"], figures["bound"], figures["pending"]) == (2, 3, 2, 1)
    assert figures["requested"] == {"cpu": 2500, "memory": 128 << 20}
    assert figures["waiting"] == {"cpu": 500, "memory": 64 << 20}
    assert figures["allocatable"] == {"cpu": 16000, "memory": 64 << 30}


def test_figures_of_a_revision_saved_elsewhere_are_made_once(cluster):
    revision = object_store.save_revision(cluster, [node("n")], object_store.Saving(None))
    assert revision.figures == {}
    read_totals(revision)
    revision.refresh_from_db()
    assert revision.figures["nodes"] == 1


def test_what_waits_is_a_second_number_beside_the_share_of_bound_pods(editor, cluster):
    for address in ("/w/team/", "/w/team/clusters/", "/w/team/clusters/prod/"):
        page = editor.get(address).content.decode()
        assert "<span>16 %</span>" in page  # 2.5 of 16 cpu are bound
        assert '<span class="mine">+3 %</span>' in page  # half a cpu waits
