"""The main menu: one list; an entry whose room does not exist yet is left out, never shown dead."""

from __future__ import annotations

from dataclasses import dataclass

from django.urls import NoReverseMatch, reverse


@dataclass(frozen=True)
class Entry:
    """A place of a workspace: what it is called, its URL name, and the icon in the command list."""

    label: str
    url_name: str
    icon: str


@dataclass(frozen=True)
class Link:
    """An entry with its address in one workspace."""

    label: str
    url: str
    icon: str
    is_here: bool


MENU = (
    Entry("Home", "home:home", "grid"),
    Entry("Clusters", "clusters:list", "server"),
    Entry("Runs", "runs:list", "play"),
    Entry("Configurations", "clusters:configurations", "gear"),
    Entry("Reviews", "review:list", "comment"),
)


def menu(slug: str, path: str) -> list[Link]:
    """Return the main menu of a workspace; one is at the entry with the longest address that `path` starts with."""
    found = [(entry, url) for entry in MENU if (url := _address(entry.url_name, slug))]
    here = max((url for _, url in found if path.startswith(url)), key=len, default="")
    home = _address(MENU[0].url_name, slug)
    if here == home and path != home:
        here = ""
    return [Link(entry.label, url, entry.icon, url == here) for entry, url in found]


def _address(url_name: str, slug: str) -> str:
    try:
        return reverse(url_name, kwargs={"slug": slug})
    except NoReverseMatch:
        return ""
