"""The main menu: one list; an entry whose room does not exist yet is left out, never shown dead."""

from __future__ import annotations

from dataclasses import dataclass

from django.urls import NoReverseMatch, reverse


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
