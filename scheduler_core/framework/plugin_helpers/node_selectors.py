"""Maths and matching that several plugins share; pure functions over objects and node-table columns.

Masks are bool[capacity], indexed by row; rows without a node hold arbitrary values.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from scheduler_core.api.labels import NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.api.objects import Node, OwnerReference, Pod
from scheduler_core.columns.label_column import LabelColumn
from scheduler_core.columns.node_table import NodeTable

Mask = NDArray[np.bool_]
V = TypeVar("V")
FIELD_NAME = "metadata.name"
"""The one field that a node selector may name."""


class GenerationMemo(Generic[V]):
    """Values by key that hold for one generation; cleared when the generation moves on or there are too many."""

    def __init__(self, limit: int = 1024) -> None:
        self._limit = limit
        self._generation: Hashable = None
        self._values: dict[Hashable, V] = {}

    def get(self, generation: Hashable, key: Hashable, make: Callable[[], V]) -> V:
        """The value under the key, computed if it is not known for this generation."""
        if generation != self._generation or len(self._values) >= self._limit:
            self._values.clear()
            self._generation = generation
        value = self._values.get(key)
        if value is None:
            value = self._values[key] = make()
        return value


# --- pods ----------------------------------------------------------------------------------------------------------
def same_pod(one: Pod, other: Pod) -> bool:
    """Whether two objects are versions of one pod (upstream compares UIDs, which files may leave out)."""
    return one.uid == other.uid and one.name == other.name and one.namespace == other.namespace


def controls(pod: Pod, owners: Iterable[OwnerReference]) -> bool:
    """Whether the pod is the controller among an object's owners (metav1.IsControlledBy); files may leave UIDs out."""
    return any(o.controller and (o.uid == pod.uid if o.uid else (o.kind, o.name) == ("Pod", pod.name)) for o in owners)


# --- node selectors and required node affinity ---------------------------------------------------------------------
def matches_required(pod: Pod, node: Node) -> bool:
    """Whether the node fulfils nodeSelector and required node affinity (GetRequiredNodeAffinity(pod).Match)."""
    labels = node.labels
    if any(labels.get(key) != value for key, value in pod.node_selector.items()):
        return False
    required = pod.affinity.node_required if pod.affinity else None
    return required is None or required.matches(node.name, labels)


def required_mask(table: NodeTable, pod: Pod) -> Mask:
    """Rows that fulfil nodeSelector and required node affinity; the vectorised ``matches_required``."""
    mask = np.ones(table.capacity, dtype=bool)
    for key, value in pod.node_selector.items():
        mask &= requirement_mask(table, Requirement(key, "In", (value,)))
    required = pod.affinity.node_required if pod.affinity else None
    return mask if required is None else mask & node_selector_mask(table, required)


def node_selector_mask(table: NodeTable, selector: NodeSelector) -> Mask:
    """Rows that any term matches."""
    mask = np.zeros(table.capacity, dtype=bool)
    for term in selector.terms:
        mask |= term_mask(table, term)
    return mask


def label_values(table: NodeTable, keys: Iterable[str], rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """int64[len(rows), n keys]: ids of the rows' values of these labels, -1 for none; no column without keys."""
    columns = [table.label(key).ids.take(rows) for key in sorted(keys)]
    return np.array(columns or [np.zeros(len(rows), dtype=np.int32)], dtype=np.int64).T


def term_mask(table: NodeTable, term: NodeSelectorTerm) -> Mask:
    """Rows that fulfil all requirements of the term; none for an empty term."""
    if not term.match_expressions and not term.match_fields:
        return np.zeros(table.capacity, dtype=bool)
    mask = np.ones(table.capacity, dtype=bool)
    for requirement in term.match_expressions:
        mask &= requirement_mask(table, requirement)
    for requirement in term.match_fields:
        mask &= _field_mask(table, requirement)
    return mask


def requirement_mask(table: NodeTable, requirement: Requirement) -> Mask:
    """Rows whose label fulfils the requirement, evaluated once per distinct value."""
    column = table.label(requirement.key)
    # the id of a missing label is -1, which picks the last entry
    return _verdict_by_value(column, requirement).take(column.ids)


def _verdict_by_value(column: LabelColumn, requirement: Requirement) -> Mask:
    """bool[len(values) + 1]: the verdict for each value and, last, for a missing label."""
    operator, n = requirement.operator, len(column.values)
    if operator in ("In", "NotIn"):
        verdicts = np.full(n + 1, operator == "NotIn")
        verdicts[[column.index[v] for v in requirement.values if v in column.index]] = operator == "In"
        return verdicts
    if operator in ("Exists", "DoesNotExist"):
        verdicts = np.full(n + 1, operator == "Exists")
        verdicts[-1] = operator != "Exists"
        return verdicts
    return np.array([*map(requirement.holds_for, column.values), requirement.holds_for(None)], dtype=bool)


def _field_mask(table: NodeTable, requirement: Requirement) -> Mask:
    if requirement.key != FIELD_NAME:
        return np.full(table.capacity, requirement.holds_for(None))
    if requirement.operator not in ("In", "NotIn"):
        return np.array([requirement.holds_for(name) for name in table.names], dtype=bool)
    mask = np.full(table.capacity, requirement.operator == "NotIn")
    mask[[table.row_of[name] for name in requirement.values if name in table.row_of]] = requirement.operator == "In"
    return mask
