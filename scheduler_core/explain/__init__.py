"""Explanations in terms of pods and nodes: what a node lacks for a pod, and which change would help."""

from __future__ import annotations

from scheduler_core.explain.refusals import explain_refusal
from scheduler_core.explain.shortfalls import NodeSituation, checked_requests, counts_against, shortfalls

__all__ = ["NodeSituation", "checked_requests", "counts_against", "explain_refusal", "shortfalls"]
