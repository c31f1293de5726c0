"""Addresses of dashboard.accounts."""

from __future__ import annotations

from django.urls import path

from dashboard.accounts.views import account, sign_in, tokens, workspace

app_name = "accounts"
urlpatterns = [
    path("", sign_in.root, name="root"),
    path("signin", sign_in.sign_in, name="sign_in"),
    path("signin/<str:token>", sign_in.by_link, name="sign_in_link"),
    path("signout", sign_in.sign_out, name="sign_out"),
    path("join/<str:token>", sign_in.join, name="join"),
    path("look", account.look, name="look"),
    path("account/", account.account, name="account"),
    path("account/name", account.rename, name="rename"),
    path("account/password", account.password, name="password"),
    path("workspaces/new/", account.new_workspace, name="new_workspace"),
    path("w/<slug:slug>/members/", workspace.members, name="members"),
    path("w/<slug:slug>/members/invite", workspace.invite, name="invite"),
    path("w/<slug:slug>/members/<int:member_id>/role", workspace.change_role, name="change_role"),
    path("w/<slug:slug>/members/<int:member_id>/remove", workspace.remove_member, name="remove_member"),
    path("w/<slug:slug>/invitations/<int:invitation_id>/revoke", workspace.revoke, name="revoke"),
    path("w/<slug:slug>/settings/", workspace.settings, name="settings"),
    path("w/<slug:slug>/tokens/", tokens.tokens, name="tokens"),
    path("w/<slug:slug>/tokens/make", tokens.make, name="make_token"),
    path("w/<slug:slug>/tokens/<int:token_id>/revoke", tokens.revoke, name="revoke_token"),
    path("w/<slug:slug>/tokens/<int:token_id>/take-over", tokens.take_over, name="take_over_token"),
    path("w/<slug:slug>/audit/", workspace.audit_log, name="audit"),
]
