"""The buttons for steps: each with its address, its title and its role in the chosen grain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.debugger.cursor.cursor import GRAINS
from dashboard.debugger.cursor.grains import FINER, Steps

if TYPE_CHECKING:
    from dashboard.debugger.cursor.cursor import Cursor
    from dashboard.debugger.cursor.grains import Target

WORDS = {
    "event": ("Event", "event", "one recorded event"),
    "call": ("Call", "plugin call", "one plugin call at an extension point"),
    "point": ("Point", "extension point", "one extension point"),
    "cycle": ("Cycle", "cycle", "one scheduling cycle"),
}


@dataclass(frozen=True)
class StepLink:
    """A button of the transport. `key` is its name in the declaration of keys (keys.py); the empty `url` says that
    there is nowhere to go; `rel` is "next", "prev" or ""."""

    key: str
    glyph: str
    label: str
    url: str
    rel: str = ""


@dataclass(frozen=True)
class Grain:
    """A choice of the grain of steps."""

    name: str
    label: str
    title: str
    url: str
    is_chosen: bool


@dataclass(frozen=True)
class TransportBar:
    """The transport: the steps on the left and on the right of the play button, and the grains."""

    before_play: list[StepLink]
    behind_play: list[StepLink]
    grains: list[Grain]


def transport(cursor: Cursor) -> TransportBar:
    """Return the steps from a cursor in the grain that its address names."""
    steps = Steps(cursor)
    unit, finer = WORDS[steps.grain][1], WORDS[FINER.get(steps.grain, "event")][1]

    def link(name: str, glyph: str, label: str, target: Target | None, rel: str = "") -> StepLink:
        return StepLink(name, glyph, label, target.url(cursor) if target else "", rel)

    before = [link("back", "back", f"Step back over, to the previous {unit}", steps.back, "prev")]
    behind = [
        link("over", "over", f"Step over, to the next {unit}", steps.over, "next"),
        link("into", "into", f"Step into, by {finer}" if steps.grain != "event" else "Step into", steps.into),
        link("out", "out", "Step out, to the end of the point or cycle", steps.out),
    ]
    return TransportBar(before, behind, [_grain(cursor, name) for name in GRAINS])


def _grain(cursor: Cursor, name: str) -> Grain:
    label, _, description = WORDS[name]
    return Grain(name, label, f"A step is {description}", cursor.url(step=name), name == cursor.view.step)
