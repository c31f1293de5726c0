"""What answers for HTTP extenders in runs: recorded tapes, and extenders declared as rules."""

from __future__ import annotations

from typing import Any

from django.db import models

from dashboard.accounts.models import Workspace
from dashboard.clusters.models.inputs import NamedInput, NumberedRevision

FILE_NAME_LENGTH = 255


class ExtenderTape(NamedInput):
    """A tape with a history of recordings."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="extender_tapes")

    class Meta:
        ordering = ["name", "id"]
        constraints = [models.UniqueConstraint(fields=["workspace", "slug"], name="extender_tape_slug_once")]


class ExtenderTapeRevision(NumberedRevision):
    """One recording, checked as a whole when it was uploaded; its bytes are its parts in order.

    `header` is the core's TapeHeader, `counts` a list of [extender, verb, calls, calls that failed].
    """

    tape = models.ForeignKey(ExtenderTape, on_delete=models.CASCADE, related_name="revisions")
    file_name = models.CharField(max_length=FILE_NAME_LENGTH)
    size = models.PositiveBigIntegerField()
    header: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField()
    counts: models.JSONField[list[list[Any]], list[list[Any]]] = models.JSONField(default=list)
    n_calls = models.PositiveIntegerField(default=0)
    n_attempts = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["-number"]
        constraints = [models.UniqueConstraint(fields=["tape", "number"], name="extender_tape_revision_number_once")]

    def __str__(self) -> str:
        return f"{self.tape} r{self.number}"


class ExtenderTapePart(models.Model):
    """A piece of a tape's file."""

    revision = models.ForeignKey(ExtenderTapeRevision, on_delete=models.CASCADE, related_name="parts")
    position = models.PositiveIntegerField()
    data = models.BinaryField()

    class Meta:
        ordering = ["position"]
        constraints = [models.UniqueConstraint(fields=["revision", "position"], name="extender_tape_part_once")]

    def __str__(self) -> str:
        return f"part {self.position} of {self.revision_id}"


class DeclaredExtenders(NamedInput):
    """Extenders declared as rules, with a history."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="declared_extenders")

    class Meta:
        ordering = ["name", "id"]
        constraints = [models.UniqueConstraint(fields=["workspace", "slug"], name="declared_extenders_slug_once")]


class DeclaredExtendersRevision(NumberedRevision):
    """One state of declared extenders, as the YAML that a person wrote."""

    declared = models.ForeignKey(DeclaredExtenders, on_delete=models.CASCADE, related_name="revisions")
    text = models.TextField()

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["declared", "number"], name="declared_extenders_revision_number_once")
        ]

    def __str__(self) -> str:
        return f"{self.declared} r{self.number}"
