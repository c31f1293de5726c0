"""Branches: runs that continue another run from one of its events, with changes."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone

from dashboard.clusters.models import Draft, Revision
from dashboard.documents.models import ConfigRevision, TimelineRevision
from dashboard.runs.models.run import Run


class RunBranch(models.Model):
    """The place of a branch in its `origin`, and its changes.

    Everything that the branch depends on is here or in its Run, since the origin may be deleted. `changes` are in the
    core's file format (changes_from_raw) without places: all come where the branch begins; those in `inherited` are the
    origin's own, each with its `at`. `asked_seq` is the requested number of events; `seq` is where the branch begins,
    None until a worker computed it, and `note` says why it differs.
    """

    run = models.OneToOneField(Run, on_delete=models.CASCADE, primary_key=True, related_name="branch")
    origin = models.ForeignKey(Run, on_delete=models.SET_NULL, null=True, related_name="branches")
    origin_number = models.PositiveIntegerField()
    asked_seq = models.BigIntegerField()
    seq = models.BigIntegerField(null=True)
    note = models.TextField(blank=True)
    inherited: models.JSONField[list[Any], list[Any]] = models.JSONField(default=list)
    changes: models.JSONField[list[Any], list[Any]] = models.JSONField(default=list)

    def __str__(self) -> str:
        return f"branch of run {self.origin_number} at event {self.begins}"

    @property
    def begins(self) -> int:
        """The number of events shared with the origin, as far as known."""
        return self.asked_seq if self.seq is None else self.seq

    @property
    def placed(self) -> list[tuple[dict[str, Any], bool]]:
        """All changes with their places, in the order in which they come, and whether each is the branch's own."""
        own = [({**change, "at": self.begins}, True) for change in self.changes]
        return sorted([*((change, False) for change in self.inherited), *own], key=lambda one: int(one[0]["at"]))

    @property
    def placed_changes(self) -> list[dict[str, Any]]:
        """All changes with their places, in the order in which they come."""
        return [change for change, _ in self.placed]


class ChangeList(models.Model):
    """What a member collects to change in a run: for a branch that begins with it, or at the head of a live run.

    `seq` is the number of events before the changes, None for the head; `cycle` is the cycle that comes next there,
    None for another place. `pod` is tried with the changes, "" for none. Each of `entries` has a `number`, a `title`,
    `source` (where it comes from, in words), `fields` (what it changes: path, before, after), `texts` and `changes` as
    a `ListEntry` of the core has them (changes as RunBranch holds them), and `is_out` while it is left out. `version`
    counts what was done to the list.
    """

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="change_lists")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    seq = models.BigIntegerField(null=True)
    cycle = models.PositiveIntegerField(null=True)
    pod = models.TextField(blank=True)
    entries: models.JSONField[list[Any], list[Any]] = models.JSONField(default=list)
    version = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "owner"], name="change_list_once")]

    def __str__(self) -> str:
        return f"changes of run {self.run_id}"

    @property
    def active(self) -> list[dict[str, Any]]:
        """The entries that are not left out."""
        return [entry for entry in self.entries if not entry["is_out"]]


class BranchKeeping(models.Model):
    """What a branch's changes were saved as: one of a draft, or a revision of a cluster, configuration or timeline."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="keepings")
    draft = models.ForeignKey(Draft, on_delete=models.CASCADE, null=True, related_name="keepings")
    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, null=True, related_name="keepings")
    config_revision = models.ForeignKey(ConfigRevision, on_delete=models.CASCADE, null=True, related_name="keepings")
    timeline_revision = models.ForeignKey(
        TimelineRevision, on_delete=models.CASCADE, null=True, related_name="keepings"
    )
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.thing}, kept from run {self.run.number}"

    @property
    def kind(self) -> str:
        """Return the kind of what they were saved as."""
        kinds = {"draft": self.draft_id, "revision": self.revision_id, "configuration": self.config_revision_id}
        return next((name for name, key in kinds.items() if key is not None), "timeline")

    @property
    def thing(self) -> Draft | Revision | ConfigRevision | TimelineRevision | None:
        """Return what they were saved as, None if it was deleted."""
        return self.draft or self.revision or self.config_revision or self.timeline_revision
