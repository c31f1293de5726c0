"""What happens when: objects arriving, changing and leaving, in virtual time. An input of a run."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

Action = Literal["put", "delete"]


class TimelineEntry(msgspec.Struct, frozen=True):
    """At ``at`` microseconds the object is added or replaced (put), or removed (delete: only kind and key count)."""

    at: int
    action: Action
    object: Any


class Timeline(msgspec.Struct, frozen=True):
    """Entries in order of time; equal times keep their order."""

    entries: tuple[TimelineEntry, ...] = ()

    @classmethod
    def of(cls, entries: list[TimelineEntry]) -> Timeline:
        """A timeline of these entries, sorted by time."""
        return cls(tuple(sorted(entries, key=lambda entry: entry.at)))
