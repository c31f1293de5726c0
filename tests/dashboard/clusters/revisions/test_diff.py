"""Differences of two revisions: by the index, as text, bounded, with what does not matter folded."""

from __future__ import annotations

from dashboard.clusters.revisions import actions, object_store
from dashboard.clusters.revisions.diff import diff_manifests, diff_revisions, diff_texts
from dashboard.clusters.revisions.object_store import Saving
from tests.dashboard.clusters.conftest import node, pod, small


def test_differences_are_found_by_the_index_alone(editor, cluster, django_assert_max_num_queries):
    changed = [node("node-a", cpu="16"), *small()[1:4], small()[5], pod("new")]
    revision = object_store.save_revision(cluster, changed, Saving(None))
    with django_assert_max_num_queries(4):
        changes = diff_revisions(actions.find_revision(cluster, 1), revision)
    what_changed = [(change.what, change.key.name) for change in changes]
    assert what_changed == [("changed", "node-a"), ("removed", "job-1"), ("added", "new")]


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
