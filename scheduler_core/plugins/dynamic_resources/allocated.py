"""Which devices claims have: from scratch, and followed from change to change.

Idea. A claim changes with each pod that is bound, and concerns the devices of one node mostly. So what claims have is
kept, with a count of holders by device, and only claims that changed are looked at again: those named by the log of
claims, and those that are in flight (reserved, not written yet). ``pool_log`` names each pool one of whose devices was
taken or given back since, so that one knows of an answer about a pool whether it still holds.

Invariant, after ``follow``: ``devices`` and ``capacity`` say what ``AllocatedDevices.of`` says of all claims and those
in flight; where they said anything else of a device before, its pool was added to ``pool_log``. A claim that is in
flight and then written changes nothing.

Cost. O(claims that changed and in flight, with their devices).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from scheduler_core.api.devices import Allocation, DeviceResult
from scheduler_core.api.objects import ResourceClaim
from scheduler_core.columns.cluster import Listers
from scheduler_core.controllers.claims import owning_pod
from scheduler_core.plugins.dynamic_resources.capacity import Amounts, add_to
from scheduler_core.plugins.dynamic_resources.pools import DeviceKey, PoolKey
from scheduler_core.plugins.dynamic_resources.requests import Allocated
from scheduler_core.versions.behaviours import Behaviours

Holder = tuple[bool, str]
"""(whether it is in flight, key of the claim)."""


class AllocatedDevices:
    """``devices`` are those that one claim has to itself; ``capacity`` is what is used of shared ones. ``made_for`` has
    the keys of claims for extended resources by the uid of their pod."""

    def __init__(self, behaviours: Behaviours) -> None:
        self.devices: dict[DeviceKey, int] = {}
        self.capacity: dict[DeviceKey, Amounts] = {}
        self.pool_log: list[PoolKey] = []
        self.made_for: dict[str, dict[str, None]] = {}
        self._pod_of: dict[str, str] = {}
        self.now = Allocated(self.devices, self.capacity)
        """The same as a search takes it; it changes with them."""
        self._shares = behaviours.device_capacity
        self._noted: dict[Holder, Allocation] = {}
        self._sharing: dict[DeviceKey, dict[tuple[Holder, int], Mapping[str, str]]] = {}
        self._flying: list[str] = []
        self._position = 0

    @classmethod
    def of(
        cls, claims: Iterable[ResourceClaim], in_flight: Mapping[str, Allocation], behaviours: Behaviours
    ) -> AllocatedDevices:
        """What these claims have. Devices for administrators stay free for others."""
        made = cls(behaviours)
        for claim in claims:
            made._note_owner(claim.key, claim)
            if claim.allocation is not None:
                made._add((False, claim.key), claim.allocation)
        for key, allocation in in_flight.items():
            made._add((True, key), allocation)
        for device in made._sharing:
            made._sum(device)
        return made

    def follow(self, listers: Listers, in_flight: Mapping[str, Allocation]) -> None:
        """Take over what changed since the last call."""
        changed = {(False, key) for key in listers.claim_log[self._position :]}
        for _, key in changed:
            self._note_owner(key, listers.resource_claims.get(key))
        self._position = len(listers.claim_log)
        changed |= {(True, key) for key in (*self._flying, *in_flight)}
        self._flying = list(in_flight)
        touched: dict[DeviceKey, None] = {}
        moves = []
        for holder in changed:
            before, now = self._noted.get(holder), _held(holder, listers, in_flight)
            if before is not now:
                moves.append((holder, before, now))
                touched.update((device.device_key, None) for one in (before, now) for device in _devices(one))
        states = {device: (device in self.devices, self.capacity.get(device)) for device in touched}
        for holder, before, now in moves:
            self._drop(holder, before)
            if now is not None:
                self._add(holder, now)
        for device, state in states.items():
            self._sum(device)
            if state != (device in self.devices, self.capacity.get(device)):
                self.pool_log.append(device[:2])

    def _note_owner(self, key: str, claim: ResourceClaim | None) -> None:
        owner = owning_pod(claim) if claim is not None and claim.for_extended_resources else None
        uid, before = None if owner is None else owner.uid, self._pod_of.pop(key, None)
        if before is not None and before != uid:
            del self.made_for[before][key]
        if uid is not None:
            self._pod_of[key] = uid
            self.made_for.setdefault(uid, {})[key] = None

    def _is_shared(self, device: DeviceResult) -> bool:
        return bool(device.share_id) and self._shares

    def _add(self, holder: Holder, allocation: Allocation) -> None:
        self._noted[holder] = allocation
        for i, device in enumerate(_devices(allocation)):
            key = device.device_key
            if self._is_shared(device):
                self._sharing.setdefault(key, {})[holder, i] = device.consumed
            else:
                self.devices[key] = self.devices.get(key, 0) + 1

    def _drop(self, holder: Holder, allocation: Allocation | None) -> None:
        self._noted.pop(holder, None)
        for i, device in enumerate(_devices(allocation)):
            key = device.device_key
            if self._is_shared(device):
                del self._sharing[key][holder, i]
            elif self.devices[key] == 1:
                del self.devices[key]
            else:
                self.devices[key] -= 1

    def _sum(self, device: DeviceKey) -> None:
        """Add up again what is used of a shared device; one that nobody uses is not there."""
        if not self._sharing.get(device):
            self._sharing.pop(device, None)
            self.capacity.pop(device, None)
            return
        sums: Amounts = {}
        for consumed in self._sharing[device].values():
            add_to(sums, consumed)
        self.capacity[device] = sums


def _held(holder: Holder, listers: Listers, in_flight: Mapping[str, Allocation]) -> Allocation | None:
    is_in_flight, key = holder
    if is_in_flight:
        return in_flight.get(key)
    claim = listers.resource_claims.get(key)
    return None if claim is None else claim.allocation


def _devices(allocation: Allocation | None) -> Iterator[DeviceResult]:
    """Those that nobody else can have, or share."""
    return (device for device in (() if allocation is None else allocation.devices) if not device.admin_access)
