"""The buttons that jump: to attempts of the pod, decisions for the node, failures and preemptions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.debugger.cursor.jumps import Jump, Jumps
from dashboard.debugger.keys import BY_NAME

if TYPE_CHECKING:
    from dashboard.debugger.cursor.cursor import Cursor
    from dashboard.debugger.cursor.selection import Selection


@dataclass(frozen=True)
class JumpLink:
    """One way of a pair; `key` is its name in the declaration of keys, the empty `url` says that there is nowhere to
    go."""

    key: str
    url: str

    @property
    def label(self) -> str:
        """Return what it leads to."""
        return BY_NAME[self.key].label


@dataclass(frozen=True)
class Mark:
    """What stands between the two ways of a pair: a word, or a glyph in the colour of a meaning."""

    title: str
    text: str = ""
    glyph: str = ""
    meaning: str = "none"


@dataclass(frozen=True)
class JumpPair:
    """Back and onward along cycles of one kind."""

    mark: Mark
    back: JumpLink
    onward: JumpLink


def jump_pairs(cursor: Cursor, selection: Selection, attempts: list[int]) -> list[JumpPair]:
    """Return the jumps from a cursor. Those along a pod's attempts keep it selected, others select the pod that is
    decided where they lead. `attempts` are the first cycles of the selected pod."""
    jumps, node = Jumps(cursor, selection, attempts), selection.node
    selected = {"pod": selection.pod, "uid": selection.uid} if selection.is_explicit else {"pod": "", "uid": ""}
    of_pod = Mark(f"Attempts of {selection.name or 'the pod'}", "pod")
    of_node = Mark(f"Decisions for {node}" if node else "Decisions for a node: select one", "node")

    def pair(name: str, mark: Mark, jump: Jump, pod: str = "", uid: str = "") -> JumpPair:
        urls = [cursor.url(cycle=one, pod=pod, uid=uid) if one else "" for one in (jump.back, jump.onward)]
        return JumpPair(mark, JumpLink(f"{name}-back", urls[0]), JumpLink(f"{name}-next", urls[1]))

    return [
        pair("attempt", of_pod, jumps.attempt, **selected),
        pair("node", of_node, jumps.node),
        pair("failure", Mark("Cycles without a node", glyph="x", meaning="unsched"), jumps.failure),
        pair("preemption", Mark("Preemptions", glyph="eject", meaning="victim"), jumps.preemption),
    ]
