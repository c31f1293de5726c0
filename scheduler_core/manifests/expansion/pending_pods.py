"""Workloads to pending pods: only those that the input does not hold already, with names as Kubernetes makes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import astuple, replace

from scheduler_core.api.labels import Requirement
from scheduler_core.api.objects import (
    ClusterObjects,
    PersistentVolumeClaim,
    Pod,
    Workload,
    WorkloadSelector,
)
from scheduler_core.api.unplayed import RefusedCreation, UnplayedObject
from scheduler_core.controllers import daemons, jobs, templates
from scheduler_core.manifests.checking.raw_values import Complaint
from scheduler_core.manifests.expansion.made_up_names import made_up_names
from scheduler_core.manifests.expansion.makers import MadePods, ParsedMaker, owner_of
from scheduler_core.manifests.expansion.workloads import TEMPLATE_HASHES, ParsedWorkload, count_by_owner
from scheduler_core.manifests.items import Item
from scheduler_core.manifests.kinds.registry import CUSTOM_MAKERS
from scheduler_core.manifests.kinds.unplayed import part_not_played, unfinished_rollout
from scheduler_core.manifests.model import Path

_MAX_DAEMON_CHECKS = 5_000_000
_SELECTOR_KINDS = ("ReplicationController", "ReplicaSet", "StatefulSet")
_OwnerKey = tuple[str, str, str]
_REPLICAS = ("spec", "replicas")
_STEPS = ("rollout", "its steps are not taken, and pods of its old and new template stay as they are", "placement")


class Expansion:
    """Adds the pods, claims and selectors of workloads to the objects; ``complaints`` are about the workloads. Pods of
    workloads that are ``refused`` are not made up: their owner keeps how many are missing, and why."""

    def __init__(self, objects: ClusterObjects, room: int, refused: Mapping[_OwnerKey, RefusedCreation]) -> None:
        self.complaints: list[tuple[Item, Complaint]] = []
        self.rollouts: list[UnplayedObject] = []
        """Deployments of which several sets have pods."""
        self.parts: list[UnplayedObject] = []
        """What is not played of custom kinds whose pods are made."""
        self._objects = objects
        self._room = room
        self._refused = refused
        self._checks = 0
        self._sets: dict[_OwnerKey, list[str]] = {}
        self._names = {(p.namespace, p.name) for p in objects.pods}
        self._claims = {(c.namespace, c.name) for c in objects.persistent_volume_claims}
        self._owned: dict[_OwnerKey, list[Pod]] = {}
        for pod in objects.pods:
            self._note(pod)

    def run(self, workloads: list[ParsedWorkload], makers: Sequence[ParsedMaker] = ()) -> None:
        """Expands all; owners of ReplicaSets after these, as those in the input are theirs."""
        sets = self._sets
        for workload in workloads:
            for owner in workload.meta.owners:
                sets.setdefault((owner.kind, workload.meta.namespace, owner.name), []).append(workload.meta.name)
            if workload.kind in _SELECTOR_KINDS:
                self._add_selector(workload.kind, workload.meta.name, workload)
        for workload in workloads:
            if workload.kind == "StatefulSet":
                self._stateful_set(workload)
            elif workload.kind == "DaemonSet":
                self._daemon_set(workload)
            elif workload.kind == "Job":
                self._job(workload)
            elif workload.kind not in TEMPLATE_HASHES:
                self._replicas(workload, self._owner(workload))
        for workload in workloads:
            if workload.kind in TEMPLATE_HASHES:
                key = (workload.kind, workload.meta.namespace, workload.meta.name)
                self._deployment(workload, sets.get(key, []))
        count_by_owner(self._objects.workloads, workloads)
        for maker in makers:
            self._maker(maker)

    # ------------------------------------------------------------ kinds

    def _deployment(self, workload: ParsedWorkload, sets: list[str]) -> None:
        """Pods of any ReplicaSet of the Deployment or Rollout count; new ones belong to a set named by the template's
        hash."""
        name, kind = f"{workload.meta.name}-{workload.template_hash}", workload.kind
        if kind == "Deployment":
            self._objects.deployments.append(self._owner(workload))
        existing = [pod for s in sets for pod in self._active("ReplicaSet", s, workload)]
        if not sets:
            existing = self._active(TEMPLATE_HASHES[kind], workload.meta.name, workload)
            self._add_selector("ReplicaSet", name, workload)
        elif sum(bool(self._active("ReplicaSet", s, workload)) for s in sets) > 1:
            if kind == "Deployment":
                self.rollouts.append(unfinished_rollout(workload.item))
            else:
                self.parts.append(part_not_played(workload.item, *_STEPS))
        own = self._active("ReplicaSet", name, workload)
        missing = workload.replicas - len(existing)
        if missing > 0 and not (sets and self._refusal(workload)):
            above = owner_of(workload.item, workload.meta)
            owner = replace(
                self._owner(workload),
                kind="ReplicaSet",
                name=name,
                uid="",
                owner=above if kind in CUSTOM_MAKERS else replace(above, api_version=""),
                replicas=missing + len(own),
            )
            self._add_replicas(workload, owner, len(existing), missing)

    def _replicas(self, workload: ParsedWorkload, owner: Workload) -> None:
        existing = len(self._active(owner.kind, owner.name, workload))
        self._add_replicas(workload, owner, existing, workload.replicas - existing)

    def _add_replicas(self, workload: ParsedWorkload, owner: Workload, existing: int, missing: int) -> None:
        owner, missing = self._without_refused(workload, owner, missing)
        self._objects.workloads.append(owner)
        if missing <= 0 or not self._has_room(workload.item, missing):
            return
        self._warn_of_gap(workload.item, existing, missing)
        for pod_name in self._made_up_names(owner.name, owner.namespace, missing):
            self._add_owned(owner, owner.template, pod_name)

    def _job(self, workload: ParsedWorkload) -> None:
        """Pods of the indexes that neither run nor are complete, where the Job has indexes."""
        owner, job = self._owner(workload), workload.job
        if job is None or not job.is_indexed:
            self._replicas(workload, owner)
            return
        active = self._active("Job", owner.name, workload)
        busy = {jobs.completion_index(pod) for pod in active}
        owner, missing = self._without_refused(workload, owner, max(0, workload.replicas - len(active)))
        self._objects.workloads.append(owner)
        if not self._has_room(workload.item, missing):
            return
        self._warn_of_gap(workload.item, len(active), missing)
        for index in jobs.pending_indexes(job, busy, missing):
            (name,) = self._made_up_names(jobs.index_base(owner.name, index), owner.namespace, 1)
            self._add_owned(owner, jobs.index_template(owner.template, index), name)

    def _stateful_set(self, workload: ParsedWorkload) -> None:
        owner = self._owner(workload)
        if not self._has_room(workload.item, workload.replicas):
            return
        ordinals = range(workload.first_ordinal, workload.first_ordinal + workload.replicas)
        missing = [i for i in ordinals if (owner.namespace, f"{owner.name}-{i}") not in self._names]
        if missing and self._refusal(workload) is not None:
            owner, _ = self._without_refused(workload, owner, ordinals.stop - missing[0])
            missing = []
        self._objects.workloads.append(replace(owner, added=tuple(f"{owner.name}-{i}" for i in missing)))
        self._warn_of_gap(workload.item, workload.replicas - len(missing), len(missing))
        for i in missing:
            name = f"{owner.name}-{i}"
            self._add_claims(workload, name)
            self._add_owned(owner, templates.ordinal_template(owner, i), name)

    def _add_claims(self, workload: ParsedWorkload, pod_name: str) -> None:
        """The claims of a StatefulSet's pod that are not in the input, of the default class."""
        default = next((c.name for c in self._objects.storage_classes if c.is_default), None)
        for template in workload.claims:
            name = f"{template.name}-{pod_name}"
            if (workload.meta.namespace, name) not in self._claims:
                self._claims.add((workload.meta.namespace, name))
                self._objects.persistent_volume_claims.append(
                    replace(
                        template,
                        name=name,
                        namespace=workload.meta.namespace,
                        storage_class_name=_class_name(template, default),
                    )
                )

    def _daemon_set(self, workload: ParsedWorkload) -> None:
        """One pod per eligible node without one, bound to it by node affinity."""
        self._checks += len(self._objects.nodes)
        if self._checks > _MAX_DAEMON_CHECKS:
            text = "there are too many DaemonSets for this number of nodes. Leave out those that do not matter"
            self.complaints.append((workload.item, Complaint("error", (), text)))
            return
        owner = self._owner(workload)
        owner = replace(owner, template=daemons.with_tolerations(owner.template))
        self._objects.workloads.append(owner)
        there = {daemons.target_node(pod) for pod in self._active("DaemonSet", owner.name, workload)}
        eligible = [node for node in self._objects.nodes if daemons.wants(owner, node)[0]]
        nodes = [node for node in eligible if node.name not in there]
        if nodes and (refusal := self._refusal(workload)) is not None:
            self._objects.workloads[-1] = replace(owner, refusal=refusal)
            return
        if not nodes or not self._has_room(workload.item, len(nodes)):
            return
        self._warn_of_gap(workload.item, len(eligible) - len(nodes), len(nodes))
        names = self._made_up_names(owner.name, owner.namespace, len(nodes))
        for node, name in zip(nodes, names, strict=True):
            self._add_owned(owner, daemons.pinned(owner.template, node.name), name)

    def _maker(self, maker: ParsedMaker) -> None:
        """The pods of a custom kind that the input lacks; no controller of a run makes them again."""
        self.parts += [part_not_played(maker.item, *astuple(part)) for part in maker.not_played]
        there = [self._of_group(maker, group) for group in maker.groups]
        if any(pods and pods[0].is_terminal for pods, group in zip(there, maker.groups, strict=True) if group.ends_all):
            return
        for pods, group in zip(there, maker.groups, strict=True):
            existing = sum(map(_is_active, pods))
            missing = group.count - existing
            if missing <= 0 or not self._has_room(maker.item, missing, group.field):
                continue
            self._warn_of_gap(maker.item, existing, missing, group.field)
            namespace = maker.meta.namespace
            names = [group.name] if group.name else self._made_up_names(group.base, namespace, missing)
            for name in names:
                self._add(replace(group.template, name=name, owner_references=group.owners))

    def _of_group(self, maker: ParsedMaker, group: MadePods) -> list[Pod]:
        """The pods of the input that are of a group."""
        owned = {
            pod.key: pod
            for owner in group.owners
            for pod in self._owned.get((maker.meta.namespace, owner.kind, owner.name), ())
            if group.labels.items() <= pod.labels.items()
        }
        return list(owned.values())

    # ------------------------------------------------------------ book-keeping

    def _refusal(self, workload: ParsedWorkload) -> RefusedCreation | None:
        """What the input says of admission that refuses the workload's pods: of itself, its owner or its sets."""
        namespace = workload.meta.namespace
        keys: list[_OwnerKey] = [(workload.kind, namespace, workload.meta.name)]
        keys += [(owner.kind, namespace, owner.name) for owner in workload.meta.owners]
        keys += [("ReplicaSet", namespace, name) for name in self._sets.get(keys[0], ())]
        return next((self._refused[key] for key in keys if key in self._refused), None)

    def _without_refused(self, workload: ParsedWorkload, owner: Workload, missing: int) -> tuple[Workload, int]:
        """The owner and how many pods to make up: none where admission refused them."""
        refusal = self._refusal(workload) if missing > 0 else None
        if refusal is None:
            return owner, missing
        said = f": {refusal.message}" if refusal.message else ""
        text = f"{missing} of its pods are not made up: {refusal.why}{said}"
        self.complaints.append((workload.item, Complaint("warning", _REPLICAS, text)))
        n_left = owner.replicas - missing if owner.kind != "Job" else owner.replicas
        return replace(owner, replicas=n_left, n_refused=missing, refusal=refusal), 0

    def _owner(self, workload: ParsedWorkload) -> Workload:
        """The workload as the objects keep it."""
        meta = workload.meta
        return Workload(
            kind=workload.kind,
            name=meta.name,
            namespace=meta.namespace,
            uid=meta.uid,
            owner=next((owner for owner in meta.owners if owner.controller), None),
            replicas=workload.replicas,
            template=workload.template,
            claims=tuple(claim.name for claim in workload.claims),
            first_ordinal=workload.first_ordinal,
            is_parallel=workload.is_parallel,
            job=workload.job,
            template_hash=workload.template_hash,
            rollout=workload.rollout,
            revision=workload.revision,
        )

    def _add_owned(self, owner: Workload, template: Pod, name: str) -> None:
        self._add(replace(template, name=name, owner_references=(templates.owner_reference(owner),)))

    def _add(self, pod: Pod) -> None:
        self._names.add((pod.namespace, pod.name))
        self._objects.pods.append(pod)
        self._note(pod)

    def _note(self, pod: Pod) -> None:
        for owner in pod.owner_references:
            self._owned.setdefault((pod.namespace, owner.kind, owner.name), []).append(pod)
            stem, _, code = owner.name.rpartition("-")
            for label in TEMPLATE_HASHES.values() if owner.kind == "ReplicaSet" else ():
                if pod.labels.get(label) == code:
                    self._owned.setdefault((pod.namespace, label, stem), []).append(pod)

    def _active(self, kind: str, name: str, workload: ParsedWorkload) -> list[Pod]:
        return [p for p in self._owned.get((workload.meta.namespace, kind, name), ()) if _is_active(p)]

    def _add_selector(self, kind: str, name: str, workload: ParsedWorkload) -> None:
        selector = workload.selector
        if selector is not None and workload.kind in TEMPLATE_HASHES:
            code = Requirement(TEMPLATE_HASHES[workload.kind], "In", (workload.template_hash,))
            selector = replace(selector, requirements=(*selector.requirements, code))
        self._objects.workload_selectors.append(
            WorkloadSelector(kind=kind, name=name, namespace=workload.meta.namespace, selector=selector)
        )

    def _has_room(self, item: Item, count: int, field: Path = _REPLICAS) -> bool:
        if count <= self._room:
            self._room -= count
            return True
        text = f"{count} more pods are too many: this program makes at most {self._room} more. Lower the number"
        self.complaints.append((item, Complaint("error", field, text)))
        return False

    def _warn_of_gap(self, item: Item, existing: int, missing: int, field: Path = _REPLICAS) -> None:
        if existing and missing:
            text = f"the input holds {existing} of its pods; {missing} missing ones are added as pending"
            self.complaints.append((item, Complaint("warning", field, text)))

    def _made_up_names(self, base: str, namespace: str, count: int) -> Iterator[str]:
        return made_up_names(base, namespace, count, self._names)


def _is_active(pod: Pod) -> bool:
    return not pod.is_terminal and pod.deletion_timestamp is None


def _class_name(claim: PersistentVolumeClaim, default: str | None) -> str | None:
    return default if claim.storage_class_name is None else claim.storage_class_name
