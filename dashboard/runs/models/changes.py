"""Changes of a run that goes on: each comes at its head, and is an input of the run from then on."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone

from dashboard.runs.models.run import Run


class RunChange(models.Model):
    """What somebody changed at once, in the file form of the core (changes_from_raw) without places.

    `seq` is where a worker took it up: behind so many events; None while it waits. `error` says why it could not be
    taken up, "" else. Nothing refers to objects outside: the run depends on what stands here alone.
    """

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="changes")
    number = models.PositiveIntegerField()
    changes: models.JSONField[list[Any], list[Any]] = models.JSONField(default=list)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    seq = models.BigIntegerField(null=True)
    error = models.TextField(blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "number"], name="run_change_once")]

    def __str__(self) -> str:
        return f"change {self.number} of run {self.run_id}"

    @property
    def is_waiting(self) -> bool:
        """Whether a worker has yet to take it up."""
        return self.seq is None and not self.error

    @property
    def placed(self) -> list[dict[str, Any]]:
        """The changes with their place, [] before they have one."""
        return [] if self.seq is None else [{**change, "at": self.seq} for change in self.changes]


def placed_changes(run: Run) -> list[dict[str, Any]]:
    """Return all changes of a run with their places, in the order in which they come: of a branch, and of its head."""
    branch = getattr(run, "branch", None)
    placed: list[dict[str, Any]] = branch.placed_changes if branch is not None else []
    if run.head.n_changes:
        taken_up = RunChange.objects.filter(run=run, seq__isnull=False).order_by("number")
        placed = [*placed, *(change for one in taken_up for change in one.placed)]
        placed.sort(key=lambda change: int(change["at"]))
    return placed


def changes_key(run: Run) -> tuple[object, ...]:
    """Return what tells the changes that a run has come by from those of every other run; () where it has none."""
    places = [int(change["at"]) for change in placed_changes(run)]
    branch = getattr(run, "branch", None)
    if not places and branch is None:
        return ()
    begins = branch.seq if branch is not None else None
    return (run.pk, run.created_at, begins, len(places), sum(place < run.head.seq for place in places))
