"""Which pods of a ReplicaSet or Job go first (controller_utils.go ActivePodsWithRanks)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cmp_to_key, lru_cache
from heapq import nsmallest
from math import log2

from scheduler_core.controllers.rollouts.pods_seen import SeenPod

DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"
_INT32 = 1 << 31


def victims(pods: Sequence[SeenPod], count: int, now: int, related: Mapping[str, int] | None = None) -> list[SeenPod]:
    """The ``count`` pods that go first. ``related``: active pods of all sets of the Deployment by node; more of them on
    a pod's node let it go earlier. Cost: O(pods), as few are asked for at a time."""
    if count >= len(pods):
        return list(pods)
    on_nodes = related or {}
    keys = [
        (
            bool(one.pod.node_name),
            one.ready is not None,
            _cost(one),
            -on_nodes.get(one.pod.node_name, 0),
            0 if one.ready is None else _age_rank(now - one.ready),
        )
        for one in pods
    ]
    last = nsmallest(count, keys)[-1]
    first = [one for one, key in zip(pods, keys, strict=True) if key < last]
    alike = [one for one, key in zip(pods, keys, strict=True) if key == last]

    def earlier(a: SeenPod, b: SeenPod) -> int:
        if a.ready != b.ready:
            return _by_uid(a, b)
        if a.made != b.made:
            return (_age_rank(now - a.made) - _age_rank(now - b.made)) or _by_uid(a, b)
        return 0

    return [*first, *nsmallest(count - len(first), alike, key=cmp_to_key(earlier))]


def _cost(one: SeenPod) -> int:
    """The annotated deletion cost, 0 where it is none that the API server takes (a sign + or leading zeros)."""
    text = one.pod.annotations.get(DELETION_COST, "")
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()) or len(digits) > len(str(_INT32)):
        return 0
    value = int(text)
    return value if str(value) == text and -_INT32 <= value < _INT32 else 0


@lru_cache(1_024)
def _age_rank(age_us: int) -> int:
    """The whole logarithm of an age in nanoseconds: pods of equal ones are as old as each other."""
    return int(log2(age_us * 1_000)) if age_us > 0 else -1


def _by_uid(a: SeenPod, b: SeenPod) -> int:
    return -1 if a.pod.uid < b.pod.uid else 1
