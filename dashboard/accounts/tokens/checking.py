"""The token that a request carries: who sent it, what it may do, and how often in a minute.

Only the header of a request is looked at: a session is never taken as a token, and a token opens no page. Requests are
counted in the database by the minute, in one statement that raises and reads the count, so
that several processes agree; a request that is one too many is counted too.
"""

from __future__ import annotations

import time
from datetime import timedelta
from typing import TYPE_CHECKING

from django.db import connection
from django.db.models import Q
from django.utils import timezone

from dashboard.accounts.models import AccessToken, Member, TokenMinute, secret_hash
from dashboard.accounts.tokens import scopes
from dashboard.common.problems import Problem

if TYPE_CHECKING:
    from django.http import HttpRequest

PREFIX = "schedscope_"
LONGEST = 200
USE_NOTED_EVERY = timedelta(seconds=5)
MINUTE = 60

COUNT = """
INSERT INTO accounts_tokenminute AS held (token_id, minute, count) VALUES (%(token)s, %(minute)s, 1)
ON CONFLICT (token_id) DO UPDATE SET
  count = CASE WHEN held.minute = %(minute)s THEN held.count + 1 ELSE 1 END,
  minute = %(minute)s
RETURNING count
"""


class TokenRefused(Problem):
    """A request without a token that may do what it asks for; `retry_after` seconds where it may do so later."""

    title = "This token does not allow it"

    def __init__(self, detail: str, status: int, retry_after: int = 0) -> None:
        super().__init__(detail, status=status)
        self.retry_after = retry_after


def token_of(request: HttpRequest, slug: str) -> AccessToken:
    """Return the token of this workspace that the request carries, with its workspace, and count the request.

    Raises TokenRefused: 401 without one that can be used, 403 for one of another workspace, 429 for one too many.
    """
    scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
    secret = secret.strip()
    if scheme.lower() != "bearer" or not secret.startswith(PREFIX) or len(secret) > LONGEST:
        raise TokenRefused(f"Send a token as Authorization: Bearer {PREFIX}…", 401)
    token = AccessToken.objects.select_related("workspace").filter(secret_hash=secret_hash(secret)).first()
    if token is None:
        raise TokenRefused("This token is not known here.", 401)
    if not token.is_open:
        raise TokenRefused(f"This token {'was revoked' if token.revoked_at else 'has expired'}.", 401)
    if token.owner_id and not Member.objects.filter(workspace=token.workspace, user=token.owner_id).exists():
        raise TokenRefused("The owner of this token is no member any more.", 401)
    if token.workspace.slug != slug:
        raise TokenRefused("This token is of another workspace.", 403)
    _count(token)
    return token


def require_scope(token: AccessToken, scope: str) -> None:
    """Return where the token has the scope; raises TokenRefused (403)."""
    if scope not in token.scopes:
        raise TokenRefused(f'This token may not do "{scope}": it has {", ".join(token.scopes)}.', 403)


def requests_in_this_minute(token: AccessToken) -> int:
    """Return how many requests the token made in the minute that it is."""
    counted = TokenMinute.objects.filter(token=token, minute=int(time.time()) // MINUTE)
    return counted.values_list("count", flat=True).first() or 0


def _count(token: AccessToken) -> None:
    now = time.time()
    with connection.cursor() as cursor:
        cursor.execute(COUNT, {"token": token.pk, "minute": int(now) // MINUTE})
        count = int(cursor.fetchall()[0][0])
    if count > scopes.per_minute(token.scopes):
        most = f"at most {scopes.per_minute(token.scopes)} requests a minute"
        raise TokenRefused(f"This token makes {most}.", 429, MINUTE - int(now) % MINUTE)
    moment = timezone.now()
    stale = Q(last_used_at=None) | Q(last_used_at__lt=moment - USE_NOTED_EVERY) | Q(last_used_at__gt=moment)
    AccessToken.objects.filter(stale, pk=token.pk).update(last_used_at=moment)
