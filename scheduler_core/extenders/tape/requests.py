"""What two requests have to share for the answer to one to be that to the other, as numbers in tables of names.

A request is identified by extender, verb, form, pod (namespace, name, UID), the set of its nodes, and for preemption
the victims of each node in order with the violations. The rest of its objects follows from the cluster and is not kept:
5,000 nodes are 15 MB of JSON, and their names, interned, a bitmap of 625 bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from scheduler_core.extenders.calls import VERBS, ExtenderCall

OBJECTS, NAMES = 0, 1
"""Forms of a request: whole objects, or names and UIDs alone (nodeCacheCapable)."""

Pod = tuple[str, str, str]
"""Namespace, name, UID."""
Victims = tuple[tuple[str, ...], int]
"""UIDs in order, and how many evictions violate a budget."""


class RequestKey(NamedTuple):
    """A request as numbers: ``verb`` in VERBS, ``pod`` and ``nodes`` in the tables of the tape; ``victims`` as the
    bytes of int64: for each node in order of the table of nodes the number of victims, of violations, and the UIDs."""

    extender: int
    verb: int
    form: int
    pod: int
    nodes: int
    victims: bytes


class ComparedRequest(NamedTuple):
    """The parts of a request that tell it from others. ``victims`` has an entry per node where the verb is preempt."""

    form: int
    pod: Pod
    nodes: Sequence[str]
    victims: Mapping[str, Victims]


def compared_parts(call: ExtenderCall) -> ComparedRequest:
    """The parts of a call's body; KeyError where it is not of the form of its verb."""
    body = call.request
    if call.verb == "bind":
        return ComparedRequest(NAMES, (body["PodNamespace"], body["PodName"], body["PodUID"]), [body["Node"]], {})
    metadata = body["Pod"]["metadata"]
    pod = metadata.get("namespace", ""), metadata["name"], metadata.get("uid", "")
    if call.verb == "preempt":
        by_node: Mapping[str, Any] | None = body["NodeNameToMetaVictims"]
        form = OBJECTS if by_node is None else NAMES
        if by_node is None:
            by_node = body["NodeNameToVictims"]
        victims = {node: _victims(value, form) for node, value in by_node.items()}
        return ComparedRequest(form, pod, list(victims), victims)
    if body["NodeNames"] is not None:
        return ComparedRequest(NAMES, pod, body["NodeNames"], {})
    return ComparedRequest(OBJECTS, pod, [node["metadata"]["name"] for node in body["Nodes"]["items"]], {})


def _victims(value: Mapping[str, Any], form: int) -> Victims:
    pods = value["Pods"]
    uids = (pod["UID"] if form == NAMES else pod["metadata"].get("uid", "") for pod in pods)
    return tuple(uids), value["NumPDBViolations"]


class UnknownPartError(Exception):
    """A part of a request that is on no table; the text says which."""


class RequestTables:
    """The names that a tape's requests consist of, each at the place of its number.

    ``node_sets`` are bitmaps over the numbers of ``nodes`` (numpy.packbits, no zero bytes at the end). Dictionaries
    from value to number: in order of insertion, which is that of the numbers.
    """

    def __init__(self) -> None:
        self.nodes: dict[str, int] = {}
        self.pods: dict[Pod, int] = {}
        self.uids: dict[str, int] = {}
        self.node_sets: dict[bytes, int] = {}

    def add(self, call: ExtenderCall) -> RequestKey:
        """The key of a call, whose parts are put on the tables."""
        parts = compared_parts(call)
        for node in parts.nodes:
            self.nodes.setdefault(node, len(self.nodes))
        self.pods.setdefault(parts.pod, len(self.pods))
        for uids, _ in parts.victims.values():
            for uid in uids:
                self.uids.setdefault(uid, len(self.uids))
        bitmap, victims = self._nodes_and_victims(parts)
        number = self.node_sets.setdefault(bitmap, len(self.node_sets))
        return RequestKey(call.extender, VERBS.index(call.verb), parts.form, self.pods[parts.pod], number, victims)

    def key(self, call: ExtenderCall) -> RequestKey:
        """The key of a call; UnknownPartError where a part of it is on no table."""
        parts = compared_parts(call)
        pod = self.pods.get(parts.pod)
        if pod is None:
            uid = parts.pod[2]
            raise UnknownPartError(f"no request for a pod of this name with UID {uid!r}")
        bitmap, victims = self._nodes_and_victims(parts)
        number = self.node_sets.get(bitmap)
        if number is None:
            raise UnknownPartError(f"no request with this set of {len(set(parts.nodes)):,} nodes")
        return RequestKey(call.extender, VERBS.index(call.verb), parts.form, pod, number, victims)

    def _nodes_and_victims(self, parts: ComparedRequest) -> tuple[bytes, bytes]:
        numbers = self.nodes
        try:
            rows = [numbers[node] for node in parts.nodes]
        except KeyError as missing:
            raise UnknownPartError(f"no request with node {missing.args[0]}") from None
        mask = np.zeros(max(rows, default=-1) + 1, dtype=bool)
        mask[rows] = True
        return np.packbits(mask).tobytes(), self._victims(parts.victims)

    def _victims(self, victims: Mapping[str, Victims]) -> bytes:
        flat: list[int] = []
        try:
            for node in sorted(victims, key=self.nodes.__getitem__):
                uids, violations = victims[node]
                flat += (len(uids), violations, *(self.uids[uid] for uid in uids))
        except KeyError as missing:
            raise UnknownPartError(f"no request with a victim of UID {missing.args[0]!r}") from None
        return np.array(flat, dtype="<i8").tobytes()
