"""Members and audit log: whole and in part, searched, paged."""

from __future__ import annotations

import pytest

from dashboard.accounts import audit
from dashboard.accounts.models import Member, User


def test_members_full_page_and_part(owner, viewer):
    full, part = owner.get("/w/team/members/"), owner.get("/w/team/members/", headers={"HX-Request": "true"})
    assert full.content.startswith(b"<!DOCTYPE html>")
    assert part.content.lstrip().startswith(b'<section class="panel" id="members">')
    assert "HX-Request" in part["Vary"]


def test_boosted_and_restored_requests_get_the_whole_page(owner):
    for extra in ({"HX-Boosted": "true"}, {"HX-History-Restore-Request": "true"}):
        response = owner.get("/w/team/members/", headers={"HX-Request": "true", **extra})
        assert response.content.startswith(b"<!DOCTYPE html>")


def test_members_are_found_by_name_and_mail(owner, viewer, editor):
    page = owner.get("/w/team/members/?q=VERA").content.decode()
    assert "vera@example.org" in page
    assert "edda@example.org" not in page
    assert "No member matches" in owner.get("/w/team/members/?q=zzz").content.decode()


def test_viewers_see_no_controls(viewer, owner):
    page = viewer.get("/w/team/members/").content.decode()
    assert "Invite somebody" not in page
    assert page.count("/remove") == 1
    assert "/w/team/settings/" not in page


def test_members_list_costs_the_same_for_many(owner, workspace, django_assert_max_num_queries):
    for i in range(60):
        Member.objects.create(workspace=workspace, user=User.objects.create_user(f"m{i}@example.org"))
    with django_assert_max_num_queries(9):
        page = owner.get("/w/team/members/").content.decode()
    assert "50 of 61 members" in page
    assert "61 of 61 members" in owner.get("/w/team/members/?page=2").content.decode()


def test_audit_log_is_paged_and_filtered(owner, workspace):
    for i in range(55):
        audit.record(workspace, owner.user, "run.started", f"Run {i}", cluster="<teaching>")
    page = owner.get("/w/team/audit/").content.decode()
    assert "50 of 56 entries" in page
    assert "&lt;teaching&gt;" in page
    assert "<td>workspace created</td>" in owner.get("/w/team/audit/?subject=workspace").content.decode()
    assert "subject=run&amp;page=2" in owner.get("/w/team/audit/?subject=run").content.decode()
    audit.record(workspace, owner.user, "timeline.saved", "rush r1")
    assert "rush r1" in owner.get("/w/team/audit/?subject=timeline").content.decode()


@pytest.mark.parametrize("query", ["page=0", "page=x", "page=99999999999999999999", "subject=zzz"])
def test_bad_addresses_get_a_clear_400(owner, query):
    response = owner.get(f"/w/team/audit/?{query}")
    assert response.status_code == 400
    assert "must be" in response.content.decode()
