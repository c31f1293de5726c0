"""Breakpoints: queries with a name, the runs that they are attached to, and where a run was stopped; values to watch.

None of this is part of a run's inputs or of its recording: a run that was stopped and went on has the recording of one
that nobody disturbed.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone

from dashboard.accounts.models import Member, Workspace
from dashboard.runs.models.run import Run

BREAKPOINT_NAME_LENGTH = 80


class Breakpoint(models.Model):
    """A named query of the workspace, which stops runs that it is attached to.

    It stops a run at every `hit_count`th hit. While it is not enabled it stops no run.
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
    """A breakpoint attached to a run; hits from event `first_seq` on count.

    All events before `counted_to` were checked; `hits` is the number of hits in them, `hits_since_stop` of those since
    this breakpoint last stopped the run. `error` says why it could not be evaluated and is ignored.
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
    """Where a run in the state `stopped` stopped: at the hit of a breakpoint, or (`name` empty) after a step.

    `seq` and `index` are the hit's place as in searches; the recording ends with the engine's step that contains it. A
    run stops once for all hits at one event: `others` are the names of further breakpoints with a hit there. Name and
    query are copies: the breakpoint may be changed or deleted while the run is stopped.
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
