"""What of a workspace changed last: the rows that a socket reads after a hint, or after it was away."""

from __future__ import annotations

from django.db import models

from dashboard.accounts.models import Workspace

TOPIC_LENGTH = 60


class ChangedTopic(models.Model):
    """A topic that open pages show, and the feed version of its workspace as of its last change.

    Versions are given out under the lock of the workspace's feed, which a transaction keeps until it ends; who reads a
    version can read every change up to it. There is one row for a topic, not one for a change.
    """

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=TOPIC_LENGTH)
    version = models.BigIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["workspace", "name"], name="topic_once_per_workspace")]
        indexes = [models.Index(fields=["workspace", "version"], name="topic_by_version")]

    def __str__(self) -> str:
        return f"{self.name} at {self.version}"
