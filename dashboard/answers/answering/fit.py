"""On which nodes of a cluster a pod would fit, with what somebody is typing in the place of what is saved."""

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
    from dashboard.answers.questions import FitOf
    from dashboard.clusters.revisions.contents import Contents
    from scheduler_core.api.objects import ClusterObjects, Pod

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
