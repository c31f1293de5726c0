"""The kinds of events, by which people filter."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EventKind:
    """Name and icon of a kind of event; `title` describes its events. A count of them is one of records: a preemption
    has several, its decision and each nomination."""

    label: str
    icon: str
    meaning: str
    title: str


KINDS = {
    "object": EventKind(
        "object", "box", "none", "Objects that are created, updated or deleted, and the end of the run"
    ),
    "queue": EventKind("queue", "dot", "queue", "Moves of pods between the lanes of the scheduling queue"),
    "wake": EventKind(
        "woken", "wake", "wait", "Pods that a cluster event brings back for another attempt (queueing hints)"
    ),
    "cycle": EventKind("cycle", "play", "cursor", "Scheduling cycles that begin"),
    "refused": EventKind("refused", "x", "unsched", "Scheduling cycles that end without a node"),
    "preemption": EventKind("preemption", "diamond", "nomin", "Decisions of preemption and nominations"),
    "eviction": EventKind(
        "eviction", "eject", "victim", "Pods that must leave for another one, and those that have left"
    ),
    "bound": EventKind("binding", "check", "bound", "Reserve, Permit and Bind"),
    "error": EventKind("error", "alert", "error", "Plugins that failed and cycles that ended in an error"),
    "calls": EventKind("calls", "dash", "none", "Answers of extension points, and the ends of cycles with a node"),
}
"""In the order in which pages show them."""

QUIET = frozenset({"calls"})
"""Kinds that lists omit by default."""
