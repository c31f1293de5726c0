"""What the frame of every page knows: where the reader is, and the main menu of where else they may go."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.urls import NoReverseMatch, reverse
from django.utils.functional import SimpleLazyObject

from dashboard.accounts.models import Member, Role, Workspace
from dashboard.accounts.tokens.actions import without_maker

if TYPE_CHECKING:
    from django.http import HttpRequest

    from dashboard.accounts.models import User


@dataclass(frozen=True)
class NavigationEntry:
    """A place of a workspace: what it is called, its URL name, the icon in the command list; `also` belongs to it."""

    label: str
    url_name: str
    icon: str
    also: tuple[str, ...] = ()


@dataclass(frozen=True)
class Link:
    """An entry with its address in one workspace."""

    label: str
    url: str
    icon: str
    is_here: bool


MENU = (
    NavigationEntry("Home", "home:home", "grid"),
    NavigationEntry("Clusters", "clusters:list", "server", also=("clusters:import", "clusters:generate")),
    NavigationEntry("Runs", "runs:list", "play"),
    NavigationEntry("Configurations", "clusters:configurations", "gear"),
    NavigationEntry("Timelines", "clusters:timelines", "clock"),
    NavigationEntry("Extenders", "clusters:tapes", "plug", also=("clusters:declared",)),
    NavigationEntry("Reviews", "review:list", "comment"),
)


def menu(slug: str, path: str) -> list[Link]:
    """Return the main menu of a workspace; one is at the entry with the longest address that `path` starts with."""
    entries = [(entry, url) for entry in MENU if (url := _address(entry.url_name, slug))]
    places = [(place, url) for entry, url in entries for place in (url, *_others(entry, slug))]
    _, here = max((one for one in places if path.startswith(one[0])), key=lambda one: len(one[0]), default=("", ""))
    home = _address(MENU[0].url_name, slug)
    if here == home and path != home:
        here = ""
    return [Link(entry.label, url, entry.icon, url == here) for entry, url in entries]


def _others(entry: NavigationEntry, slug: str) -> list[str]:
    return [url for name in entry.also if (url := _address(name, slug))]


def _address(url_name: str, slug: str) -> str:
    try:
        return reverse(url_name, kwargs={"slug": slug})
    except NoReverseMatch:
        return ""


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
        # Only the workspace's own pages ask for it.
        "tokens_without_maker": SimpleLazyObject(lambda: without_maker(workspace).count() if workspace else 0),
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
