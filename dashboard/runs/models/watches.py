"""Watches: values that a member follows while stepping through a run; no other member sees them."""

from __future__ import annotations

from django.db import models

from dashboard.accounts.models import Member
from dashboard.runs.models.run import Run

# The limit of scheduler_core.explain.watches, which is not imported for a number, since every process would load it.
WATCH_LENGTH = 600


class RunWatch(models.Model):
    """One value that a member watches in a run, as it is written; in order of `position`."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="watches")
    member = models.ForeignKey(Member, on_delete=models.CASCADE, related_name="watches")
    text = models.CharField(max_length=WATCH_LENGTH)
    position = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["position", "id"]
        constraints = [models.UniqueConstraint(fields=["run", "member", "text"], name="watch_once_per_run")]

    def __str__(self) -> str:
        return self.text
