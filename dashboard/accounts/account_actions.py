"""What people do with their own account: the first one, sign-in links, name and password; each is one transaction."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from dashboard.accounts import audit
from dashboard.accounts.access import bump_everywhere
from dashboard.accounts.actions import create_workspace
from dashboard.accounts.models import SigninToken, User, Workspace, new_secret, secret_hash
from dashboard.common.problems import NotFound

OWNER_EMAIL = "owner@localhost"
OWNER_NAME = "Local owner"
DEFAULT_SLUG = "default"
DEFAULT_NAME = "My workspace"


@transaction.atomic
def first_owner() -> tuple[User, Workspace]:
    """Return the local owner and their workspace, made where absent. Called from the terminal only."""
    user = User.objects.filter(email=OWNER_EMAIL).first() or User.objects.create_user(OWNER_EMAIL, OWNER_NAME)
    member = user.memberships.select_related("workspace").first()
    if member:
        return user, member.workspace
    slug = DEFAULT_SLUG if not Workspace.objects.filter(slug=DEFAULT_SLUG).exists() else ""
    return user, create_workspace(user, DEFAULT_NAME, slug)


@transaction.atomic
def make_signin_token(user: User) -> str:
    """Return the secret of a fresh one-time link; older unused ones of this user stop working."""
    user.signin_tokens.all().delete()
    secret = new_secret()
    expires = timezone.now() + SigninToken.LIFETIME
    SigninToken.objects.create(user=user, secret_hash=secret_hash(secret), expires_at=expires)
    return secret


@transaction.atomic
def spend_signin_token(secret: str) -> User:
    """Return the user whom the link signs in; it works once. Raises NotFound for a used, expired or unknown one."""
    now = timezone.now()
    live = SigninToken.objects.filter(secret_hash=secret_hash(secret), used_at=None, expires_at__gt=now)
    token = live.select_related("user").first()
    # The update decides, not the read: of two requests at once one gets a row.
    if token is None or not token.user.is_active or not live.update(used_at=now):
        raise NotFound(
            "This link was used before or is older than a day. Print a new one by the command signin_link.",
            title="The sign-in link does not work any more",
        )
    return token.user


def note_sign_in(user: User) -> None:
    """Tell live sockets that this user signed in."""
    bump_everywhere(user)


def note_sign_out(user: User) -> None:
    """Tell live sockets that a session of this user ended; each checks its own."""
    bump_everywhere(user)


@transaction.atomic
def rename_user(user: User, name: str) -> User:
    """Return the user with their new name."""
    user.name = name.strip()
    user.full_clean(exclude=["password"])
    user.save(update_fields=["name"])
    return user


@transaction.atomic
def set_password(user: User, password: str) -> User:
    """Return the user with a new password; their other sessions end."""
    user.set_password(password)
    user.save(update_fields=["password"])
    bump_everywhere(user)
    for member in user.memberships.select_related("workspace"):
        audit.record(member.workspace, user, "account.password_set", user.email)
    return user
