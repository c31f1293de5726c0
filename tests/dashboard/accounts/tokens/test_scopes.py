"""Kinds of scopes, as apps register them."""

from __future__ import annotations

from dashboard.accounts.tokens import scopes


def test_a_token_may_make_as_many_requests_as_its_busiest_scope():
    most = scopes.kinds()["collect"].per_minute
    assert scopes.per_minute(["collect:a"]) == most
    assert scopes.per_minute(["gone:a"]) == 0


def test_scopes_are_stored_once_each(owner):
    workspace = owner.member.workspace
    assert scopes.prepared(workspace, None, ["collect:a", " collect:a "]) == ["collect:a"]
