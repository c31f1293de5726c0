"""Why a pod is pending, over all of its attempts: the dominant reason, the refusing plugins, changes between attempts,
pods that took the room, and what would bring the pod back to activeQ."""

from __future__ import annotations

from scheduler_core.explain.pending.answer import attempt_shown, pod_state, why_pending
from scheduler_core.explain.pending.between import between, between_all
from scheduler_core.explain.pending.chains import preemption_chains
from scheduler_core.explain.pending.following import FoundNodes
from scheduler_core.explain.pending.history import AttemptHistory, attempt_history
from scheduler_core.explain.pending.model import (
    Between,
    DominantReason,
    PendingAttempt,
    PodNode,
    Preempted,
    PreemptionGraph,
    RefusedNodeGroup,
    ResourceRange,
    Taken,
    Taker,
    Timer,
    Waker,
    Wakes,
    WhyPending,
)
from scheduler_core.explain.pending.taken_capacity import taken_capacity
from scheduler_core.explain.pending.wakes import find_wakes, what_wakes
from scheduler_core.explain.pending.would_help import WouldHelp, hints_for, wakes_up, would_help

__all__ = [
    "AttemptHistory",
    "Between",
    "DominantReason",
    "FoundNodes",
    "PendingAttempt",
    "PodNode",
    "Preempted",
    "PreemptionGraph",
    "RefusedNodeGroup",
    "ResourceRange",
    "Taken",
    "Taker",
    "Timer",
    "Waker",
    "Wakes",
    "WhyPending",
    "WouldHelp",
    "attempt_history",
    "attempt_shown",
    "between",
    "between_all",
    "find_wakes",
    "hints_for",
    "pod_state",
    "preemption_chains",
    "taken_capacity",
    "wakes_up",
    "what_wakes",
    "why_pending",
    "would_help",
]
