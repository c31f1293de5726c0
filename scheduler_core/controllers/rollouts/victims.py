"""Which pods of a ReplicaSet or Job go first (controller_utils.go ActivePodsWithRanks)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cmp_to_key
from math import log2

from scheduler_core.controllers.rollouts.pods_seen import SeenPod

DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"
_INT32 = 1 << 31


def victims(pods: Sequence[SeenPod], count: int, now: int, related: Iterable[SeenPod] = ()) -> list[SeenPod]:
    """The ``count`` pods that go first. ``related``: active pods of all sets of the Deployment; more of them on a pod's
    node let it go earlier."""
    if count >= len(pods):
        return list(pods)
    on_nodes = Counter(one.pod.node_name for one in related)

    def earlier(a: SeenPod, b: SeenPod) -> int:
        for rank in (_assigned, _ready, _cost):
            if (difference := rank(a) - rank(b)) != 0:
                return difference
        if (difference := on_nodes[b.pod.node_name] - on_nodes[a.pod.node_name]) != 0:
            return difference
        if a.ready is not None and b.ready is not None and a.ready != b.ready:
            return _younger(a.ready, b.ready, now) or _by_uid(a, b)
        if a.made != b.made:
            return _younger(a.made, b.made, now) or _by_uid(a, b)
        return 0

    return sorted(pods, key=cmp_to_key(earlier))[:count]


def _assigned(one: SeenPod) -> int:
    return bool(one.pod.node_name)


def _ready(one: SeenPod) -> int:
    return one.is_ready


def _cost(one: SeenPod) -> int:
    """The annotated deletion cost, 0 where it is none that the API server takes (a sign + or leading zeros)."""
    text = one.pod.annotations.get(DELETION_COST, "")
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()) or len(digits) > len(str(_INT32)):
        return 0
    value = int(text)
    return value if str(value) == text and -_INT32 <= value < _INT32 else 0


def _younger(a: int, b: int, now: int) -> int:
    """Negative where ``a`` is younger by a whole power of two (logarithmicRankDiff, in nanoseconds)."""
    return _age_rank(now - a) - _age_rank(now - b)


def _age_rank(age_us: int) -> int:
    return int(log2(age_us * 1_000)) if age_us > 0 else -1


def _by_uid(a: SeenPod, b: SeenPod) -> int:
    return -1 if a.pod.uid < b.pod.uid else 1
