"""Which rows of a table wait for a worker, the claims of workers on them, and what becomes of those of dead workers.

A claim is renewed by its worker, and given up for lost after a minute; the claims of a worker that ended on this
machine are free at once. `starts` of a row tells one claim from the next: who lost its claim writes nothing. A table
with such rows has the fields of `ClaimedRow`.
"""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import DatabaseError, connection, models
from django.db.models import Count, F
from django.db.models.functions import Now

from dashboard.common.database import work_queue
from dashboard.runs.lifecycle import leases
from dashboard.runs.lifecycle.turns import begin_turn, latest_turn
from dashboard.runs.lifecycle.waiting import FOUND_NOBODY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from django.db.models import QuerySet

log = logging.getLogger(__name__)

# At most this many starts of a computation; each time its worker died.
MOST_STARTS = 3
INTERRUPTED = (
    f"Interrupted: {MOST_STARTS} workers that computed it ended before it was done, perhaps for want of memory"
)
RENEW_SECONDS = 15.0


class ClaimedRow(models.Model):
    """What a background worker is to compute. It waits, or is computed by the process `owner`, until `ended_at`;
    `claimed_at` None: no worker is at it, an old one is given up for lost. `starts` counts the workers that began it,
    and tells the latest of them from the earlier ones. One that `is_cancelled` and has not ended is so as soon as its
    worker notices. Tables have `workspace` and `author` besides.
    """

    asked_at = models.DateTimeField(db_default=Now())
    claimed_at = models.DateTimeField(null=True)
    owner = models.CharField(max_length=200, blank=True)
    starts = models.PositiveIntegerField(default=0)
    began_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    error = models.TextField(blank=True)
    is_cancelled = models.BooleanField(default=False)
    cancelled_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta:
        abstract = True

    @property
    def state(self) -> str:
        """Return "waiting", "running", "cancelled", "failed" or "done"."""
        if self.ended_at is None:
            return "waiting" if self.claimed_at is None else "running"
        return "cancelled" if self.is_cancelled else "failed" if self.error else "done"


@dataclass(frozen=True)
class WorkClaim:
    """The right of this process to compute and to write a row."""

    rows: type[ClaimedRow]
    pk: int
    starts: int

    def update(self, **fields: Any) -> bool:
        """Renew the claim and write these fields; return False where the row ended, or the claim was lost."""
        mine = self.rows._default_manager.filter(pk=self.pk, starts=self.starts, ended_at=None)
        return bool(mine.update(**{"claimed_at": Now(), **fields}))

    def release(self) -> None:
        """Leave it to another worker, as if it had not been begun."""
        self.update(claimed_at=None, owner="", starts=F("starts") - 1)


@dataclass(frozen=True)
class ClaimQueue:
    """A table as a queue: at most `at_once` of its rows are computed at the same time for one of `each`, a field; the
    others wait. A claim sets the fields `at_first`."""

    rows: type[ClaimedRow]
    each: str
    at_once: int
    at_first: Mapping[str, Any] = field(default_factory=dict)

    def waiting_rows(self) -> QuerySet[Any]:
        """Return the rows that a worker may claim: those of the person whose turn was longest ago at the head, of one
        person the one asked for first.
        """
        going = self.rows._default_manager.filter(ended_at=None)
        claimed = going.exclude(work_queue.unclaimed()).order_by().values(self.each).annotate(n=Count("pk"))
        full = claimed.filter(n__gte=self.at_once).values(self.each)
        waiting = going.filter(work_queue.unclaimed(), is_cancelled=False).exclude(**{f"{self.each}__in": full})
        return waiting.order_by(latest_turn("author"), "pk")

    def is_waiting(self) -> bool:
        """Return whether one has found no worker for a moment."""
        return self.waiting_rows().filter(work_queue.longer_ago("asked_at", FOUND_NOBODY)).exists()

    def claim(self) -> WorkClaim | None:
        """Claim the one whose turn it is, None where none waits; ends those whose workers died too often."""
        rows = self.waiting_rows().values_list("pk", "starts", "workspace_id", "author_id")
        for pk, starts, workspace_id, author_id in rows[: work_queue.CLAIMED_AT_ONCE]:
            same = self.rows._default_manager.filter(pk=pk, starts=starts, ended_at=None)
            free = same.filter(work_queue.unclaimed())
            if starts >= MOST_STARTS:
                free.update(ended_at=Now(), claimed_at=None, error=INTERRUPTED)
            elif free.update(
                claimed_at=Now(), began_at=Now(), owner=leases.owner(), starts=starts + 1, **self.at_first
            ):
                begin_turn(workspace_id, author_id)
                return WorkClaim(self.rows, pk, starts + 1)
        return None

    def free_those_of_dead_workers(self) -> None:
        """Give up the claims of processes of this machine that have ended; what was cancelled ends with its worker."""
        going = self.rows._default_manager.filter(ended_at=None, claimed_at__isnull=False)
        for pk, starts, owner in going.values_list("pk", "starts", "owner"):
            if owner and leases.is_gone(owner):
                log.warning("%s %s: its worker ended; another one takes it up", self.rows._meta.verbose_name, pk)
                self.rows._default_manager.filter(pk=pk, starts=starts, owner=owner).update(claimed_at=None)
        stopped = self.rows._default_manager.filter(work_queue.unclaimed(), ended_at=None, is_cancelled=True)
        stopped.update(ended_at=Now(), claimed_at=None)


class ClaimRenewal(threading.Thread):
    """Renews claims of this process while it does something long, such as reading a cluster or a run's segment."""

    def __init__(self, claims: Callable[[], Iterable[WorkClaim]]) -> None:
        super().__init__(name="claims", daemon=True)
        self._claims = claims
        self.stopping = threading.Event()

    def run(self) -> None:
        """Renew until stopped."""
        try:
            while not self.stopping.wait(RENEW_SECONDS):
                try:
                    for claim in self._claims():
                        claim.update()
                except DatabaseError as error:
                    log.warning("claims could not be renewed (%s); trying again", error)
                    connection.close()
        finally:
            connection.close()
