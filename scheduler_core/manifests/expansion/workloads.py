"""Workload kinds from raw values: replicas, selector and pod template, validated as apps/v1 and batch/v1 do."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec.structs import replace

from scheduler_core.api.labels import LabelSelector, Requirement
from scheduler_core.api.objects import JobSpec, PersistentVolumeClaim, Pod, Workload
from scheduler_core.api.rollouts import Rollout, SetRevision
from scheduler_core.manifests.checking.memo import Memo
from scheduler_core.manifests.checking.names import dns_label_problem, name_problem
from scheduler_core.manifests.checking.raw_values import INT32, At
from scheduler_core.manifests.expansion.rollouts import read_exit_rules, read_revision, read_rollout
from scheduler_core.manifests.items import Item
from scheduler_core.manifests.kinds.metadata import Metadata, read_metadata, suffix
from scheduler_core.manifests.kinds.pods.pod_specs import AdmissionContext
from scheduler_core.manifests.kinds.pods.pods import RESTART_POLICIES, build_pod
from scheduler_core.manifests.kinds.registry import CUSTOM_MAKERS
from scheduler_core.manifests.kinds.selectors import label_selector, plain_selector
from scheduler_core.manifests.kinds.storage.persistent_volumes import read_claim
from scheduler_core.manifests.masking.secrets import masked_template

TEMPLATE_HASHES = {"Deployment": "pod-template-hash", "Rollout": "rollouts-pod-template-hash"}
"""The label that tells apart the ReplicaSets of an owner of this kind."""
_HASH_LENGTH = 10
_RESTARTS = {"Job": ("OnFailure", "Never")}
_INTERVAL = re.compile(r"(\d{1,10})(?:-(\d{1,10}))?", re.ASCII)


class ParsedWorkload(msgspec.Struct, frozen=True, kw_only=True):
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
    is_parallel: bool = False
    job: JobSpec | None = None
    rollout: Rollout | None = None
    revision: SetRevision | None = None


def read_workload(at: At, item: Item, context: AdmissionContext) -> ParsedWorkload:
    """The workload at ``at``; complaints go to its sink."""
    rule = dns_label_problem if item.kind == "StatefulSet" else name_problem
    meta = read_metadata(at, context.memo, namespaced=True, rule=rule)
    spec = at.get("spec")
    if not spec.present:
        spec.error("is missing. Write selector and template")
    template = spec.get("template")
    labels = context.memo.read("labels", template.get("metadata").get("labels"), At.labels)
    selector = _selector(spec, item, labels)
    code = _template_hash(template.raw, item.kind)
    if item.kind in TEMPLATE_HASHES:
        labels = {**labels, TEMPLATE_HASHES[item.kind]: code}
    if item.kind == "Job":
        labels = {**labels, "batch.kubernetes.io/job-name": meta.name, "job-name": meta.name}
    job = _job(at) if item.kind == "Job" else None
    return ParsedWorkload(
        item=item,
        kind=item.kind,
        meta=meta,
        replicas=_job_replicas(job) if job else spec.get("replicas").integer(1, 0),
        selector=selector,
        template=_template(template, item.kind, meta, labels, context),
        template_hash=code,
        claims=_claims(spec, context.memo),
        first_ordinal=spec.get("ordinals").get("start").integer(0, 0),
        is_parallel=spec.get("podManagementPolicy").text(choices=("OrderedReady", "Parallel")) == "Parallel",
        job=job,
        rollout=read_rollout(spec, item.kind),
        revision=read_revision(meta, item.kind),
    )


def _template_hash(template: Any, kind: str) -> str:
    """The hash in the names of a Deployment's pods: the same for a template and for what masking left of it, and for
    that of its ReplicaSet; of a Rollout another one, as both may have one name and template."""
    meta = template.get("metadata") if isinstance(template, dict) else None
    labels = meta.get("labels") if isinstance(meta, dict) else None
    if isinstance(meta, dict) and isinstance(labels, dict) and not labels.keys().isdisjoint(TEMPLATE_HASHES.values()):
        others = {key: value for key, value in labels.items() if key not in TEMPLATE_HASHES.values()}
        template = {**template, "metadata": {**meta, "labels": others}}
    text = str(msgspec.json.encode(masked_template(template), order="sorted"), "utf-8")
    return suffix(text if kind not in CUSTOM_MAKERS else f"{kind} {text}", _HASH_LENGTH)


def _template(at: At, kind: str, owner: Metadata, labels: dict[str, str], context: AdmissionContext) -> Pod:
    """The pod of the template, still unnamed. A Job's may omit restartPolicy, as hand-written examples often do."""
    if not at.present:
        at.error("is missing. Write the pod template")
    at.mapping()
    restarts, given = _RESTARTS.get(kind, ("Always",)), at.get("spec").get("restartPolicy")
    if given.raw.__class__ is str and given.raw in RESTART_POLICIES and given.raw not in restarts:
        given.refuse(f"{given.raw} is not allowed in a {kind}. Write {' or '.join(restarts)}")
    annotations = at.get("metadata").get("annotations").annotations()
    meta = Metadata("", owner.namespace, "", labels, annotations, (), owner.created, None)
    return build_pod(at, meta, context)


def _selector(spec: At, item: Item, labels: dict[str, str]) -> LabelSelector | None:
    """The selector; from the template's labels where older versions leave it out. It must match the template."""
    at = spec.get("selector")
    if item.kind == "ReplicationController":
        return _matching(plain_selector(at) or _equal(labels), at, labels)
    selector = label_selector(at)
    if item.kind == "Job":
        return selector
    if selector is None:
        if item.api_version == "apps/v1" or item.kind in CUSTOM_MAKERS:
            at.error("is missing. Write matchLabels with labels of the template")
        return _equal(labels)
    if not selector.requirements:
        at.refuse("is empty. Write matchLabels with labels of the template")
    return _matching(selector, at, labels) if spec.get("template").present else selector


def _matching(selector: LabelSelector, at: At, labels: dict[str, str]) -> LabelSelector:
    if not selector.matches(labels):
        at.error("does not match the labels of the template. Write the same labels in both")
    return selector


def _equal(labels: dict[str, str]) -> LabelSelector:
    return LabelSelector(tuple(Requirement(k, "In", (v,)) for k, v in sorted(labels.items())))


def _job(at: At) -> JobSpec:
    """What a Job asks for, with the API server's defaults, and how far its status says that it is."""
    spec, status = at.get("spec"), at.get("status")
    completions, parallelism = spec.get("completions"), spec.get("parallelism")
    is_indexed = spec.get("completionMode").text(choices=("NonIndexed", "Indexed")) == "Indexed"
    if is_indexed and not completions.present:
        completions.refuse("is missing. An indexed Job needs it")
    goal = completions.integer(1, 0) if completions.present or not parallelism.present else None
    is_per_index = spec.get("backoffLimitPerIndex").present
    if is_per_index and not is_indexed:
        spec.get("backoffLimitPerIndex").refuse("needs completionMode: Indexed")
    spec.get("podReplacementPolicy").text(choices=("TerminatingOrFailed", "Failed"))
    limit = spec.get("backoffLimit")
    policy = spec.get("podFailurePolicy")
    ended = status.get("completionTime").present or any(
        item.get("type").raw in ("Complete", "Failed") and item.get("status").raw == "True"
        for item in status.get("conditions").items()
    )
    return JobSpec(
        completions=goal,
        parallelism=parallelism.integer(1, 0),
        backoff_limit=limit.integer(6, 0) if limit.present or not is_per_index else INT32[1],
        is_indexed=is_indexed,
        on_disruption=_on_disruption(policy),
        replaces_failed_only=policy.present or spec.get("podReplacementPolicy").text() == "Failed",
        succeeded=status.get("succeeded").integer(0, 0),
        failed=status.get("failed").integer(0, 0),
        completed_indexes=_indexes(status.get("completedIndexes").text(), goal or 0) if is_indexed else (),
        is_over=ended or spec.get("suspend").boolean(),
        is_suspended=not ended and spec.get("suspend").boolean(),
        limit_per_index=spec.get("backoffLimitPerIndex").integer(0, 0) if is_per_index else None,
        most_failed_indexes=spec.get("maxFailedIndexes").integer(0, 0)
        if spec.get("maxFailedIndexes").present
        else None,
        deadline_seconds=spec.get("activeDeadlineSeconds").integer(0, 0)
        if spec.get("activeDeadlineSeconds").present
        else None,
        rules=read_exit_rules(policy),
    )


def _on_disruption(policy: At) -> str:
    """The action of the first rule for pods with the condition DisruptionTarget, Count where there is none."""
    for rule in policy.get("rules").items():
        for pattern in rule.get("onPodConditions").items():
            if pattern.get("type").raw == "DisruptionTarget" and pattern.get("status").raw in (None, "True"):
                return rule.get("action").text("Count")
    return "Count"


def _indexes(text: str, completions: int) -> tuple[tuple[int, int], ...]:
    """The intervals of a text such as "0,2-4" below completions, in order, joined where they touch
    (indexed_job_utils.go succeededIndexesFromString)."""
    intervals: list[tuple[int, int]] = []
    for first, last in sorted((int(first), int(last or first)) for first, last in _INTERVAL.findall(text)):
        end = min(last, completions - 1)
        if intervals and first <= intervals[-1][1] + 1:
            intervals[-1] = intervals[-1][0], max(intervals[-1][1], end)
        elif first <= end:
            intervals.append((first, end))
    return tuple(intervals)


def _job_replicas(job: JobSpec) -> int:
    """How many pods a Job runs at once: parallelism, but no more than completions that are still missing."""
    if job.is_over:
        return 0
    if job.completions is None:
        return job.parallelism if not job.succeeded else 0
    return max(0, min(job.parallelism, job.completions - job.succeeded))


def _claims(spec: At, memo: Memo) -> tuple[PersistentVolumeClaim, ...]:
    return tuple(read_claim(item, memo, is_template=True) for item in spec.get("volumeClaimTemplates").items())


def count_by_owner(workloads: list[Workload], written: Iterable[ParsedWorkload]) -> None:
    """Set ``owner_replicas`` of each of several sets of one Deployment or Rollout, in place; both are in ``written``.

    In a rollout the sets together have more pods than their owner wants in all.
    """
    deployments = {
        (one.kind, one.meta.namespace, one.meta.name): one.replicas for one in written if one.kind in TEMPLATE_HASHES
    }
    of_owner = [_owning_deployment(one) for one in workloads]
    n_sets = Counter(of_owner)
    for i, owner in enumerate(of_owner):
        if owner in deployments and n_sets[owner] > 1:
            workloads[i] = replace(workloads[i], owner_replicas=deployments[owner])


def _owning_deployment(workload: Workload) -> tuple[str, str, str]:
    """Kind, namespace and name of the Deployment or Rollout that has the set, all "" where none does."""
    owner = workload.owner
    is_owned = owner is not None and owner.kind in TEMPLATE_HASHES
    return (owner.kind, workload.namespace, owner.name) if owner is not None and is_owned else ("", "", "")


__all__ = ["TEMPLATE_HASHES", "ParsedWorkload", "count_by_owner", "read_workload"]
