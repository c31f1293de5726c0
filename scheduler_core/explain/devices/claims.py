"""The claims of a world: which wait and what is short for them, which have devices and where these can be used."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

from msgspec.structs import replace

from scheduler_core.api.objects import Pod, ResourceClaim
from scheduler_core.controllers.claims import owning_pod
from scheduler_core.explain.devices.cells import natural, places_text
from scheduler_core.explain.devices.funnel import (
    BESIDE,
    OneRequest,
    RequestEverywhere,
    beside_others,
    requests_of,
    short_in_words,
)
from scheduler_core.explain.devices.model import ClaimRow, ClaimState, Funnel
from scheduler_core.explain.devices.words import spec_in_words
from scheduler_core.explain.devices.world import DeviceWorld
from scheduler_core.explain.outcomes.texts import plural

_ORDER: dict[ClaimState, int] = {"waits": 0, "leaving": 1, "allocated": 2, "idle": 3}
TOGETHER = "no node has all its requests together"


class Lack(NamedTuple):
    """What is short for a claim without devices; ``is_hopeless``: something that it names is not there."""

    says: str
    is_hopeless: bool = False


class ClaimList:
    """What is said of the claims of a world; equal requests are looked at once."""

    def __init__(self, world: DeviceWorld) -> None:
        self.world = world
        self._everywhere: dict[tuple[bytes, str], RequestEverywhere] = {}
        self._lacks: dict[bytes, Lack] = {}
        self._nodes: dict[bytes, list[str]] = {}

    def state(self, claim: ResourceClaim) -> ClaimState:
        """Where the claim stands."""
        if claim.deletion_timestamp is not None:
            return "leaving"
        if claim.allocation is not None:
            return "allocated"
        return "waits" if self.waiting_pods(claim) else "idle"

    def waiting_pods(self, claim: ResourceClaim) -> list[Pod]:
        """The pods without a node that use the claim."""
        return [pod for pod in self.world.users.get(claim.key, ()) if not pod.node_name]

    @cached_property
    def rows(self) -> list[ClaimRow]:
        """All claims, those that wait first, by name as people count."""
        rows = [self.row(claim) for claim in self.world.claims.values()]
        return sorted(rows, key=lambda row: (_ORDER[row.state], row.is_hopeless, natural(row.key)))

    def row(self, claim: ResourceClaim) -> ClaimRow:
        """One claim."""
        state = self.state(claim)
        node = places_text(claim.allocation.node_selector) if claim.allocation is not None else ""
        lack = Lack(spec_in_words(claim.spec))
        if state == "waits":
            lack = self.lack(claim)
        elif state == "idle":
            lack = Lack("no pod uses it")
        return ClaimRow(
            key=claim.key, label=self.label(claim), state=state, says=lack.says, node=node, is_hopeless=lack.is_hopeless
        )

    def label(self, claim: ResourceClaim) -> str:
        """What people call the claim: by the pod that it was made for, with the entry where the pod has several."""
        owner = owning_pod(claim)
        if owner is None:
            return claim.name
        pod = self.world.pods.get(f"{claim.namespace}/{owner.name}")
        entries = () if pod is None else pod.resource_claims
        entry = next((one.name for one in entries if one.generated == claim.name), "")
        return f"{owner.name}/{entry}" if entry and len(entries) > 1 else owner.name

    def rows_with(self, text: str) -> Iterable[ClaimRow]:
        """The rows with a text in the names of the claim, its nodes or the pods that use it."""
        part = text.casefold()
        for row in self.rows:
            pods = (pod.key for pod in self.world.users.get(row.key, ()))
            if any(part in name.casefold() for name in (row.key, row.node, *pods)):
                yield row

    # --- what is short ----------------------------------------------------------------------------------------------
    def lack(self, claim: ResourceClaim) -> Lack:
        """What is short for a claim that has no devices."""
        shape = self.world.shape(claim)
        if shape not in self._lacks:
            self._lacks[shape] = self._lack(claim)
        return self._lacks[shape]

    def _lack(self, claim: ResourceClaim) -> Lack:
        missing = self.missing_classes(claim)
        if missing:
            return Lack(f"class {missing[0]} does not exist", is_hopeless=True)
        short = self._short(claim)
        if short is not None:
            return Lack(short)
        nodes = self.nodes(claim)
        if nodes:
            return Lack(f"would get devices on {plural(len(nodes), 'node')}")
        errors = (answer.status.message for _, answer in self.world.answers(claim) if not answer.status.is_rejected)
        return Lack(next(errors, TOGETHER))

    def missing_classes(self, claim: ResourceClaim) -> list[str]:
        """The device classes of its requests that are not there."""
        names = dict.fromkeys(one.request.class_name for one in requests_of(claim))
        return [name for name in names if name not in self.world.classes]

    def _short(self, claim: ResourceClaim) -> str | None:
        """What the first request lacks of which every alternative falls short; None where there is none."""
        by_request: dict[int, list[tuple[OneRequest, Funnel]]] = {}
        for one, funnel in zip(requests_of(claim), self.funnels(claim), strict=True):
            by_request.setdefault(one.r, []).append((one, funnel))
        short = [min(several, key=lambda pair: pair[1].short) for several in by_request.values()
                 if all(funnel.short for _, funnel in several)]  # fmt: skip
        if not short:
            return None
        # By itself, first a request without any device; beside the others, the one with most nodes to look at.
        is_beside = any(pair[1].stages[-1].says == BESIDE for pair in short)
        one, funnel = min(short, key=lambda pair: ((not pair[1].nearest) == is_beside, -len(pair[1].nearest)))
        return short_in_words(funnel, one.request)

    def nodes(self, claim: ResourceClaim) -> list[str]:
        """The nodes on which the allocator gives a claim without devices some; it is asked where each request has
        enough by itself, in one of its alternatives."""
        shape = self.world.shape(claim)
        if shape not in self._nodes:
            by_request: dict[int, list[RequestEverywhere]] = {}
            for one in self.everywhere(claim) if not self.missing_classes(claim) else ():
                by_request.setdefault(one.one.r, []).append(one)
            several = list(by_request.values())
            names = [n for n in self.world.nodes if all(any(one.suffices(n) for one in each) for each in several)]
            self._nodes[shape] = self.world.nodes_for(claim, names=names) if several else []
        return self._nodes[shape]

    def everywhere(self, claim: ResourceClaim) -> list[RequestEverywhere]:
        """Each request of the claim, and each alternative, on all nodes."""
        shape, several = self.world.shape(claim), []
        for one in requests_of(claim):
            if (shape, one.name) not in self._everywhere:
                self._everywhere[shape, one.name] = RequestEverywhere(self.world, one)
            several.append(self._everywhere[shape, one.name])
        return several

    def funnels(self, claim: ResourceClaim) -> tuple[Funnel, ...]:
        """What each test leaves, by request; where each has enough on some node, also where the others have it too."""
        everywhere = self.everywhere(claim)
        made = [replace(one.funnel(), claim=claim.key) for one in everywhere]
        has_alternatives = any(request.alternatives for request in claim.spec.requests)
        if len(made) == 1 or has_alternatives or any(funnel.short for funnel in made):
            return tuple(made)
        enough = [{node for node in one.usable if one.suffices(node)} for one in everywhere]
        return tuple(
            beside_others(one, funnel, set.intersection(*(nodes for j, nodes in enumerate(enough) if j != i)))
            for i, (one, funnel) in enumerate(zip(everywhere, made, strict=True))
        )
