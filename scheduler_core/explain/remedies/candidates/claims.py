"""Changes for claims that keep a pod off as a whole: made, bound, given a class or a volume, or done without."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from scheduler_core.api.objects import PersistentVolume, PersistentVolumeClaim, StorageClass
from scheduler_core.engine.trials.changes import Changes
from scheduler_core.explain.diagnosis.near_misses import closest
from scheduler_core.explain.remedies.candidates import pod_edits
from scheduler_core.explain.remedies.candidates.candidate import (
    PodEdit,
    RemedyCandidate,
    edit_candidates,
    of_state,
)
from scheduler_core.explain.remedies.candidates.devices import of_device_claims
from scheduler_core.explain.remedies.model import VOLUME, ProposedEdit
from scheduler_core.explain.remedies.situation import RemedySituation
from scheduler_core.framework.contracts.facts import (
    ClaimFact,
    ClaimInUseFact,
    DeviceClaimFact,
    DiskFact,
    Fact,
    VolumeLimitFact,
    VolumeZoneFact,
)
from scheduler_core.framework.plugin_helpers.volume_claims import (
    BIND_COMPLETED,
    DELAYED,
    claim_class,
    claim_uses,
)

replace = msgspec.structs.replace
CLASSES = 2
NEW_CLAIM_BYTES = 1 << 30


def without_what_refuses(situation: RemedySituation, facts: list[Fact]) -> Iterator[PodEdit]:
    """The pod's volumes and device claims that the facts are about, each done without once."""
    subjects = set[str]()
    for fact in facts:
        subject = _subject(situation, fact)
        if subject is not None and subject[1] not in subjects:
            subjects.add(subject[1])
            yield subject


def _subject(situation: RemedySituation, fact: Fact) -> PodEdit | None:
    if isinstance(fact, (ClaimFact, VolumeZoneFact, ClaimInUseFact)) and fact.claim:
        return pod_edits.do_without_claim(fact.claim)
    if isinstance(fact, DiskFact):
        return pod_edits.do_without_volume(fact.volume)
    if isinstance(fact, DeviceClaimFact) and fact.code == "CLAIM_NOT_ALLOCATED" and fact.entry:
        return pod_edits.do_without_devices(fact.entry)
    if isinstance(fact, VolumeLimitFact):
        uses = [use.key for use in claim_uses(situation.pod)]
        volumes = [volume.name for volume in situation.pod.volumes]
        return pod_edits.do_without_claim(uses[0]) if uses else pod_edits.do_without_volume(volumes[0])
    return None


def of_claims(situation: RemedySituation) -> Iterator[RemedyCandidate]:
    """For a pod that PreFilter refuses for its claims: claims and classes made, claims bound, and done without."""
    facts = list(situation.refusing_whole())
    yield from of_device_claims(situation, facts)
    yield from edit_candidates(situation.pod, list(without_what_refuses(situation, facts)))
    for fact in facts:
        if isinstance(fact, ClaimFact) and fact.claim:
            claim = situation.listers.claims.get(fact.claim)
            if claim is None:
                yield from _claim_created(situation, fact.claim)
            elif claim.volume_name and claim.volume_name not in situation.listers.volumes:
                yield volume_created(situation, claim, claim.volume_name, [])
            else:
                yield from _claim_bound(situation, claim)


def _claim_created(situation: RemedySituation, key: str) -> Iterator[RemedyCandidate]:
    """The claim, of classes that make a volume where the pod goes; bound to a new volume where there is none."""
    namespace, _, name = key.partition("/")
    if any(use.ephemeral for use in claim_uses(situation.pod) if use.key == key):
        return  # a controller makes it for the pod, and it counts only with the pod as its owner
    claim = PersistentVolumeClaim(
        name=name, namespace=namespace, access_modes=("ReadWriteOnce",), requested_bytes=NEW_CLAIM_BYTES
    )
    several = situation.listers.storage_classes.values()
    delayed = [one for one in several if one.volume_binding_mode == DELAYED and one.provisioner]
    for one in sorted(delayed, key=lambda storage_class: (not storage_class.is_default, storage_class.name))[:CLASSES]:
        edit = ProposedEdit(VOLUME, key, "", f"of class {one.name}", code="CREATE_CLAIM")
        made = Changes(objects=(replace(claim, storage_class_name=one.name),))
        yield of_state(edit, f"create claim {key} of class {one.name}", 1.0, made, ())
    if not delayed:
        edit = ProposedEdit(VOLUME, key, "", "bound to a new volume", code="CREATE_CLAIM")
        made = Changes(objects=_bound(situation, claim))
        yield of_state(edit, f"create claim {key}, bound to a new volume", 1.0, made, ())


def _claim_bound(situation: RemedySituation, claim: PersistentVolumeClaim) -> Iterator[RemedyCandidate]:
    """The claim bound to a new volume, and its class made where it is not known."""
    name = claim_class(claim)
    classes = situation.listers.storage_classes
    provisioners = [one.provisioner for one in classes.values() if one.provisioner]
    if name and name not in classes and provisioners and not claim.volume_name and claim.phase != "Lost":
        new = StorageClass(name=name, provisioner=provisioners[0], volume_binding_mode=DELAYED)
        edit = ProposedEdit(VOLUME, name, "", DELAYED, code="CREATE_CLASS")
        text = f"create storage class {name} ({DELAYED}, provisioner {provisioners[0]})"
        yield of_state(edit, text, 1.0, Changes(objects=(new,)), ())
    near = closest(name, classes) if name not in classes else None
    if near is not None and not claim.volume_name:
        edit = ProposedEdit(VOLUME, claim.key, name, near, code="REMAKE_CLAIM")
        text = f"make claim {claim.key} again with storage class {near} instead of {name}"
        yield of_state(edit, text, 0.25, Changes(objects=(replace(claim, storage_class_name=near),)), ())
    remade = replace(claim, deletion_timestamp=None)
    edit = ProposedEdit(VOLUME, claim.key, claim.phase, "bound to a new volume")
    made = Changes(objects=_bound(situation, remade))
    yield of_state(edit, f"bind claim {claim.key} to a new volume", 1.0, made, ())


def _bound(situation: RemedySituation, claim: PersistentVolumeClaim) -> tuple[PersistentVolumeClaim, PersistentVolume]:
    """The claim and a volume of its size that any node reaches, bound to each other."""
    volume = volume_for(situation, claim, f"{claim.namespace}-{claim.name}-volume")
    annotations = {**claim.annotations, BIND_COMPLETED: "yes"}
    return (
        replace(claim, volume_name=volume.name, annotations=annotations, phase="Bound"),
        replace(volume, claim_ref=(claim.namespace, claim.name, claim.uid), phase="Bound"),
    )


def volume_created(
    situation: RemedySituation, claim: PersistentVolumeClaim, name: str, nodes: list[str]
) -> RemedyCandidate:
    """The volume that the claim is bound to and that is not there."""
    owner = (claim.namespace, claim.name, claim.uid)
    volume = replace(volume_for(situation, claim, name), claim_ref=owner, phase="Bound")
    edit = ProposedEdit(VOLUME, name, "", "there")
    text = f"create volume {name} of claim {claim.key}"
    return of_state(edit, text, 1.0, Changes(objects=(volume,)), nodes)


def volume_for(situation: RemedySituation, claim: PersistentVolumeClaim, name: str) -> PersistentVolume:
    """A free volume that suits the claim, of the driver of its class; a path of the host without such a class."""
    selector = claim.selector.requirements if claim.selector is not None else ()
    storage_class = situation.listers.storage_classes.get(claim_class(claim))
    driver = storage_class.provisioner if storage_class is not None else ""
    is_csi = driver and not driver.startswith("kubernetes.io/")
    attributes = {"driver": driver, "volumeHandle": name} if is_csi else {"path": f"/{name}"}
    return PersistentVolume(
        name=name,
        source="csi" if is_csi else "hostPath",
        attributes=attributes,
        labels={one.key: one.values[0] for one in selector if one.operator == "In"},
        storage_class_name=claim_class(claim),
        capacity_bytes=claim.requested_bytes,
        volume_mode=claim.volume_mode,
        access_modes=claim.access_modes,
        attributes_class_name=claim.attributes_class_name,
    )
