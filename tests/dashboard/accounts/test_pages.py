"""Pages of accounts: what they show, that they obey the policy, their full and part forms."""

from __future__ import annotations

import re

import pytest
from django.test import Client

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


def test_odd_names_survive(owner, workspace):
    for i, name in enumerate((LONG, RTL)):
        user = User.objects.create_user(f"{i}{'m' * 200}@example.org", name[:120])
        Member.objects.create(workspace=workspace, user=user)
    page = owner.get("/w/team/members/").content.decode()
    assert LONG[:120] in page
    assert "مهندس المنصة &lt;b&gt;" in page
    assert "<b>" not in page.split("مهندس المنصة ")[1][:4]


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
