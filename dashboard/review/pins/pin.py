"""A pin: the address of what a thread speaks of, as forms and addresses write it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from dashboard.common.http.params import INT32_MAX, choice_param, int_param, optional_int, text_param
from dashboard.common.pages.extension_points import POINTS
from dashboard.review.models import Thread, ThreadKind
from dashboard.runs.models import KEY_LENGTH, NODE_LENGTH, PLUGIN_LENGTH

if TYPE_CHECKING:
    from collections.abc import Mapping

# A field of a diff has an address of its own: `FieldPin`.
KINDS = tuple(kind for kind in ThreadKind.values if kind != ThreadKind.FIELD)
# What may have happened before the first cycle.
WITHOUT_CYCLE = (ThreadKind.MOVE, ThreadKind.EVENT, ThreadKind.STORY)
SCORING_POINTS = ("PreScore", "Score", "NormalizeScore")


@dataclass(frozen=True)
class Pin:
    """The cursor of a thread and the thing there. `seq` None: the cycle's end; texts are empty where not meant.

    `kind` "" is a cell (its score, else its verdict) where plugin and node are named, else the cycle. `pod` with `uid`
    ("" for the first of its name) is the pod that a move, a victim or a story is about.
    """

    cycle: int
    seq: int | None = None
    point: str = ""
    plugin: str = ""
    node: str = ""
    kind: str = ""
    pod: str = ""
    uid: str = ""

    @property
    def place(self) -> str:
        """Return point, plugin and node in words: "Score, NodeResourcesFit, node-3"."""
        return ", ".join(filter(None, (self.point, self.plugin, self.node)))

    @property
    def same_thing(self) -> dict[str, Any]:
        """Return the columns that tell the threads on the same thing of a run."""
        match self.kind:
            case ThreadKind.MOVE | ThreadKind.EVENT:
                return {"kind": self.kind, "seq": self.seq}
            case ThreadKind.VICTIM:
                return {"kind": self.kind, "cycle": self.cycle, "pod": self.pod, "pod_uid": self.uid}
            case ThreadKind.STORY:
                return {"kind": self.kind, "pod": self.pod, "pod_uid": self.uid}
            case ThreadKind.SCORE | ThreadKind.VERDICT:
                return {"kind": self.kind, "cycle": self.cycle, "plugin": self.plugin, "node": self.node}
        return {"cycle": self.cycle, "kind": ThreadKind.CYCLE}

    def query(self) -> str:
        """Return the pin as a query, as `pin_in` reads it; the cycle stands in the path."""
        named = {name: value for name, value in self.__dict__.items() if value and name != "cycle"}
        return urlencode(named)


def pin_in(query: Mapping[str, str], cycle: int | None = None) -> Pin:
    """Return the pin that a form or an address names; its cycle may be given. Raises BadQuery."""
    return Pin(
        cycle=int_param(query, "cycle", default=0, low=0, high=INT32_MAX) if cycle is None else cycle,
        seq=optional_int(query, "seq"),
        point=choice_param(query, "point", POINTS, ""),
        plugin=text_param(query, "plugin", PLUGIN_LENGTH),
        node=text_param(query, "node", NODE_LENGTH),
        kind=choice_param(query, "kind", KINDS, ""),
        pod=text_param(query, "pod", KEY_LENGTH),
        uid=text_param(query, "uid", NODE_LENGTH),
    )


def pin_of(thread: Thread) -> Pin:
    """Return what a thread is pinned to; a cell's kind is left open in threads of before it was written down."""
    is_cell = thread.kind == ThreadKind.CYCLE and thread.plugin and thread.node
    return Pin(
        thread.cycle,
        thread.seq,
        thread.point,
        thread.plugin,
        thread.node,
        "" if is_cell else thread.kind,
        thread.pod,
        thread.pod_uid,
    )
