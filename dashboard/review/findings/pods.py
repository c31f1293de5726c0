"""Pods that end otherwise in one run than in another, as findings: of a comparison, and of what a change would do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.review.findings.groups import bare, digest
from scheduler_core.compare.pods import (
    EVICTED_A,
    EVICTED_B,
    EVICTED_OTHERWISE,
    MOVED,
    ONLY_A,
    ONLY_B,
    OTHERWISE,
    PLACED_A,
    PLACED_B,
    WAITED,
)

if TYPE_CHECKING:
    from scheduler_core.compare import Divergence, PodDifference

# Group of pods: (title, meaning, glyph), in the order in which somebody should look at them.
GROUPS_OF_PODS = {
    PLACED_A: ("Newly without a node", "unsched", "x"),
    PLACED_B: ("Newly placed", "bound", "check"),
    MOVED: ("Moved to another node", "none", "redo"),
    EVICTED_B: ("Newly preempted or lost", "victim", "eject"),
    EVICTED_A: ("No longer preempted or lost", "victim", "eject"),
    EVICTED_OTHERWISE: ("Preempted or lost otherwise", "victim", "eject"),
    ONLY_B: ("Newly made", "none", "plus"),
    ONLY_A: ("Not made any more", "none", "dash"),
    OTHERWISE: ("Ended otherwise", "none", "info"),
    WAITED: ("Waited for another time", "none", "clock"),
}


def name_of(one: PodDifference) -> str:
    """Return the pod's name, with which of that name and uid it is where it is not the first."""
    return f"{bare(one.pod)}{f' no. {one.number + 1}' if one.number else ''}"


def ends_of(one: PodDifference) -> str:
    """Return how the pod ends on both sides: "node-1 → pending"."""
    return " → ".join(end.text if end is not None else "not there" for end in (one.a, one.b))


def key_of(one: PodDifference) -> str:
    """Return the key of the pod's finding."""
    return f"pod:{digest(one.group, one.pod, one.uid, one.number)}"


def decisions_of(divergence: Divergence) -> str:
    """Return what each side decided there, before the cause; "" outside of cycles."""
    sides = (("A", divergence.a), ("B", divergence.b))
    return "".join(f"{letter}: {side.decision}; " for letter, side in sides if side is not None and side.decision)


def cause_of(divergence: Divergence) -> str:
    """Return what made the first difference, and which inputs are the cause, or may be."""
    moved = f"moved by {divergence.moved_by}; " if divergence.moved_by else ""
    if not divergence.because:
        return f"{moved}no input that is present differs"
    draw = "both drew from the same tied nodes; " if divergence.is_draw else ""
    return f"{moved}{draw}cause: {divergence.because_text}"
