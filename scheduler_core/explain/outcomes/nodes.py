"""The nodes at the end of the pass as columns: what is free where, which nodes a pod's selectors allow, the balance."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.api.objects import Pod
from scheduler_core.explain.outcomes.tally import OutcomesTally

HOSTNAME = "kubernetes.io/hostname"
Mask = NDArray[np.bool_]
Amounts = NDArray[np.int64]
_encode = msgspec.msgpack.Encoder(order="deterministic").encode
_INT64_MAX = 2**63 - 1


class Where(msgspec.Struct, frozen=True):
    """Nodes that a pod's node selector and required node affinity allow.

    ``label`` and ``values`` name them where one label does ("" otherwise); ``is_own``: they name one node or a few
    by its name, so that pods alike have different ones. ``text`` is the selector as people write it.
    """

    key: str
    label: str = ""
    values: tuple[str, ...] = ()
    is_own: bool = False
    text: str = ""

    @property
    def is_all(self) -> bool:
        """Whether the pod allows every node."""
        return not self.text

    @property
    def name(self) -> str:
        """The values that name the nodes: "T4", "T4 or G2", "" where none do."""
        return " or ".join(self.values) if len(self.values) <= 3 else ""


EVERYWHERE = Where("")


class NodeColumns:
    """Nodes in order of name. ``allocatable(r)``, ``used(r)``, ``free(r)``: int64[n] of a resource, capped at int64."""

    def __init__(self, tally: OutcomesTally) -> None:
        usage = tally.usage
        self.names = sorted(usage.nodes)
        self.objects = [tally.objects.nodes.get(name) for name in self.names]
        self._allocatable = [usage.nodes[name] for name in self.names]
        self._used = [usage.of_node.get(name, {}) for name in self.names]
        self._columns: dict[tuple[str, bool], Amounts] = {}
        self._masks: dict[bytes, tuple[Where, Mask]] = {}
        self.everywhere: Mask = np.ones(len(self.names), dtype=np.bool_)

    def __len__(self) -> int:
        return len(self.names)

    def allocatable(self, resource: str) -> Amounts:
        """What each node has for pods."""
        return self._column(self._allocatable, resource, False)

    def used(self, resource: str) -> Amounts:
        """What is requested of each node."""
        return self._column(self._used, resource, True)

    def free(self, resource: str) -> Amounts:
        """What is left on each node; below 0 where more is placed than fits."""
        return self.allocatable(resource) - self.used(resource)

    def _column(self, rows: list[dict[str, int]], resource: str, is_used: bool) -> Amounts:
        column = self._columns.get((resource, is_used))
        if column is None:
            values = [max(min(row.get(resource, 0), _INT64_MAX), -_INT64_MAX) for row in rows]
            column = self._columns[resource, is_used] = np.array(values, dtype=np.int64)
        return column

    def deviation(self, resource: str) -> float:
        """The standard deviation of the requested share (0..1) over the nodes that have the resource."""
        whole = self.allocatable(resource)
        has = whole > 0
        return float((self.used(resource)[has] / whole[has]).std()) if has.any() else 0.0

    def fits(self, requests: Iterable[tuple[str, int]]) -> Mask:
        """bool[n]: the nodes with so much free of everything."""
        mask: Mask = np.ones(len(self.names), dtype=np.bool_)
        for resource, amount in requests:
            mask &= self.free(resource) >= amount
        return mask

    def labels(self, label: str) -> list[str]:
        """The value of the label on each node, "" where it is absent."""
        return [node.labels.get(label, "") if node is not None else "" for node in self.objects]

    def allowed(self, pod: Pod | None) -> tuple[Where, Mask]:
        """The nodes that the pod's node selector and required node affinity allow, bool[n]; all for an unknown pod."""
        if pod is None or (not pod.node_selector and pod.affinity is None):
            return EVERYWHERE, self.everywhere
        required = pod.affinity.node_required if pod.affinity is not None else None
        key = _encode((pod.node_selector, required))
        masked = self._masks.get(key)
        if masked is None:
            masked = self._masks[key] = node_choice(pod), self._mask(pod)
        return masked

    def _mask(self, pod: Pod) -> Mask:
        selector = pod.node_selector.items()
        required = pod.affinity.node_required if pod.affinity is not None else None
        allowed = [
            node is not None
            and all(node.labels.get(key) == value for key, value in selector)
            and (required is None or required.matches(node.name, node.labels))
            for node in self.objects
        ]
        return np.array(allowed, dtype=np.bool_)


def node_choice(pod: Pod) -> Where:
    """How the nodes are named that the pod allows."""
    terms = pod.affinity.node_required.terms if pod.affinity is not None and pod.affinity.node_required else ()
    expressions = [one for term in terms for one in term.match_expressions]
    fields = [one for term in terms for one in term.match_fields]
    pairs = [f"{key}={value}" for key, value in sorted(pod.node_selector.items())]
    texts = [f"{one.key} {one.operator} {', '.join(one.values)}".strip() for one in (*expressions, *fields)]
    text = ", ".join([*pairs, *texts])
    if fields or HOSTNAME in pod.node_selector or any(one.key == HOSTNAME for one in expressions):
        return Where("own node", is_own=True, text=text)
    if len(pod.node_selector) == 1 and not terms:
        (label, value), *_ = pod.node_selector.items()
        return Where(text, label, (value,), text=text)
    if not pod.node_selector and len(terms) == 1 and len(expressions) == 1 and expressions[0].operator == "In":
        only = expressions[0]
        return Where(text, only.key, tuple(sorted(only.values)), text=text)
    return Where(text, text=text)
