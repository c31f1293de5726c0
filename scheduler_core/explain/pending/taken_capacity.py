"""Who took the room on some nodes: placements since a moment, by owner and priority, with sums that add up."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from scheduler_core.explain.outcomes.objects import RunObjects, counted
from scheduler_core.explain.pending.model import Taken, Taker
from scheduler_core.recording.state import Placement, RunState

Sums = dict[str, int]


def taken_capacity(before: RunState, now: RunState, objects: RunObjects, nodes: Collection[str]) -> Taken:
    """Placements on the nodes that ``now`` has and ``before`` had not, grouped; ``objects`` as of ``now``.

    A pod that came and left in between is in neither state and is not counted. The largest group comes first, by the
    resources of the nodes that it requests the largest share of.
    """
    names = set(nodes)
    old, new = _on(before.placements, names), _on(now.placements, names)
    came = {key: place for key, place in new.items() if key not in old or _moved(old[key], place)}
    left = [key for key, place in old.items() if key not in new or _moved(place, new[key])]
    allocatable = _whole(objects, names)
    return Taken(
        nodes=tuple(sorted(names)),
        since_seq=before.seq,
        seq=now.seq,
        takers=_takers(came, objects, allocatable),
        before=_requested(old, objects),
        left=_requested(left, objects),
        now=_requested(new, objects),
        allocatable=allocatable,
        gone=tuple(sorted(left)),
    )


def _on(placements: Mapping[str, Placement], nodes: set[str]) -> dict[str, Placement]:
    return {key: place for key, place in placements.items() if place.node in nodes}


def _moved(one: Placement, other: Placement) -> bool:
    """Whether two placements of a pod differ: another node, or the same node but placed again."""
    return one.node != other.node or one.cycle != other.cycle


def _takers(came: Mapping[str, Placement], objects: RunObjects, whole: Sums) -> tuple[Taker, ...]:
    groups: dict[tuple[str, int], list[str]] = {}
    for key in came:
        pod = objects.pods.get(key)
        owner = objects.owner(pod) if pod is not None else None
        name = f"{owner.namespace}/{owner.title}" if owner is not None else key
        groups.setdefault((name, pod.priority if pod is not None else 0), []).append(key)
    takers = [
        Taker(
            owner=owner,
            priority=priority,
            pods=tuple(sorted(keys)),
            requested=_requested(keys, objects),
            cycles=tuple(sorted({came[key].cycle for key in keys})),
        )
        for (owner, priority), keys in groups.items()
    ]
    return tuple(sorted(takers, key=lambda one: (-_share(one.requested, whole), one.owner, -one.priority)))


def _share(requested: Sums, whole: Sums) -> float:
    return max((value / whole[name] for name, value in requested.items() if whole.get(name)), default=0.0)


def _requested(keys: Collection[str], objects: RunObjects) -> Sums:
    sums: Sums = {}
    for key in keys:
        for name, value in counted(objects.requests(objects.pods.get(key))):
            sums[name] = sums.get(name, 0) + value
    return sums


def _whole(objects: RunObjects, nodes: set[str]) -> Sums:
    sums: Sums = {}
    for name in nodes:
        for resource, value in objects.allocatable(name).items():
            sums[resource] = sums.get(resource, 0) + value
    return sums
