"""The kinds of watches, and their values."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import msgspec

MAX_WATCH_LENGTH = 600


class WatchKind(StrEnum):
    """The forms of a watch."""

    FREE = "free"
    USED = "used"
    PODS = "pods"
    LENGTH = "length"
    STATE = "state"
    COUNT = "count"


FORMS: Mapping[WatchKind, tuple[str, str]] = {
    WatchKind.FREE: ("free RESOURCE of NODE", "what a node has for pods without what pods there request"),
    WatchKind.USED: ("used RESOURCE of NODE", "what the pods on a node request"),
    WatchKind.PODS: ("pods on NODE", "how many pods count on a node"),
    WatchKind.LENGTH: ("length of LANE", "how many pods are in a lane of the queue"),
    WatchKind.STATE: ("state of pod NAMESPACE/NAME", "where a pod stands: its lane of the queue, or its node"),
    WatchKind.COUNT: ("count of QUERY", "how many hits a query has up to the cursor"),
}
"""{kind: (how it is written, what it is)}, in the order in which they are offered."""

LANES_OF: Mapping[str, tuple[str, ...]] = {
    "activeQ": ("active",),
    "backoffQ": ("backoff", "error_backoff"),
    "unschedulable": ("unschedulable",),
    "gated": ("gated",),
    "in flight": ("in_flight",),
}
"""{lane as a watch and the pages name it: lanes of the recording}."""


class Watch(msgspec.Struct, frozen=True):
    """One value to watch. ``name`` is that of the node, lane or pod, or the text of the query."""

    kind: WatchKind
    name: str
    resource: str = ""

    @property
    def text(self) -> str:
        """The watch as users write it."""
        match self.kind:
            case WatchKind.FREE | WatchKind.USED:
                return f"{self.kind} {self.resource} of {self.name}"
            case WatchKind.PODS:
                return f"pods on {self.name}"
            case WatchKind.STATE:
                return f"state of pod {self.name}"
        return f"{self.kind} of {self.name}"


class WatchValue(msgspec.Struct, frozen=True):
    """A value at a moment. Amounts, lengths and counts are a ``number`` (cpu in thousandths, memory in bytes) without
    a text. A text stands alone where there is no number ("no such node"), or beside one that says how far a pod is
    (LEVELS), by which its line is drawn."""

    number: int | None = None
    text: str = ""
