"""Saved searches: queries with a name."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone

from dashboard.accounts.models import Workspace

SEARCH_NAME_LENGTH = 80


class SavedSearch(models.Model):
    """A query that a member saved under a name; other members of the workspace see it if it is shared."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="saved_searches")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=SEARCH_NAME_LENGTH)
    query = models.TextField()
    is_shared = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["name", "pk"]
        constraints = [
            models.UniqueConstraint("workspace", "owner", Lower("name"), name="saved_search_name_once"),
        ]

    def __str__(self) -> str:
        return self.name
