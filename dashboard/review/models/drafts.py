"""Comments that only their author sees, until they are submitted together with a verdict."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone

from dashboard.accounts.models import Workspace
from dashboard.review.models.reviews import Review
from dashboard.review.models.threads import Thread
from dashboard.runs.models import Run


class CommentDraft(models.Model):
    """A comment in the making, of the review of a run (which there may not be yet) or of another review.

    It is a reply in `thread`, or begins one: then `columns` are those of the new thread, which is about `about_run`
    (None for a field of a diff that is of no run).
    """

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    run = models.ForeignKey(Run, on_delete=models.CASCADE, null=True, related_name="+")
    review = models.ForeignKey(Review, on_delete=models.CASCADE, null=True, related_name="+")
    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, null=True, related_name="+")
    about_run = models.ForeignKey(Run, on_delete=models.CASCADE, null=True, related_name="+")
    columns: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict, blank=True)
    text = models.TextField()
    suggested = models.ForeignKey(Run, on_delete=models.SET_NULL, null=True, related_name="+")
    written_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["author", "workspace"], name="draft_by_author")]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(run__isnull=True, review__isnull=False)
                | models.Q(run__isnull=False, review__isnull=True),
                name="draft_of_one_place",
            ),
        ]

    def __str__(self) -> str:
        return f"draft {self.pk}"
