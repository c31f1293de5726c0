"""Changes of what a claim asks for: fewer devices, another class, no selector or constraint, a taint tolerated."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from scheduler_core.api.devices import Device, DeviceRequest, DeviceToleration
from scheduler_core.api.objects import ResourceClaim
from scheduler_core.api.quantity import parse_quantity
from scheduler_core.engine.trials.changes import Changes
from scheduler_core.explain.diagnosis.near_misses import closest
from scheduler_core.explain.facts.device_texts import MOST_DEVICES, selector_in_words
from scheduler_core.explain.outcomes.texts import plural
from scheduler_core.explain.remedies import edited_claims
from scheduler_core.explain.remedies.candidates.candidate import RemedyCandidate, of_state
from scheduler_core.explain.remedies.model import DEVICES, TOLERATION, ProposedEdit
from scheduler_core.explain.remedies.situation import RemedySituation
from scheduler_core.framework.contracts.facts import DeviceFact

NEARLY, DROPPED = 0.25, 1.0
_MOST_CLASSES, _MOST_VALUES = 3, 2
_NAME = re.compile(r"device\.(attributes|capacity)\[(['\"])([^'\"\]]+)\2\](?:\.(\w+)|\[['\"](\w+)['\"]\])")
_BOUND = re.compile(r"(.*==\s*|.*>=\s*)(['\"]?)([\w.-]+)\2$")
_QUANTITY = re.compile(r"(.*quantity\(['\"])([^'\"]+)(['\"]\)\)\s*>=\s*0)$")
CODE = "CHANGE_DEVICE_REQUEST"


class _ClaimRequest:
    """A claim whose request is changed, as the pod has it."""

    def __init__(
        self, situation: RemedySituation, claim: ResourceClaim, fact: DeviceFact, nodes: Sequence[str]
    ) -> None:
        self.situation, self.claim, self.fact, self.nodes = situation, claim, fact, nodes
        self.object, self.devices = edited_claims.written(claim, situation.pod)
        self.path = f"{self.devices}{edited_claims.place_of(claim, fact.request)}"

    @property
    def request(self) -> DeviceRequest:
        """The request, its first alternative where it has several."""
        whole = next(one for one in self.claim.spec.requests if one.name == self.fact.request)
        return whole.alternatives[0] if whole.alternatives else whole

    def edited(self, text: str, size: float, make: edited_claims.RequestEdit, edit: ProposedEdit) -> RemedyCandidate:
        """The candidate with the request edited."""
        made = edited_claims.with_request(self.claim, self.fact.request, make)
        return self.remade(f"{text} in request {self.fact.request} of claim {self.claim.key}", size, made, edit)

    def remade(self, text: str, size: float, made: ResourceClaim, edit: ProposedEdit) -> RemedyCandidate:
        """The candidate with the claim made again."""
        candidate = of_state(edit, text, size, Changes(objects=(made,)), self.nodes)
        again = f"claim {self.claim.key} made again, as its spec cannot be changed"
        return replace(candidate, remedy=replace(candidate.remedy, assumed=again))

    def set(
        self, path: str, value: Any, before: str, after: str, kind: str = DEVICES, code: str = CODE
    ) -> ProposedEdit:
        """The edit of the claim's object, or of its template."""
        op = "set" if value is not None else "remove"
        return ProposedEdit(kind, self.claim.key, before, after, "", code, op, self.object, path, value)


def of_request(
    situation: RemedySituation, claim: ResourceClaim, fact: DeviceFact, nodes: Sequence[str]
) -> Iterator[RemedyCandidate]:
    """Changes of the request, or of the constraint, that the fact is about."""
    if fact.claim != claim.key:
        return
    if fact.code == "DEVICE_TOO_MANY" and not fact.request:
        yield from _within_limit(situation, claim, nodes)
    if not any(one.name == fact.request for one in claim.spec.requests):
        return
    of = _ClaimRequest(situation, claim, fact, nodes)
    yield from _fewer(of)
    if fact.code == "DEVICE_TAINTED":
        yield _tolerating(of)
    if fact.attribute:
        yield _without_constraint(of)
    if fact.code == "DEVICE_CAPACITY" and fact.left:
        yield from _less_capacity(of)
    if fact.code == "DEVICE_SELECTOR_ERROR":
        yield from _mended_selector(of)
    elif fact.code in ("DEVICE_SELECTOR", "DEVICE_IN_USE", "DEVICE_TOO_MANY"):
        yield from _loosened(of)
    yield from _of_other_class(of)


def _fewer(of: _ClaimRequest) -> Iterator[RemedyCandidate]:
    """As many devices as are free, and as many as a constraint takes together."""
    counts, asked = of.fact.counts, of.request.count
    if of.request.mode == "All" or asked < 2:
        return
    free = counts.free - (counts.tainted if of.fact.code != "DEVICE_TAINTED" else 0)
    several = {n for n in (free, counts.matching, free - counts.short, counts.together or 0) if 0 < n < asked}
    for n in sorted(several or {1}, reverse=True):
        edit = of.set(f"{of.path}/count", n, str(asked), str(n))
        text = f"ask for {plural(n, 'device')} instead of {asked}"
        yield of.edited(text, (asked - n) / asked, lambda one, n=n: replace(one, count=n), edit)  # type: ignore[misc]


def _within_limit(situation: RemedySituation, claim: ResourceClaim, nodes: Sequence[str]) -> Iterator[RemedyCandidate]:
    """The largest request of a claim that asks for more devices than a claim can have, with as many less."""
    exact = [one for one in claim.spec.requests if not one.alternatives and one.mode != "All"]
    largest = max(exact, key=lambda one: one.count, default=None)
    over = sum(one.count for one in exact) - MOST_DEVICES
    if largest is not None and 0 < over < largest.count:
        of = _ClaimRequest(situation, claim, DeviceFact(entry="", claim=claim.key, request=largest.name), nodes)
        n = largest.count - over
        edit = of.set(f"{of.path}/count", n, str(largest.count), str(n))
        text = f"ask for {plural(n, 'device')} instead of {largest.count}"
        yield of.edited(text, over / largest.count, lambda one: replace(one, count=n), edit)


def _tolerating(of: _ClaimRequest) -> RemedyCandidate:
    key, _, rest = of.fact.taint.partition("=")
    value, _, effect = rest.rpartition(":") if rest else ("", "", "")
    if not rest:
        key, _, effect = of.fact.taint.rpartition(":")
    toleration = DeviceToleration(key=key, operator="Equal" if value else "Exists", value=value, effect=effect)
    place = of.set(
        f"{of.path}/tolerations/-", edited_claims.raw_toleration(toleration), "", of.fact.taint, TOLERATION, "TOLERATE"
    )
    text = f"tolerate the device taint {of.fact.taint}"
    return of.edited(
        text, 1.0, lambda one: replace(one, tolerations=(*one.tolerations, toleration)), replace(place, op="add")
    )


def _without_constraint(of: _ClaimRequest) -> RemedyCandidate:
    attribute = of.fact.attribute
    kind = "distinctAttribute" if of.fact.is_distinct else "matchAttribute"
    several = of.claim.spec.constraints
    i = next(i for i, one in enumerate(several) if attribute in (one.match_attribute, one.distinct_attribute))
    edit = of.set(f"{of.devices}/constraints/{i}", None, f"{kind} {attribute}", "")
    made = edited_claims.without_constraint(of.claim, attribute)
    return of.remade(f"drop the constraint {kind} {attribute} of claim {of.claim.key}", DROPPED, made, edit)


def _less_capacity(of: _ClaimRequest) -> Iterator[RemedyCandidate]:
    for name, left in of.fact.left.items():
        asked = of.fact.amounts.get(name)
        if asked is None or left == "0":
            continue
        path = f"{of.path}/capacity/requests/{name.replace('~', '~0').replace('/', '~1')}"
        edit = of.set(path, left, asked, left)
        text = f"ask for {name} {left} instead of {asked}"

        def make(one: DeviceRequest, name: str = name, left: str = left) -> DeviceRequest:
            return replace(one, capacity={**one.capacity, name: left})

        yield of.edited(text, 0.5, make, edit)


# --- selectors ------------------------------------------------------------------------------------------------------
def _mended_selector(of: _ClaimRequest) -> Iterator[RemedyCandidate]:
    """The selector that fails asks first whether the device has what it reads; else it is dropped."""
    expression = of.fact.selectors[0]
    if expression not in of.request.selectors:
        return
    if match := _NAME.search(expression):
        guard = f"'{match[4] or match[5]}' in device.{match[1]}['{match[3]}']"
        yield _replacing(of, expression, f"{guard} && {expression}", f"have the selector ask first: {guard}", NEARLY)
    yield _replacing(of, expression, "", f"drop the selector {expression}", DROPPED)


def _loosened(of: _ClaimRequest) -> Iterator[RemedyCandidate]:
    """Each part of a selector with a value that free devices have, or dropped."""
    for expression in of.request.selectors:
        parts = [part.strip() for part in expression.split("&&")]
        for i, part in enumerate(parts):
            for value, size in _values(of, part)[:_MOST_VALUES]:
                other = " && ".join([*parts[:i], value, *parts[i + 1 :]])
                said = f"ask for {selector_in_words(value)} instead of {selector_in_words(part)}"
                yield _replacing(of, expression, other, said, size)
            left = " && ".join([*parts[:i], *parts[i + 1 :]])
            yield _replacing(of, expression, left, f"drop {selector_in_words(part)}", DROPPED)


def _values(of: _ClaimRequest, part: str) -> list[tuple[str, float]]:
    """The part of a selector with other values of its attribute or capacity that devices have, the nearest first, with
    the sizes of these changes: of an amount the share that is less."""
    named, quantity, bound = _NAME.search(part), _QUANTITY.fullmatch(part), _BOUND.fullmatch(part)
    if named is None or (quantity is None and bound is None):
        return []
    name = named[4] or named[5]
    if quantity is not None:
        several = {one.capacity[name].value for one in _devices(of) if name in one.capacity}
        asked = parse_quantity(quantity[2])
        less = {value: float((asked - parse_quantity(value)) / asked) for value in several if asked}
        sizes = sorted((size, value) for value, size in less.items() if size > 0)
        return [(f"{quantity[1]}{value}{quantity[3]}", size) for size, value in sizes]
    assert bound is not None
    values = {str(one.attributes[name]) for one in _devices(of) if isinstance(one.attributes.get(name), (str, int))}
    near = closest(bound[3], sorted(values - {bound[3]}))
    ordered = dict.fromkeys([*([near] if near else []), *sorted(values - {bound[3]})])
    return [(f"{bound[1]}{bound[2]}{value}{bound[2]}", 0.5) for value in ordered]


def _devices(of: _ClaimRequest) -> Iterable[Device]:
    return (one for each in of.situation.listers.resource_slices.values() for one in each.devices)


def _replacing(of: _ClaimRequest, expression: str, other: str, text: str, size: float) -> RemedyCandidate:
    i = of.request.selectors.index(expression)
    path = f"{of.path}/selectors/{i}"
    edit = of.set(f"{path}/cel/expression" if other else path, other or None, expression, other)

    def make(one: DeviceRequest) -> DeviceRequest:
        swapped = (other if each == expression else each for each in one.selectors)
        return replace(one, selectors=tuple(each for each in swapped if each))

    return of.edited(text, size, make, edit)


# --- classes --------------------------------------------------------------------------------------------------------
def _of_other_class(of: _ClaimRequest) -> Iterator[RemedyCandidate]:
    """Devices of another class, those of the nearest name first."""
    yield from of_classes(of.situation, of.claim, of.fact.request, of.request.class_name, of.nodes)


def of_classes(
    situation: RemedySituation, claim: ResourceClaim, request: str, asked: str, nodes: Sequence[str]
) -> Iterator[RemedyCandidate]:
    """The request for devices of each other class that there is."""
    of = _ClaimRequest(situation, claim, DeviceFact(entry="", claim=claim.key, request=request), nodes)
    names = sorted(situation.listers.device_classes.keys() - {asked})
    near = closest(asked, names)
    for name in list(dict.fromkeys([*([near] if near else []), *names]))[:_MOST_CLASSES]:
        edit = of.set(f"{of.path}/deviceClassName", name, asked, name)
        text = f"ask for class {name} instead of {asked}"

        def make(one: DeviceRequest, name: str = name) -> DeviceRequest:
            return replace(one, class_name=name) if one.class_name == asked else one

        is_meant = name == near and asked not in situation.listers.device_classes
        yield of.edited(text, NEARLY if is_meant else DROPPED, make, edit)
