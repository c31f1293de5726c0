"""Answers in the words of the objects: what a node lacks for a pod, what would mend it, which nodes come nearest."""

from __future__ import annotations

from scheduler_core.explain.refusals import Explanation, NodeSituation, explain_refusal, nearest_misses
from scheduler_core.explain.shortfalls import Shortfall, shortfalls

__all__ = ["Explanation", "NodeSituation", "Shortfall", "explain_refusal", "nearest_misses", "shortfalls"]
