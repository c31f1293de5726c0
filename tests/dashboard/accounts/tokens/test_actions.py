"""Tokens made, revoked and taken over; what stays when the member who made one leaves."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from dashboard.accounts.actions import remove_member
from dashboard.accounts.leaving.removing import delete_person
from dashboard.accounts.models import AccessToken, AuditEntry, Member, Role, secret_hash
from dashboard.accounts.tokens import actions
from dashboard.accounts.tokens.actions import NewToken
from dashboard.accounts.tokens.checking import PREFIX
from dashboard.clusters.models import Cluster
from dashboard.common.problems import Conflict, Forbidden, NotFound, Problem


def new(name="prod collector", scope="collect:prod", days=None):
    return NewToken(name, [scope], days)


def test_a_token_is_made_and_only_its_hash_is_kept(owner):
    token, secret = actions.make_token(owner.member, new(days=30))
    assert secret.startswith(PREFIX)
    assert len(secret) == len(PREFIX) + 43
    stored = AccessToken.objects.get()
    assert stored.secret_hash == secret_hash(secret)
    assert secret not in str(AccessToken.objects.values_list())
    assert secret.startswith(stored.hint)
    assert len(stored.hint) < len(PREFIX) + 8
    assert (stored.made_by, stored.owner, stored.scopes) == (owner.user, None, ["collect:prod"])
    assert timedelta(days=29) < token.expires_at - timezone.now() <= timedelta(days=30)
    entry = AuditEntry.objects.get(action="token.created")
    assert (entry.object, entry.details) == ("prod collector", {"scopes": "collect:prod", "days": 30})


def test_a_cluster_that_is_not_there_is_made_empty(owner):
    token, _ = actions.make_token(owner.member, new(scope="collect:Shop EU"))
    cluster = Cluster.objects.get()
    assert token.scopes == ["collect:shop-eu"]
    assert (cluster.name, cluster.revisions.get().n_objects) == ("Shop EU", 0)
    again, _ = actions.make_token(owner.member, new("another", "collect:Shop EU"))
    assert again.scopes == token.scopes


@pytest.mark.parametrize(
    ("name", "scope", "days"),
    [
        ("", "collect:prod", None),
        ("n" * 121, "collect:prod", None),
        ("a\nb", "collect:prod", None),
        ("a", "collect:", None),
        ("a", "collect", None),
        ("a", "read:prod", None),
        ("a", "collect:a\0b", None),
        ("a", "collect:prod", 0),
        ("a", "collect:prod", 3651),
    ],
)
def test_a_wrong_name_scope_or_time_makes_nothing(owner, name, scope, days):
    with pytest.raises(Problem):
        actions.make_token(owner.member, new(name, scope, days))
    assert not AccessToken.objects.exists()
    assert not Cluster.objects.exists()


def test_scopes_are_needed_and_limited(owner):
    for scopes in ([], ["collect:a"] * 21):
        with pytest.raises(Problem):
            actions.make_token(owner.member, NewToken("a", scopes))


def test_a_name_in_use_is_refused_and_free_again_once_it_is_revoked(owner):
    token, _ = actions.make_token(owner.member, new())
    with pytest.raises(Conflict):
        actions.make_token(owner.member, new())
    actions.revoke_token(owner.member, token.pk)
    actions.make_token(owner.member, new())
    assert AuditEntry.objects.filter(action="token.revoked", object="prod collector").count() == 1


def test_a_workspace_has_so_many_tokens(owner, monkeypatch):
    monkeypatch.setattr(actions, "MOST_OPEN", 1)
    actions.make_token(owner.member, new())
    with pytest.raises(Conflict):
        actions.make_token(owner.member, new("another"))


def test_only_admins_make_see_and_revoke_tokens(owner, editor):
    token, _ = actions.make_token(owner.member, new())
    for act in (
        lambda: actions.make_token(editor.member, new("b")),
        lambda: actions.revoke_token(editor.member, token.pk),
        lambda: actions.take_over_token(editor.member, token.pk),
        lambda: actions.tokens_for_page(editor.member),
    ):
        with pytest.raises(Forbidden):
            act()


def test_another_workspaces_token_is_not_there(owner, stranger):
    token, _ = actions.make_token(owner.member, new())
    member = Member.objects.select_related("workspace", "user").get(user=stranger.user)
    with pytest.raises(NotFound):
        actions.revoke_token(member, token.pk)


def admin_who_made_a_token(owner, editor):
    Member.objects.filter(user=editor.user).update(role=Role.ADMIN)
    return actions.make_token(editor.member, new())[0]


@pytest.mark.parametrize("way", ["removed", "deleted"])
def test_a_token_of_the_workspace_stays_when_its_maker_leaves_and_admins_see_it(owner, editor, way):
    token = admin_who_made_a_token(owner, editor)
    if way == "removed":
        remove_member(owner.member, editor.member.pk)
    else:
        delete_person(editor.user, "keep")
    token.refresh_from_db()
    assert token.is_open
    workspace = owner.member.workspace
    assert list(actions.without_maker(workspace)) == [token]
    entry = AuditEntry.objects.get(action="token.maker_left")
    assert (entry.object, entry.details) == ("prod collector", {"scopes": "collect:prod"})
    actions.take_over_token(owner.member, token.pk)
    token.refresh_from_db()
    assert token.made_by == owner.user
    assert not actions.without_maker(workspace).exists()


def test_a_token_of_the_terminal_has_no_maker_who_could_leave(owner):
    actions.make_by_terminal(owner.member.workspace, new())
    assert not actions.without_maker(owner.member.workspace).exists()
    assert AuditEntry.objects.get(action="token.created").actor_label == "terminal"


def test_tokens_that_ended_are_shown_for_90_days(owner):
    tokens = [actions.make_token(owner.member, new(name))[0] for name in "abcd"]
    now = timezone.now()
    ends = (
        {"revoked_at": now - timedelta(days=91)},
        {"revoked_at": now},
        {"expires_at": now - timedelta(days=3)},
        {"expires_at": now + timedelta(days=3)},
    )
    for token, fields in zip(tokens, ends, strict=True):
        AccessToken.objects.filter(pk=token.pk).update(**fields)
    opened, ended = actions.tokens_for_page(owner.member)
    assert [one.name for one in opened] == ["d"]
    assert [one.name for one in ended] == ["b", "c"]
