"""Results of "what would change", stored so that the next look at the same text and subject shows them at once."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from dashboard.accounts.models import Workspace
from dashboard.clusters.models import Revision, SchedulerConfig
from dashboard.runs.models import Run


class PreviewResult(models.Model):
    """What a text would change on a revision, or on a run of it, compared with the configuration `before`.

    `key` is the SHA-256 of all that decides the result (`PreviewSubject.key`). `text` is zlib-compressed, `data` is
    zlib-compressed JSON of a `WhatChanges`; `size` counts the bytes of both. `groups`, `n_pods` and `is_partial` repeat
    what lists show of `data`. `document` is the configuration whose page asked. One that `is_automatic` was computed
    after an edit without anybody pressing a button: only its author's lists have it, and their next one on the same
    subject takes its place.
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
    engine_version = models.CharField(max_length=100)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    is_automatic = models.BooleanField(default=False)
    made_at = models.DateTimeField(db_default=Now())
    groups: models.JSONField[dict[str, int], dict[str, int]] = models.JSONField(default=dict)
    n_pods = models.PositiveIntegerField(default=0)
    is_partial = models.BooleanField(default=False)
    size = models.PositiveIntegerField()
    data = models.BinaryField()

    class Meta:
        ordering = ["-made_at", "-id"]
        constraints = [models.UniqueConstraint(fields=["workspace", "key"], name="preview_result_once")]

    def __str__(self) -> str:
        return f"what would change on {self.revision}"
