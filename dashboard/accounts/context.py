"""What the frame of every page knows: where the reader is and where else they may go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils.functional import SimpleLazyObject

from dashboard.accounts.models import Role, Workspace
from dashboard.common.pages.navigation import menu

if TYPE_CHECKING:
    from django.http import HttpRequest


def shell(request: HttpRequest) -> dict[str, Any]:
    """Context processor: workspace, member, my_workspaces, main_menu, may_review, may_edit, may_administer."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {"workspace": None, "member": None, "my_workspaces": [], "main_menu": []}
    workspace, member = getattr(request, "workspace", None), getattr(request, "member", None)
    return {
        "workspace": workspace,
        "member": member,
        # Only templates with the frame ask for it, so fragments cost no query.
        "my_workspaces": SimpleLazyObject(lambda: list(Workspace.objects.filter(members__user=user))),
        "main_menu": menu(workspace.slug, request.path) if workspace else [],
        "may_review": bool(member and member.may(Role.REVIEWER)),
        "may_edit": bool(member and member.may(Role.EDITOR)),
        "may_administer": bool(member and member.may(Role.ADMIN)),
    }
