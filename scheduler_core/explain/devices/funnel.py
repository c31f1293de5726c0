"""What each test of the allocator leaves of the devices that a request could have, down to the number that decides.

Idea. A request, or each alternative of one, is looked at alone. The devices of its class are put through the tests in
the allocator's order (``search.py`` of the plugin): pool whole, not in use, selectors, capacity, counters, taints.
What is left is counted by node, and by the values of an attribute that a constraint wants equal; the most on one node
is the number that decides.

Invariant. Each stage counts a part of the stage before it. The request falls short by itself where the last number is
below what it asks for; where none does and still nothing is given, the requests are in each other's way.

Cost. One look at each device of a node for each different request; answers of selectors are kept by the world.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from scheduler_core.api.devices import ALL, DeviceConstraint, DeviceRequest
from scheduler_core.api.objects import Node, ResourceClaim
from scheduler_core.explain.devices.cells import natural, value_text
from scheduler_core.explain.devices.model import Funnel, Stage
from scheduler_core.explain.devices.words import asked_in_words, class_noun, common
from scheduler_core.explain.devices.world import DeviceWorld
from scheduler_core.explain.facts.device_texts import selector_in_words
from scheduler_core.explain.outcomes.texts import listed, plural
from scheduler_core.plugins.dynamic_resources.constraints import MatchAttribute, attribute_of
from scheduler_core.plugins.dynamic_resources.explaining.requested import RequestOnNode
from scheduler_core.plugins.dynamic_resources.pools import DeviceKey, DeviceOnNode

_NAMED = 4
BESIDE = "most where the other requests have enough"
Devices = Mapping[DeviceKey, DeviceOnNode]
Test = Callable[[RequestOnNode, DeviceOnNode], bool]


class OneRequest(NamedTuple):
    """A request or an alternative of one (``name`` is then "request/alternative"), at place ``r`` of its claim."""

    claim: ResourceClaim
    r: int
    request: DeviceRequest
    name: str
    constraints: tuple[DeviceConstraint, ...]


def requests_of(claim: ResourceClaim) -> Iterator[OneRequest]:
    """The requests of a claim, each alternative apart."""
    for r, whole in enumerate(claim.spec.requests):
        for one in whole.alternatives or (whole,):
            parent, alternative = (whole.name, one.name) if whole.alternatives else (whole.name, "")
            under = tuple(
                each
                for each in claim.spec.constraints
                if each.match_attribute and MatchAttribute(each).applies(parent, alternative)
            )
            name = f"{whole.name}/{one.name}" if whole.alternatives else whole.name
            alone = replace(claim.spec, requests=(replace(one, name=name),), constraints=())
            yield OneRequest(replace(claim, spec=alone), r, one, name, under)


class RequestEverywhere:
    """One request on all nodes: the devices of its class, and those that are left on each node after each test."""

    def __init__(self, world: DeviceWorld, one: OneRequest) -> None:
        self.world, self.one = world, one
        self.of_class: dict[DeviceKey, DeviceOnNode] = {}
        self.matching: dict[DeviceKey, DeviceOnNode] = {}
        self.tests: list[tuple[str, Test]] = _tests(world, one.request)
        self.left: list[dict[DeviceKey, DeviceOnNode]] = [{} for _ in self.tests]
        self.in_pools: dict[DeviceKey, DeviceOnNode] = {}
        self.usable: dict[str, dict[DeviceKey, DeviceOnNode]] = {}
        """By node, the devices that pass all tests."""
        self._seen: dict[tuple[int, ...], dict[DeviceKey, DeviceOnNode]] = {}
        for node in world.nodes.values():
            self.usable[node.name] = self._look_at(node)

    def _look_at(self, node: Node) -> dict[DeviceKey, DeviceOnNode]:
        world = self.world
        pools, published = world.pools_on(node), world.pools_on(node, world.published)
        key = tuple(id(pool) for pool in (*pools, *published))
        by_device = any(one.slice.per_device_nodes for pool in published for one in pool.candidates)
        if key in self._seen and not by_device:
            return self._seen[key]
        here = could = RequestOnNode(self.one.claim, 0, 0, node, pools, world.around)
        if any(pool.is_incomplete or pool.problem for pool in pools):
            could = RequestOnNode(self.one.claim, 0, 0, node, published, world.around)
        self.of_class |= could.of_class
        self.matching |= could.matching
        left: dict[DeviceKey, DeviceOnNode] = dict(here.of_class)
        self.in_pools |= left
        for place, (_, passes) in enumerate(self.tests):
            left = {name: each for name, each in left.items() if passes(here, each)}
            self.left[place] |= left
        self._seen[key] = left
        return left

    # --- numbers ----------------------------------------------------------------------------------------------------
    @property
    def asks_for_all(self) -> bool:
        """Whether all devices are asked for, whatever their number."""
        return self.one.request.mode == ALL

    def together(self, node: str) -> int:
        """The most devices on a node that the constraints on the request allow beside each other."""
        usable = self.usable.get(node, {})
        return min([len(usable), *(max(self._by_value(usable, each).values(), default=0) for each in self._attributes)])

    def suffices(self, node: str) -> bool:
        """Whether the node has enough for the request alone; where not, the allocator gives nothing there."""
        return self.together(node) >= (1 if self.asks_for_all else self.one.request.count)

    @property
    def _attributes(self) -> list[str]:
        return list(dict.fromkeys(each.match_attribute for each in self.one.constraints))

    def _by_value(self, usable: Devices, attribute: str) -> Counter[str]:
        values = (attribute_of(each.device, key[0], attribute) for key, each in usable.items())
        return Counter(f"{type(value).__name__} {value_text(value)}" for value in values if value is not None)

    def funnel(self) -> Funnel:
        """The stages in order, and by how much the best node falls short."""
        request, stages = self.one.request, [self._of_class(), *self._whole_pools()]
        for place, (says, _) in enumerate(self.tests):
            before = self.in_pools if place == 0 else self.left[place - 1]
            stages.append(Stage(says=says, left=len(self.left[place]), note=self._note(place, before)))
        by_node = {node: len(usable) for node, usable in self.usable.items()}
        noted: list[tuple[str, dict[str, int]]] = [("most on one node", by_node)]
        for attribute in self._attributes:
            counts = {
                node: max(self._by_value(usable, attribute).values(), default=0) for node, usable in self.usable.items()
            }
            noted.append((f"most {common(attribute)}", counts))
        asked = 0 if self.asks_for_all else request.count
        for says, counts in noted:
            most = max(counts.values(), default=0)
            stages.append(Stage(says=says, left=most, note=_where(counts, most, asked)))
        together = {node: self.together(node) for node in self.usable}
        most = max(together.values(), default=0)
        return Funnel(
            claim=self.one.claim.key,
            request=self.one.name,
            says=asked_in_words(request, self.one.constraints),
            asked=asked,
            stages=tuple(_merged(stages)),
            short=max(0, (asked or 1) - most),
            nearest=tuple(sorted(_most_in(together, most), key=natural)),
        )

    # --- stages -----------------------------------------------------------------------------------------------------
    def _of_class(self) -> Stage:
        pools = {key[:2] for key in self.of_class}
        says = f"of class {self.one.request.class_name}"
        return Stage(says=says, left=len(self.of_class), note=f"in {plural(len(pools), 'pool')}" if pools else "")

    def _whole_pools(self) -> Iterator[Stage]:
        gone = Counter(key[:2] for key in self.of_class if key not in self.in_pools)
        if not gone:
            return
        said = []
        for key, n in sorted(gone.items())[:_NAMED]:
            slices = self.world.pools.get(key, [])
            of = f", {len(slices)} of {plural(slices[0].slice_count, 'slice')}" if slices else ""
            said.append(f"{n} of pool {key[1]}{of}")
        yield Stage(says="in whole pools", left=len(self.in_pools), note=_more(said, len(gone)))

    def _note(self, place: int, before: Devices) -> str:
        """What kept the devices that this test took."""
        gone = [each for key, each in before.items() if key not in self.left[place]]
        if not gone:
            return ""
        says = self.tests[place][0]
        if says == _NOT_IN_USE:
            claims = {claim.key for each in gone for claim in self.world.holders.get(each.key, ())}
            return f"{len(gone):,} held by {plural(len(claims), 'claim')}"
        if says == _NOT_TAINTED:
            taints = Counter(f"{t.key}={t.value}" if t.value else t.key for each in gone for t in each.device.taints)
            return _more([f"{n:,} {text}" for text, n in taints.most_common(_NAMED)], len(taints))
        return f"{len(gone):,} {'does' if len(gone) == 1 else 'do'} not"


_NOT_IN_USE, _NOT_TAINTED = "not in use", "no taint, or tolerated"
_LEFT_OUT = ("capacity suffices", "counters suffice")
"""Tests that are not shown where they took nothing."""


def _tests(world: DeviceWorld, request: DeviceRequest) -> list[tuple[str, Test]]:
    """The tests of a device, in the allocator's order, in words; those that the version or request lacks left out."""
    tests: list[tuple[str, Test]] = []
    if not request.admin_access:
        tests.append((_NOT_IN_USE, lambda on, each: on.is_free(each.key)))
    if request.selectors:
        says = listed([selector_in_words(one) for one in request.selectors], "and")
        tests.append((says, lambda on, each: each.key in on.matching))
    if world.behaviours.device_capacity:
        tests.append(("capacity suffices", lambda on, each: on.has_capacity(each)))
    if world.behaviours.device_counters:
        tests.append(("counters suffice", lambda on, each: on.has_counters(each)))
    if world.behaviours.device_taints:
        tests.append((_NOT_TAINTED, lambda on, each: on.is_tolerated(each.device)))
    return tests


def _merged(stages: Iterable[Stage]) -> Iterator[Stage]:
    """Without tests that took nothing, but for those that people look for: use and taints, selectors, nodes."""
    for stage in stages:
        if stage.note or stage.says not in _LEFT_OUT:
            yield stage


def _where(counts: Mapping[str, int], most: int, asked: int) -> str:
    needs = f"needs {asked:,}" if asked else "needs all"
    if not most:
        return needs
    nodes = sorted((node for node, count in counts.items() if count == most), key=natural)
    return f"{_more(nodes[:_NAMED], len(nodes))}; {needs}"


def _more(said: list[str], n: int) -> str:
    more = [f"{n - _NAMED:,} more"] if n > _NAMED else []
    return ", ".join([*said[:_NAMED], *more])


def beside_others(one: RequestEverywhere, funnel: Funnel, nodes: Iterable[str]) -> Funnel:
    """The funnel with a last stage: the most on those nodes on which the other requests have enough."""
    counts = {node: one.together(node) for node in nodes}
    most = max(counts.values(), default=0)
    last = Stage(says=BESIDE, left=most, note=_where(counts, most, funnel.asked))
    return replace(
        funnel,
        stages=(*funnel.stages, last),
        short=max(0, (funnel.asked or 1) - most),
        nearest=tuple(sorted(_most_in(counts, most), key=natural)),
    )


def _most_in(counts: Mapping[str, int], most: int) -> list[str]:
    return [node for node, count in counts.items() if count == most and most]


def short_in_words(funnel: Funnel, request: DeviceRequest) -> str:
    """What is short of one request, in a few words: "1 gpu short on g-04"."""
    noun = class_noun(request.class_name)
    if not funnel.stages[0].left:
        return f"no device of class {request.class_name}"
    if not funnel.nearest:
        return f"no {noun} that it could have"
    more = f" and {len(funnel.nearest) - 1:,} more" if len(funnel.nearest) > 1 else ""
    return f"{funnel.short:,} {noun} short on {funnel.nearest[0]}{more}"
