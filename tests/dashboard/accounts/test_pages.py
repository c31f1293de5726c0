"""Pages of accounts: what they show, that they obey the policy, their full and part forms."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from dashboard.accounts.models import Member, User
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
    assert anonymous.get("/help/").status_code == 200


def test_forms_need_a_csrf_token(viewer):
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(viewer.user)
    for path in ("/signout", "/account/name", "/w/team/members/invite", "/look"):
        response = browser.post(path, {"name": "x"})
        assert response.status_code == 403
        assert "form has expired" in response.content.decode()


def test_odd_names_survive(owner, workspace):
    for i, name in enumerate((LONG, RTL)):
        user = User.objects.create_user(f"{i}{'m' * 200}@example.org", name[:120])
        Member.objects.create(workspace=workspace, user=user)
    page = owner.get("/w/team/members/").content.decode()
    assert LONG[:120] in page
    assert "مهندس المنصة &lt;b&gt;" in page
    assert "<b>" not in page.split("مهندس المنصة ")[1][:4]


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
        assert "to your workspace" in page

    def test_are_bare_without_a_session(self, anonymous):
        assert "appbar" not in anonymous.get("/nothing").content.decode()

    def test_of_a_role_too_small_keep_the_menu(self, viewer):
        response = viewer.get("/w/team/audit/")
        assert response.status_code == 403
        assert 'aria-label="Main"' in response.content.decode()


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("/help/", "What Schedscope is, and how to begin"),
        ("/w/team/runs/99/", "Go to your workspace"),
    ],
)
def test_words(stranger, workspace, path, sentence):
    assert sentence in stranger.get(path).content.decode()


def test_words_of_a_form_without_a_token(viewer):
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(viewer.user)
    assert "The form has expired" in browser.post("/look", {"name": "x"}).content.decode()
