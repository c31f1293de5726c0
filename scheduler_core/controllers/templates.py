"""A workload's pods: the template made a pod, and a lost pod made the template of its successor."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace

from scheduler_core.api.objects import OwnerReference, Pod, Volume, Workload
from scheduler_core.controllers.decision import Situation, WorkloadProgress
from scheduler_core.controllers.names import generated_name, generated_uid

POD_NAME_LABEL = "statefulset.kubernetes.io/pod-name"
POD_INDEX_LABEL = "apps.kubernetes.io/pod-index"
COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index"
_OF_ONE_POD = frozenset((POD_NAME_LABEL, POD_INDEX_LABEL, COMPLETION_INDEX))
_API_VERSIONS = {"Job": "batch/v1", "ReplicationController": "v1"}
_ORDINAL = re.compile(r"(.+)-(\d{1,9})", re.ASCII)


def pod_template(pod: Pod) -> Pod:
    """The pod without its name and owner, without what scheduler and kubelet wrote, and without what is its own alone
    among the pods of its owner (index labels)."""
    return replace(
        pod,
        name="",
        uid="",
        labels={key: value for key, value in pod.labels.items() if key not in _OF_ONE_POD},
        annotations={key: value for key, value in pod.annotations.items() if key not in _OF_ONE_POD},
        owner_references=(),
        creation_timestamp=None,
        deletion_timestamp=None,
        node_name="",
        nominated_node_name="",
        phase="Pending",
        start_time=None,
        preempted=False,
        allocated_requests=None,
        resource_claims=tuple([replace(entry, generated=None) for entry in pod.resource_claims]),
        extended_claim="",
        extended_requests=(),
    )


def owner_reference(workload: Workload) -> OwnerReference:
    """What a pod of the workload names as its controller."""
    version = _API_VERSIONS.get(workload.kind, "apps/v1")
    return OwnerReference(workload.kind, workload.name, workload.uid, controller=True, api_version=version)


def new_pod(workload: Workload, template: Pod, name: str, number: int, situation: Situation) -> Pod:
    """A pod of the workload under this name: the one of this number that was made in the run."""
    return replace(
        template,
        name=name,
        namespace=workload.namespace,
        uid=generated_uid(f"{workload.key}/{name}", number, situation.seed),
        owner_references=(owner_reference(workload),),
        creation_timestamp=situation.wall_time,
    )


def new_pods(
    workload: Workload, templates: Sequence[Pod], progress: WorkloadProgress, situation: Situation
) -> list[Pod]:
    """A pod of each template, with generated names; counts them in ``progress``."""
    made: list[Pod] = []
    names: set[str] = set()
    for template in templates:
        name = generated_name(
            workload.name,
            workload.key,
            progress.made,
            situation.seed,
            lambda name: name in names or situation.is_taken(f"{workload.namespace}/{name}"),
        )
        names.add(name)
        made.append(new_pod(workload, template, name, progress.made, situation))
        progress.made += 1
    return made


def successors(workload: Workload, count: int, situation: Situation) -> list[Pod]:
    """``count`` templates: of an implied workload those of the lost pods, else the workload's own."""
    lost = [pod_template(pod) for pod in situation.lost[:count]] if workload.is_implied else []
    return lost + [workload.template] * (count - len(lost))


def pod_ordinal(workload_name: str, pod_name: str) -> int:
    """The ordinal of a StatefulSet's pod, -1 for another name (stateful_set_utils.go getOrdinal)."""
    match = _ORDINAL.fullmatch(pod_name)
    return int(match[2]) if match is not None and match[1] == workload_name else -1


def ordinal_template(workload: Workload, ordinal: int) -> Pod:
    """The template of the pod of this ordinal: its labels, and its own claims (newStatefulSetPod)."""
    template, name = workload.template, f"{workload.name}-{ordinal}"
    claims = tuple(
        Volume(name=claim, claim_name=f"{claim}-{name}", source="persistentVolumeClaim") for claim in workload.claims
    )
    named = frozenset(workload.claims)
    others = tuple(volume for volume in template.volumes if volume.name not in named)
    labels = {**template.labels, POD_NAME_LABEL: name, POD_INDEX_LABEL: str(ordinal)}
    return replace(template, labels=labels, volumes=claims + others)
