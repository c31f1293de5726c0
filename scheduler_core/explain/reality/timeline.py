"""What came from outside of the scheduler, as a timeline: virtual 0 is the beginning of the collection.

Pods come without a node, change and go; nodes and all other objects change. Left out is what the scheduler did, so that
a run decides it: bindings, nominations, statuses, the nodes in annotations of claims, and the end of pods that it
preempted. A pod that came with its node (a static pod, one of another scheduler, one bound by hand) keeps it.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Any, NamedTuple

import msgspec

from scheduler_core.api.objects import Pod
from scheduler_core.columns.cluster import object_key
from scheduler_core.engine.inputs import RunInputs
from scheduler_core.engine.named_objects import named_object
from scheduler_core.engine.policies import Policies
from scheduler_core.explain.reality.record import RealRecord
from scheduler_core.explain.reality.typed_changes import ObjectsAtBeginning
from scheduler_core.framework.plugin_helpers.volume_claims import SELECTED_NODE
from scheduler_core.manifests import AdmissionContext, InvalidObject, ObjectReader
from scheduler_core.manifests.bundle.folding import name_of
from scheduler_core.manifests.bundle.reading import Bundle
from scheduler_core.workloads.timeline import Action, Timeline, TimelineEntry

MOST_ENTRIES = 200_000
_SECOND_US = 1_000_000
FREE_RUN = {
    "owners": "ignore",
    "terminating": "stay",
    "node_loss": "pods_stay",
    "claims": "ignore",
    "job_running_us": None,
}
"""Policies of a run whose timeline says what controllers and kubelets did."""


class OutsideChange(NamedTuple):
    """A change from outside: microseconds since the beginning, the object as the engine reads it, and as written; of a
    deletion its kind and name alone."""

    at: int
    action: Action
    object: Any
    raw: dict[str, Any]


class _Seen(NamedTuple):
    """What was last said of an object: the typed form; of a pod, whether its node is from outside."""

    object: Any
    uid: str = ""
    keeps_node: bool = True


class OutsideChanges:
    """The changes from outside in a bundle; iterating reads them again each time. ``profiles``: names of schedulers
    whose decisions are left out."""

    def __init__(self, bundle: Bundle, begin: ObjectsAtBeginning, record: RealRecord, profiles: Container[str]) -> None:
        self._bundle, self._record, self._profiles = bundle, record, profiles
        self._begin = begin

    def __iter__(self) -> Iterator[OutsideChange]:
        reader = ObjectReader(AdmissionContext.of(self._begin.objects.priority_classes))
        seen: dict[tuple[str, str], _Seen] = {
            ("Pod", pod.key): _Seen(pod, pod.uid, bool(pod.node_name)) for pod in self._begin.objects.pods
        }
        at = 0
        for change in self._bundle.changes:
            at = max(at, round((change.t - self._bundle.meta.began) * _SECOND_US))
            name = name_of(change.object)
            if change.type == "DELETED":
                gone = named_object(name.kind, name.namespace, name.name)
                if gone is None:
                    continue
                before = seen.pop((name.kind, object_key(gone)), None)
                if before is not None and self._was_preempted(gone, before.uid):
                    continue
                namespaced = {"namespace": name.namespace} if name.namespace else {}
                version = msgspec.json.decode(change.object).get("apiVersion", "v1")
                raw = {"apiVersion": version, "kind": name.kind, "metadata": {"name": name.name, **namespaced}}
                yield OutsideChange(at, "delete", gone, raw)
            else:
                yield from self._put(at, msgspec.json.decode(change.object), reader, seen)

    def _put(
        self, at: int, raw: dict[str, Any], reader: ObjectReader, seen: dict[tuple[str, str], _Seen]
    ) -> Iterator[OutsideChange]:
        try:
            obj = reader.read(raw)
            if obj is None:
                return
            kind = str(raw["kind"])
            key = kind, object_key(obj)
            before = seen.get(key)
            if isinstance(obj, Pod):
                before = None if before is not None and before.uid != obj.uid else before
                if self._was_preempted(obj, obj.uid) and (obj.deletion_timestamp is not None or obj.is_terminal):
                    return
                keeps = before.keeps_node if before is not None else bool(obj.node_name)
                keeps = keeps or obj.scheduler_name not in self._profiles
                raw = _of_outside(raw, keeps_node=keeps)
                obj, now = reader.read(raw), _Seen(None, obj.uid, keeps)
            else:
                now = _Seen(None)
                if kind == "PersistentVolumeClaim":
                    raw = _without_selected_node(raw)
                    obj = reader.read(raw)
        except InvalidObject:
            return  # the comparison names it as a problem
        if before is None or before.object != obj:
            seen[key] = now._replace(object=obj)
            yield OutsideChange(at, "put", obj, raw)

    def _was_preempted(self, obj: Any, uid: str) -> bool:
        return isinstance(obj, Pod) and (obj.key, uid) in self._record.victims

    def timeline(self) -> Timeline:
        """The changes as a timeline. Raises ValueError for more than MOST_ENTRIES."""
        entries: list[TimelineEntry] = []
        for one in self:
            if len(entries) == MOST_ENTRIES:
                raise ValueError(
                    f"more than {MOST_ENTRIES:,} changes came from outside: a timeline has no more entries"
                )
            entries.append(TimelineEntry(one.at, one.action, one.object))
        return Timeline(tuple(entries))

    def inputs(self, given: RunInputs) -> RunInputs:
        """A free run from the beginning with these changes; of ``given``, configuration, policies and seed count.
        Raises ValueError as ``timeline``."""
        length = max(0, round((self._bundle.ended - self._bundle.meta.began) * _SECOND_US))
        return msgspec.structs.replace(
            given,
            objects=self._begin.objects,
            schedule="timeline",
            timeline=self.timeline(),
            policies=free_run_policies(given.policies),
            changes=(),
            max_virtual_us=max(given.max_virtual_us, length + 3_600 * _SECOND_US),
        )


def free_run_policies(policies: Policies) -> Policies:
    """These policies with those of a run whose timeline says what controllers did."""
    return msgspec.structs.replace(policies, **FREE_RUN)


def _of_outside(raw: dict[str, Any], *, keeps_node: bool) -> dict[str, Any]:
    """A pod without what the scheduler, and the kubelet after it, wrote; its phase stays where the pod has ended."""
    status = raw.get("status")
    status = status if isinstance(status, dict) else {}
    if keeps_node:
        return {**raw, "status": {k: v for k, v in status.items() if k not in ("nominatedNodeName", "conditions")}}
    spec = {key: value for key, value in raw["spec"].items() if key != "nodeName"}
    rest = {"phase": status["phase"]} if status.get("phase") in ("Succeeded", "Failed") else {}
    return {**{key: value for key, value in raw.items() if key != "status"}, "spec": spec, "status": rest}


def _without_selected_node(raw: dict[str, Any]) -> dict[str, Any]:
    metadata = raw["metadata"]
    annotations = metadata.get("annotations")
    if not isinstance(annotations, dict) or SELECTED_NODE not in annotations:
        return raw
    rest = {key: value for key, value in annotations.items() if key != SELECTED_NODE}
    return {**raw, "metadata": {**metadata, "annotations": rest}}
