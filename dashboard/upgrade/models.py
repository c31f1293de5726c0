"""Upgrade reports of clusters: asked for, computed and stored."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from dashboard.accounts.models import Workspace
from dashboard.clusters.models import Revision
from dashboard.documents.models import TimelineRevision
from dashboard.runs.workers.claims import ClaimedRow


class StoredUpgrade(ClaimedRow):
    """What two versions of Kubernetes decide otherwise on a revision: once, however many ask for it.

    `key` is the SHA-256 of all that decides the report. `before` and `after` are versions with their gates; `config`
    names the configuration as `?config=` does. `timeline` None: the pods of the revision are scheduled. `without` are
    the extenders that both runs leave out. `step`, `done` and `total` say how far it is, `cycles` those of the run
    under way. `data` is zlib-compressed JSON of an `UpgradeReport`, None until there is one; `size` its bytes,
    `headline` its answer, `differs` whether anything does.
    """

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+", db_index=False)
    key = models.CharField(max_length=64)
    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="+")
    before = models.CharField(max_length=40)
    before_gates = models.CharField(max_length=2000, blank=True)
    after = models.CharField(max_length=40)
    after_gates = models.CharField(max_length=2000, blank=True)
    config = models.CharField(max_length=120)
    config_label = models.CharField(max_length=200)
    timeline = models.ForeignKey(TimelineRevision, on_delete=models.CASCADE, null=True, related_name="+")
    seed = models.BigIntegerField(default=0)
    without: models.JSONField[list[str], list[str]] = models.JSONField(default=list)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    step = models.CharField(max_length=40, blank=True)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    cycles = models.PositiveIntegerField(default=0)
    engine_version = models.CharField(max_length=100, blank=True)
    headline = models.TextField(blank=True)
    differs = models.BooleanField(default=False)
    size = models.PositiveIntegerField(default=0)
    data = models.BinaryField(null=True)

    class Meta:
        ordering = ["-id"]
        constraints = [models.UniqueConstraint(fields=["workspace", "key"], name="stored_upgrade_once")]
        indexes = [models.Index(fields=["ended_at", "id"], name="stored_upgrade_waiting")]

    def __str__(self) -> str:
        return f"{self.revision} from {self.before} to {self.after}"
