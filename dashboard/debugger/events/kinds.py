"""The kinds in which people filter events."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kind:
    """How a kind of event is called and drawn; `title` says what is in it."""

    label: str
    icon: str
    meaning: str
    title: str


KINDS = {
    "object": Kind("object", "box", "none", "Objects that are created, updated or deleted, and the end of the run"),
    "queue": Kind("queue", "dot", "queue", "Moves of pods between the lanes of the scheduling queue"),
    "wake": Kind("woken", "wake", "wait", "Pods that a cluster event brings back for another attempt (queueing hints)"),
    "cycle": Kind("cycle", "play", "cursor", "Scheduling cycles that begin"),
    "refused": Kind("refused", "x", "unsched", "Scheduling cycles that end without a node"),
    "preemption": Kind("preemption", "diamond", "nomin", "Decisions of preemption and nominations"),
    "eviction": Kind("eviction", "eject", "victim", "Pods that must leave for another one, and those that have left"),
    "bound": Kind("binding", "check", "bound", "Reserve, Permit and Bind"),
    "error": Kind("error", "alert", "error", "Plugins that failed and cycles that ended in an error"),
    "calls": Kind("calls", "dash", "none", "Answers of extension points, and the ends of cycles with a node"),
}
"""In the order in which pages show them."""

QUIET = frozenset({"calls"})
"""Kinds that a list leaves out unless it is asked for them."""
