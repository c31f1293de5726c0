"""The account's own page: name, password, another workspace."""

from __future__ import annotations

from django.test import Client

from tests.dashboard.conftest import PASSWORD


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
