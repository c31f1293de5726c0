"""The pods of one group, as the texts about it need them."""

from __future__ import annotations

import msgspec

from scheduler_core.explain.outcomes.model import Part, Scarce
from scheduler_core.explain.outcomes.nodes import Mask, Where
from scheduler_core.explain.outcomes.objects import Requests
from scheduler_core.explain.outcomes.reasons import Reason
from scheduler_core.explain.outcomes.records import PodRecord


class Members(msgspec.Struct):
    """The pods of one group in order of arrival; ``mask`` bool[n] are the nodes that the selectors of any allow."""

    reason: Reason
    where: Where
    mask: Mask
    records: list[PodRecord]
    requests: list[Requests]

    @property
    def latest(self) -> PodRecord:
        """The pod that was tried last."""
        return max(self.records, key=lambda one: one.cycle)

    @property
    def smallest(self) -> Requests:
        """For each resource that all of the pods request, the smallest request."""
        least = dict(self.requests[0])
        for requests in self.requests[1:]:
            asked = dict(requests)
            least = {name: min(value, asked[name]) for name, value in least.items() if name in asked}
        return tuple(sorted(least.items()))


class Text(msgspec.Struct, frozen=True):
    """The texts about a group."""

    title: str
    evidence: tuple[Part, ...] = ()
    scarce: Scarce | None = None
    hopeless: bool = False
    too_large: str = ""
