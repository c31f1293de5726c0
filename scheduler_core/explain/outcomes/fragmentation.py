"""Fragmentation: how much of the scarcest resource is free, on which nodes, and for how many of the pending pods."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from scheduler_core.api.resources import PODS
from scheduler_core.explain.outcomes.members import Members
from scheduler_core.explain.outcomes.model import PENDING, Fragmentation, Room
from scheduler_core.explain.outcomes.nodes import Mask, NodeColumns, node_choice
from scheduler_core.explain.outcomes.objects import Requests
from scheduler_core.explain.outcomes.tally import OutcomesTally

MOST_ROOMS = 8
ZONES = ("topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone")


def fragmentation(
    tally: OutcomesTally, columns: NodeColumns, groups: Sequence[Members], resources: Sequence[str]
) -> Fragmentation | None:
    """The room that is left of the resource that most pending pods lack, else of the one with the largest share."""
    pending = [members for members in groups if members.reason.kind == PENDING]
    resource = _scarcest(columns, pending, resources)
    if resource is None:
        return None
    unit = _commonest(_asked(groups, resource))
    label = _label(tally, columns, pending) or _label(tally, columns, groups) or _zone(columns)
    rooms = _rooms(columns, resource, unit, label, _allowed(tally, columns, pending))
    return Fragmentation(resource=resource, unit=unit, label=label, rooms=rooms)


def _scarcest(columns: NodeColumns, pending: Sequence[Members], resources: Sequence[str]) -> str | None:
    lacked: Counter[str] = Counter()
    for members in pending:
        if members.reason.sort in ("room", "size") and members.reason.what and members.reason.what[0] != PODS:
            lacked[members.reason.what[0]] += len(members.records)
    if lacked:
        return min(lacked, key=lambda name: (-lacked[name], name))
    shares = {name: _share(columns, name) for name in resources}
    return max(shares, key=lambda name: (shares[name], name), default=None)


def _share(columns: NodeColumns, resource: str) -> float:
    whole = float(np.sum(columns.allocatable(resource), dtype=np.float64))
    return float(np.sum(columns.used(resource), dtype=np.float64)) / whole if whole else -1.0


def _asked(groups: Iterable[Members], resource: str) -> list[int]:
    of_one: dict[Requests, int] = {}
    asked = []
    for members in groups:
        for requests in members.requests:
            value = of_one.setdefault(requests, dict(requests).get(resource, 0))
            if value:
                asked.append(value)
    return asked


def _commonest(values: Sequence[int]) -> int:
    counts = Counter(values)
    return min(counts, key=lambda value: (-counts[value], value)) if counts else 1


def _label(tally: OutcomesTally, columns: NodeColumns, groups: Iterable[Members]) -> str:
    """The label that most of the pods select nodes by and that has values to tell nodes apart by, "" for none."""
    counts: Counter[str] = Counter()
    for members in groups:
        for record in members.records:
            pod = tally.objects.pods.get(record.pod)
            if pod is not None and (pod.node_selector or pod.affinity is not None):
                counts[node_choice(pod).label] += 1
    telling = {label: n for label, n in counts.items() if label and any(columns.labels(label))}
    return min(telling, key=lambda label: (-telling[label], label)) if telling else ""


def _zone(columns: NodeColumns) -> str:
    return next((label for label in ZONES if len(set(columns.labels(label))) > 1), "")


def _allowed(tally: OutcomesTally, columns: NodeColumns, pending: Iterable[Members]) -> list[tuple[Mask, int]]:
    """(nodes that they allow, how many pods), pods of equal selectors together."""
    masks: dict[int, tuple[Mask, int]] = {}
    for members in pending:
        for record in members.records:
            pod = tally.objects.pods.get(record.pod)
            _, mask = columns.allowed(pod)
            masks[id(mask)] = mask, masks.get(id(mask), (mask, 0))[1] + 1
    return list(masks.values())


def _rooms(
    columns: NodeColumns, resource: str, unit: int, label: str, allowed: Sequence[tuple[Mask, int]]
) -> list[Room]:
    values = np.array(columns.labels(label) if label else [""] * len(columns), dtype=np.str_)
    has = columns.allocatable(resource) > 0
    rooms = [_room(columns, resource, unit, str(value), has & (values == value)) for value in np.unique(values[has])]
    rooms.sort(key=lambda room: (-room[0].free, room[0].name))
    if len(rooms) > MOST_ROOMS:
        rest: Mask = np.logical_or.reduce([mask for _, mask in rooms[MOST_ROOMS - 1 :]])
        name = f"{len(rooms) - MOST_ROOMS + 1} others"
        rooms = [*rooms[: MOST_ROOMS - 1], _room(columns, resource, unit, name, rest)]
    return [
        Room(room.name, room.free, room.fitting, room.nodes, sum(n for other, n in allowed if (other & mask).any()))
        for room, mask in rooms
    ]


def _room(columns: NodeColumns, resource: str, unit: int, name: str, mask: Mask) -> tuple[Room, Mask]:
    free = columns.free(resource)[mask]
    return Room(name, int(np.maximum(free, 0).sum()), int((free >= unit).sum()), int(mask.sum()), 0), mask
