"""What a text would change: computations that were asked for, and their results."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from dashboard.accounts.models import Workspace
from dashboard.clusters.models import Revision
from dashboard.documents.models import SchedulerConfig
from dashboard.runs.models import Run
from dashboard.runs.workers.claims import ClaimedRow


class PreviewOf(models.Model):
    """What is asked: what a text would change on a revision, or a run of it, against the configuration `before`.

    `key` is the SHA-256 of all that decides the result (`PreviewSubject.key`). `text` is zlib-compressed. `document` is
    the configuration whose page asked. One that `is_automatic` was asked for after an edit without anybody pressing a
    button: only its author's lists have it, and their next one on the same subject takes its place.
    """

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+", db_index=False)
    key = models.CharField(max_length=64)
    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="+")
    run = models.ForeignKey(Run, on_delete=models.CASCADE, null=True, related_name="+")
    document = models.ForeignKey(SchedulerConfig, on_delete=models.CASCADE, null=True, related_name="+")
    before = models.CharField(max_length=120)
    before_label = models.CharField(max_length=200)
    before_sha256 = models.CharField(max_length=64)
    text = models.BinaryField()
    text_sha256 = models.CharField(max_length=64)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    is_automatic = models.BooleanField(default=False)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"what would change on {self.revision}"


class PreviewResult(PreviewOf):
    """What a text would change, as it was computed.

    `data` is zlib-compressed JSON of a `WhatChanges`; `size` counts the bytes of it and of `text`. `groups`, `n_pods`
    and `is_partial` repeat what lists show of `data`.
    """

    engine_version = models.CharField(max_length=100)
    made_at = models.DateTimeField(db_default=Now())
    groups: models.JSONField[dict[str, int], dict[str, int]] = models.JSONField(default=dict)
    n_pods = models.PositiveIntegerField(default=0)
    is_partial = models.BooleanField(default=False)
    size = models.PositiveIntegerField()
    data = models.BinaryField()

    class Meta:
        ordering = ["-made_at", "-id"]
        constraints = [models.UniqueConstraint(fields=["workspace", "key"], name="preview_result_once")]


class Computation(PreviewOf, ClaimedRow):
    """A result that a background worker is to compute, once however many ask for it; kept for a day after its end.

    `step` is what is done now (`RunPair.step`), the cycles are those of both runs so far. It ended with a `result`,
    with an `error`, or was cancelled by somebody; with none of these, the result was deleted later.
    """

    step = models.CharField(max_length=20, blank=True)
    before_cycles = models.PositiveIntegerField(default=0)
    after_cycles = models.PositiveIntegerField(default=0)
    result = models.ForeignKey(PreviewResult, on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ["-id"]
        constraints = [models.UniqueConstraint(fields=["workspace", "key"], name="preview_computation_once")]
        indexes = [models.Index(fields=["ended_at", "id"], name="preview_computation_waiting")]
