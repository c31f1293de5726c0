"""The tables of documents: configurations, timelines, and what answers for extenders.

They belong to the Django app "clusters", where their migrations are.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone

from dashboard.accounts.models import Workspace
from dashboard.clusters.models import OPERATION_LENGTH, NamedInput, NumberedRevision

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


class TimelineDraft(models.Model):
    """A member's unsaved edits of a timeline: a base revision and the operations on it. Each member has at most one.

    `version` grows with every change, so that it says what was seen.
    """

    timeline = models.ForeignKey(Timeline, on_delete=models.CASCADE, related_name="drafts")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    base = models.ForeignKey(TimelineRevision, on_delete=models.CASCADE, related_name="+")
    version = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        app_label = "clusters"
        constraints = [models.UniqueConstraint(fields=["timeline", "author"], name="timeline_draft_once")]

    def __str__(self) -> str:
        return f"draft of {self.base}"

    @property
    def name(self) -> str:
        """Return what its bar calls it."""
        return "Draft"


class TimelineOperation(models.Model):
    """One edit in a draft, kept as what it changes (timelines/arrivals/hunks.py), compressed; `sha256` is that of it.

    `text` is what a person typed for the entries after it, b"" where nobody did. Undone ones are the last ones.
    """

    draft = models.ForeignKey(TimelineDraft, on_delete=models.CASCADE, related_name="operations")
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=OPERATION_LENGTH)
    created_at = models.DateTimeField(default=timezone.now)
    is_undone = models.BooleanField(default=False)
    sha256 = models.CharField(max_length=64)
    hunks = models.BinaryField()
    text = models.BinaryField(default=b"")

    class Meta:
        app_label = "clusters"
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["draft", "number"], name="timeline_operation_once")]

    def __str__(self) -> str:
        return self.name


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
