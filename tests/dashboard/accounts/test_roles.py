"""Who may use which address of accounts: the table role x endpoint."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
from django.urls import reverse

from dashboard.accounts import actions
from dashboard.accounts.access import find_member
from dashboard.accounts.models import Member, Role
from dashboard.accounts.tokens import actions as token_actions
from dashboard.accounts.tokens.actions import NewToken
from dashboard.common.problems import NotFound
from tests.dashboard.role_tables import assert_each_address_has_a_row, assert_each_role_gets_its_answer

# name, method, smallest role that may, form data
ENDPOINTS = [
    ("members", "get", "viewer", {}),
    ("invite", "post", "admin", {"email": "new@example.org", "role": "viewer"}),
    ("change_role", "post", "admin", {"role": "viewer"}),
    ("remove_member", "post", "admin", {}),
    ("revoke", "post", "admin", {}),
    ("settings", "get", "admin", {}),
    ("settings", "post", "admin", {"name": "Team", "max_storage_gib": "5", "retention_days": ""}),
    ("audit", "get", "admin", {}),
    ("tokens", "get", "admin", {}),
    ("make_token", "post", "admin", {"name": "a", "kind": "collect", "about": "prod", "days": ""}),
    ("revoke_token", "post", "admin", {}),
    ("take_over_token", "post", "admin", {}),
]
OUTSIDE = {
    "root",
    "sign_in",
    "sign_in_link",
    "sign_out",
    "join",
    "look",
    "account",
    "rename",
    "password",
    "new_workspace",
}


def address(name: str, owner, slug: str = "team") -> str:
    kwargs = {"slug": slug}
    if name in {"change_role", "remove_member"}:
        user = owner.user.__class__.objects.create_user("target@example.org", "Target")
        kwargs["member_id"] = Member.objects.create(workspace=owner.member.workspace, user=user, role=Role.REVIEWER).pk
    if name == "revoke":
        kwargs["invitation_id"] = actions.invite(owner.member, "target@example.org", Role.VIEWER)[0].pk
    if name in {"revoke_token", "take_over_token"}:
        new = NewToken("target", ["collect:target"])
        kwargs["token_id"] = token_actions.make_token(owner.member, new)[0].pk
    return reverse(f"accounts:{name}", kwargs=kwargs)


@pytest.mark.parametrize(("name", "method", "needed", "data"), ENDPOINTS, ids=[f"{e[1]} {e[0]}" for e in ENDPOINTS])
def test_each_endpoint_lets_in_who_may(people, name, method, needed, data):
    url, status = address(name, people["admin"]), 200 if method == "get" else 302
    assert_each_role_gets_its_answer(people, needed, status, lambda person, _: getattr(person, method)(url, data))


@pytest.mark.parametrize(
    ("method", "address", "back"),
    [
        pytest.param("get", "/w/team/members/?page=2", "/w/team/members/?page=2", id="a page is come back to"),
        pytest.param("post", "/w/team/members/invite", "/", id="what a form did is not done again by coming back"),
        pytest.param("post", "/account/name", "/", id="nor outside of workspaces"),
    ],
)
def test_where_sign_in_leads_back_to(anonymous, workspace, method, address, back):
    response = getattr(anonymous, method)(address)
    assert response.status_code == 302
    assert parse_qs(urlsplit(response["Location"]).query) == {"next": [back]}


def test_every_workspace_address_is_in_the_table():
    assert_each_address_has_a_row("accounts", [*OUTSIDE, *(endpoint[0] for endpoint in ENDPOINTS)])


@pytest.mark.parametrize("name", ["invite", "change_role", "remove_member", "revoke"])
def test_writes_refuse_get(owner, name):
    assert owner.get(address(name, owner)).status_code == 405


@pytest.mark.parametrize("name", ["members", "audit"])
def test_reads_refuse_post(owner, name):
    assert owner.post(address(name, owner)).status_code == 405


def test_a_refusal_says_who_can_help(viewer):
    response = viewer.get("/w/team/settings/")
    assert "Team is viewer" in response.content.decode()
    assert "Asha" in response.content.decode()


def test_htmx_without_session_is_led_to_sign_in(anonymous, workspace):
    response = anonymous.get("/w/team/members/", headers={"HX-Request": "true"})
    assert (response.status_code, response["HX-Redirect"]) == (401, "/signin")


def test_another_workspaces_member_cannot_be_touched(owner, stranger):
    theirs = Member.objects.get(user=stranger.user)
    assert owner.post(f"/w/team/members/{theirs.pk}/remove").status_code == 404
    assert owner.post(f"/w/team/members/{10**30}/remove").status_code == 404
    assert Member.objects.filter(pk=theirs.pk).exists()


def test_an_inactive_user_is_out(viewer):
    viewer.user.is_active = False
    viewer.user.save()
    assert viewer.get("/w/team/members/").status_code == 302
    with pytest.raises(NotFound):
        find_member(viewer.user, "team")
