"""What the frame of every page knows: where the reader is and where else they may go."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from django.utils.functional import SimpleLazyObject

from dashboard.accounts.models import Member, Role, Workspace
from dashboard.common.pages.navigation import menu

if TYPE_CHECKING:
    from django.http import HttpRequest

    from dashboard.accounts.models import User


# Addresses of workspaces, also of those that no view answers.
ADDRESS = re.compile(r"/w/(?P<slug>[-\w]+)/")


def shell(request: HttpRequest) -> dict[str, Any]:
    """Context processor: workspace, member, the menu and where the page lies in it, and what the member may do."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {"workspace": None, "member": None, "my_workspaces": [], "main_menu": []}
    workspace, member = _place(request, user)
    links = menu(workspace.slug, request.path) if workspace else []
    return {
        "workspace": workspace,
        "member": member,
        # Only templates with the frame ask for it, so fragments cost no query.
        "my_workspaces": SimpleLazyObject(lambda: list(Workspace.objects.filter(members__user=user))),
        "main_menu": links,
        # Where a page that cannot be shown leads back to: the list of such things, else the first page.
        "nearest_place": next((link for link in links if link.is_here), links[0] if links else None),
        "may_review": bool(member and member.may(Role.REVIEWER)),
        "may_edit": bool(member and member.may(Role.EDITOR)),
        "may_administer": bool(member and member.may(Role.ADMIN)),
    }


def _place(request: HttpRequest, user: User) -> tuple[Workspace | None, Member | None]:
    """Return the workspace and the membership that a view set or, for pages of problems, that the address names."""
    if hasattr(request, "workspace"):
        return request.workspace, getattr(request, "member", None)
    address = ADDRESS.match(request.path)
    if address is None:
        return None, None
    memberships = Member.objects.select_related("workspace", "user").filter(user=user, workspace__slug=address["slug"])
    member = memberships.first()
    return (member.workspace, member) if member else (None, None)
