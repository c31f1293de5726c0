"""How a Deployment that is scaled in the middle of a rollout shares the change among its ReplicaSets
(deployment_util.go GetReplicaSetProportion): by their size, as far as
the annotation of the former size says, the rest to the largest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scheduler_core.api.objects import Workload


def shares(
    sets: Sequence[Workload], order: Mapping[str, int], *, allowed: int, replicas: int, most: int, status_replicas: int
) -> list[tuple[Workload, int]]:
    """The new size of each of the sets that have pods. ``order``: age by key, from the oldest. ``allowed`` are the pods
    of all sets together, ``most`` those that the Deployment of ``replicas`` may have with its surge;
    ``status_replicas``, how many it had, is used where a set does not say how many it was scaled for."""
    to_add = allowed - sum(one.replicas for one in sets)
    newer_first = -1 if to_add > 0 else 1
    ordered = sorted(sets, key=lambda one: (-one.replicas, newer_first * order[one.key]))
    sizes, added = [], 0
    for one in ordered:
        part = 0
        if to_add and one.replicas and to_add != added:
            target, left = _part(one, replicas, most, status_replicas), to_add - added
            part = min(target, left) if to_add > 0 else max(target, left)
        sizes.append(one.replicas + part)
        added += part
    if to_add and sizes:
        sizes[0] = max(0, sizes[0] + to_add - added)
    return list(zip(ordered, sizes, strict=True))


def _part(one: Workload, replicas: int, most: int, status_replicas: int) -> int:
    if not replicas:
        return -one.replicas
    before = one.revision.most if one.revision is not None and one.revision.most > 0 else status_replicas
    if not before:
        return 0
    return _rounded(one.replicas * most, before) - one.replicas


def _rounded(part: int, whole: int) -> int:
    """Half away from zero, of numbers that are not negative."""
    return (2 * part + whole) // (2 * whole)
