"""Changes of a node's manifest by hand, beside those of the table: its zone and its size."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from dashboard.clusters.drafts.node_changes import mapping_in
from dashboard.clusters.revisions.object_rows import ZONE_LABELS
from scheduler_core.api.quantity import parse_quantity

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dashboard.clusters.revisions.object_keys import Raw


def in_zone(raw: Raw, zone: str) -> Raw:
    """Return the node in another zone: by the label of today, and by that of before 1.17 where the node has it."""
    node = copy.deepcopy(raw)
    labels = mapping_in(mapping_in(node, "metadata"), "labels")
    newer, older = ZONE_LABELS
    labels[newer] = zone
    if older in labels:
        labels[older] = zone
    return node


def resized(raw: Raw, amounts: Mapping[str, str]) -> Raw:
    """Return the node with other allocatable amounts; a capacity that is smaller than that is raised to it."""
    node = copy.deepcopy(raw)
    status = mapping_in(node, "status")
    allocatable = mapping_in(status, "allocatable")
    capacity = status.get("capacity")
    for name, amount in amounts.items():
        allocatable[name] = amount
        if isinstance(capacity, dict) and (name not in capacity or _is_less(capacity[name], amount)):
            capacity[name] = amount
    return node


def _is_less(one: Any, other: Any) -> bool:
    try:
        return parse_quantity(str(one)) < parse_quantity(str(other))
    except ValueError:
        return False
