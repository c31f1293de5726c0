"""The token of a request: who may, how often, in one process and in two."""

from __future__ import annotations

import threading

import pytest
from django.db import connection, connections
from django.test import RequestFactory

from dashboard.accounts.models import AccessToken, Member, TokenMinute
from dashboard.accounts.tokens import actions, checking
from dashboard.accounts.tokens.actions import NewToken
from dashboard.accounts.tokens.checking import TokenRefused, require_scope, token_of


def request(secret, scheme="Bearer"):
    return RequestFactory().post("/", headers={"Authorization": f"{scheme} {secret}"})


@pytest.fixture
def made(owner):
    return actions.make_token(owner.member, NewToken("a", ["collect:prod"]))


def refused(secret, slug="team"):
    with pytest.raises(TokenRefused) as problem:
        token_of(request(secret), slug)
    return problem.value


def test_the_token_of_a_request_is_found_by_its_hash(made):
    token, secret = made
    assert token_of(request(secret), "team") == token
    assert token_of(request(secret, "bearer"), "team") == token
    token.refresh_from_db()
    assert token.last_used_at is not None
    assert checking.requests_in_this_minute(token) == 2


def test_scopes_are_compared_whole(made):
    token, _ = made
    require_scope(token, "collect:prod")
    for scope in ("collect:prod2", "collect:pro", "collect:", "read:prod"):
        with pytest.raises(TokenRefused) as problem:
            require_scope(token, scope)
        assert problem.value.status == 403


def test_a_token_of_a_person_counts_while_they_are_a_member(made, owner, editor):
    _, secret = made
    AccessToken.objects.update(owner=editor.user)
    assert token_of(request(secret), "team")
    Member.objects.filter(user=editor.user).delete()
    assert refused(secret).status == 401


def test_refused_requests_of_others_are_not_counted(made):
    _, secret = made
    assert refused(secret + "x").status == 401
    assert refused(secret, "elsewhere").status == 403
    assert not TokenMinute.objects.exists()


def test_a_clock_that_is_set_back_begins_a_minute_of_its_own(made, monkeypatch):
    token, secret = made
    for at in (1_000_000_000.0, 999_000_000.0):
        monkeypatch.setattr(checking.time, "time", lambda at=at: at)
        token_of(request(secret), "team")
        assert checking.requests_in_this_minute(token) == 1


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_two_processes_count_as_one(owner, monkeypatch):
    """Threads with connections of their own stand for processes: the count is the database's."""
    monkeypatch.setattr(checking.scopes, "per_minute", lambda scopes: 10)
    monkeypatch.setattr(checking.time, "time", lambda: 1_000_000_000.0)
    _, secret = actions.make_token(owner.member, NewToken("b", ["collect:prod"]))
    outcomes = []

    def ask():
        try:
            for _ in range(10):
                try:
                    token_of(request(secret), "team")
                    outcomes.append(200)
                except TokenRefused as problem:
                    outcomes.append(problem.status)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    connection.close()
    assert sorted(outcomes) == [200] * 10 + [429] * 10
