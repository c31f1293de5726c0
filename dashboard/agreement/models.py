"""Agreement with the real scheduler as it was computed, by revision, configuration and pasted log."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now

from dashboard.clusters.models import Cluster, Revision
from dashboard.documents.models import ConfigRevision, TimelineRevision


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


class CollectedBundle(models.Model):
    """What was collected of a live cluster over a time, packed, with secrets masked; `size` is its length in bytes.

    `is_followed`: it is what a collector sent lately, made again by the hour, where others were imported.
    `began` and `ended` are the revisions of its beginning and end, `timeline` what came from outside of the scheduler
    between (None where `said` says why there is none), `config` the scheduler's configuration, None where the bundle
    has none that can be read.
    """

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="+")
    began = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="+")
    ended = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="+")
    timeline = models.ForeignKey(TimelineRevision, on_delete=models.SET_NULL, null=True, related_name="+")
    config = models.ForeignKey(ConfigRevision, on_delete=models.SET_NULL, null=True, related_name="+")
    name = models.CharField(max_length=255)
    is_followed = models.BooleanField(default=False)
    said = models.TextField(blank=True)
    size = models.PositiveBigIntegerField()
    data = models.BinaryField()
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return f"{self.name} of {self.cluster}"


class RealityResult(models.Model):
    """What a worker found, or is to find, of a bundle by a configuration; the fields are those of `AgreementResult`.

    `data` is compressed JSON of the figures (`explain.reality.Reality` without decisions).
    """

    bundle = models.ForeignKey(CollectedBundle, on_delete=models.CASCADE, related_name="+")
    config = models.CharField(max_length=80)
    config_sha256 = models.CharField(max_length=64)
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
        constraints = [models.UniqueConstraint(fields=["bundle", "config_sha256"], name="reality_once")]

    def __str__(self) -> str:
        return f"reality of {self.bundle_id} by {self.config}"


class RealityRows(models.Model):
    """A piece of a comparison's decisions in their order: compressed JSON, numbered from 0."""

    result = models.ForeignKey(RealityResult, on_delete=models.CASCADE, related_name="+", db_index=False)
    number = models.PositiveIntegerField()
    data = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["result", "number"], name="reality_rows_once")]

    def __str__(self) -> str:
        return f"{self.number} of {self.result_id}"


class FollowedComparison(models.Model):
    """That somebody has a followed cluster compared with the engine: at `due_at`, and from then on by the hour.

    `config` is the scheduler's configuration as the collector sends it, None where it sends none; `bundle` what was
    compared last, `problem` why nothing was.
    """

    cluster = models.OneToOneField(Cluster, on_delete=models.CASCADE, related_name="+")
    config = models.ForeignKey(ConfigRevision, on_delete=models.SET_NULL, null=True, related_name="+")
    bundle = models.ForeignKey(CollectedBundle, on_delete=models.SET_NULL, null=True, related_name="+")
    due_at = models.DateTimeField(null=True, db_index=True)
    problem = models.CharField(max_length=300, blank=True)

    def __str__(self) -> str:
        return f"comparison of {self.cluster}"
