"""The progress of reading an upload, for the page that sent it and whose request is still running."""

from __future__ import annotations

import time
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING

from django.utils import timezone

from dashboard.clusters.models import ImportReading

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dashboard.accounts.models import User
    from scheduler_core.manifests import ProgressCallback

# Short reads need no progress, and pages do not poll more often.
PAUSE_SECONDS = 0.5
LEFTOVERS = timedelta(hours=1)


class _ProgressReport:
    """A progress callback that writes the share to the database, at most twice a second."""

    def __init__(self, user: User, token: str) -> None:
        self._user = user
        self._token = token
        self._noted = time.monotonic()
        self.is_noted = False

    def __call__(self, share: float) -> None:
        now = time.monotonic()
        if now - self._noted >= PAUSE_SECONDS:
            self._noted, self.is_noted = now, True
            ImportReading.objects.update_or_create(owner=self._user, token=self._token, defaults={"share": share})


@contextmanager
def reported_progress(user: User, token: str) -> Iterator[ProgressCallback | None]:
    """Yield the callback for the reading's progress; None where no page asks (an empty token)."""
    if not token:
        yield None
        return
    report = _ProgressReport(user, token)
    try:
        yield report
    finally:
        if report.is_noted:
            ImportReading.objects.filter(owner=user, token=token).delete()
            # Rows left by processes that died.
            ImportReading.objects.filter(started_at__lt=timezone.now() - LEFTOVERS).delete()


def share_of(user: User, token: str) -> float | None:
    """Return the share that is read, from 0 to 1; None if unknown."""
    return ImportReading.objects.filter(owner=user, token=token).values_list("share", flat=True).first()
