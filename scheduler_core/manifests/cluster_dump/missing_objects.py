"""Objects that others name and that are not there: most often a dump that left a kind out.

Each kind that is missed is one doubt, whatever the number of objects that name it. Decisions stay those of the
reference, which finds no such object either.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import NamedTuple

from scheduler_core.api.devices import ClaimSpec
from scheduler_core.api.objects import ClusterObjects, OwnerReference, Pod, PodAffinityTerm, PodResourceClaim
from scheduler_core.manifests.cluster_dump.kubectl import DEVICES, DEVICES_COMMAND, OPTIONAL, RESOURCES
from scheduler_core.manifests.kinds.registry import CUSTOM_MAKERS, KINDS, POD_MAKERS
from scheduler_core.manifests.model import shortened

_SHOWN = 3


class Doubt(NamedTuple):
    """What is missed: the first object that names one such, by kind, namespace and name; its field; the words; and the
    kind of what is ``missed``."""

    kind: str
    namespace: str
    name: str
    field: str
    message: str
    missed: str = ""


class _Missed:
    """What names objects of a kind that are not there: how many do, the first of them, and what they name."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.first = ("", "")
        self.n_naming = 0
        self.named: dict[str, None] = {}

    def add(self, naming: tuple[str, str], named: str) -> None:
        """Count an object (namespace, name) that names a missing one."""
        self.first = self.first if self.n_naming else naming
        self.n_naming += 1
        self.named[named] = None

    def doubt(self, kind: str, field: str, doing: tuple[str, str], so: str) -> Iterator[Doubt]:
        """The doubt, if any: ``doing`` is what one and what several objects of ``kind`` do; ``so`` what comes of it."""
        if not self.n_naming:
            return
        resource = RESOURCES.get(self.kind) or OPTIONAL[self.kind]
        who = f"1 {kind} {doing[0]}" if self.n_naming == 1 else f"{self.n_naming:,} {kind}s {doing[1]}"
        shown = ", ".join(shortened(name) for name in sorted(self.named)[:_SHOWN])
        more = f" and {len(self.named) - _SHOWN:,} more" if len(self.named) > _SHOWN else ""
        text = f"{who} {resource} that are not among the objects ({shown}{more}){so}. Dump {resource} too"
        if self.kind in DEVICES:
            text += f": {DEVICES_COMMAND}"
        yield Doubt(_KINDS[kind], *self.first, field, text, self.kind)


_KINDS = {
    "pod": "Pod",
    "claim": "PersistentVolumeClaim",
    "resource claim": "ResourceClaim",
    "claim template": "ResourceClaimTemplate",
}
_NAMES = ("names", "name")
_OF_SETS = ("Deployment", "Rollout")
_SETS = POD_MAKERS - CUSTOM_MAKERS - {"Deployment"}


Key = tuple[str, str, str]
"""Kind, namespace ("" for kinds without one) and name."""


def missing_objects(objects: ClusterObjects, given: Container[Key] = frozenset()) -> list[Doubt]:
    """The doubts about objects as they are after expansion, in a fixed order; a few passes over pods and claims.

    ``given`` are the keys of all that the input has, those among them that could not be read.
    """
    pods = [pod for pod in objects.pods if not pod.is_terminal]
    return [
        *_of_nodes(objects, pods, given),
        *_of_claims(objects, pods, given),
        *_of_volumes(objects, given),
        *_of_resource_claims(objects, pods, given),
        *_of_device_classes(objects, given),
        *_of_slices(objects, pods, given),
        *_of_namespaces(objects, pods, given),
        *_of_workloads(objects, pods, given),
    ]


def _of_nodes(objects: ClusterObjects, pods: list[Pod], given: Container[Key]) -> Iterator[Doubt]:
    """Nodes of bound pods; an input without any node is a list of pods, which says nothing of nodes."""
    present, missed = {node.name for node in objects.nodes}, _Missed("Node")
    for pod in pods if present else ():
        name = pod.node_name
        if name and name not in present and ("Node", "", name) not in given:
            missed.add((pod.namespace, pod.name), name)
    yield from missed.doubt("pod", "spec.nodeName", ("is bound to", "are bound to"), ": they count on no node")


def _of_claims(objects: ClusterObjects, pods: list[Pod], given: Container[Key]) -> Iterator[Doubt]:
    """Claims of pods; one that is made for a pod (ephemeral) is there from when the pod was bound on."""
    kind = "PersistentVolumeClaim"
    present, missed = {(claim.namespace, claim.name) for claim in objects.persistent_volume_claims}, _Missed(kind)
    for pod in pods:
        for volume in pod.volumes:
            made_for_it = volume.ephemeral and pod.node_name
            name = f"{pod.name}-{volume.name}" if made_for_it else volume.claim_name
            if name and (pod.namespace, name) not in present and (kind, pod.namespace, name) not in given:
                missed.add((pod.namespace, pod.name), name)
    yield from missed.doubt("pod", "spec.volumes", _NAMES, "")


def _of_volumes(objects: ClusterObjects, given: Container[Key]) -> Iterator[Doubt]:
    """Volumes that claims are bound to, and classes of claims that have yet to be bound."""
    volumes, classes = {v.name for v in objects.persistent_volumes}, {c.name for c in objects.storage_classes}
    no_volume, no_class = _Missed("PersistentVolume"), _Missed("StorageClass")
    for claim in objects.persistent_volume_claims:
        volume, name = claim.volume_name, claim.storage_class_name
        if volume:
            if volume not in volumes and ("PersistentVolume", "", volume) not in given:
                no_volume.add((claim.namespace, claim.name), volume)
        elif name and name not in classes and ("StorageClass", "", name) not in given:
            no_class.add((claim.namespace, claim.name), name)
    yield from no_volume.doubt("claim", "spec.volumeName", _NAMES, "")
    yield from no_class.doubt("claim", "spec.storageClassName", _NAMES, "")


def _of_resource_claims(objects: ClusterObjects, pods: list[Pod], given: Container[Key]) -> Iterator[Doubt]:
    """Claims of pods, and templates of those that are yet to be generated."""
    present = {("ResourceClaim", claim.namespace, claim.name) for claim in objects.resource_claims}
    present |= {("ResourceClaimTemplate", one.namespace, one.name) for one in objects.resource_claim_templates}
    missed = {kind: _Missed(kind) for kind in ("ResourceClaim", "ResourceClaimTemplate")}
    for pod in pods:
        for entry in pod.resource_claims:
            for kind, name in _named_by(entry):
                key = (kind, pod.namespace, name)
                if name and key not in present and key not in given:
                    missed[kind].add((pod.namespace, pod.name), name)
    for one in missed.values():
        yield from one.doubt("pod", "spec.resourceClaims", _NAMES, "")


def _named_by(entry: PodResourceClaim) -> Iterator[tuple[str, str]]:
    yield "ResourceClaim", entry.claim_name or entry.generated or ""
    if entry.generated is None:
        yield "ResourceClaimTemplate", entry.template_name


def _of_device_classes(objects: ClusterObjects, given: Container[Key]) -> Iterator[Doubt]:
    """Classes that claims without an allocation, and templates, ask for."""
    present = {one.name for one in objects.device_classes}
    waiting = [one for one in objects.resource_claims if one.allocation is None]
    for word, field, asking in (
        ("resource claim", "spec.devices.requests", waiting),
        ("claim template", "spec.spec.devices.requests", objects.resource_claim_templates),
    ):
        missed = _Missed("DeviceClass")
        for one in asking:
            for name in sorted(_classes_of(one.spec) - present):
                if name and ("DeviceClass", "", name) not in given:
                    missed.add((one.namespace, one.name), name)
        yield from missed.doubt(word, field, _NAMES, "")


def _classes_of(spec: ClaimSpec) -> set[str]:
    return {one.class_name for request in spec.requests for one in (request.alternatives or (request,))}


def _of_slices(objects: ClusterObjects, pods: list[Pod], given: Container[Key]) -> Iterator[Doubt]:
    """Slices, where there is none at all and claims or templates of pods are there that need some."""
    if objects.resource_slices:
        return
    asking = {(one.namespace, one.name) for one in objects.resource_claims if one.allocation is None}
    templates = {(one.namespace, one.name) for one in objects.resource_claim_templates}
    missed = _Missed("ResourceSlice")
    for pod in pods:
        for entry in pod.resource_claims:
            of_template = entry.generated is None and (pod.namespace, entry.template_name) in templates
            if of_template or (pod.namespace, entry.claim_name or entry.generated or "") in asking:
                missed.add((pod.namespace, pod.name), entry.name)
    doing = ("claims devices of", "claim devices of")
    yield from missed.doubt("pod", "spec.resourceClaims", doing, ": no device is there")


def _of_namespaces(objects: ClusterObjects, pods: list[Pod], given: Container[Key]) -> Iterator[Doubt]:
    """Namespaces that hold pods, where a term selects namespaces by labels, which only their objects have."""
    present, missed = {namespace.name for namespace in objects.namespaces}, _Missed("Namespace")
    unknown = [n for n in sorted({p.namespace for p in objects.pods} - present) if ("Namespace", "", n) not in given]
    if not unknown:
        return
    for pod in pods:
        if any(term.namespace_selector and term.namespace_selector.requirements for term in _terms(pod)):
            missed.add((pod.namespace, pod.name), unknown[0])
    missed.named.update(dict.fromkeys(unknown if missed.n_naming else ()))
    field = "spec.affinity"
    yield from missed.doubt("pod", field, ("selects by label among", "select by label among"), ": none is selected")


def _terms(pod: Pod) -> Iterator[PodAffinityTerm]:
    affinity = pod.affinity
    if affinity is None:
        return
    yield from affinity.pod_required
    yield from affinity.anti_required
    for weighted in (*affinity.pod_preferred, *affinity.anti_preferred):
        yield weighted.term


def _of_workloads(objects: ClusterObjects, pods: list[Pod], given: Container[Key]) -> Iterator[Doubt]:
    """Workloads that are known by their pods alone. Each is looked for once, however many pods it has."""
    present = {(workload.kind, workload.namespace, workload.name) for workload in objects.workloads}
    missed: dict[str, _Missed] = {}
    looked_for: dict[tuple[str, str, str, str], _Missed | None] = {}
    for pod in pods:
        for owner in pod.owner_references:
            if not owner.controller:
                continue
            key = (owner.kind, pod.namespace, owner.name, owner.api_version)
            if key not in looked_for:
                is_there = not _is_read(owner) or _is_there(key[:3], present, given)
                looked_for[key] = None if is_there else missed.setdefault(owner.kind, _Missed(owner.kind))
            if (one := looked_for[key]) is not None:
                one.add((pod.namespace, pod.name), owner.name)
    so = ": such a workload is taken to ask for the pods that it has"
    for one in missed.values():
        yield from one.doubt("pod", "metadata.ownerReferences", ("is owned by", "are owned by"), so)


def _is_there(key: Key, present: Container[Key], given: Container[Key]) -> bool:
    """Whether the workload is in the input; a set may be there by its Deployment or Rollout."""
    kind, namespace, name = key
    if key in present or key in given:
        return True
    return kind == "ReplicaSet" and any((above, namespace, name.rpartition("-")[0]) in given for above in _OF_SETS)


def _is_read(owner: OwnerReference) -> bool:
    """Whether the owner is of a kind that is read; other projects have kinds of the same names."""
    if owner.kind not in _SETS:
        return False
    return not owner.api_version or owner.api_version.rpartition("/")[0] in (KINDS[owner.kind].group, "extensions")
