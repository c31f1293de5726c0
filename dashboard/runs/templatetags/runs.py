"""What templates of other apps show of runs; only templates know both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import template

from dashboard.runs import quotas

if TYPE_CHECKING:
    from dashboard.accounts.models import Workspace

register = template.Library()


@register.inclusion_tag("runs/_storage.html")
def storage(workspace: Workspace) -> dict[str, Any]:
    """Return how much the workspace stores of what it may."""
    return {"workspace": workspace, "used_bytes": quotas.used_bytes(workspace)}
