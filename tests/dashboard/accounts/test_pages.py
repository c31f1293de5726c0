"""Pages of accounts: what they show, that they obey the policy, their full and part forms."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from dashboard.accounts import actions, audit
from dashboard.accounts.models import Member, User
from tests.dashboard.conftest import PASSWORD
from tests.dashboard.helpers import assert_strict_csp

PAGES = ["/w/team/members/", "/w/team/settings/", "/w/team/audit/", "/account/", "/workspaces/new/", "/w/team/nothing/"]
LONG = "名前" * 60
RTL = "مهندس المنصة <b>"


@pytest.mark.parametrize("path", PAGES)
def test_pages_obey_the_strict_policy(owner, viewer, path):
    response = owner.get(path)
    assert_strict_csp(response.content)
    policy = response["Content-Security-Policy"]
    assert "script-src 'self'" in policy
    assert "style-src 'self'" in policy
    assert "unsafe" not in policy


@pytest.mark.parametrize("path", ["/signin", "/nothing", "/help/"])
def test_pages_without_session_too(anonymous, path):
    response = anonymous.get(path)
    assert_strict_csp(response.content)
    assert "Content-Security-Policy" in response


def test_the_sign_in_page_shows_the_product_and_leads_to_help(anonymous):
    page = anonymous.get("/signin").content.decode()
    assert re.search(r'class="of-dark" src="/static/common/product-dark\.[^"]*webp"', page)
    assert 'href="/help/"' in page
    assert "What Schedscope is, and how to begin" in anonymous.get("/help/").content.decode()


def test_forms_need_a_csrf_token(viewer):
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(viewer.user)
    for path in ("/signout", "/account/name", "/w/team/members/invite", "/look"):
        response = browser.post(path, {"name": "x"})
        assert response.status_code == 403
        assert "The form has expired" in response.content.decode()


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


def test_odd_names_survive(owner, workspace):
    for i, name in enumerate((LONG, RTL)):
        user = User.objects.create_user(f"{i}{'m' * 200}@example.org", name[:120])
        Member.objects.create(workspace=workspace, user=user)
    page = owner.get("/w/team/members/").content.decode()
    assert LONG[:120] in page
    assert "مهندس المنصة &lt;b&gt;" in page
    assert "<b>" not in page.split("مهندس المنصة ")[1][:4]


def test_members_list_costs_the_same_for_many(owner, workspace, django_assert_max_num_queries):
    for i in range(60):
        Member.objects.create(workspace=workspace, user=User.objects.create_user(f"m{i}@example.org"))
    with django_assert_max_num_queries(9):
        page = owner.get("/w/team/members/").content.decode()
    assert "1 to 50 of 61 members" in page
    assert "51 to 61 of 61 members" in owner.get("/w/team/members/?page=2").content.decode()


def test_audit_log_is_paged_and_filtered(owner, workspace):
    for i in range(55):
        audit.record(workspace, owner.user, "run.started", f"Run {i}", cluster="<teaching>")
    page = owner.get("/w/team/audit/").content.decode()
    assert "1 to 50 of 56 entries" in page
    assert "&lt;teaching&gt;" in page
    assert "workspace.created" in owner.get("/w/team/audit/?subject=workspace").content.decode()
    assert "subject=run&amp;page=2" in owner.get("/w/team/audit/?subject=run").content.decode()
    audit.record(workspace, owner.user, "timeline.saved", "rush r1")
    assert "rush r1" in owner.get("/w/team/audit/?subject=timeline").content.decode()


@pytest.mark.parametrize("query", ["page=0", "page=x", "page=99999999999999999999", "subject=zzz"])
def test_bad_addresses_get_a_clear_400(owner, query):
    response = owner.get(f"/w/team/audit/?{query}")
    assert response.status_code == 400
    assert "must be" in response.content.decode()


def test_settings_are_saved(owner, workspace):
    data = {"name": "Team B", "max_storage_gib": "1.5", "retention_days": "30"}
    assert owner.post("/w/team/settings/", data).status_code == 302
    workspace.refresh_from_db()
    assert (workspace.name, workspace.max_storage_bytes, workspace.retention_days) == ("Team B", 3 * 2**29, 30)
    assert 'value="1.5"' in owner.get("/w/team/settings/").content.decode()


@pytest.mark.parametrize(
    "change",
    [
        {"name": ""},
        {"name": "x" * 121},
        {"max_storage_gib": "0"},
        {"max_storage_gib": "lots"},
        {"max_storage_gib": "NaN"},
        {"retention_days": "0"},
        {"retention_days": "4000"},
    ],
)
def test_settings_refuse_what_cannot_be(owner, workspace, change):
    data = {"name": "Team", "max_storage_gib": "1", "retention_days": "", **change}
    assert owner.post("/w/team/settings/", data).status_code == 422
    before = workspace.max_storage_bytes
    workspace.refresh_from_db()
    assert workspace.max_storage_bytes == before


class TestAccount:
    def test_password_change_keeps_this_session_and_ends_others(self, viewer):
        other = Client()
        other.force_login(viewer.user)
        data = {"password": "brand new 123 word", "again": "brand new 123 word"}
        assert viewer.post("/account/password", data).status_code == 302
        assert viewer.get("/account/").status_code == 200
        assert other.get("/account/").status_code == 302

    def test_weak_password_is_refused(self, viewer):
        assert viewer.post("/account/password", {"password": "123", "again": "123"}).status_code == 422
        viewer.user.refresh_from_db()
        assert viewer.user.check_password(PASSWORD)

    def test_name_is_saved(self, viewer):
        viewer.post("/account/name", {"name": "Vera B"})
        viewer.user.refresh_from_db()
        assert viewer.user.name == "Vera B"

    def test_new_workspace(self, viewer):
        assert viewer.post("/workspaces/new/", {"name": "Lab"})["Location"] == "/w/lab/"
        refused = viewer.post("/workspaces/new/", {"name": "Lab", "slug": "lab"})
        assert refused.status_code == 422
        assert "exists" in refused.content.decode()

    def test_removing_oneself_leads_out(self, viewer):
        assert viewer.post(f"/w/team/members/{viewer.member.pk}/remove")["Location"] == "/account/"


class TestLooks:
    def test_are_rendered_by_the_server(self, viewer):
        viewer.post("/look", {"theme": "dark", "density": "roomy", "motion": "off"})
        page = viewer.get("/account/").content.decode()
        assert '<html lang="en" data-theme="dark" data-density="roomy" data-motion="off">' in page

    def test_system_forgets(self, viewer):
        viewer.post("/look", {"theme": "dark"})
        viewer.post("/look", {"theme": "system"})
        assert '<html lang="en">' in viewer.get("/account/").content.decode()

    def test_odd_values_are_refused_and_odd_cookies_ignored(self, viewer):
        assert viewer.post("/look", {"theme": '"><script>'}).status_code == 400
        viewer.cookies["look_theme"] = "pink"
        assert '<html lang="en">' in viewer.get("/account/").content.decode()


def test_switcher_lists_only_my_workspaces(viewer, stranger):
    actions.create_workspace(viewer.user, "Second")
    page = viewer.get("/w/team/members/").content.decode()
    assert "/w/second/" in page
    assert "/w/elsewhere/" not in page


class TestPagesOfProblems:
    @pytest.mark.parametrize(
        ("path", "way"),
        [
            ("/w/team/runs/99/", '<a class="btn btn-sm" href="/w/team/runs/">Runs of Team</a>'),
            ("/w/team/nothing/", '<a class="btn btn-sm" href="/w/team/">Home of Team</a>'),
        ],
    )
    def test_keep_the_menu_and_lead_back_to_the_list(self, viewer, path, way):
        response = viewer.get(path)
        page = response.content.decode()
        assert response.status_code == 404
        assert 'aria-label="Main"' in page
        assert way in page

    def test_say_nothing_of_a_workspace_to_a_stranger(self, stranger, workspace):
        page = stranger.get("/w/team/runs/99/").content.decode()
        assert 'aria-label="Main"' not in page
        assert "Team" not in page
        assert "Go to your workspace" in page

    def test_are_bare_without_a_session(self, anonymous):
        assert "appbar" not in anonymous.get("/nothing").content.decode()

    def test_of_a_role_too_small_keep_the_menu(self, viewer):
        response = viewer.get("/w/team/audit/")
        assert response.status_code == 403
        assert 'aria-label="Main"' in response.content.decode()


def test_people_of_a_small_team_have_avatars_of_their_own_colour(owner, editor, reviewer, viewer):
    page = owner.get("/w/team/members/").content.decode()
    colours = {
        name: re.search(rf'<span class="avatar (avatar-\w)[^"]*" title="{name}"', page)[1]
        for name in ("Asha", "Edda", "Ravi", "Vera")
    }
    assert len(set(colours.values())) == 4
