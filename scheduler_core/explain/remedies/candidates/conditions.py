"""Nodes whose condition keeps pods off, healthy again: the node's operator acts, and the taint goes, too."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from scheduler_core.api.objects import Node, NodeCondition
from scheduler_core.api.taints import Taint
from scheduler_core.engine.trials.changes import Changes
from scheduler_core.explain.outcomes.texts import listed
from scheduler_core.explain.remedies.candidates.candidate import RemedyCandidate, of_state
from scheduler_core.explain.remedies.candidates.pod_edits import taint_words, untolerated
from scheduler_core.explain.remedies.model import (
    CONDITION,
    ProposedEdit,
)
from scheduler_core.explain.remedies.situation import RemedySituation, Rows
from scheduler_core.framework.plugin_helpers.node_conditions import is_symptom, mended, reported_conditions

replace = msgspec.structs.replace
_MOST_NODES = 3


def of_conditions(situation: RemedySituation, rows: Rows) -> Iterator[RemedyCandidate]:
    """Nodes that only their condition keeps the pod off, with it mended; a taint of it is never taken off alone."""
    n_made = 0
    for row in rows.tolist():
        node = situation.node(row)
        taints = untolerated(situation.pod, node)
        if taints and all(map(is_symptom, taints)) and n_made < _MOST_NODES:
            n_made += 1
            yield mended_node(node, taints)


def mended_node(node: Node, taints: tuple[Taint, ...]) -> RemedyCandidate:
    """The node healthy again: without the taints of its conditions, and Ready."""
    keys = list(dict.fromkeys(taint.key for taint in taints))
    healthy = replace(mended(node), conditions=(NodeCondition("Ready", "True"),))
    said = [_condition_text(one) for key in keys for one in reported_conditions(node, key)]
    said = said or [f"it has the taint {listed(keys, 'and')}"]
    edit = ProposedEdit(CONDITION, keys[0], ", ".join(map(taint_words, taints)), "healthy", node.name, code="MEND_NODE")
    text = f"{_verb(keys)} {node.name} ({'; '.join(said)})"
    made = of_state(edit, text, float(len(keys)), Changes(nodes=(healthy,)), [node.name])
    return replace(made, remedy=replace(made.remedy, assumed="Ready=True and no condition that keeps pods off"))


def _condition_text(one: NodeCondition) -> str:
    why = one.message or one.reason
    return f"{one.type}={one.status}{f': {why}' if why else ''}"


def _verb(keys: list[str]) -> str:
    names = " ".join(keys)
    if "disk-pressure" in names:
        return "free the disk of"
    if "memory-pressure" in names or "pid-pressure" in names:
        return "relieve the pressure on"
    return "have initialised:" if "uninitialized" in names or "agent-not-ready" in names else "bring back node"
