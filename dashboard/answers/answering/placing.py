"""Where pods could go: the nodes on which a pod would fit as it is typed, and the ways of the pods of drained nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from dashboard.runs.inputs import InputError
from scheduler_core.explain.fit import Fit, with_edits
from scheduler_core.manifests import load_manifests
from scheduler_core.manifests.kinds.registry import CONTEXT_KINDS

if TYPE_CHECKING:
    from dashboard.answers.answering.cluster_source import ClusterSource
    from dashboard.answers.answering.time_limit import TimeLimit
    from dashboard.answers.questions import DrainOf, FitOf
    from dashboard.clusters.revisions.contents import Contents
    from scheduler_core.api.objects import ClusterObjects, Pod
    from scheduler_core.explain.fit import Fit

# Where objects stand whose renaming takes the former one away.
_FIELDS = {"Node": "nodes", "Pod": "pods"}


def try_fit(source: ClusterSource, question: FitOf, limit: TimeLimit) -> Fit:
    """Try the pod once; raises InputError where there is no such pod, or the edits are not valid.

    One attempt is all it takes, so that the limit is not asked.
    """
    contents = source.contents(question.draft)
    if not contents.loaded.ok:
        raise InputError(f"{source.revision} cannot be scheduled: {contents.loaded.errors[0].text()}")
    objects = contents.loaded.objects
    edited = _read(contents, question) if question.edits else None
    pod = _pod(objects, edited, question.pod)
    if edited is not None:
        objects = with_edits(objects, edited, pod.key, _renamed(edited, question))
    return source.fit_session(question.config, objects, question.draft).would_fit(pod)


def _read(contents: Contents, question: FitOf) -> ClusterObjects:
    """The edits as typed objects, admitted as objects of the cluster."""
    by_key = contents.by_key
    context = [by_key.stored[key] for key in by_key if key.kind in CONTEXT_KINDS and tuple(key) != question.replaces]
    loaded = load_manifests([*context, *msgspec.json.decode(question.edits)], source="editor")
    if not loaded.ok:
        raise InputError(f"the edited objects cannot be scheduled: {loaded.errors[0].text()}")
    return loaded.objects


def _pod(objects: ClusterObjects, edited: ClusterObjects | None, key: str) -> Pod:
    if not key:
        if edited is None or not edited.pods:
            raise InputError("there is no pod in the text, and no workload that makes any")
        return edited.pods[0]
    for held in (edited, objects):
        named = next((pod for pod in held.pods if pod.key == key), None) if held is not None else None
        if named is not None:
            return named
    raise InputError(f"there is no pod {key} in this cluster")


def _renamed(edited: ClusterObjects, question: FitOf) -> tuple[str, str]:
    """Field and key of the object that the edits were opened as, where they do not have it any more."""
    kind, namespace, name = question.replaces
    if kind not in _FIELDS:
        return "", ""
    keys = {node.name for node in edited.nodes} if kind == "Node" else {pod.key for pod in edited.pods}
    key = name if kind == "Node" else f"{namespace}/{name}"
    return ("", "") if key in keys else (_FIELDS[kind], key)


class Moved(msgspec.Struct, frozen=True):
    """A pod, the node with the best total ("" for none) of `fits` that fit, and else why none fits."""

    pod: str
    node: str
    fits: int = 0
    why: str = ""


class DrainAnswer(msgspec.Struct, frozen=True):
    """The pods in the order in which they were tried: the highest priority first, then by name."""

    moved: tuple[Moved, ...]


def try_drain(source: ClusterSource, question: DrainOf, limit: TimeLimit) -> DrainAnswer:
    """Cordon the nodes and try each of the pods; raises InputError where the cluster cannot be scheduled.

    Pods that were not tried in time say so.
    """
    contents = source.contents(question.draft)
    if not contents.loaded.ok:
        raise InputError(f"{source.revision} cannot be scheduled: {contents.loaded.errors[0].text()}")
    names, leaving = set(question.nodes), set(question.pods)
    objects = contents.loaded.objects
    nodes = [
        msgspec.structs.replace(node, unschedulable=True) if node.name in names else node for node in objects.nodes
    ]
    objects = msgspec.structs.replace(objects, nodes=nodes)
    pods = sorted((pod for pod in objects.pods if pod.key in leaving), key=lambda pod: (-pod.priority, pod.key))
    moved = []
    for pod in pods:
        if limit():
            moved.append(Moved(pod.key, "", why="not tried: the time was over"))
            continue
        fit = source.fit_session(question.config, objects, question.draft).would_fit(pod)
        one = _moved(pod, fit)
        moved.append(one)
        objects = _with(objects, msgspec.structs.replace(pod, node_name=one.node))
    return DrainAnswer(tuple(moved))


def _moved(pod: Pod, fit: Fit) -> Moved:
    fitting = [one.node for one in fit.each() if one.fits]
    if fitting:
        return Moved(pod.key, fit.best[0] if fit.best else fitting[0], len(fitting))
    return Moved(pod.key, "", 0, fit.error or fit.gated or fit.failure or "no node fits")


def _with(objects: ClusterObjects, pod: Pod) -> ClusterObjects:
    pods = [pod if one.key == pod.key else one for one in objects.pods]
    return msgspec.structs.replace(objects, pods=pods)
