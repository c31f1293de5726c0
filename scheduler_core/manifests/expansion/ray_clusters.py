"""RayClusters of KubeRay: one head, and worker groups.

Source: KubeRay's ray-operator: GetWorkerGroupDesiredReplicas (utils/util.go), DefaultHeadPodTemplate,
DefaultWorkerPodTemplate and labelPod (common/pod.go), as an operator with its defaults does.
"""

from __future__ import annotations

from typing import Any

from scheduler_core.api.objects import OwnerReference, Pod
from scheduler_core.manifests.checking.raw_values import INT32, At
from scheduler_core.manifests.expansion.makers import MadePods, ParsedMaker, PartNotPlayed, owner_of
from scheduler_core.manifests.items import Item
from scheduler_core.manifests.kinds.metadata import Metadata, read_metadata
from scheduler_core.manifests.kinds.pods.pod_specs import AdmissionContext
from scheduler_core.manifests.kinds.pods.pods import build_pod

_OPERATOR = "ray.io/kuberay-operator"
_HEAD_GROUP = "headgroup"
_LONGEST_PREFIX = 50
_AUTOSCALER = {"requests": {"cpu": "500m", "memory": "512Mi"}, "limits": {"cpu": "500m", "memory": "512Mi"}}
_WAITS_FOR_HEAD = {"requests": {"cpu": "200m", "memory": "256Mi"}, "limits": {"cpu": "200m", "memory": "256Mi"}}
_SCALED = PartNotPlayed("Ray's autoscaler", "it changes how many workers there are")


def read_ray_cluster(at: At, item: Item, context: AdmissionContext) -> ParsedMaker:
    """The cluster at ``at``; complaints go to its sink."""
    meta, spec = read_metadata(at, context.memo, namespaced=True), at.get("spec")
    if not spec.present:
        spec.error("is missing. Write headGroupSpec")
    manager = spec.get("managedBy").text(_OPERATOR)
    has_pods = manager == _OPERATOR and not spec.get("suspend").boolean()
    is_scaled = spec.get("enableInTreeAutoscaling").boolean()
    owner = owner_of(item, meta)
    groups = [_head(spec, meta, owner, context, is_scaled=is_scaled)]
    groups += [_workers(group, meta, owner, context) for group in spec.get("workerGroupSpecs").items()]
    return ParsedMaker(
        item=item,
        meta=meta,
        groups=tuple(groups) if has_pods else (),
        not_played=(_SCALED,) if has_pods and is_scaled and len(groups) > 1 else (),
    )


def _head(spec: At, meta: Metadata, owner: OwnerReference, context: AdmissionContext, *, is_scaled: bool) -> MadePods:
    """The head, with the container of the autoscaler where there is one."""
    group = spec.get("headGroupSpec")
    resources = spec.get("autoscalerOptions").get("resources").mapping() or _AUTOSCALER
    added = {"containers": {"name": "autoscaler", "resources": resources}} if is_scaled else {}
    labels = _labels(meta.name, "head", _HEAD_GROUP)
    return MadePods(
        base=f"{meta.name[:_LONGEST_PREFIX]}-head".lower(),
        count=1,
        field=group.path,
        template=_pod(group, meta, labels, added, context),
        owners=(owner,),
        labels=_identity(labels),
    )


def _workers(group: At, meta: Metadata, owner: OwnerReference, context: AdmissionContext) -> MadePods:
    """A group of workers, each with the init container that waits for the head."""
    name = group.get("groupName").text(required=True)
    labels = _labels(meta.name, "worker", name)
    added = {"initContainers": {"name": "wait-gcs-ready", "resources": _WAITS_FOR_HEAD}}
    return MadePods(
        base=f"{f'{meta.name}-{name}'[:_LONGEST_PREFIX]}-worker".lower(),
        count=_count(group),
        field=group.get("replicas").path,
        template=_pod(group, meta, labels, added, context),
        owners=(owner,),
        labels=_identity(labels),
    )


def _count(group: At) -> int:
    """Replicas between the bounds, times the hosts of each; none while the group is suspended."""
    least, most = group.get("minReplicas").integer(0, 0), group.get("maxReplicas").integer(INT32[1], 0)
    replicas, hosts = group.get("replicas").integer(0, 0), group.get("numOfHosts").integer(1, 0)
    if least > most:
        group.get("minReplicas").error(f"is greater than maxReplicas ({most}). Write at most that")
    within = least if replicas < least else min(replicas, most)
    return 0 if group.get("suspend").boolean() else within * hosts


def _labels(cluster: str, node_type: str, group: str) -> dict[str, str]:
    return {
        "ray.io/is-ray-node": "yes",
        "ray.io/cluster": cluster,
        "ray.io/node-type": node_type,
        "ray.io/group": group,
        "ray.io/identifier": f"{cluster}-{node_type}"[-63:],
        "app.kubernetes.io/name": "kuberay",
        "app.kubernetes.io/created-by": "kuberay-operator",
    }


def _identity(labels: dict[str, str]) -> dict[str, str]:
    """The labels that templates cannot change."""
    return {name: labels[name] for name in ("ray.io/cluster", "ray.io/node-type", "ray.io/group")}


def _pod(
    group: At, meta: Metadata, labels: dict[str, str], added: dict[str, dict[str, Any]], context: AdmissionContext
) -> Pod:
    """The pod of a group: its template with the labels, and with the containers that the operator adds by their list,
    which have the image of the first one."""
    template = group.get("template")
    if not template.present:
        template.error("is missing. Write the pod template")
    template.mapping()
    given = {**template.get("metadata").get("labels").labels(), **group.get("labels").labels()}
    annotations = template.get("metadata").get("annotations").annotations()
    labels = {**labels, **given, **_identity(labels)}
    own = Metadata("", meta.namespace, "", labels, annotations, (), meta.created, None)
    spec = template.get("spec").raw
    if isinstance(spec, dict) and isinstance(spec.get("containers"), list):
        first = next(iter(spec["containers"]), None)
        image = {"image": first["image"]} if isinstance(first, dict) and isinstance(first.get("image"), str) else {}
        for field, container in added.items():
            if isinstance(there := spec.get(field, []), list):
                spec = {**spec, field: [*there, {**image, **container}]}
        template = At({**template.raw, "spec": spec}, template.path, template.sink)
    return build_pod(template, own, context)
