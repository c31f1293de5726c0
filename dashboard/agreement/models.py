"""Agreement with the real scheduler as it was computed, by revision, configuration and pasted log."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now

from dashboard.clusters.models import Revision


class AgreementResult(models.Model):
    """What a worker found, or is to find.

    `config_sha256` tells the configuration's content, `log_sha256` that of a pasted log ("" for the comparison of the
    whole dump); `log` is its text, zlib-compressed. `config` names the configuration as the page's address does.
    `data` is compressed JSON (`computing.StoredComparison`), None until it is there; the pods stand in `AgreementRows`.
    `asked_at` None: nothing is to do; `asked_by` is the id of the user who asked, 0 for nobody in particular.
    """

    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="+")
    config = models.CharField(max_length=80)
    config_sha256 = models.CharField(max_length=64)
    log_sha256 = models.CharField(max_length=64, blank=True)
    log = models.BinaryField(null=True)
    engine_version = models.CharField(max_length=100, blank=True)
    data = models.BinaryField(null=True)
    error = models.TextField(blank=True)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    asked_at = models.DateTimeField(null=True)
    asked_by = models.BigIntegerField(default=0)
    claimed_at = models.DateTimeField(null=True)
    made_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["-made_at", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["revision", "config_sha256", "log_sha256"], name="agreement_once")
        ]

    def __str__(self) -> str:
        return f"agreement of {self.revision} by {self.config}"


class AgreementRows(models.Model):
    """A piece of a comparison's pods, all of one class: compressed JSON (`stored_rows`), numbered from 0 by class."""

    result = models.ForeignKey(AgreementResult, on_delete=models.CASCADE, related_name="+", db_index=False)
    part = models.CharField(max_length=40)
    number = models.PositiveIntegerField()
    data = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["result", "part", "number"], name="agreement_rows_once")]

    def __str__(self) -> str:
        return f"{self.part} {self.number} of {self.result_id}"
