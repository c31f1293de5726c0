"""Devices in words: selectors of common forms as people say them, and facts of requests on one or several nodes.

Numbers that differ between nodes are ranges. Example: "class gpu.example.com, memory at least 40Gi: 2 to 3 of 8 are
free on each of 4 nodes, at most 3 on one NUMA node, claim ml/tune needs 4".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from scheduler_core.explain.outcomes.texts import listed, plural
from scheduler_core.framework.contracts.facts import (
    DeviceClaimFact,
    DeviceFact,
    DeviceGivenFact,
    DeviceRankFact,
    HeldDevices,
)

_SHOWN, _LONGEST, MOST_DEVICES = 3, 100, 32
_NAME = r"device\.(?:attributes|capacity)\[['\"][^'\"\]]+['\"]\](?:\.(\w+)|\[['\"](\w+)['\"]\])"
_AMOUNT = re.compile(_NAME + r"\.compareTo\(quantity\(['\"]([^'\"]+)['\"]\)\)\s*(>=|<=|==|!=|>|<)\s*0")
_VALUE = re.compile(_NAME + r"\s*(>=|<=|==|!=|>|<)\s*(?:['\"]([^'\"]*)['\"]|(-?[\w.]+))")
_DRIVER = re.compile(r"device\.driver\s*==\s*['\"]([^'\"]+)['\"]")
_OPERATORS = {">=": "at least ", "<=": "at most ", ">": "more than ", "<": "less than ", "==": "", "!=": "other than "}
_COMMON = {"numa": "on one NUMA node", "numaNode": "on one NUMA node", "pcieRoot": "at one PCIe root"}


def selector_in_words(expression: str) -> str:
    """A selector as people say it ("memory at least 40Gi, model A100"), as it stands where it is of another form."""
    said = [_part(part.strip()) for part in expression.split("&&")]
    if all(said):
        return ", ".join(said)
    short = " ".join(expression.split())
    return f"selector {short if len(short) <= _LONGEST else short[:_LONGEST] + '…'}"


def _part(part: str) -> str:
    if match := _AMOUNT.fullmatch(part):
        return f"{match[1] or match[2]} {_OPERATORS[match[4]]}{match[3]}"
    if match := _VALUE.fullmatch(part):
        return f"{match[1] or match[2]} {_OPERATORS[match[3]]}{match[4] if match[4] is not None else match[5]}"
    match = _DRIVER.fullmatch(part)
    return f"driver {match[1]}" if match else ""


def request_in_words(fact: DeviceFact) -> str:
    """ "class gpu.example.com, memory at least 40Gi" """
    classes = f"class {' or '.join(fact.classes)}" if fact.classes else f"{_who(fact)}"
    return ", ".join([classes, *map(selector_in_words, fact.selectors[:_SHOWN])])


def _who(fact: DeviceFact) -> str:
    """The claim, or the pod where the scheduler makes the claim for extended resources."""
    return "the pod" if "<" in fact.claim else f"claim {fact.claim}"


def device_text(fact: DeviceFact) -> str:
    """The fact on one node."""
    return devices_in_words([fact])


def devices_in_words(facts: Sequence[DeviceFact]) -> str:
    """One obstacle by its facts on several nodes; begins with its noun."""
    fact = facts[0]
    text = _BY_CODE.get(fact.code, _in_use)(facts)
    return f"{text} ({fact.fault}; this fault is followed here)" if fact.fault else text


# --- by code --------------------------------------------------------------------------------------------------------
def _in_use(facts: Sequence[DeviceFact]) -> str:
    return f"{request_in_words(facts[0])}: {_free(facts)}, {_needs(facts[0])}{_held(facts)}{_tainted(facts)}"


def _constraint(facts: Sequence[DeviceFact]) -> str:
    fact = facts[0]
    kind = "different values of" if fact.is_distinct else "one value of"
    together = [one.counts.together for one in facts if one.counts.together is not None]
    most = "" if fact.is_distinct or not together else f", at most {max(together)} {common_value(fact.attribute)}"
    asks = f"{_who(fact)} needs {_amount(fact)} with {kind} {fact.attribute}"
    return f"{request_in_words(fact)}: {_free(facts)}{most}, {asks}{_held(facts)}{_tainted(facts)}"


def common_value(attribute: str) -> str:
    """What devices with one value of the attribute have in common, in words."""
    return _COMMON.get(attribute.rpartition("/")[2], f"with one value of {attribute}")


def _taint(facts: Sequence[DeviceFact]) -> str:
    fact = facts[0]
    n = _range(one.counts.tainted for one in facts)
    lack = f"device taint {fact.taint}, which the request does not tolerate"
    return (
        f"{lack}: {request_in_words(fact)}: {n} of {_matching(facts)} {_are(n)} tainted{_each(facts)}, {_needs(fact)}"
    )


def _counters(facts: Sequence[DeviceFact]) -> str:
    fact = facts[0]
    short = _range(one.counts.short for one in facts)
    text = (
        f"{request_in_words(fact)}: {_free(facts)}, but for {short} too little is left of the counters that they share"
    )
    return f"{text}; {_needs(fact)}{_held(facts, 'of these counters ')}"


def _capacity(facts: Sequence[DeviceFact]) -> str:
    fact = facts[0]
    asked = listed([f"{name} {amount}" for name, amount in fact.amounts.items()], "and") or "whole devices"
    left = listed([f"{name} {amount}" for name, amount in fact.left.items()], "and")
    has = f"the most that one has left is {left}" if left else "no device has such a capacity"
    return f"{request_in_words(fact)}: {_who(fact)} asks for {asked}, and {has}{_held(facts)}"


def _selector(facts: Sequence[DeviceFact]) -> str:
    fact = facts[0]
    of_class = _range(one.counts.of_class for one in facts)
    said = listed([selector_in_words(one) for one in fact.selectors[:_SHOWN]], "and")
    matching = _range(one.counts.matching for one in facts)
    match = "none of them matches" if matching == "0" else f"{matching} of them match"
    text = f"class {' or '.join(fact.classes)}: {of_class} {_are(of_class)} there{_each(facts)}, and {match} {said}"
    return f"{text}; {_needs(fact)}"


def _selector_error(facts: Sequence[DeviceFact]) -> str:
    fact = facts[0]
    devices = list(dict.fromkeys(one.device for one in facts))
    more = f" and {len(devices) - 1:,} more" if len(devices) > 1 else ""
    expression = fact.selectors[0] if fact.selectors else ""
    ends = ", which ends the attempt on all nodes" if fact.ends_attempt else ""
    where = f"request {fact.request} of {_who(fact)}"
    return f"selector {expression} ({where}) fails on device {devices[0]}{more}: {fact.problem}{ends}"


def _too_many(facts: Sequence[DeviceFact]) -> str:
    fact = facts[0]
    if not fact.request:
        return f"{_who(fact)} asks for {fact.asked:,} devices, and a claim can have {MOST_DEVICES}"
    most = max(one.counts.matching for one in facts)
    there = f"{plural(most, 'device')} at most" if len(facts) > 1 else plural(most, "device")
    where = "a node has" if len(facts) > 1 else "there is" if most == 1 else "there are"
    return f"{request_in_words(fact)}: {_who(fact)} needs {_amount(fact)}, and {where} {there}"


def _pool(facts: Sequence[DeviceFact]) -> str:
    fact = facts[0]
    pools = list(dict.fromkeys(one.pool for one in facts if one.pool))
    named = f"pool {pools[0]}" if pools else "pools of devices"
    more = f" and {plural(len(pools) - 1, 'more pool')}" if len(pools) > 1 else ""
    if fact.problem:
        said = f"{named}{more}: {fact.problem}"
    else:
        is_there = "is" if fact.n_slices == 1 else "are"
        said = f"{named}{more}: {fact.n_slices} of {plural(fact.of_slices, 'slice')} {is_there} there"
    return f"{said}, so that its devices are not offered; {request_in_words(fact)}: {_needs(fact)}"


def _none(facts: Sequence[DeviceFact]) -> str:
    fact = facts[0]
    where = f"{len(facts):,} nodes have" if len(facts) > 1 else "the node has"
    return f"{request_in_words(fact)}: {where} no device of it, {_needs(fact)}"


# --- parts ----------------------------------------------------------------------------------------------------------
def _free(facts: Sequence[DeviceFact]) -> str:
    free = _range(one.counts.free for one in facts)
    return f"{free} of {_matching(facts)} {_are(free)} free{_each(facts)}"


def _matching(facts: Sequence[DeviceFact]) -> str:
    return _range(one.counts.matching for one in facts)


def _each(facts: Sequence[DeviceFact]) -> str:
    """On how many nodes the numbers hold; the same holders mean that the nodes reach the same devices."""
    if len(facts) == 1:
        return ""
    is_shared = bool(facts[0].counts.held) and all(one.counts == facts[0].counts for one in facts)
    return f" for {len(facts):,} nodes, which share them" if is_shared else f" on each of {len(facts):,} nodes"


def _range(numbers: Iterable[int]) -> str:
    several = sorted(set(numbers))
    return f"{several[0]:,}" if len(several) == 1 else f"{several[0]:,} to {several[-1]:,}"


def _are(count: str) -> str:
    return "is" if count == "1" else "are"


def _amount(fact: DeviceFact) -> str:
    return f"{fact.asked:,}" if fact.asked else "all"


def _needs(fact: DeviceFact) -> str:
    return f"{_who(fact)} needs {_amount(fact)}"


def _held(facts: Sequence[DeviceFact], what: str = "") -> str:
    """Who has the others, those with the most first."""
    by_claim: dict[str, tuple[HeldDevices, set[str]]] = {}
    for fact in facts:
        for one in fact.counts.held:
            by_claim.setdefault(one.claim, (one, set()))[1].update(one.devices)
    if not by_claim:
        return ""
    several = sorted(by_claim.values(), key=lambda item: (-len(item[1]), item[0].claim))
    named = [holder_in_words(one, sorted(devices)) for one, devices in several[:_SHOWN]]
    if len(several) > _SHOWN:
        named.append(plural(len(several) - _SHOWN, "more claim"))
    total = len({device for _, devices in several for device in devices})
    return f"; {total:,} {what}{'is' if total == 1 else 'are'} held by {listed(named, 'and')}"


def holder_in_words(one: HeldDevices, devices: Sequence[str]) -> str:
    """ "ml/serve-b (claim ml/serve-b-gpu: g-04/gpu-4)" """
    said = listed(list(devices[:_SHOWN]), "and") if len(devices) <= _SHOWN else f"{len(devices):,} devices"
    if not one.pods:
        return f"claim {one.claim} ({said}), which no pod reserves"
    more = f" and {plural(len(one.pods) - 1, 'more pod')}" if len(one.pods) > 1 else ""
    return f"{one.pods[0]}{more} (claim {one.claim}: {said})"


def _tainted(facts: Sequence[DeviceFact]) -> str:
    tainted = _range(one.counts.tainted for one in facts)
    return f"; {tainted} {_are(tainted)} tainted" if tainted != "0" else ""


_BY_CODE = {
    "DEVICE_IN_USE": _in_use,
    "DEVICE_CONSTRAINT": _constraint,
    "DEVICE_TAINTED": _taint,
    "DEVICE_COUNTERS": _counters,
    "DEVICE_CAPACITY": _capacity,
    "DEVICE_SELECTOR": _selector,
    "DEVICE_SELECTOR_ERROR": _selector_error,
    "DEVICE_TOO_MANY": _too_many,
    "DEVICE_POOL_INCOMPLETE": _pool,
    "DEVICE_NONE": _none,
}


# --- claims ---------------------------------------------------------------------------------------------------------
def claim_text(fact: DeviceClaimFact) -> str:
    """An entry of the pod whose claim it cannot have."""
    claim = f" {fact.claim}" if fact.claim else ""
    entry = f" (entry {fact.entry})" if fact.claim and fact.entry else f" {fact.entry}" if fact.entry else ""
    return f"resource claim{claim}{entry}: {_place(fact) or fact.problem}"


def _place(fact: DeviceClaimFact) -> str:
    """Where the devices that the claim has can be used, and who else has them."""
    if not fact.where:
        return ""
    places = [value if key == "metadata.name" else f"{key}={value}" for key, value in fact.where.items()]
    who = f"; {listed(list(fact.holders[:_SHOWN]), 'and')} reserved it" if fact.holders else ""
    return f"the devices that it has can be used on {listed(places, 'and')} alone{who}"


def given_text(fact: DeviceGivenFact) -> str:
    """A claim with its devices."""
    devices = list(fact.devices)
    said = (
        listed(devices[:_SHOWN], "and") if len(devices) <= _SHOWN else f"{len(devices):,} devices, {devices[0]} first"
    )
    return f"claim {fact.claim} {'has' if fact.is_allocated else 'gets'} {said or 'no device'}"


def rank_text(fact: DeviceRankFact) -> str:
    """The alternative of a request, with its points."""
    return (
        f"request {fact.request} of claim {fact.claim} gets {fact.alternative}, its choice {fact.place}: {fact.points}"
    )
