"""Facts that follow from claims and volumes. Claims are namespace/name."""

from __future__ import annotations

from scheduler_core.framework.contracts.facts.base import Fact
from scheduler_core.framework.contracts.facts.nodes import LabelFact


class ClaimFact(Fact, frozen=True, kw_only=True):
    """A claim of the pod and what it gets on the node.

    ``volume`` is its volume, or the one that it would get; ``provisioned``: one would be made for it there.
    ``problem`` says what is wrong, "" where nothing is. ``requirements``: the volume's node affinity with the node's
    values; one of its terms is enough.
    """

    claim: str
    volume: str = ""
    provisioned: bool = False
    problem: str = ""
    requirements: tuple[LabelFact, ...] = ()

    @property
    def subject(self) -> str:
        """The claim."""
        return self.claim


class VolumeZoneFact(Fact, frozen=True, kw_only=True):
    """The zone or region label of a claim's volume, one of whose values the node must have; ``value`` is the node's."""

    code: str = "VOLUME_TOPOLOGY"
    claim: str
    volume: str
    key: str
    values: tuple[str, ...]
    value: str | None

    @property
    def subject(self) -> str:
        """The claim."""
        return self.claim


class DiskFact(Fact, frozen=True, kw_only=True):
    """A disk of the pod that excludes sharing (``source``: its kind), and who has it on the node, "" if none."""

    code: str = "VOLUME_EXCLUSIVE"
    volume: str
    source: str
    holder: str = ""

    @property
    def subject(self) -> str:
        """The pod's volume."""
        return self.volume


class ClaimInUseFact(Fact, frozen=True, kw_only=True):
    """A ReadWriteOncePod claim of the pod, and the pods anywhere that use it."""

    code: str = "VOLUME_EXCLUSIVE"
    claim: str
    holders: tuple[str, ...] = ()

    @property
    def subject(self) -> str:
        """The claim."""
        return self.claim


class VolumeLimitFact(Fact, frozen=True, kw_only=True):
    """How many volumes a CSI driver has on the node, how many the pod would add, and its limit (None: unknown)."""

    code: str = "VOLUME_LIMIT"
    driver: str
    attached: int
    adds: int
    limit: int | None

    @property
    def subject(self) -> str:
        """The driver."""
        return self.driver
