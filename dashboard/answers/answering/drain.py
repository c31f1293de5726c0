"""Where the pods of drained nodes could go, tried one after the other, each where the one before left the cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from dashboard.runs.inputs import InputError

if TYPE_CHECKING:
    from dashboard.answers.answering.cluster_source import ClusterSource
    from dashboard.answers.answering.time_limit import TimeLimit
    from dashboard.answers.questions import DrainOf
    from scheduler_core.api.objects import ClusterObjects, Pod
    from scheduler_core.explain.fit import Fit


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
