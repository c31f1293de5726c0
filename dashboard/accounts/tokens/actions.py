"""What admins and the terminal do with tokens; each function checks the right and is one transaction."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from dashboard.accounts import audit
from dashboard.accounts.access import require
from dashboard.accounts.models import AccessToken, Member, Role, User, Workspace, new_secret, secret_hash
from dashboard.accounts.tokens import scopes as scope_kinds
from dashboard.accounts.tokens.checking import PREFIX
from dashboard.common.problems import Conflict, NotFound, Problem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.db.models import QuerySet

HINT = len(PREFIX) + 4
LONGEST_NAME = 120
MOST_DAYS = 3650
MOST_OPEN = 500
ENDED_KEPT_FOR = timedelta(days=90)


class NewToken(NamedTuple):
    """What a token is made of: its name, its scopes, and the days until it expires (None: it does not)."""

    name: str
    scopes: Sequence[str]
    days: int | None = None


def make_token(member: Member, new: NewToken) -> tuple[AccessToken, str]:
    """Return the token of the workspace and its secret, which is shown once. Raises Forbidden, Problem, Conflict."""
    require(member, Role.ADMIN, "make tokens")
    return make_by_terminal(member.workspace, new, member.user)


@transaction.atomic
def make_by_terminal(workspace: Workspace, new: NewToken, user: User | None = None) -> tuple[AccessToken, str]:
    """Do the same for who has the right otherwise. Raises Problem, Conflict."""
    # The row of the workspace is the lock: two tokens of one name must not be made at once.
    Workspace.objects.select_for_update().get(pk=workspace.pk)
    name = new.name.strip()
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise Problem(f"Give the token a name of 1 to {LONGEST_NAME} characters: where it is used.")
    if new.days is not None and not 1 <= new.days <= MOST_DAYS:
        raise Problem(f"A token expires after 1 to {MOST_DAYS:,} days, or never.")
    opened = open_tokens(workspace)
    if opened.filter(name=name).exists():
        raise Conflict(f'A token named "{name}" is in use. Choose another name, or revoke it first.')
    if opened.count() >= MOST_OPEN:
        raise Conflict(f"A workspace has at most {MOST_OPEN} tokens in use. Revoke one first.")
    prepared = scope_kinds.prepared(workspace, user, list(new.scopes))
    secret = PREFIX + new_secret()
    expires = None if new.days is None else timezone.now() + timedelta(days=new.days)
    token = AccessToken.objects.create(
        workspace=workspace,
        made_by=user,
        is_of_terminal=user is None,
        name=name,
        secret_hash=secret_hash(secret),
        hint=secret[:HINT],
        scopes=prepared,
        expires_at=expires,
    )
    audit.record(workspace, user, "token.created", name, scopes=", ".join(prepared), days=new.days)
    return token, secret


@transaction.atomic
def revoke_token(member: Member, token_id: int) -> AccessToken:
    """Return the token, from now on useless; raises NotFound where none of this number is in use."""
    require(member, Role.ADMIN, "revoke tokens")
    token = _in_use(member.workspace, token_id)
    token.revoked_at = timezone.now()
    token.save(update_fields=["revoked_at"])
    audit.record(member.workspace, member.user, "token.revoked", token.name)
    return token


@transaction.atomic
def take_over_token(member: Member, token_id: int) -> AccessToken:
    """Return the token, for which this admin answers from now on; raises NotFound."""
    require(member, Role.ADMIN, "take over tokens")
    token = _in_use(member.workspace, token_id)
    token.made_by, token.is_of_terminal = member.user, False
    token.save(update_fields=["made_by", "is_of_terminal"])
    audit.record(member.workspace, member.user, "token.taken_over", token.name)
    return token


def note_that_maker_left(workspace: Workspace, user: User, actor: User | None) -> None:
    """Write into the audit log which tokens of the workspace go on though the member who made them leaves."""
    for token in open_tokens(workspace).filter(made_by=user, owner=None):
        audit.record(workspace, actor, "token.maker_left", token.name, scopes=", ".join(token.scopes))


def open_tokens(workspace: Workspace) -> QuerySet[AccessToken]:
    """Return the tokens that can be used."""
    is_good = Q(expires_at=None) | Q(expires_at__gt=timezone.now())
    return AccessToken.objects.filter(is_good, workspace=workspace, revoked_at=None)


def without_maker(workspace: Workspace) -> QuerySet[AccessToken]:
    """Return the tokens in use that belong to the workspace and whose maker is no member any more."""
    members = Member.objects.filter(workspace=workspace).values("user")
    made_by_member = Q(made_by__in=members)
    return open_tokens(workspace).filter(~made_by_member | Q(made_by=None), owner=None, is_of_terminal=False)


def tokens_for_page(member: Member) -> tuple[list[AccessToken], list[AccessToken]]:
    """Return the tokens in use, and those that ended in the last 90 days, newest first. Raises Forbidden."""
    require(member, Role.ADMIN, "see tokens")
    everything = AccessToken.objects.filter(workspace=member.workspace).select_related("made_by")
    opened = list(open_tokens(member.workspace).select_related("made_by"))
    since = timezone.now() - ENDED_KEPT_FOR
    over = everything.filter(Q(revoked_at__gt=since) | Q(revoked_at=None, expires_at__gt=since))
    ended = sorted(over.exclude(pk__in=[one.pk for one in opened]), key=_ended_at, reverse=True)
    return opened, ended


def _ended_at(token: AccessToken) -> float:
    ends = token.revoked_at or token.expires_at
    return ends.timestamp() if ends else 0.0


def _in_use(workspace: Workspace, token_id: int) -> AccessToken:
    token = open_tokens(workspace).select_for_update().filter(pk=token_id).first()
    if token is None:
        raise NotFound("This token is not in use any more.")
    return token
