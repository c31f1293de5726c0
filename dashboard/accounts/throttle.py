"""Wrong passwords are counted per e-mail and network address: after five, that pair waits."""

from __future__ import annotations

import hashlib
from datetime import timedelta

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from dashboard.accounts.models import SigninFailures

TRIES = 5
WINDOW = timedelta(minutes=5)


def _key(email: str, address: str) -> str:
    return hashlib.sha256(f"{email.strip().lower()}\n{address}".encode()).hexdigest()


def tries_left(email: str, address: str) -> int:
    """Return how many passwords may still be tried now, 0..5."""
    row = SigninFailures.objects.filter(key=_key(email, address), window_started_at__gt=timezone.now() - WINDOW).first()
    return TRIES if row is None else max(0, TRIES - row.count)


@transaction.atomic
def note_failure(email: str, address: str) -> int:
    """Count a wrong password and return how many tries are left; windows that ended are swept away."""
    now = timezone.now()
    SigninFailures.objects.filter(window_started_at__lte=now - WINDOW).delete()
    row, _ = SigninFailures.objects.get_or_create(key=_key(email, address), defaults={"window_started_at": now})
    SigninFailures.objects.filter(pk=row.pk).update(count=F("count") + 1)
    row.refresh_from_db()
    return max(0, TRIES - row.count)


def forget(email: str, address: str) -> None:
    """Drop the count after a right password."""
    SigninFailures.objects.filter(key=_key(email, address)).delete()
