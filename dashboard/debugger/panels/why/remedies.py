"""What would let a pod fit, as the page shows it: what the engine tried, with what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import duration, grouped
from dashboard.debugger.labels import listed, plural, split_key
from scheduler_core.explain.remedies import model

if TYPE_CHECKING:
    from scheduler_core.explain.remedies.model import Remedies, Remedy

# So many of each outcome are listed.
SHOWN = 8
SHOWN_NAMES = 3
_ICONS = {
    model.REQUEST: "box",
    model.TOLERATION: "plug",
    model.SELECTOR: "edit",
    model.CONSTRAINT: "edit",
    model.PORT: "plug",
    model.LABEL: "edit",
    model.CORDON: "lock",
    model.BIGGER_NODE: "server",
    model.NEW_NODE: "server",
    model.PODS_GONE: "eject",
    model.PRIORITY: "eject",
}
_LOOKS = {
    model.VERIFIED: ("bound", "verified", "check"),
    model.NOT_ENOUGH: ("none", "not enough", "x"),
    model.NOT_TRIED: ("none", "not tried in time", "hour"),
}


@dataclass(frozen=True)
class RemedyRow:
    """One change: `text` says it, `sub` on which nodes and what the engine then chose, `fits` how many nodes fit."""

    icon: str
    text: str
    sub: str
    fits: str
    meaning: str
    word: str
    glyph: str


@dataclass(frozen=True)
class RemedyList:
    """The answer: `best` is the smallest change that the engine verified, None where none was found.

    `fits` tells that the pod fits as it is; `note` what is to be said of the search, `more` how many are not listed.
    """

    fits: bool
    best: RemedyRow | None
    rows: list[RemedyRow]
    more: int
    note: str
    took: str


def remedy_list(found: Remedies, seconds: float) -> RemedyList:
    """Return the rows: verified ones first, then what is not enough, then what was not tried in time."""
    several = (found.verified, found.not_enough, found.not_tried)
    rows = [_row(one) for some in several for one in some[:SHOWN]]
    return RemedyList(
        fits=found.fits,
        best=_row(found.verified[0]) if found.verified else None,
        rows=rows,
        more=sum(len(some) for some in several) - len(rows),
        note=_note(found),
        took=duration(seconds),
    )


def _note(found: Remedies) -> str:
    if not found.in_time:
        return "The time ended before all changes were tried."
    if not found.verified and not found.fits:
        return "No change that is known of here lets it fit."
    return ""


def _row(one: Remedy) -> RemedyRow:
    meaning, word, glyph = _LOOKS[one.status]
    fits = plural(one.n_fit, "node fits", "nodes fit") if one.status == model.VERIFIED and one.n_fit else ""
    return RemedyRow(_ICONS.get(one.kind, "edit"), one.text, _sub(one), fits, meaning, word, glyph)


def _sub(one: Remedy) -> str:
    parts = []
    if one.n_nodes > 1:
        more = ", \N{HORIZONTAL ELLIPSIS}" if one.n_nodes > SHOWN_NAMES else ""
        parts.append(f"the same on {grouped(one.n_nodes)} nodes: {', '.join(one.nodes[:SHOWN_NAMES])}{more}")
    if one.victims:
        names = [split_key(pod)[1] for pod in one.victims]
        told = listed(names) if len(names) <= SHOWN_NAMES else plural(len(names), "pod")
        parts.append(f"then {told} would leave {one.node}")
    elif one.node:
        drawn = f", drawn from {grouped(one.tied)}" if one.tied > 1 else ""
        parts.append(f"it then goes to {one.node}{drawn}")
    elif one.failure:
        parts.append(one.failure)
    return "; ".join(parts)
