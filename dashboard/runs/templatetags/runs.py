"""What templates of other apps show of runs; only templates know both."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from django import template
from django.db import connection

from dashboard.common.database.sqlite_file import room_of
from dashboard.common.pages import numbers
from dashboard.runs.lifecycle import quotas

if TYPE_CHECKING:
    from dashboard.accounts.models import Workspace

register = template.Library()


@register.inclusion_tag("runs/_storage.html")
def storage(workspace: Workspace) -> dict[str, Any]:
    """Return how much the workspace stores of what it may."""
    return {"workspace": workspace, "used_bytes": quotas.used_bytes(workspace)}


@register.inclusion_tag("runs/_database_room.html")
def database_room() -> dict[str, Any]:
    """Return what a full VACUUM would gain and need where that is worth it: {"room"}, None elsewhere."""
    if connection.vendor != "sqlite":
        return {"room": None}
    room = room_of(Path(connection.settings_dict["NAME"]))
    return {"room": room if room.is_worth_it else None}


@register.filter
def binary_size(count: int) -> str:
    """1572864 -> "1.5 MiB": sizes beside a limit that was given in GiB."""
    size = numbers.memory(count)
    return f"{size[:-2]} {size[-2:]}B" if size.endswith("i") else f"{size} B"
