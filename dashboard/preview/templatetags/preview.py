"""What a configuration can be tried on besides clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import template

from dashboard.runs.models import Run

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dashboard.accounts.models import Workspace

register = template.Library()
RUNS_OFFERED = 20


@register.filter
def runs_to_try(workspace: Workspace) -> Iterable[Run]:
    """Return the newest runs that were not changed on their way."""
    runs = Run.objects.filter(workspace=workspace, head__n_changes=0)
    return runs.select_related("revision__cluster").order_by("-number")[:RUNS_OFFERED]
