"""The pods of the inputs that are not made yet at time 0, and what admission makes of them.

A pod has been made where it has a uid or a node, or where somebody else owns it: the API server of the input admitted
it. Those that the loader made up for a workload, and those that a file posts without any of that, come at time 0 in the
order of the input. As with controllers, a workload's first refusal ends its turn: its other pods are not asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from scheduler_core.admission.verdicts import RefusedObject
from scheduler_core.api.objects import ClusterObjects, Pod
from scheduler_core.controllers.owned import workload_key
from scheduler_core.engine.arrivals.admission import Played, PlayedAdmission

_KINDS = ("resource_quotas", "limit_ranges", "runtime_classes", "priority_classes")


class RefusedAtStart(NamedTuple):
    """A pod that was refused, the key of its workload ("": it has none), and the pods of that workload that were not
    asked for after it."""

    pod: Pod
    refusal: RefusedObject
    workload: str = ""
    others: Sequence[Pod] = ()


def admitted_pods(
    pods: Sequence[Pod], objects: ClusterObjects, played: Played
) -> tuple[Sequence[Pod], list[RefusedAtStart]]:
    """The pods with those that are new as admission leaves them, in the same order, and what it refused."""
    admission = PlayedAdmission(played)
    if not admission.is_played or not _is_asked(objects, played):
        return pods, []
    workloads = {workload.key for workload in objects.workloads}
    are_new = [is_new(pod, workloads) for pod in pods]
    there = (pod for pod, new in zip(pods, are_new, strict=True) if not new)
    admission.begin((one for kind in _KINDS for one in getattr(objects, kind)), there)
    admitted: list[Pod] = []
    refused: dict[str, RefusedAtStart] = {}
    for pod, new in zip(pods, are_new, strict=True):
        outcome = _asked(pod, admission, refused) if new else pod
        if outcome is not None:
            admitted.append(outcome)
    return admitted, list(refused.values())


def is_new(pod: Pod, workloads: Iterable[str] | Mapping[str, object]) -> bool:
    """Whether the pod is not made yet; ``workloads`` are the keys of those that the input holds."""
    if pod.uid or pod.node_name or pod.nominated_node_name or pod.is_terminal or pod.deletion_timestamp is not None:
        return False
    key = workload_key(pod)
    return key in workloads if key else pod.creation_timestamp is None and not pod.owner_references


def _asked(pod: Pod, admission: PlayedAdmission, refused: dict[str, RefusedAtStart]) -> Pod | None:
    key = workload_key(pod)
    if key and key in refused:
        refused[key] = refused[key]._replace(others=(*refused[key].others, pod))
        return None
    outcome = admission.admit(pod, generated_prefix(pod))
    if isinstance(outcome, RefusedObject):
        refused[key or f"Pod/{pod.key}"] = RefusedAtStart(pod, outcome, key)
        return None
    admission.pod_changed(None, outcome)
    return outcome


def generated_prefix(pod: Pod) -> str:
    """The generateName of a pod that a controller makes, "" for one that has its name from elsewhere."""
    kind = workload_key(pod).partition("/")[0]
    return f"{pod.name.rpartition('-')[0]}-" if kind and kind != "StatefulSet" else ""


def _is_asked(objects: ClusterObjects, played: Played) -> bool:
    """Whether anything is there that may change or refuse a pod."""
    fills = objects.limit_ranges or objects.runtime_classes or played.brings_runtimes or played.brings
    return bool((played.quotas and objects.resource_quotas) or (played.limit_ranges and fills))
