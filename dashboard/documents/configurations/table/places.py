"""Places in a configuration's plain values: its profiles, the lists of a point, the entry of a plugin."""

from __future__ import annotations

from typing import Any, cast

DEFAULT_NAME = "default-scheduler"

Root = dict[str, Any]


def mapping_in(parent: Any, key: Any) -> dict[str, Any]:
    """Return the mapping at a key, which is made where it is missing or empty."""
    if not isinstance(parent.get(key), dict):
        parent[key] = {}
    return cast("dict[str, Any]", parent[key])


def list_in(parent: Any, key: Any) -> list[Any]:
    """Return the list at a key, which is made where it is missing or empty."""
    if not isinstance(parent.get(key), list):
        parent[key] = []
    return cast("list[Any]", parent[key])


def profiles_in(root: Root) -> Any:
    """Return the profiles, which a configuration without any has by default: one of the default name."""
    profiles = list_in(root, "profiles")
    if not profiles:
        profiles.append({"schedulerName": DEFAULT_NAME})
    return profiles


def profile_in(root: Root, number: int) -> Any:
    """Return a profile by its place in the list."""
    profiles = profiles_in(root)
    if not isinstance(profiles[number], dict):
        profiles[number] = {}
    return profiles[number]


def drop_empty(profile: Any, plugins: Any, point: str) -> None:
    """Take out the lists of a point, the point and the plugins of the profile where they are left empty."""
    lists = plugins[point]
    for key in ("enabled", "disabled"):
        if key in lists and not lists[key]:
            del lists[key]
    if not lists:
        del plugins[point]
    if not plugins:
        del profile["plugins"]


def _place(entries: Any, name: str) -> int | None:
    for i, entry in enumerate(entries or ()):
        if isinstance(entry, dict) and entry.get("name") == name:
            return i
    return None


def plugin_entry(entries: Any, name: str) -> Any:
    """Return the entry of a plugin, which is added where it is missing."""
    place = _place(entries, name)
    if place is None:
        entries.append({"name": name})
        return entries[-1]
    return entries[place]


def remove_entry(lists: Any, key: str, name: str) -> None:
    """Take a plugin out of the list at a key."""
    place = _place(lists.get(key), name)
    if place is not None:
        del lists[key][place]


def put(mapping: Any, key: str, value: Any) -> None:
    """Put a value at a key; None takes the key out."""
    if value is None:
        mapping.pop(key, None)
    else:
        mapping[key] = value


def allow(lists: Any, name: str) -> None:
    """Take a plugin out of what a point disables."""
    remove_entry(lists, "disabled", name)


def enable(lists: Any, name: str) -> None:
    """List a plugin as enabled at a point."""
    plugin_entry(list_in(lists, "enabled"), name)


def drop(lists: Any, name: str) -> None:
    """Take a plugin out of what a point enables."""
    remove_entry(lists, "enabled", name)


def forbid(lists: Any, name: str) -> None:
    """List a plugin as disabled at a point."""
    plugin_entry(list_in(lists, "disabled"), name)


def has_entry(entries: Any, name: str) -> bool:
    """Return whether a list has an entry of a plugin."""
    return _place(entries, name) is not None
