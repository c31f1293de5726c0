"""The differences between two versions of a cluster, object by object, so that a warm session can follow an edit."""

from __future__ import annotations

from typing import Any

import msgspec

from scheduler_core.api import objects as k8s
from scheduler_core.columns.cluster import object_key

_NOT_SCHEDULED_BY = ("workloads", "deployments")
"""Fields of ClusterObjects that no attempt looks at: what controllers want."""


class ObjectChanges(msgspec.Struct, frozen=True):
    """Objects that were added or changed, and those that were removed (in their former version)."""

    put: tuple[Any, ...] = ()
    gone: tuple[Any, ...] = ()

    def __len__(self) -> int:
        return len(self.put) + len(self.gone)

    @property
    def can_be_followed(self) -> bool:
        """Whether a warm session can apply them; changed namespaces need a new one, for they change matches."""
        return not any(isinstance(obj, k8s.Namespace) for obj in (*self.put, *self.gone))


def changes_between(before: k8s.ClusterObjects, after: k8s.ClusterObjects) -> ObjectChanges:
    """What has to be put and removed so that ``before`` becomes ``after``."""
    put: list[Any] = []
    gone: list[Any] = []
    for field in before.__struct_fields__:
        if field in _NOT_SCHEDULED_BY:
            continue
        old = {object_key(obj): obj for obj in getattr(before, field)}
        for obj in getattr(after, field):
            earlier = old.pop(object_key(obj), None)
            if earlier is not obj and earlier != obj:
                put.append(obj)
        gone.extend(old.values())
    return ObjectChanges(tuple(put), tuple(gone))


def with_edits(
    objects: k8s.ClusterObjects, edited: k8s.ClusterObjects, tried: str = "", gone: tuple[str, str] = ("", "")
) -> k8s.ClusterObjects:
    """The objects with the edited ones in the places of those of their kind and key, new ones after; the objects
    themselves where none is other than before.

    Edited pods that wait are left out, and so is the pod ``tried`` (namespace/name): no attempt of another pod looks at
    them. ``gone``: field and key of an object that goes, as one that was renamed does.
    """
    fields: dict[str, list[Any]] = {}
    for field in objects.__struct_fields__:
        if field in _NOT_SCHEDULED_BY:
            continue
        held = getattr(objects, field)
        new = {object_key(obj): obj for obj in getattr(edited, field) if field != "pods" or _counts(obj, tried)}
        if new:
            present = {object_key(obj): obj for obj in held}
            new = {key: obj for key, obj in new.items() if present.get(key) != obj}
        if field == gone[0]:
            held = fields[field] = [obj for obj in held if object_key(obj) != gone[1]]
        if new:
            placed = [new.pop(object_key(obj), obj) for obj in held]
            fields[field] = [*placed, *new.values()]
    return msgspec.structs.replace(objects, **fields) if fields else objects


def _counts(pod: k8s.Pod, tried: str) -> bool:
    return pod.key != tried and bool(pod.node_name or pod.nominated_node_name)
