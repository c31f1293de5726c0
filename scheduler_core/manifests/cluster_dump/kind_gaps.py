"""What an input has of each kind that decides, and what it means where it lacks some: one table for the whole input."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from scheduler_core.manifests.cluster_dump.kubectl import DEVICES
from scheduler_core.manifests.cluster_dump.missing_objects import missing_objects
from scheduler_core.manifests.kinds.registry import CUSTOM_MAKERS, POD_MAKERS
from scheduler_core.manifests.kinds.registry import WORKLOADS as KUBERNETES_WORKLOADS
from scheduler_core.manifests.model import LoadResult

Mark = Literal["whole", "gap", "none"]
"""Nothing is missed; something is, which answers may suffer from; there is none, and none is missed."""
WORKLOADS = (*KUBERNETES_WORKLOADS, *sorted(CUSTOM_MAKERS))
_VOLUMES = ("PersistentVolumeClaim", "PersistentVolume", "StorageClass")


class KindGap(NamedTuple):
    """A row: the kinds, ``n_objects`` of them, and what a gap in them means."""

    kinds: tuple[str, ...]
    n_objects: int
    mark: Mark
    text: str


def kind_gaps(loaded: LoadResult) -> list[KindGap]:
    """The rows of an input, in the order in which a reader asks for them."""
    counts: dict[str, int] = {}
    for manifest in loaded.manifests:
        counts[manifest.kind] = counts.get(manifest.kind, 0) + 1
    missed: dict[str, str] = {}
    for doubt in missing_objects(loaded.objects, {(m.kind, m.namespace, m.name) for m in loaded.manifests}):
        missed.setdefault(doubt.missed, doubt.message)
    rows = [_nodes(loaded, counts, missed), _pods(loaded, counts)]
    rows += [_workloads(counts, missed), _volumes(loaded, counts, missed), *_volume_limits(loaded, counts)]
    rows += _devices(loaded, counts, missed)
    rows += [_row(("PriorityClass",), counts, "priorities are those that pods have")]
    rows += [_row(("PodDisruptionBudget",), counts, "preemption spares no pod for a budget")]
    rows += [_namespaces(counts, missed), _limits(loaded, counts), _events(loaded)]
    return [row for row in rows if row.n_objects or row.text]


def _nodes(loaded: LoadResult, counts: Mapping[str, int], missed: Mapping[str, str]) -> KindGap:
    count = counts.get("Node", 0)
    if not count:
        return KindGap(("Node",), 0, "gap", "no node is here, so no answer says where a pod fits")
    text = missed.get("Node") or _gap_of(loaded, "Node")
    return KindGap(("Node",), count, "gap" if text else "whole", text or "all nodes that pods name are here")


def _pods(loaded: LoadResult, counts: Mapping[str, int]) -> KindGap:
    waiting = sum(not pod.node_name and not pod.is_terminal for pod in loaded.objects.pods)
    made = len(loaded.objects.pods) - counts.get("Pod", 0)
    of_pods = _gap_of(loaded, "Pod")
    parts = [f"{waiting:,} of them {'waits' if waiting == 1 else 'wait'}" if waiting else "none of them waits"]
    if made > 0:
        parts.append(f"{made:,} are made up for workloads that lack them")
    if of_pods:
        parts.append(of_pods)
    return KindGap(("Pod",), len(loaded.objects.pods), "gap" if of_pods else "whole", "; ".join(parts))


def _gap_of(loaded: LoadResult, kind: str) -> str:
    """What the form of the input lacks of a kind, of all its objects before single ones; "" for nothing."""
    gaps = [gap for gap in loaded.unplayed.gaps if gap.kind == kind]
    return min(gaps, key=lambda gap: bool(gap.objects)).text if gaps else ""


def _workloads(counts: Mapping[str, int], missed: Mapping[str, str]) -> KindGap:
    present = tuple(kind for kind in WORKLOADS if counts.get(kind))
    lacks = next((missed[kind] for kind in WORKLOADS if kind in missed), "")
    count = sum(counts[kind] for kind in present)
    if lacks:
        return KindGap(present or ("Deployment",), count, "gap", lacks)
    text = "all workloads that own pods are here" if count else "no pod is owned by one"
    return KindGap(present or ("Deployment",), count, "whole" if count else "none", text)


def _volumes(loaded: LoadResult, counts: Mapping[str, int], missed: Mapping[str, str]) -> KindGap:
    count = sum(counts.get(kind, 0) for kind in _VOLUMES)
    lacks = next((missed[kind] for kind in _VOLUMES if kind in missed), "")
    if not lacks and not count:
        lacks = _gap_of(loaded, "PersistentVolumeClaim")
    if lacks:
        return KindGap(_VOLUMES, count, "gap", lacks)
    names_one = any(volume.claim_name for pod in loaded.objects.pods for volume in pod.volumes)
    text = "all claims, volumes and classes that are named are here" if names_one or count else "no pod names a claim"
    return KindGap(_VOLUMES, count, "whole" if count else "none", text)


def _volume_limits(loaded: LoadResult, counts: Mapping[str, int]) -> list[KindGap]:
    """CSINodes, where pods have volumes that count against a limit."""
    with_claims = sum(any(volume.claim_name for volume in pod.volumes) for pod in loaded.objects.pods)
    count = counts.get("CSINode", 0)
    if count:
        return [KindGap(("CSINode",), count, "whole", "limits of volumes per node are here")]
    if not with_claims:
        return []
    pods = "1 pod with claims is" if with_claims == 1 else f"{with_claims:,} pods with claims are"
    return [KindGap(("CSINode",), 0, "gap", f"limits of volumes per node are not known: {pods} placed as if none were")]


def _devices(loaded: LoadResult, counts: Mapping[str, int], missed: Mapping[str, str]) -> list[KindGap]:
    """Devices and what asks for them, where there is any of them or a pod claims some."""
    count = sum(counts.get(kind, 0) for kind in DEVICES)
    lacks = next((missed[kind] for kind in DEVICES if kind in missed), "")
    if lacks or count:
        text = lacks or "all devices, classes and claims that are named are here"
        return [KindGap(tuple(DEVICES), count, "gap" if lacks else "whole", text)]
    return []


def _namespaces(counts: Mapping[str, int], missed: Mapping[str, str]) -> KindGap:
    count, lacks = counts.get("Namespace", 0), missed.get("Namespace", "")
    text = lacks or ("" if count else "no pod selects namespaces by label, so nothing is missed")
    return KindGap(("Namespace",), count, "gap" if lacks else "whole" if count else "none", text or "read")


def _limits(loaded: LoadResult, counts: Mapping[str, int]) -> KindGap:
    kinds = ("ResourceQuota", "LimitRange")
    count = sum(counts.get(kind, 0) for kind in kinds)
    if count:
        return KindGap(kinds, count, "whole", "new pods are refused, and get defaults, as these say")
    makes = any(manifest.kind in POD_MAKERS for manifest in loaded.manifests)
    text = "pods that a quota refuses would count as pending" if makes else "no workload makes pods here"
    return KindGap(kinds, 0, "gap" if makes else "none", text)


def _events(loaded: LoadResult) -> KindGap:
    count = len(loaded.events)
    text = (
        f"{count:,} of schedulers, evictions and autoscalers"
        if count
        else "messages of the real scheduler are those in conditions of pods"
    )
    return KindGap(("Event",), count, "whole" if count else "none", text)


def _row(kinds: Sequence[str], counts: Mapping[str, int], without: str) -> KindGap:
    count = sum(counts.get(kind, 0) for kind in kinds)
    return KindGap(tuple(kinds), count, "whole" if count else "none", "read" if count else without)
