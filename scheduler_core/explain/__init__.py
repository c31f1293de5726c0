"""Answers in the words of the objects: what a node lacks for a pod, what would mend it, which nodes come nearest."""

from __future__ import annotations

from scheduler_core.explain.nearest import ChangeSize, NearMiss, nearest_misses
from scheduler_core.explain.refusals import Explanation, explain_refusal
from scheduler_core.explain.shortfalls import NodeSituation, Shortfall, checked_requests, counts_against, shortfalls

__all__ = [
    "ChangeSize",
    "Explanation",
    "NearMiss",
    "NodeSituation",
    "Shortfall",
    "checked_requests",
    "counts_against",
    "explain_refusal",
    "nearest_misses",
    "shortfalls",
]
