"""One-time links, as the command prints them: who gets one, how often it works, for how long."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO

import pytest
from django.contrib.auth import get_user
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from dashboard.accounts.models import SigninToken, User, Workspace


def printed_link(*args: str) -> str:
    out = StringIO()
    call_command("signin_link", *args, stdout=out)
    return out.getvalue().strip()


def path_of(link: str) -> str:
    return "/" + link.split("/", 3)[3]


class TestLink:
    def test_first_start_makes_owner_and_workspace_and_signs_in(self, anonymous):
        link = printed_link("--port", "8123")
        assert link.startswith("http://127.0.0.1:8123/signin/")
        response = anonymous.get(path_of(link))
        assert response["Location"] == "/"
        assert anonymous.get("/")["Location"] == "/w/default/"
        assert get_user(anonymous).email == "owner@localhost"
        assert anonymous.get("/w/default/settings/").status_code == 200

    def test_second_start_makes_nothing_new(self, db):
        printed_link()
        printed_link()
        assert (User.objects.count(), Workspace.objects.count(), SigninToken.objects.count()) == (1, 1, 1)

    def test_works_once(self, anonymous):
        path = path_of(printed_link())
        anonymous.get(path)
        other = Client().get(path)
        assert other.status_code == 404
        assert "signin_link" in other.content.decode()

    def test_opened_again_by_the_same_reader_leads_home(self, anonymous):
        path = path_of(printed_link())
        anonymous.get(path)
        assert anonymous.get(path)["Location"] == "/"

    def test_expires(self, anonymous):
        path = path_of(printed_link())
        SigninToken.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
        assert anonymous.get(path).status_code == 404
        assert not get_user(anonymous).is_authenticated

    def test_a_newer_link_replaces_the_older(self, anonymous):
        older = path_of(printed_link())
        printed_link()
        assert anonymous.get(older).status_code == 404

    def test_is_not_stored_in_the_clear(self, db):
        secret = path_of(printed_link()).rsplit("/", 1)[1]
        stored = SigninToken.objects.get()
        assert secret not in vars(stored).values()

    def test_a_preview_by_head_does_not_spend_it(self, anonymous):
        path = path_of(printed_link())
        assert anonymous.head(path).status_code == 405
        assert anonymous.get(path).status_code == 302

    def test_for_another_user(self, viewer):
        link = printed_link("--email", "VERA@example.org", "--host", "box.example", "--https")
        assert link.startswith("https://box.example/signin/")
        browser = Client()
        browser.get(path_of(link))
        assert get_user(browser) == viewer.user

    def test_for_nobody(self, db):
        with pytest.raises(CommandError, match=r"No active user has the e-mail address nobody@example\.org"):
            printed_link("--email", "nobody@example.org")
