"""How large a change is that removes an obstacle, by its fact, and which requests are too large for any node."""

from __future__ import annotations

from scheduler_core.explain.diagnosis.model import ObstacleKey
from scheduler_core.explain.diagnosis.table import ObstacleTable
from scheduler_core.framework.contracts.facts import DeviceFact, ResourceFact, SpreadFact

ROOM_CODES = frozenset((
    "SHORT_CPU", "SHORT_MEMORY", "SHORT_EPHEMERAL", "SHORT_RESOURCE", "SHORT_PODS", "TOO_LARGE",
))  # fmt: skip


def change_size(fact: object) -> float:
    """The size of the change that removes the obstacle, as remedies are sized (explain/remedies)."""
    if isinstance(fact, ResourceFact):
        return fact.missing / fact.allocatable if fact.allocatable else 1.0
    if isinstance(fact, DeviceFact):
        return _size_of_devices(fact)
    if isinstance(fact, SpreadFact) and fact.domain is not None:
        return (fact.skew - fact.max_skew) / fact.skew if fact.skew > 0 else 1.0
    return 1.0


def _size_of_devices(fact: DeviceFact) -> float:
    """The claims that have to give devices back, at least one; of too many devices the share that is not there."""
    if fact.code == "DEVICE_TOO_MANY" and fact.asked:
        return max(1, fact.asked - fact.counts.matching) / fact.asked if fact.request else 0.5
    short, n_claims = fact.asked - fact.counts.free, 0
    for one in sorted(fact.counts.held, key=lambda held: -len(held.devices)):
        if short > 0:
            short, n_claims = short - len(one.devices), n_claims + 1
    return float(max(1, n_claims)) if fact.code == "DEVICE_IN_USE" else 1.0


def name_too_large(table: ObstacleTable) -> None:
    """Where a request is larger than what any node has in all that is short of room alone, it is too large there, and
    not only too large for what is left."""
    resources = {key for on_row in table.by_row.values() for key in on_row if key.code in ROOM_CODES}
    otherwise_open = [
        on_row for on_row in table.by_row.values() if on_row and all(one.code in ROOM_CODES for one in on_row)
    ]
    for key in resources:
        if key.subject == "pods" or not otherwise_open:
            continue
        if not all(key in on_row and _is_too_small(on_row[key].fact) for on_row in otherwise_open):
            continue
        for on_row in table.by_row.values():
            if key in on_row and _is_too_small(on_row[key].fact):
                on_row[ObstacleKey("TOO_LARGE", key.subject)] = on_row.pop(key)


def _is_too_small(fact: object) -> bool:
    return isinstance(fact, ResourceFact) and fact.is_too_small
