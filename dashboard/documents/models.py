"""The tables of documents: configurations, timelines, and what answers for extenders.

They belong to the Django app "clusters", where their migrations are.
"""

from __future__ import annotations

from typing import Any

from django.db import models

from dashboard.accounts.models import Workspace
from dashboard.clusters.models import NamedInput, NumberedRevision

FILE_NAME_LENGTH = 255


class NamedDocument(NamedInput):
    """A named input of runs other than a cluster, with a history of revisions."""

    class Meta(NamedInput.Meta):
        abstract = True
        app_label = "clusters"


class DocumentRevision(NumberedRevision):
    """One immutable state of a document."""

    class Meta(NumberedRevision.Meta):
        abstract = True
        app_label = "clusters"


class SchedulerConfig(NamedDocument):
    """A KubeSchedulerConfiguration with a history."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="configurations")

    class Meta(NamedDocument.Meta):
        constraints = [models.UniqueConstraint(fields=["workspace", "slug"], name="configuration_slug_once")]


class ConfigRevision(DocumentRevision):
    """One state of a configuration, as the YAML that a person wrote."""

    document_field = "config"

    config = models.ForeignKey(SchedulerConfig, on_delete=models.CASCADE, related_name="revisions")
    text = models.TextField()

    class Meta(DocumentRevision.Meta):
        constraints = [models.UniqueConstraint(fields=["config", "number"], name="config_revision_number_once")]


class Timeline(NamedDocument):
    """A timeline: what happens at which virtual time; an input of runs."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="timelines")

    class Meta(NamedDocument.Meta):
        constraints = [models.UniqueConstraint(fields=["workspace", "slug"], name="timeline_slug_once")]


class TimelineRevision(DocumentRevision):
    """One state of a timeline; its `ObjectBlob` is addressed by `sha256` and holds {"entries": [...]}.

    `text_sha256` is the address of the text that a person typed, with its comments, or "" where nobody typed one.
    """

    document_field = "timeline"

    timeline = models.ForeignKey(Timeline, on_delete=models.CASCADE, related_name="revisions")
    n_entries = models.PositiveIntegerField(default=0)
    text_sha256 = models.CharField(max_length=64, blank=True, default="")

    class Meta(DocumentRevision.Meta):
        constraints = [models.UniqueConstraint(fields=["timeline", "number"], name="timeline_revision_number_once")]


class ExtenderTape(NamedDocument):
    """A tape with a history of recordings."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="extender_tapes")

    class Meta(NamedDocument.Meta):
        constraints = [models.UniqueConstraint(fields=["workspace", "slug"], name="extender_tape_slug_once")]


class ExtenderTapeRevision(DocumentRevision):
    """One recording, checked as a whole when it was uploaded; its bytes are its parts in order.

    `header` is the core's TapeHeader, `counts` a list of [extender, verb, calls, calls that failed].
    """

    document_field = "tape"

    tape = models.ForeignKey(ExtenderTape, on_delete=models.CASCADE, related_name="revisions")
    file_name = models.CharField(max_length=FILE_NAME_LENGTH)
    size = models.PositiveBigIntegerField()
    header: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField()
    counts: models.JSONField[list[list[Any]], list[list[Any]]] = models.JSONField(default=list)
    n_calls = models.PositiveIntegerField(default=0)
    n_attempts = models.PositiveIntegerField(default=0)

    class Meta(DocumentRevision.Meta):
        constraints = [models.UniqueConstraint(fields=["tape", "number"], name="extender_tape_revision_number_once")]


class ExtenderTapePart(models.Model):
    """A piece of a tape's file."""

    revision = models.ForeignKey(ExtenderTapeRevision, on_delete=models.CASCADE, related_name="parts")
    position = models.PositiveIntegerField()
    data = models.BinaryField()

    class Meta:
        app_label = "clusters"
        ordering = ["position"]
        constraints = [models.UniqueConstraint(fields=["revision", "position"], name="extender_tape_part_once")]

    def __str__(self) -> str:
        return f"part {self.position} of {self.revision_id}"


class DeclaredExtenders(NamedDocument):
    """Extenders declared as rules, with a history."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="declared_extenders")

    class Meta(NamedDocument.Meta):
        constraints = [models.UniqueConstraint(fields=["workspace", "slug"], name="declared_extenders_slug_once")]


class DeclaredExtendersRevision(DocumentRevision):
    """One state of declared extenders, as the YAML that a person wrote."""

    document_field = "declared"

    declared = models.ForeignKey(DeclaredExtenders, on_delete=models.CASCADE, related_name="revisions")
    text = models.TextField()

    class Meta(DocumentRevision.Meta):
        constraints = [
            models.UniqueConstraint(fields=["declared", "number"], name="declared_extenders_revision_number_once")
        ]
