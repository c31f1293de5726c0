"""Saved searches: queries with a name; and short links of searches that are not shared."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone

from dashboard.accounts.models import Workspace

SEARCH_NAME_LENGTH = 80
CODE_LENGTH = 10


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


class SearchLink(models.Model):
    """A search that somebody copied a short link of: the query of its address, and the run whose tab it is on.

    Links stand in chats and tickets: they are never changed, and go with their workspace alone.
    """

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    code = models.CharField(max_length=CODE_LENGTH)
    # The number, as addresses have it; None is the search of the workspace.
    run = models.PositiveIntegerField(null=True)
    query = models.TextField()
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    made_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint("workspace", "code", name="search_link_code_once")]

    def __str__(self) -> str:
        return self.code
