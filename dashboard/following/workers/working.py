"""What a worker does for followed clusters: folds pieces, computes overviews that are due, removes what is not kept."""

from __future__ import annotations

from django.db import transaction
from django.db.models.functions import Now

from dashboard.clusters.models import FollowedPiece, Following
from dashboard.common.database import work_queue
from dashboard.common.monitoring.log_context import logged_with
from dashboard.following.moments import keeping
from dashboard.following.workers import folding, overview
from dashboard.following.workers.queue import due_overviews

FAILED = "Folding failed: "
MOST_PIECES = 200
"""Pieces of one cluster that are folded before others have their turn."""


def work() -> bool:
    """Do what waits; return whether there was anything. Raises OperationalError, InterfaceError."""
    done = False
    for following in work_queue.claim(Following.objects.select_related("cluster__workspace")):
        with logged_with(workspace_id=following.cluster.workspace_id):
            problem = work_queue.run_job(following, lambda: _fold(following), expected=())  # noqa: B023
        if problem:
            _leave(following, f"{FAILED}{problem}")
        done = True
    for following in due_overviews().select_related("cluster__workspace")[: work_queue.CLAIMED_AT_ONCE]:
        overview.compute(following)
        done = True
    return done


def _fold(following: Following) -> None:
    rows = Following.objects.filter(pk=following.pk)
    for _ in range(MOST_PIECES):
        if not folding.fold_next(following, lambda: rows.update(claimed_at=Now())):
            break
    following.refresh_from_db()
    folding.keep_listed(following)  # where a worker died between the two
    keeping.forget_old(following)
    with transaction.atomic():
        # The lock: a piece that arrives meanwhile asks again, or is seen here.
        Following.objects.select_for_update().get(pk=following.pk)
        waits = FollowedPiece.objects.filter(following=following, folded_at=None).exists()
        rows.update(claimed_at=None, **({} if waits else {"asked_at": None}))
        rows.filter(problem__startswith=FAILED).update(problem="")


def _leave(following: Following, problem: str) -> None:
    """Say what failed, and leave the cluster to the next attempt, which comes with the next piece."""
    Following.objects.filter(pk=following.pk).update(claimed_at=None, asked_at=None, problem=problem[:300])
