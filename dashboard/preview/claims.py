"""Which computations wait for a worker, the claims of workers on them, and what becomes of those of dead workers.

A claim is renewed by its worker, and given up for lost after a minute; the claims of a worker that ended on this
machine are free at once. `Computation.starts` tells one claim from the next: who lost its claim writes nothing.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import Count, F
from django.db.models.functions import Now

from dashboard.common.database import work_queue
from dashboard.preview.models import Computation
from dashboard.runs.lifecycle import leases
from dashboard.runs.lifecycle.turns import begin_turn, latest_turn
from dashboard.runs.lifecycle.waiting import FOUND_NOBODY

if TYPE_CHECKING:
    from typing import Any

    from django.db.models import QuerySet

log = logging.getLogger(__name__)

# Of a workspace at most this many are computed at the same time; the others wait.
AT_ONCE = 2
# A computation is begun so often: its worker died each time.
MOST_STARTS = 3
INTERRUPTED = (
    f"Interrupted: {MOST_STARTS} workers that computed it ended before it was done, perhaps for want of memory"
)


@dataclass(frozen=True)
class ComputationClaim:
    """The right of this process to compute and to write a computation."""

    pk: int
    starts: int

    def update(self, **fields: Any) -> bool:
        """Renew the claim and write these fields; return False where it was cancelled, lost or deleted."""
        mine = Computation.objects.filter(pk=self.pk, starts=self.starts, ended_at=None)
        return bool(mine.update(**{"claimed_at": Now(), **fields}))

    def release(self) -> None:
        """Leave it to another worker, as if it had not been begun."""
        self.update(claimed_at=None, owner="", starts=F("starts") - 1)


def waiting_rows() -> QuerySet[Computation]:
    """Return the computations that a worker may claim: those of the person whose turn was longest ago at the head, of
    one person the one asked for first.
    """
    going = Computation.objects.filter(ended_at=None)
    claimed = going.exclude(work_queue.unclaimed()).order_by().values("workspace").annotate(n=Count("pk"))
    full = claimed.filter(n__gte=AT_ONCE).values("workspace")
    return going.filter(work_queue.unclaimed()).exclude(workspace__in=full).order_by(latest_turn("author"), "pk")


def is_waiting() -> bool:
    """Return whether one has found no worker for a moment."""
    return waiting_rows().filter(work_queue.longer_ago("asked_at", FOUND_NOBODY)).exists()


def claim() -> ComputationClaim | None:
    """Claim the one whose turn it is, None where none waits; ends those whose workers died too often."""
    rows = waiting_rows().values_list("pk", "starts", "workspace_id", "author_id")
    for pk, starts, workspace_id, author_id in rows[: work_queue.CLAIMED_AT_ONCE]:
        free = Computation.objects.filter(work_queue.unclaimed(), pk=pk, starts=starts, ended_at=None)
        if starts >= MOST_STARTS:
            free.update(ended_at=Now(), claimed_at=None, error=INTERRUPTED)
        elif free.update(
            claimed_at=Now(),
            began_at=Now(),
            owner=leases.owner(),
            starts=starts + 1,
            step="",
            before_cycles=0,
            after_cycles=0,
        ):
            begin_turn(workspace_id, author_id)
            return ComputationClaim(pk, starts + 1)
    return None


def free_those_of_dead_workers() -> None:
    """Give up the claims of processes of this machine that have ended."""
    going = Computation.objects.filter(ended_at=None, claimed_at__isnull=False)
    for pk, starts, owner in going.values_list("pk", "starts", "owner"):
        if owner and leases.is_gone(owner):
            log.warning("computation %s: its worker ended; another one takes it up", pk)
            Computation.objects.filter(pk=pk, starts=starts, owner=owner).update(claimed_at=None)
