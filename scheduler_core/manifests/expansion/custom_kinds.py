"""Kinds that make pods, Kubernetes' own and custom ones: who reads them, and where a Rollout has its template."""

from __future__ import annotations

from collections.abc import Callable

from scheduler_core.manifests.checking.raw_values import At
from scheduler_core.manifests.expansion.makers import ParsedMaker, PartNotPlayed
from scheduler_core.manifests.expansion.ray_clusters import read_ray_cluster
from scheduler_core.manifests.expansion.spark_applications import read_spark_application
from scheduler_core.manifests.expansion.workloads import ParsedWorkload, read_workload
from scheduler_core.manifests.items import Item
from scheduler_core.manifests.kinds.metadata import read_metadata
from scheduler_core.manifests.kinds.pods.pod_specs import AdmissionContext
from scheduler_core.manifests.kinds.registry import CUSTOM_MAKERS
from scheduler_core.manifests.model import quoted, shortened

_READERS: dict[str, Callable[[At, Item, AdmissionContext], ParsedMaker]] = {
    "RayCluster": read_ray_cluster,
    "SparkApplication": read_spark_application,
}
_LENDERS = ("Deployment", "ReplicaSet")
"""Kinds whose template a Rollout may use (argo-rollouts: rollout/templateref.go). A PodTemplate is not read."""
Find = Callable[[tuple[str, str, str]], Item | None]
"""The object of the input with this kind, namespace and name."""


def read_maker(
    at: At, item: Item, context: AdmissionContext, find: Find, *, is_whole: bool
) -> ParsedWorkload | ParsedMaker:
    """What makes pods at ``at``; complaints go to its sink. ``is_whole``: the input holds a whole cluster, so that a
    template that is missing is a warning."""
    if item.kind in _READERS:
        return _READERS[item.kind](at, item, context)
    if item.kind in CUSTOM_MAKERS and (reference := at.get("spec").get("workloadRef")).present:
        lender = _lender(reference, item.namespace, find)
        return _borrowing(at, lender, item, context) if lender else _without(at, item, context, is_whole=is_whole)
    return read_workload(at, item, context)


def _lender(reference: At, namespace: str, find: Find) -> Item | None:
    """The workload whose template a Rollout uses, None where the input lacks it."""
    kind, name = reference.get("kind").text(), reference.get("name").text(required=True)
    return find((kind, namespace, name)) if kind in _LENDERS else None


def _borrowing(at: At, lender: Item, item: Item, context: AdmissionContext) -> ParsedWorkload:
    """A Rollout with the template of the lender, and with its selector where the Rollout has none."""
    spec, lent = at.get("spec"), At(lender.raw.get("spec"), (), at.sink)
    if spec.get("template").get("metadata").raw:
        spec.get("template").error("spec.workloadRef gives the template. Remove one of the two")
    selector = spec.get("selector").raw or lent.get("selector").raw
    merged = {**spec.mapping(), "template": lent.get("template").raw, "selector": selector}
    return read_workload(At({**at.raw, "spec": merged}, at.path, at.sink), item, context)


def _without(at: At, item: Item, context: AdmissionContext, *, is_whole: bool) -> ParsedMaker:
    """A Rollout whose template the input lacks: no pods are made."""
    reference = at.get("spec").get("workloadRef")
    named = f"{shortened(reference.get('kind').raw)} {quoted(reference.get('name').raw)}"
    why = f"its template is that of {named}, which is not in the input"
    if is_whole:
        reference.warn(f"no pods are made: {why}")
    part = PartNotPlayed("", f"the pods that it makes are not there; {why}", "placement")
    return ParsedMaker(item=item, meta=read_metadata(at, context.memo, namespaced=True), not_played=(part,))
