"""Facts that follow from resource claims and devices. Claims are namespace/name, devices driver/pool/device."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from scheduler_core.framework.contracts.facts.base import Fact, Facts


class DeviceClaimFact(Fact, frozen=True, kw_only=True):
    """An entry for a resource claim in the pod, and why the pod cannot have the claim (``problem``).

    ``claim``: its claim, "" where none is known. ``class_name``: the device class that is not there. ``where``: labels
    of the nodes, or the node, on which the devices that the claim has can be used; ``holders``: who reserved them.
    """

    code: str = "CLAIM_NOT_ALLOCATED"
    entry: str
    problem: str
    claim: str = ""
    class_name: str = ""
    where: Mapping[str, str] = {}
    holders: tuple[str, ...] = ()

    @property
    def subject(self) -> str:
        """The pod's entry."""
        return self.entry

    @property
    def needs(self) -> dict[str, str]:
        """The class that is not there; the nodes that the claim's devices are for."""
        return {"deviceClassName": self.class_name} if self.class_name else dict(self.where)


class HeldDevices(msgspec.Struct, frozen=True):
    """Devices that a claim has, by name, and the pods that reserved it."""

    claim: str
    devices: tuple[str, ...]
    pods: tuple[str, ...] = ()


class DeviceCounts(msgspec.Struct, frozen=True, kw_only=True):
    """The devices of one request within reach of a node: those of its class, those that match its selectors too, and of
    these the free, the tainted and the held ones.

    ``together``: the most free ones that a constraint takes beside each other, None without a constraint on them.
    ``short``: free ones for which too little is left of counters or of their capacity.
    """

    of_class: int = 0
    matching: int = 0
    free: int = 0
    tainted: int = 0
    short: int = 0
    together: int | None = None
    held: tuple[HeldDevices, ...] = ()


class DeviceFact(Fact, frozen=True, kw_only=True):
    """A request of a claim that gets nothing on a node, and for which reason.

    ``claim``, ``request``: which one; ``classes`` and ``selectors`` (CEL) as asked for, of all alternatives.
    ``asked``: how many devices, 0 for all. Of a constraint: ``attribute``, ``is_distinct``, and ``request`` "". Of a
    taint: ``taint`` as key=value:effect. Of capacity: ``amounts`` asked for, and the most of each that one device has
    ``left``. Of a pool: ``pool`` (driver/pool) with the slices that are there and those that it has. Of a selector that
    fails: ``device`` and ``problem``. ``fault``: a fault of kube-scheduler that is followed and leads here.
    """

    entry: str
    claim: str
    request: str = ""
    classes: tuple[str, ...] = ()
    selectors: tuple[str, ...] = ()
    asked: int = 1
    counts: DeviceCounts = DeviceCounts()
    attribute: str = ""
    is_distinct: bool = False
    taint: str = ""
    amounts: Mapping[str, str] = {}
    left: Mapping[str, str] = {}
    pool: str = ""
    n_slices: int = 0
    of_slices: int = 0
    device: str = ""
    problem: str = ""
    fault: str = ""
    ends_attempt: bool = False
    """Whether kube-scheduler gives up on all nodes for it."""
    others: tuple[tuple[DeviceFact, ...], ...] = ()
    """Other facts of the node, each several of which would have to go in the place of all that are given."""

    @property
    def instead(self) -> tuple[Facts, ...]:
        """The others."""
        return self.others

    @property
    def subject(self) -> str:
        """The pod's entry with the request in its claim; the attribute of a constraint."""
        if self.attribute:
            return f"{self.entry}/{self.attribute}"
        return "/".join(filter(None, (self.entry, self.request)))

    @property
    def needs(self) -> dict[str, str]:
        """What would have to be there: devices of a class, a toleration, one value of an attribute."""
        if self.attribute:
            return {"distinctAttribute" if self.is_distinct else "matchAttribute": self.attribute}
        needs = {"deviceClassName": " or ".join(self.classes), "count": str(self.asked) if self.asked else "All"}
        needs |= {"toleration": self.taint} if self.taint else {}
        return needs | {f"capacity {name}": amount for name, amount in self.amounts.items()}


class DeviceGivenFact(Fact, frozen=True, kw_only=True):
    """A claim that the pod can use on the node, with the devices that it has or would get there."""

    entry: str
    claim: str
    devices: tuple[str, ...]
    is_allocated: bool = False

    @property
    def subject(self) -> str:
        """The pod's entry."""
        return self.entry


class DeviceRankFact(Fact, frozen=True, kw_only=True):
    """The alternative that a request has, or gets on the node: its place from 1 on, and the points for it."""

    claim: str
    request: str
    alternative: str
    place: int
    points: int
