"""Facts: the numbers and objects behind each plugin's verdict or score on a node, and their texts."""

from __future__ import annotations

from scheduler_core.explain.facts.collect import Questions, node_facts
from scheduler_core.explain.facts.model import FilterFacts, NodeFacts, ScoreFacts, ToldFact, joined
from scheduler_core.explain.facts.texts import text, toleration

__all__ = [
    "FilterFacts",
    "NodeFacts",
    "Questions",
    "ScoreFacts",
    "ToldFact",
    "joined",
    "node_facts",
    "text",
    "toleration",
]
