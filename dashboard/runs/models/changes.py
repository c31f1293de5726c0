"""Changes at the head of a run that goes on; each is an input of the run from then on."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone

from dashboard.runs.models.run import Run


class RunChange(models.Model):
    """Changes requested together, in the core's file format (changes_from_raw) without places.

    `seq` is the number of events before them, None while they wait for a worker. `error` says why they were refused, ""
    if they were not. The row refers to no objects elsewhere, so the run depends on it alone.
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
        """Whether no worker has carried out the changes yet."""
        return self.seq is None and not self.error

    @property
    def placed(self) -> list[dict[str, Any]]:
        """The changes with their place, [] while they wait."""
        return [] if self.seq is None else [{**change, "at": self.seq} for change in self.changes]


def placed_changes(run: Run) -> list[dict[str, Any]]:
    """Return all changes of a run with their places, in order: those of its branch and those at its head."""
    branch = getattr(run, "branch", None)
    placed: list[dict[str, Any]] = branch.placed_changes if branch is not None else []
    if run.head.n_changes:
        taken_up = RunChange.objects.filter(run=run, seq__isnull=False).order_by("number")
        placed = [*placed, *(change for one in taken_up for change in one.placed)]
        placed.sort(key=lambda change: int(change["at"]))
    return placed


def changes_key(run: Run) -> tuple[object, ...]:
    """Return a key that identifies the run's changes; () without changes."""
    places = [int(change["at"]) for change in placed_changes(run)]
    branch = getattr(run, "branch", None)
    if not places and branch is None:
        return ()
    begins = branch.seq if branch is not None else None
    return (run.pk, run.created_at, begins, len(places), sum(place < run.head.seq for place in places))
