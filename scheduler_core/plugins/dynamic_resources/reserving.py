"""From Reserve to PreBind: devices set aside for claims, then written into them.

Mirrors SignalClaimPendingAllocation, bindClaim and Unreserve. A claim is in flight between the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from scheduler_core.api.devices import Allocation, Consumer, ServedResource
from scheduler_core.api.objects import Node, Pod, ResourceClaim
from scheduler_core.controllers.claims import MOST_CONSUMERS, is_reserved_for, without_reservation
from scheduler_core.framework.contracts.handle import Handle
from scheduler_core.framework.contracts.status import SUCCESS, Code, Status, error
from scheduler_core.plugins.dynamic_resources.claims import failure, is_ready
from scheduler_core.plugins.dynamic_resources.extended import claim_of
from scheduler_core.plugins.dynamic_resources.work import ClaimWork

TIMED_OUT = "device binding timeout: context deadline exceeded"
POLL_US = 5_000_000
WAITS = Status(Code.WAIT)
_NOT_THERE = "claim allocation not found for node"


class PodReservation(msgspec.Struct, kw_only=True):
    """What a pod on its way to a node waits to write: JSON-ready.

    ``keys`` are its claims; ``to_write`` those that are not reserved for it, each with what it gets (None: it has its
    devices). ``extended`` is the claim for extended resources, with what it gets and what its requests are for;
    ``made`` is that claim's key once it was written; ``deadline`` is when binding stops to wait for drivers, -1 while
    nothing is written (microseconds).
    """

    keys: list[str]
    to_write: list[tuple[str, Allocation | None]]
    extended: ResourceClaim | None = None
    extended_gets: Allocation | None = None
    mappings: tuple[ServedResource, ...] = ()
    made: str = ""
    deadline: int = -1


class Reservations:
    """The profile's pods on their way to a node (``of_pods``, by key). What their claims will have is in flight, which
    all profiles see; ``generation`` counts changes of both."""

    def __init__(self, handle: Handle, binding_us: int) -> None:
        self._binding_us = binding_us
        self._handle = handle
        self._flying = handle.run.claims_in_flight
        self.of_pods: dict[str, PodReservation] = {}
        self._n_made = 0

    @property
    def in_flight(self) -> Mapping[str, Allocation]:
        """What claims in flight will have, by key."""
        return self._flying.allocations

    @property
    def generation(self) -> int:
        """Changes with what is in flight."""
        return self._flying.generation

    def is_in_flight(self, key: str) -> bool:
        """Whether the claim of this key waits to be written."""
        return key in self._flying.allocations

    def claims_in_flight(self) -> list[ResourceClaim]:
        """The claims in flight as they will be, by name alone."""
        names = ((key.split("/", 1), given) for key, given in self.in_flight.items())
        return [ResourceClaim(name=name[1], namespace=name[0], allocation=given) for name, given in names]

    def dump(self) -> Any:
        """JSON-ready; None where nothing was ever reserved."""
        if not self.of_pods and not self._n_made:
            return None
        return {
            "allocations": {key: msgspec.to_builtins(one) for key, one in self.in_flight.items()},
            "pods": {key: msgspec.to_builtins(one) for key, one in self.of_pods.items()},
            "made": self._n_made,
        }

    def load(self, state: Any) -> None:
        """Take back what ``dump`` gave."""
        self._flying.take_over(msgspec.convert(state["allocations"], dict[str, Allocation]))
        self.of_pods = msgspec.convert(state["pods"], dict[str, PodReservation])
        self._n_made = state["made"]

    def reserve(self, work: ClaimWork, node: Node, pod: Pod) -> Status:
        """Set aside what the claims get on the node."""
        answer = work.on(node)
        if not answer.status.is_success:
            return error(_NOT_THERE)
        gets = dict(zip(work.to_allocate, answer.allocations, strict=False))
        reservation = self.of_pods[pod.key] = PodReservation(
            keys=[claim.key for claim in work.claims],
            to_write=[(c.key, gets.get(i)) for i, c in enumerate(work.claims) if not is_reserved_for(c, pod)],
        )
        for i, allocation in gets.items():
            self._flying.set_aside(work.claims[i].key, allocation)
        if answer.extended is not None and answer.extended.spec is not None:
            reservation.extended = claim_of(pod, answer.extended.spec)
            reservation.mappings = answer.extended.mappings
            reservation.extended_gets = answer.allocations[-1]
            self._flying.set_aside(f"{pod.key}/extended", answer.allocations[-1])
        return SUCCESS

    def unreserve(self, pod: Pod) -> None:
        """Forget what was set aside for the pod, and take it out of the claims that it reserved."""
        reservation = self.of_pods.pop(pod.key)
        self._written(reservation, pod)
        claims = self._handle.cluster.listers.resource_claims
        for key in dict.fromkeys(reservation.keys):
            current = claims.get(key)
            if current is not None and current.allocation is not None and is_reserved_for(current, pod):
                self._handle.run.write(without_reservation(current, pod))
        if reservation.made and (made := claims.get(reservation.made)) is not None:
            self._handle.run.delete(made)

    def _written(self, reservation: PodReservation, pod: Pod) -> None:
        """Nothing of the pod is in flight any more."""
        for key, allocation in reservation.to_write:
            if allocation is not None:
                self._flying.give_back(key)
        self._flying.give_back(f"{pod.key}/extended")

    def bind(self, pod: Pod) -> Status:
        """Write each claim, then wait until all devices are ready: asked at once, and every five seconds until the
        time is out. The first failure ends it."""
        reservation = self.of_pods[pod.key]
        now = self._handle.run.now
        if reservation.deadline < 0:
            reservation.deadline = now + self._binding_us
            self._written(reservation, pod)
            if problem := self._write(reservation, pod):
                return error(problem)
        elif now >= reservation.deadline:
            return error(TIMED_OUT)
        status = self._ready([*reservation.keys, *([reservation.made] if reservation.made else [])])
        if status.is_success:
            del self.of_pods[pod.key]
        return status

    def looks_again_at(self, pod: Pod) -> int:
        """When the claims of a pod that waits are looked at again."""
        return min(self._handle.run.now + POLL_US, self.of_pods[pod.key].deadline)

    def _write(self, reservation: PodReservation, pod: Pod) -> str:
        """Write the pod's claims; what is wrong, "" for nothing."""
        for key, allocation in reservation.to_write:
            if problem := self._bind_claim(key, allocation, pod):
                return problem
        if reservation.extended is None:
            return ""
        made = self._make(reservation.extended, pod)
        reservation.made = made.key
        if problem := self._bind_claim(made.key, reservation.extended_gets, pod):
            return problem
        served = reservation.mappings
        if not served:
            return f"nil or empty request mappings, no update of pod {pod.key} ExtendedResourceClaimStatus"
        current = self._handle.run.pods[pod.key]
        self._handle.run.write(msgspec.structs.replace(current, extended_claim=made.name, extended_requests=served))
        return ""

    def _make(self, claim: ResourceClaim, pod: Pod) -> ResourceClaim:
        """The claim for extended resources under a name of its own; names count up in a run."""
        self._n_made += 1
        name = f"{pod.name}-extended-resources-{self._n_made:05}"
        made = msgspec.structs.replace(claim, name=name, uid=f"{claim.namespace}/{name}")
        self._handle.run.write(made)
        return made

    def _bind_claim(self, key: str, allocation: Allocation | None, pod: Pod) -> str:
        """Write allocation and reservation; what is wrong, "" for nothing."""
        current = self._handle.cluster.listers.resource_claims.get(key)
        if current is None:
            name = key.split("/")[1]
            missing = f'resourceclaims.resource.k8s.io "{name}" not found'
            return f"get updated claim {key} after conflict: {missing}"
        if current.deletion_timestamp is not None:
            return f"claim {key} got deleted in the meantime"
        if allocation is not None:
            if current.allocation is not None:
                return f"claim {key} got allocated elsewhere in the meantime"
            current = msgspec.structs.replace(current, allocation=self._stamped(allocation))
        if (n := len(current.reserved_for) + 1) > MOST_CONSUMERS:
            what = "reservation" if allocation is None else "allocation and reservation"
            text = f"status.reservedFor: Too many: {n}: must have at most {MOST_CONSUMERS} items"
            return f'add {what} to claim {key}: ResourceClaim.resource.k8s.io "{current.name}" is invalid: {text}'
        consumer = Consumer(pod.name, pod.uid)
        self._handle.run.write(msgspec.structs.replace(current, reserved_for=(*current.reserved_for, consumer)))
        return ""

    def _stamped(self, allocation: Allocation) -> Allocation:
        """With the moment, where conditions are waited for."""
        if not any(device.binding_conditions for device in allocation.devices):
            return allocation
        return msgspec.structs.replace(
            allocation, allocated_at=self._handle.run.epoch + self._handle.run.now / 1_000_000
        )

    def _ready(self, keys: list[str]) -> Status:
        for key in keys:
            claim = self._handle.cluster.listers.resource_claims.get(key)
            if claim is not None and (problem := failure(claim)):
                return error(problem)
        held = (self._handle.cluster.listers.resource_claims.get(key) for key in keys)
        return SUCCESS if all(claim is None or is_ready(claim) for claim in held) else WAITS
