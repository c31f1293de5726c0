"""The audit log: one row per thing that somebody changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dashboard.accounts.models import AuditEntry

if TYPE_CHECKING:
    from dashboard.accounts.models import User, Workspace

OBJECT_LIMIT = 300


def record(workspace: Workspace, actor: User | None, action: str, what: str, **details: Any) -> AuditEntry:
    """Return the new row: `actor` (None: the terminal) did `action` ("member.removed") to `what`; details are JSON."""
    return AuditEntry.objects.create(
        workspace=workspace,
        actor=actor,
        actor_label=actor.label if actor else "terminal",
        action=action,
        object=what[:OBJECT_LIMIT],
        details=details,
    )
