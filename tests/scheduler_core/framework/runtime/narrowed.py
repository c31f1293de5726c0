"""Searches that a PreFilter plugin narrows."""

from __future__ import annotations

from tests.scheduler_core.decided import node

NODES = [node("n1"), node("n2"), node("n3")]


def only_on(*names):
    """The affinity of a pod that PreFilter narrows to these nodes."""
    by_name = [{"key": "metadata.name", "operator": "In", "values": [name]} for name in names]
    terms = [{"matchFields": [field]} for field in by_name]
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}
