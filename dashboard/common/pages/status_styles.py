"""The states that a colour may stand for, each with its glyph and word (docs/frontend.md has the table)."""

from __future__ import annotations

GLYPHS = {
    "bound": "check",
    "unsched": "x",
    "unres": "ban",
    "hidden": "hid",
    "backoff": "clock",
    "gated": "lock",
    "nomin": "diamond",
    "victim": "eject",
    "wait": "hour",
    "error": "alert",
    "win": "star",
    "second": "two",
    "tie": "equal",
    "none": "dash",
    "cursor": "play",
    "queue": "dot",
}

WORDS = {
    "bound": "bound",
    "unsched": "unschedulable",
    "unres": "unresolvable",
    "hidden": "hidden",
    "backoff": "backoff",
    "gated": "gated",
    "nomin": "nominated",
    "victim": "preempted",
    "wait": "waiting",
    "error": "error",
    "win": "winner",
    "second": "runner-up",
    "tie": "tie",
    "none": "skipped",
    "cursor": "here",
    "queue": "queued",
}


def check_style(meaning: str) -> str:
    """Return the meaning; raises ValueError where the design system has no such state."""
    if meaning not in GLYPHS:
        raise ValueError(f'"{meaning}" is no meaning of the design system; use one of {", ".join(GLYPHS)}.')
    return meaning
