"""The parts of a bundle as typed values."""

from __future__ import annotations

from typing import Literal

import msgspec

FORMAT = 1
KIND = "Bundle"
META, OBJECTS, EVENTS, CHANGES = "meta.json", "objects.jsonl", "events.jsonl", "changes.jsonl"
FILES = (META, OBJECTS, EVENTS, CHANGES)
STATE, PIECES = "state.json", "pieces.jsonl"
"""What a collector keeps beside them until the bundle is closed."""

ChangeType = Literal["ADDED", "MODIFIED", "DELETED"]

GapCode = Literal[
    "NO_RIGHTS", "NOT_SERVED", "WATCH_EXPIRED", "SERVER_AWAY", "STOPPED", "DISK_FULL", "CUT", "NO_CONFIGURATION",
    "LIST_FAILED", "OTHER",
]  # fmt: skip
"""Why something may be missing.

``NO_RIGHTS``: the kind may not be listed or watched. ``NOT_SERVED``: the server does not know the kind.
``WATCH_EXPIRED``: the server no longer had the changes (410), and the kind was listed and compared: changes between
are known without their times, and what came and went between is not known. ``SERVER_AWAY``: no answer for a while.
``STOPPED``: the collection was stopped and resumed. ``DISK_FULL``: lines could not be written. ``CUT``: the file ends
inside a line. ``NO_CONFIGURATION``: the scheduler's configuration is not in the bundle. ``LIST_FAILED``: a kind could
not be listed.
"""


class BundleGap(msgspec.Struct, frozen=True, kw_only=True):
    """What is, or may be, missing: a sentence, the ``kind`` ("" for all) and ``namespace`` ("" for all), and between
    which moments (seconds since 1970); ``until`` is None where it lasts to the end."""

    code: GapCode
    text: str
    kind: str = ""
    namespace: str = ""
    since: float
    until: float | None = None


class CollectedKind(msgspec.Struct, frozen=True, kw_only=True):
    """A kind that was asked for: ``resource`` is its name in addresses; ``listed`` objects were there at
    the beginning."""

    api_version: str
    kind: str
    resource: str
    can_list: bool = True
    can_watch: bool = True
    listed: int = 0


class BundleMeta(msgspec.Struct, frozen=True, kw_only=True):
    """What the bundle says of itself. ``server_version`` as the API server writes it ("v1.34.1"), ``versions``: later
    ones with the moment of each; times in seconds since 1970; ``ended`` is None while the collection goes on, and
    where it was never closed. ``namespaces``: those that were asked for, none for all. ``configuration``: the text of
    the scheduler's KubeSchedulerConfiguration, "" where it is not known; ``configuration_of``: where it was read."""

    kind: Literal["Bundle"] = "Bundle"
    format: int = FORMAT
    collector: str = ""
    server_version: str = ""
    versions: tuple[tuple[float, str], ...] = ()
    began: float
    ended: float | None = None
    namespaces: tuple[str, ...] = ()
    kinds: tuple[CollectedKind, ...] = ()
    gaps: tuple[BundleGap, ...] = ()
    pseudonyms: bool = False
    configuration: str = ""
    configuration_of: str = ""


class ListedObject(msgspec.Struct, frozen=True, kw_only=True):
    """An object that was there when its kind was listed, at ``t``; its JSON has apiVersion and kind."""

    t: float
    object: msgspec.Raw


class Change(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An object that came, changed or went, as seen at ``t``; ``rv`` is the resourceVersion of the change.
    ``relisted``: found by listing again, so that it happened at any moment since the watch was lost."""

    t: float
    rv: str = ""
    type: ChangeType
    object: msgspec.Raw
    relisted: bool = False
