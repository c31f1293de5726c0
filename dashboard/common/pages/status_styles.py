"""The states that a colour may stand for, each with its glyph and word (docs/frontend.md has the table)."""

from __future__ import annotations

from typing import NamedTuple


class StatusStyle(NamedTuple):
    """How a state is shown beside its colour."""

    glyph: str
    word: str


STYLES = {
    "bound": StatusStyle("check", "bound"),
    "unsched": StatusStyle("x", "unschedulable"),
    "unres": StatusStyle("ban", "unresolvable"),
    "hidden": StatusStyle("hid", "hidden"),
    "backoff": StatusStyle("clock", "backoff"),
    "gated": StatusStyle("lock", "gated"),
    "nomin": StatusStyle("diamond", "nominated"),
    "victim": StatusStyle("eject", "preempted"),
    "wait": StatusStyle("hour", "waiting"),
    "error": StatusStyle("alert", "error"),
    "win": StatusStyle("star", "winner"),
    "second": StatusStyle("two", "runner-up"),
    "tie": StatusStyle("equal", "tie"),
    "none": StatusStyle("dash", "skipped"),
    "cursor": StatusStyle("play", "here"),
    "queue": StatusStyle("dot", "queued"),
}


def state_style(meaning: str) -> StatusStyle:
    """Return the style of a state; raises ValueError where the design system has no such state."""
    if meaning not in STYLES:
        raise ValueError(f'"{meaning}" is no meaning of the design system; use one of {", ".join(STYLES)}.')
    return STYLES[meaning]
