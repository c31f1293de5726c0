"""Workload kinds from raw values: replicas, selector and pod template, validated as apps/v1 and batch/v1 do."""

from __future__ import annotations

import msgspec

from scheduler_core.api.labels import LabelSelector, Requirement
from scheduler_core.api.objects import PersistentVolumeClaim, Pod
from scheduler_core.manifests import others
from scheduler_core.manifests.check import At, Memo
from scheduler_core.manifests.items import Item
from scheduler_core.manifests.metadata import Metadata, read_metadata, suffix
from scheduler_core.manifests.pods import build_pod
from scheduler_core.manifests.podspecs import AdmissionContext
from scheduler_core.manifests.selectors import label_selector, plain_selector

TEMPLATE_HASH = "pod-template-hash"
_HASH_LENGTH = 10


class Workload(msgspec.Struct, frozen=True, kw_only=True):
    """A workload: how many pods it wants, and what they look like. ``template`` is the pod without a name."""

    item: Item
    kind: str
    meta: Metadata
    replicas: int
    selector: LabelSelector | None
    template: Pod
    template_hash: str
    claims: tuple[PersistentVolumeClaim, ...] = ()
    first_ordinal: int = 0


def read_workload(at: At, item: Item, context: AdmissionContext) -> Workload:
    """The workload at ``at``; complaints go to its sink."""
    meta = read_metadata(at, context.memo, namespaced=True)
    spec = at.get("spec")
    if not spec.present:
        spec.error("is missing. Write selector and template")
    template = spec.get("template")
    labels = context.memo.read("labels", template.get("metadata").get("labels"), At.labels)
    selector = _selector(spec, item, labels)
    code = suffix(str(msgspec.json.encode(template.raw, order="sorted"), "utf-8"), _HASH_LENGTH)
    if item.kind == "Deployment":
        labels = {**labels, TEMPLATE_HASH: code}
    if item.kind == "Job":
        labels = {**labels, "batch.kubernetes.io/job-name": meta.name, "job-name": meta.name}
    return Workload(
        item=item,
        kind=item.kind,
        meta=meta,
        replicas=_job_replicas(at) if item.kind == "Job" else spec.get("replicas").integer(1, 0),
        selector=selector,
        template=_template(template, meta, labels, context),
        template_hash=code,
        claims=_claims(spec, context.memo),
        first_ordinal=spec.get("ordinals").get("start").integer(0, 0),
    )


def _template(at: At, owner: Metadata, labels: dict[str, str], context: AdmissionContext) -> Pod:
    if not at.present:
        at.error("is missing. Write the pod template")
    annotations = at.get("metadata").get("annotations").annotations()
    meta = Metadata("", owner.namespace, "", labels, annotations, (), owner.created, None)
    return build_pod(at, meta, context)


def _selector(spec: At, item: Item, labels: dict[str, str]) -> LabelSelector | None:
    """The selector; from the template's labels where older versions leave it out. It must match the template."""
    at = spec.get("selector")
    if item.kind == "ReplicationController":
        return plain_selector(at) or _equal(labels)
    if item.kind == "Job":
        return label_selector(at)
    selector = label_selector(at)
    if selector is None:
        if item.api_version == "apps/v1":
            at.error("is missing. Write matchLabels with labels of the template")
        return _equal(labels)
    if spec.get("template").present and not selector.matches(labels):
        at.error("does not match the labels of the template. Write the same labels in both")
    return selector


def _equal(labels: dict[str, str]) -> LabelSelector:
    return LabelSelector(tuple(Requirement(k, "In", (v,)) for k, v in sorted(labels.items())))


def _job_replicas(at: At) -> int:
    """How many pods a Job runs at once: parallelism, but no more than completions that are still missing."""
    spec, status = at.get("spec"), at.get("status")
    parallelism = spec.get("parallelism").integer(1, 0)
    completions = spec.get("completions")
    done = status.get("succeeded").integer(0, 0)
    finished = status.get("completionTime").present or any(
        item.get("type").raw in ("Complete", "Failed") and item.get("status").raw == "True"
        for item in status.get("conditions").items()
    )
    if finished or spec.get("suspend").boolean():
        return 0
    if not completions.present:
        return parallelism if not done else 0
    return max(0, min(parallelism, completions.integer(1, 0) - done))


def _claims(spec: At, memo: Memo) -> tuple[PersistentVolumeClaim, ...]:
    return tuple(others.read_claim(item, memo) for item in spec.get("volumeClaimTemplates").items())


__all__ = ["TEMPLATE_HASH", "Workload", "read_workload"]
