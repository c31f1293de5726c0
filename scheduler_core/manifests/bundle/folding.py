"""The objects of a cluster at a moment: what was listed, with the changes until then."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from scheduler_core.manifests.bundle.model import Change, ListedObject


class ObjectName(NamedTuple):
    """What an object is called; the group without its version, as the same object is served in several."""

    group: str
    kind: str
    namespace: str
    name: str


class _NamedMetadata(msgspec.Struct):
    name: str = ""
    namespace: str | None = ""
    uid: str = ""
    resourceVersion: str = ""


class _NamedObject(msgspec.Struct):
    apiVersion: str = ""
    kind: str = ""
    metadata: _NamedMetadata = msgspec.field(default_factory=_NamedMetadata)


_head = msgspec.json.Decoder(_NamedObject).decode


def name_of(content: msgspec.Raw) -> ObjectName:
    """The name of an object. Raises msgspec.MsgspecError for what is none."""
    head = _head(content)
    return ObjectName(head.apiVersion.rpartition("/")[0], head.kind, head.metadata.namespace or "", head.metadata.name)


class FoldedObjects:
    """The objects as of the last change that was applied."""

    def __init__(self) -> None:
        self.objects: dict[ObjectName, msgspec.Raw] = {}

    def put(self, listed: ListedObject) -> None:
        """Take an object of the first listing."""
        self.objects[name_of(listed.object)] = listed.object

    def apply(self, change: Change) -> msgspec.Raw | None:
        """Carry out a change; the object as it was before, None where it was not there."""
        name = name_of(change.object)
        before = self.objects.get(name)
        if change.type == "DELETED":
            self.objects.pop(name, None)
        else:
            self.objects[name] = change.object
        return before
