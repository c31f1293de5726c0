"""Coming in: one-time links, passwords, invitations; going out."""

from __future__ import annotations

from io import StringIO

import pytest
from django.contrib.auth import get_user
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from dashboard.accounts import actions, throttle
from dashboard.accounts.models import Invitation, Member, SigninFailures, User
from tests.dashboard.conftest import PASSWORD


def printed_link(*args: str) -> str:
    out = StringIO()
    call_command("signin_link", *args, stdout=out)
    return out.getvalue().strip()


class TestPassword:
    def test_right_one_goes_where_the_reader_wanted(self, anonymous, viewer):
        data = {"email": " Vera@Example.org", "password": PASSWORD, "next": "/w/team/members/"}
        response = anonymous.post("/signin", data)
        assert response["Location"] == "/w/team/members/"
        assert get_user(anonymous) == viewer.user

    @pytest.mark.parametrize(
        "target", ["https://evil.example/", "//evil.example", "javascript:alert(1)", "\\\\evil.example", "foo", "a.b"]
    )
    def test_next_never_leads_outside(self, anonymous, viewer, target):
        data = {"email": "vera@example.org", "password": PASSWORD, "next": target}
        assert anonymous.post("/signin", data)["Location"] == "/"
        assert anonymous.get("/signin", {"next": target})["Location"] == "/"
        assert anonymous.post("/look", {"next": target})["Location"] == "/"

    def test_wrong_one_counts_down(self, anonymous, viewer):
        message = [self.wrong(anonymous) for _ in range(6)]
        assert "4 tries left" in message[0]
        assert "1 try left" in message[3]
        assert "0 tries left" in message[4]
        assert "Wait five minutes" in message[5]

    def test_waiting_pair_is_refused_even_with_the_right_one(self, anonymous, viewer):
        for _ in range(5):
            self.wrong(anonymous)
        data = {"email": "vera@example.org", "password": PASSWORD}
        assert anonymous.post("/signin", data).status_code == 429
        assert anonymous.post("/signin", data, REMOTE_ADDR="10.0.0.9").status_code == 302

    def test_the_wait_ends(self, anonymous, viewer):
        for _ in range(5):
            self.wrong(anonymous)
        SigninFailures.objects.update(window_started_at=timezone.now() - throttle.WINDOW)
        assert anonymous.post("/signin", {"email": "vera@example.org", "password": PASSWORD}).status_code == 302

    def test_unknown_address_answers_like_a_wrong_password(self, anonymous, viewer):
        assert "4 tries left" in self.wrong(anonymous, "nobody@example.org")

    def test_without_a_usable_password_none_works(self, anonymous):
        printed_link()
        response = anonymous.post("/signin", {"email": "owner@localhost", "password": "!"})
        assert response.status_code == 422

    @pytest.mark.parametrize(
        "data", [{}, {"email": "a"}, {"email": "a\0", "password": "b"}, {"email": "a", "password": "x" * 201}]
    )
    def test_incomplete_or_odd_forms_are_refused(self, anonymous, data):
        assert anonymous.post("/signin", data).status_code == 422

    @staticmethod
    def wrong(browser: Client, email: str = "vera@example.org") -> str:
        return browser.post("/signin", {"email": email, "password": "wrong"}).content.decode()


class TestInvitation:
    @pytest.fixture
    def secret(self, owner) -> str:
        return actions.invite(owner.member, "New@Example.org", "reviewer")[1]

    def test_page_shows_the_link_once(self, owner):
        response = owner.post("/w/team/members/invite", {"email": "new@example.org", "role": "editor"}, follow=True)
        assert "http://testserver/join/" in response.content.decode()
        assert "http://testserver/join/" not in owner.get("/w/team/members/").content.decode()

    def test_makes_an_account_and_membership(self, anonymous, secret):
        assert "Join Team" in anonymous.get(f"/join/{secret}").content.decode()
        data = {"name": "Nora", "password": "staple-battery-9", "again": "staple-battery-9"}
        assert anonymous.post(f"/join/{secret}", data).status_code == 302
        member = Member.objects.get(user__email="new@example.org")
        assert (member.role, member.user.name, get_user(anonymous)) == ("reviewer", "Nora", member.user)

    @pytest.mark.parametrize(
        ("data", "message"),
        [
            ({"name": "", "password": "staple-battery-9", "again": "staple-battery-9"}, "required"),
            ({"name": "N", "password": "staple-battery-9", "again": "other-battery-9"}, "differ"),
            ({"name": "N", "password": "12345678", "again": "12345678"}, "too common"),
        ],
    )
    def test_weak_forms_say_what_is_wrong(self, anonymous, secret, data, message):
        response = anonymous.post(f"/join/{secret}", data)
        assert response.status_code == 422
        assert message in response.content.decode()
        assert not User.objects.filter(email="new@example.org").exists()

    def test_works_once(self, anonymous, secret):
        data = {"name": "Nora", "password": "staple-battery-9", "again": "staple-battery-9"}
        anonymous.post(f"/join/{secret}", data)
        assert Client().get(f"/join/{secret}").status_code == 404

    def test_expires(self, anonymous, secret):
        Invitation.objects.update(expires_at=timezone.now())
        assert anonymous.get(f"/join/{secret}").status_code == 404

    def test_somebody_else_cannot_take_it(self, stranger, secret):
        assert stranger.post(f"/join/{secret}").status_code == 403
        assert Invitation.objects.get().is_open

    def test_an_account_holder_signs_in_first_and_then_joins(self, stranger, owner):
        secret = actions.invite(owner.member, stranger.user.email, "viewer")[1]
        assert Client().get(f"/join/{secret}")["Location"].startswith("/signin?next=%2Fjoin%2F")
        assert stranger.post(f"/join/{secret}")["Location"] == "/w/team/"
        assert stranger.get("/w/team/members/").status_code == 200


class TestSignOut:
    def test_ends_the_session(self, viewer):
        assert viewer.post("/signout")["Location"] == "/signin"
        assert viewer.get("/w/team/members/").status_code == 302

    def test_needs_post(self, viewer):
        assert viewer.get("/signout").status_code == 405


class TestRoot:
    def test_leads_everybody_somewhere(self, anonymous, viewer):
        assert anonymous.get("/")["Location"] == "/signin"
        assert viewer.get("/")["Location"] == "/w/team/"
        viewer.member.delete()
        assert viewer.get("/")["Location"] == "/workspaces/new/"
