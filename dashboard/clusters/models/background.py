"""Tasks that background workers do for a person because they take long, and the files that wait for them."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from dashboard.accounts.models import Workspace

TITLE_LENGTH = 200
ADDRESS_LENGTH = 500


class BackgroundTask(models.Model):
    """A job (`clusters.background.jobs`) with its arguments: to read an import, to save one, to generate a cluster.

    It waits, or a worker does it, until `ended_at`; `claimed_at` None: no worker is at it. `starts` counts the workers
    that began it, and tells the latest from those before. `share` is done, from 0 to 1. It ends with `location`, the
    address of what it made, and `said`, what to say there with `link` ([address, label]); with `error`; or cancelled,
    without either. `back` is the address of the page that asked. `asked_at` None: its files are still arriving.
    """

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    job = models.CharField(max_length=40)
    title = models.CharField(max_length=TITLE_LENGTH)
    arguments = models.JSONField(default=dict)
    back = models.CharField(max_length=ADDRESS_LENGTH)
    created_at = models.DateTimeField(db_default=Now())
    asked_at = models.DateTimeField(null=True)
    claimed_at = models.DateTimeField(null=True)
    began_at = models.DateTimeField(null=True)
    starts = models.PositiveIntegerField(default=0)
    share = models.FloatField(default=0.0)
    ended_at = models.DateTimeField(null=True)
    location = models.CharField(max_length=ADDRESS_LENGTH, blank=True)
    said = models.TextField(blank=True)
    link = models.JSONField(default=list)
    error_title = models.CharField(max_length=TITLE_LENGTH, blank=True)
    error = models.TextField(blank=True)

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["ended_at", "id"], name="background_task_waiting")]

    def __str__(self) -> str:
        return f"background task {self.pk}: {self.job}"


class SealedPiece(models.Model):
    """A piece of a file that a task waits with, compressed and encrypted (`clusters.background.sealing`).

    `file` numbers the files of the task, `number` the pieces of a file. Deleted when the task has ended.
    """

    task = models.ForeignKey(BackgroundTask, on_delete=models.CASCADE, related_name="pieces")
    file = models.PositiveIntegerField()
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=255)
    data = models.BinaryField()

    class Meta:
        ordering = ["file", "number"]
        constraints = [models.UniqueConstraint(fields=["task", "file", "number"], name="sealed_piece_once")]

    def __str__(self) -> str:
        return f"piece {self.number} of {self.name}"
