"""Each member's marks of the findings that they have viewed."""

from __future__ import annotations

import pytest

from dashboard.common.problems import NotFound
from dashboard.review.findings.viewing import finding_walk, mark_viewed
from dashboard.review.models import ViewedFinding
from tests.dashboard.review.conftest import cycle_row

pytestmark = pytest.mark.django_db


def progress(person, run):
    walk = finding_walk(person.member, run)
    return walk.n_viewed, walk.n_findings


def test_marks_are_the_members_own_and_outlive_new_findings(run, viewer, reviewer):
    key = finding_walk(viewer.member, run).groups[0].findings[0].key
    mark_viewed(viewer.member, run, key, is_viewed=True)
    mark_viewed(viewer.member, run, key, is_viewed=True)
    assert (progress(viewer, run), progress(reviewer, run)) == ((1, 1), (0, 1))
    cycle_row(run, 4, outcome="error", pod="default/broken")
    assert progress(viewer, run) == (1, 2)
    mark_viewed(viewer.member, run, key, is_viewed=False)
    assert progress(viewer, run) == (0, 2)


def test_only_findings_are_marked(run, viewer, foreign_run, stranger):
    with pytest.raises(NotFound):
        mark_viewed(viewer.member, run, "pending:none", is_viewed=True)
    key = finding_walk(viewer.member, foreign_run).groups[0].findings[0].key
    with pytest.raises(NotFound):
        mark_viewed(viewer.member, foreign_run, key, is_viewed=True)
    assert not ViewedFinding.objects.exists()


def test_the_page_marks_and_shows_how_far_one_has_come(run, viewer):
    page = viewer.get("/w/team/runs/1/review/").content.decode()
    assert "0 of 1 viewed" in page
    key = finding_walk(viewer.member, run).groups[0].findings[0].key
    marked = viewer.post("/w/team/runs/1/review/viewed", {"key": key, "viewed": "yes"}, headers={"HX-Request": "true"})
    assert "1 of 1 viewed" in marked.content.decode()
    assert 'aria-checked="true"' in marked.content.decode()
    assert viewer.post("/w/team/runs/1/review/viewed", {"key": "x", "viewed": "yes"}).status_code == 404
