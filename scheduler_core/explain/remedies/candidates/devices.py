"""Changes against what DynamicResources refuses: requests changed, devices freed, classes and claims made, pools whole.

Preemption frees no devices: a victim's claim stays allocated. The claim controller takes them back once the last pod
that reserved the claim is gone, so a pod that leaves is tried together with that, which is said to be assumed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce

from msgspec.structs import replace

from scheduler_core.api.devices import ClaimSpec, DeviceClass, DeviceRequest
from scheduler_core.api.objects import OwnerReference, Pod, PodResourceClaim, ResourceClaim
from scheduler_core.api.resources import pod_requests
from scheduler_core.engine.trials.changes import Changes
from scheduler_core.explain.diagnosis.near_misses import closest
from scheduler_core.explain.outcomes.texts import listed
from scheduler_core.explain.remedies import edited_claims
from scheduler_core.explain.remedies.candidates.candidate import (
    RemedyCandidate,
    edit_candidates,
    followed_by,
    leaving_words,
    of_pod,
    of_state,
)
from scheduler_core.explain.remedies.candidates.device_requests import of_classes, of_request
from scheduler_core.explain.remedies.candidates.pod_edits import lower_request
from scheduler_core.explain.remedies.candidates.state_edits import may_leave
from scheduler_core.explain.remedies.model import DEVICES, PODS_GONE, WAITING, ProposedEdit
from scheduler_core.explain.remedies.situation import RemedySituation, Rows
from scheduler_core.framework.contracts.facts import DeviceClaimFact, DeviceFact, Fact, HeldDevices
from scheduler_core.profiles.names import DEVICES as DEVICES_PLUGIN

_MOST_ROWS, _MOST_HOLDERS, _MOST_PER_NODE, _MOST_DRIVERS = 200, 4, 3, 2


def of_devices(situation: RemedySituation, rows: Rows) -> Iterator[RemedyCandidate]:
    """Changes for nodes on which claims get no devices; of nodes with the same obstacles the ones that lack least."""
    by_keys: dict[object, list[tuple[float, str, list[Fact]]]] = {}
    for row in rows[:_MOST_ROWS].tolist():
        facts = list(situation.refusing(DEVICES_PLUGIN, row))
        lack = sum(max(0, one.asked - one.counts.free) for one in facts if isinstance(one, DeviceFact))
        keys = tuple(sorted((one.code, one.subject) for one in facts))
        by_keys.setdefault(keys, []).append((lack, situation.base.names[row], facts))
    for several in by_keys.values():
        several.sort(key=lambda one: one[:2])
        for _, name, facts in several[:_MOST_PER_NODE]:
            yield from _on_node(situation, name, facts)


def _on_node(situation: RemedySituation, node: str, facts: Sequence[Fact]) -> Iterator[RemedyCandidate]:
    every = [*facts, *(other for one in facts for several in one.instead for other in several)]
    for fact in every:
        if isinstance(fact, DeviceFact):
            claim = situation.listers.resource_claims.get(fact.claim)
            if claim is not None:
                yield from of_request(situation, claim, fact, [node])
            else:
                yield from _asking_less(situation, fact, node)
            yield from _released(situation, fact, node)
            if fact.code == "DEVICE_POOL_INCOMPLETE":
                yield from _completed(situation, fact, node)
        elif isinstance(fact, DeviceClaimFact) and fact.code == "DEVICE_CLAIM_ELSEWHERE":
            yield from _allocated_again(situation, fact, node)


def _asking_less(situation: RemedySituation, fact: DeviceFact, node: str) -> Iterator[RemedyCandidate]:
    """As much of an extended resource as devices of its class are free."""
    classes = situation.listers.device_classes
    names = {classes[name].extended_resource_name for name in fact.classes if name in classes} - {""}
    for name in sorted(names & pod_requests(situation.pod).keys()):
        asked, free = pod_requests(situation.pod)[name], fact.counts.free - fact.counts.tainted
        if 0 < free < asked:
            less = lower_request(name, asked, free, (asked - free) / asked)
            yield from edit_candidates(situation.pod, [less], [node])


# --- devices freed --------------------------------------------------------------------------------------------------
def _released(situation: RemedySituation, fact: DeviceFact, node: str) -> Iterator[RemedyCandidate]:
    """Claims that give their devices back: each alone, then as many as are short."""
    if fact.code == "DEVICE_TOO_MANY":
        return
    held = sorted(fact.counts.held, key=lambda one: (len(one.pods), len(one.devices), one.claim))
    for one in held[:_MOST_HOLDERS]:
        yield from _without_holders(situation, one, node)
    short, several = fact.asked - fact.counts.free, list[HeldDevices]()
    for one in sorted(held, key=lambda one: (-len(one.devices), one.claim)):
        several.append(one)
        short -= len(one.devices)
        if short <= 0 and len(several) > 1:
            singles = [made for each in several for made in _without_holders(situation, each, node)]
            if len(singles) == len(several):
                assumed = " and ".join(made.remedy.assumed for made in singles)
                made = reduce(followed_by, singles)
                yield replace(made, remedy=replace(made.remedy, assumed=assumed))
            return


def _without_holders(situation: RemedySituation, held: HeldDevices, node: str) -> Iterator[RemedyCandidate]:
    """The claim without its devices, once the pods are gone that reserved it."""
    claim, world = situation.listers.resource_claims.get(held.claim), situation.trials.simulation.world.pods
    pods = sorted(held.pods)
    if claim is None or any(pod not in world or not may_leave(situation.pod, world[pod]) for pod in pods):
        return
    if pods:
        nodes = {situation.cluster.node_of(pod) or node for pod in pods}
        text = f"{leaving_words(pods, listed(sorted(nodes), 'and'))}, so that claim {claim.key} gives its devices back"
        edit = ProposedEdit(PODS_GONE, ", ".join(pods), "there", "gone", node)
    else:
        text = f"delete claim {claim.key}, which no pod reserves"
        obj = f"resource.k8s.io/v1/ResourceClaim/{claim.key}"
        edit = ProposedEdit(DEVICES, claim.key, "allocated", "gone", "", "REMAKE_CLAIM", "remove", obj)
    freed = Changes(gone=tuple(pods), objects=(edited_claims.released(claim),))
    made = of_state(edit, text, float(max(1, len(pods))), freed, [node])
    assumed = f"the devices of claim {claim.key} taken back by the claim controller"
    yield replace(made, remedy=replace(made.remedy, assumed=assumed))


def _allocated_again(situation: RemedySituation, fact: DeviceClaimFact, node: str) -> Iterator[RemedyCandidate]:
    """The claim loses its devices once the others that reserved it are gone, and gets some where the pod goes."""
    claim = situation.listers.resource_claims.get(fact.claim)
    if claim is not None:
        yield from _without_holders(situation, HeldDevices(claim.key, (), fact.holders), node)


# --- pools ----------------------------------------------------------------------------------------------------------
def _completed(situation: RemedySituation, fact: DeviceFact, node: str) -> Iterator[RemedyCandidate]:
    """The driver publishes the pool as a whole; tried with the slices that are there."""
    driver, _, pool = fact.pool.partition("/")
    several = [one for one in situation.listers.resource_slices.values() if (one.driver, one.pool) == (driver, pool)]
    if not several or fact.problem:
        return
    newest = max(one.generation for one in several)
    there = [one for one in several if one.generation == newest]
    text = f"have driver {driver} publish all {there[0].slice_count} slices of pool {pool} (it published {len(there)})"
    edit = ProposedEdit(DEVICES, fact.pool, f"{len(there)} slices", f"{there[0].slice_count}", node, "MEND_DEVICES")
    whole = tuple(replace(one, slice_count=len(there)) for one in there)
    made = of_state(edit, text, 1.0, Changes(objects=whole), [node])
    assumed = "the slices that are there as the whole pool"
    yield replace(made, remedy=replace(made.remedy, assumed=assumed))


# --- before any node is looked at -----------------------------------------------------------------------------------
def of_device_claims(situation: RemedySituation, facts: Sequence[Fact]) -> Iterator[RemedyCandidate]:
    """For a pod whose claims cannot be had at all: claims and classes made, names mended."""
    for fact in facts:
        if isinstance(fact, DeviceClaimFact):
            claim = situation.listers.resource_claims.get(fact.claim)
            if fact.code == "DEVICE_CLAIM_MISSING":
                yield from _claim_created(situation, fact)
            elif fact.code == "DEVICE_CLASS_MISSING" and claim is not None:
                yield from _class_created(situation, fact, claim)
            elif fact.code == "CLAIM_NOT_CREATED":
                yield from _claim_made(situation, fact)


def _claim_created(situation: RemedySituation, fact: DeviceClaimFact) -> Iterator[RemedyCandidate]:
    """Another claim of nearly this name; a claim of this name for one device of each class."""
    pod, (namespace, _, name) = situation.pod, fact.claim.partition("/")
    own = [one.name for one in situation.listers.resource_claims.values() if one.namespace == namespace]
    entry = next((one for one in pod.resource_claims if one.name == fact.entry), None)
    near = closest(name, own)
    if near is not None and entry is not None and entry.claim_name:
        edit = ProposedEdit(DEVICES, fact.entry, name, near, code="CHANGE_DEVICE_REQUEST")
        text = f"use claim {near} instead of {name} in entry {fact.entry}"
        made = of_pod(pod, [(edit, text, 0.25, lambda one: _with_entry(one, replace(entry, claim_name=near)))])
        yield from [made] if made is not None else []
    for of_class in sorted(situation.listers.device_classes):
        request = DeviceRequest(name="device", class_name=of_class)
        owners = () if entry is None or entry.claim_name else (_owner(pod),)
        claim = ResourceClaim(
            name=name, namespace=namespace, owner_references=owners, spec=ClaimSpec(requests=(request,))
        )
        value = {"spec": {"devices": {"requests": [{"name": "device", "exactly": {"deviceClassName": of_class}}]}}}
        obj = f"resource.k8s.io/v1/ResourceClaim/{claim.key}"
        edit = ProposedEdit(DEVICES, claim.key, "", "there", "", "CREATE_CLAIM", "add", obj, "", value)
        text = f"create claim {claim.key} for one device of class {of_class}"
        yield of_state(edit, text, 1.0, Changes(objects=(claim,)), ())


def _owner(pod: Pod) -> OwnerReference:
    return OwnerReference("Pod", pod.name, pod.uid, controller=True)


def _with_entry(pod: Pod, entry: PodResourceClaim) -> Pod:
    entries = tuple(entry if one.name == entry.name else one for one in pod.resource_claims)
    return replace(pod, resource_claims=entries)


def _class_created(
    situation: RemedySituation, fact: DeviceClaimFact, claim: ResourceClaim
) -> Iterator[RemedyCandidate]:
    """A class that there is, and the class made for the devices of each driver."""
    for request in claim.spec.requests:
        if any(one.class_name == fact.class_name for one in request.alternatives or (request,)):
            yield from of_classes(situation, claim, request.name, fact.class_name, ())
    drivers = sorted({one.driver for one in situation.listers.resource_slices.values()})
    for driver in drivers[:_MOST_DRIVERS]:
        expression = f"device.driver == '{driver}'"
        new = DeviceClass(name=fact.class_name, selectors=(expression,))
        obj = f"resource.k8s.io/v1/DeviceClass//{new.name}"
        value = {"spec": {"selectors": [{"cel": {"expression": expression}}]}}
        edit = ProposedEdit(DEVICES, new.name, "", driver, "", "CREATE_CLASS", "add", obj, "", value)
        text = f"create device class {new.name} for the devices of driver {driver}"
        yield of_state(edit, text, 1.0, Changes(objects=(new,)), ())


def _claim_made(situation: RemedySituation, fact: DeviceClaimFact) -> Iterator[RemedyCandidate]:
    """The claim that the claim controller makes of the entry's template."""
    pod = situation.pod
    entry = next((one for one in pod.resource_claims if one.name == fact.entry), None)
    template = None
    if entry is not None:
        template = situation.listers.resource_claim_templates.get(f"{pod.namespace}/{entry.template_name}")
    if entry is None or template is None:
        return
    name = f"{pod.name}-{entry.name}"
    claim = ResourceClaim(name=name, namespace=pod.namespace, owner_references=(_owner(pod),), spec=template.spec)
    made = _with_entry(pod, replace(entry, generated=name))
    edit = ProposedEdit(WAITING, fact.entry, "", name, code="WAIT")
    text = f"wait until the claim controller makes the claim of template {template.name}"
    candidate = of_state(edit, text, 0.0, Changes(pod=made, objects=(claim,)), ())
    yield replace(candidate, remedy=replace(candidate.remedy, assumed="the claim made before any other pod is tried"))
