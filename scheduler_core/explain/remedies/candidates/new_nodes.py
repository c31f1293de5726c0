"""One more node like one that is there, with the devices that a node like it has."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from scheduler_core.api.objects import Node
from scheduler_core.engine.trials.changes import Changes
from scheduler_core.explain import edited_objects
from scheduler_core.explain.remedies import edited_claims
from scheduler_core.explain.remedies.candidates.candidate import RemedyCandidate, of_state
from scheduler_core.explain.remedies.candidates.state_edits import NODES_PER_KIND, node_likeness
from scheduler_core.explain.remedies.model import NEW_NODE, ProposedEdit
from scheduler_core.explain.remedies.situation import RemedySituation, Rows
from scheduler_core.profiles.names import DEVICES

NEW_NODE_SIZE = 2.0


def of_new_nodes(situation: RemedySituation, unless: frozenset[str]) -> Iterator[RemedyCandidate]:
    """One more node of each shape that is large enough, of those that few plugins refuse and none of these."""
    likes, short = set[tuple[object, ...]](), situation.shortages
    served = {one.extended_resource_name for one in situation.listers.device_classes.values()}
    own = np.array([name not in served for name in short.resources])
    for plugins, rows in sorted(situation.groups.items(), key=lambda item: (len(item[0]), sorted(item[0]))):
        large = (short.allocatable[own][:, rows] >= short.needs[own, None]).all(axis=0)
        for row in () if plugins & unless else _with_devices_first(situation, rows[large]):
            node = situation.node(row)
            if len(likes) == NODES_PER_KIND:
                return
            likeness = (*node_likeness(node), *_slices_likeness(situation, node))
            if likeness in likes:
                continue
            likes.add(likeness)
            yield one_more(situation, node, [node.name])


def _with_devices_first(situation: RemedySituation, rows: Rows) -> list[int]:
    """The rows, for a pod that needs devices those first whose nodes have some of their own."""
    if not _needs_devices(situation):
        return [int(row) for row in rows]
    own = {one.node_name for one in situation.listers.resource_slices.values()}
    return sorted(map(int, rows), key=lambda row: situation.node(row).name not in own)


def _needs_devices(situation: RemedySituation) -> bool:
    """Whether a node is refused for devices, which the pod claims or has claimed for it."""
    return any(DEVICES in plugins for plugins in situation.groups)


def _slices_likeness(situation: RemedySituation, node: Node) -> tuple[object, ...]:
    """The slices that only this node reaches, as far as nodes can have equal ones."""
    if not _needs_devices(situation):
        return ()
    slices = situation.listers.resource_slices.values()
    return tuple(sorted((one.driver, len(one.devices)) for one in slices if one.node_name == node.name))


def one_more(situation: RemedySituation, node: Node, names: list[str]) -> RemedyCandidate:
    """Another node like this one, empty and not cordoned, with the devices that a node like it has."""
    name = edited_objects.free_name(f"{node.name}-more", situation.base.row_of)
    edit = ProposedEdit(NEW_NODE, node.name, "", name, name)
    slices = edited_claims.slices_of_node(situation.listers, node, name)
    new = Changes(nodes=(edited_objects.another(node, name),), objects=slices)
    return of_state(edit, f"add one more node like {node.name}", NEW_NODE_SIZE, new, names)
