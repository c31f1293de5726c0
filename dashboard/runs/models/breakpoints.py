"""Breakpoints: queries with a name, the runs that they are attached to, and where a run was stopped.

None of this is part of a run's inputs or of its recording: a run that was stopped and went on has the recording of one
that nobody disturbed.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone

from dashboard.accounts.models import Workspace
from dashboard.runs.models.run import Run

BREAKPOINT_NAME_LENGTH = 80


class Breakpoint(models.Model):
    """A query of the workspace with a name; runs stop for it where it is attached to them.

    It stops a run at every `hit_count`th hit. One that is not enabled stops nothing, wherever it is attached.
    """

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="breakpoints")
    name = models.CharField(max_length=BREAKPOINT_NAME_LENGTH)
    query = models.TextField()
    hit_count = models.PositiveIntegerField(default=1)
    is_enabled = models.BooleanField(default=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint("workspace", Lower("name"), name="breakpoint_name_once")]

    def __str__(self) -> str:
        return self.name


class AttachedBreakpoint(models.Model):
    """A breakpoint that stops one run. Of it, hits from event `first_seq` on count.

    All events before `counted_to` were looked at; `hits` is how many hits they have, `hits_since_stop` how many of
    them came since this breakpoint stopped the run last. `error` says why it could not be evaluated and is ignored.
    """

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="attached_breakpoints")
    breakpoint = models.ForeignKey(Breakpoint, on_delete=models.CASCADE, related_name="attachments")
    is_enabled = models.BooleanField(default=True)
    first_seq = models.BigIntegerField(default=0)
    counted_to = models.BigIntegerField(default=0)
    hits = models.BigIntegerField(default=0)
    hits_since_stop = models.BigIntegerField(default=0)
    error = models.TextField(blank=True)
    attached_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    attached_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "breakpoint"], name="breakpoint_attached_once")]

    def __str__(self) -> str:
        return f"{self.breakpoint} at {self.run}"


class RunStop(models.Model):
    """Where a run of state `stopped` stands: at the hit of a breakpoint, or (`name` empty) behind a step.

    `seq` and `index` are the hit's place as searches have it; the recording ends with the engine's step that holds it.
    A run stops once for all hits of one event: `others` are the names of further breakpoints that it is a hit of.
    Name and query are those of the moment: the breakpoint may be changed or deleted while the run stands.
    """

    run = models.OneToOneField(Run, on_delete=models.CASCADE, primary_key=True, related_name="stop")
    seq = models.BigIntegerField()
    index = models.BigIntegerField(default=0)
    cycle = models.PositiveIntegerField(default=0)
    at_us = models.BigIntegerField(default=0)
    breakpoint = models.ForeignKey(Breakpoint, on_delete=models.SET_NULL, null=True, related_name="+")
    name = models.CharField(max_length=BREAKPOINT_NAME_LENGTH, blank=True)
    query = models.TextField(blank=True)
    # The hit in a line of plain words.
    text = models.TextField(blank=True)
    others: models.JSONField[list[str], list[str]] = models.JSONField(default=list)
    attached_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    stopped_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"stopped at breakpoint {self.name}" if self.name else "stopped after a cycle"
