"""Objects as they come from the server to lines of the journal: projected, compared with what was seen, written."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Protocol

import msgspec

from scheduler_core.collect.fields.allowed import NameWriter, comparable, is_kept_event, projected
from scheduler_core.collect.seen import Key, SeenObject, SeenObjects, digest, version_number
from scheduler_core.collect.server.discovery import ServedKind
from scheduler_core.manifests.bundle.model import CHANGES, EVENTS, OBJECTS, Change, ChangeType, ListedObject

EVENT = "Event"
_encode = msgspec.json.Encoder().encode


class LineWriter(Protocol):
    """Where lines go."""

    def append(self, name: str, line: bytes) -> None:
        """Write a line of a file. Raises DiskFull."""


class WatchTarget:
    """The objects of a kind, in all namespaces or in one, as far as they were seen. ``written_namespace``: the
    namespace as it leaves; ``version``: the resourceVersion up to which they were written, "" before a list was
    whole."""

    def __init__(self, kind: ServedKind, namespace: str = "", written_namespace: str = "") -> None:
        self.kind = kind
        self.namespace = namespace
        self.written_namespace = written_namespace
        self.version = ""
        self.is_listed = False
        self.n_listed = 0
        self.seen = SeenObjects()

    @property
    def key(self) -> str:
        """What the state of a collection calls it."""
        return f"{self.kind.resource}/{self.namespace}"

    @property
    def words(self) -> str:
        """What sentences call it."""
        return self.kind.resource + (f" of the namespace {self.written_namespace}" if self.namespace else "")

    @property
    def path(self) -> str:
        """The address of its objects."""
        return self.kind.path(self.namespace)


class ChangeRecorder:
    """Writes what is new. All methods raise DiskFull, and then have noted nothing."""

    def __init__(self, writer: LineWriter, names: NameWriter, clock: Callable[[], float] = time.time) -> None:
        self.clock = clock
        self._writer = writer
        self._names = names

    def learn_names(self, target: WatchTarget, raw: dict[str, Any]) -> None:
        """Take the names of an object for the sentences in which they will occur; nothing is written."""
        projected(target.kind.kind, target.kind.api_version, raw, self._names)

    def listed(self, target: WatchTarget, raw: dict[str, Any]) -> None:
        """An object of a list."""
        kind = target.kind
        if kind.kind == EVENT and not is_kept_event(raw):
            return
        out = projected(kind.kind, kind.api_version, raw, self._names)
        key, new = _identified(out)
        if not key[1]:
            return  # No API server has an object without a name.
        before = target.seen.objects.get(key)
        if before is None and not target.is_listed and key not in target.seen.gone and kind.kind != EVENT:
            self._writer.append(OBJECTS, _encode(ListedObject(t=self.clock(), object=msgspec.Raw(_encode(out)))))
            target.n_listed += 1
        else:
            self._write_state(target, key, before, new, out, relisted=True)
        target.seen.objects[key] = new
        target.seen.note_listed(key)

    def ended_list(self, target: WatchTarget, version: str) -> None:
        """The list is whole: what it did not have is gone."""
        for key in target.seen.end_list():
            before = target.seen.objects[key]
            if target.kind.kind != EVENT:
                self._write_gone(target.kind, key, before.uid, version)
            del target.seen.objects[key]
        target.version, target.is_listed = version, True

    def changed(self, target: WatchTarget, change: str, raw: dict[str, Any]) -> None:
        """A change that a watch brought, ``change`` as the server names it; one that was written already is dropped."""
        kind = target.kind
        is_event = kind.kind == EVENT
        if is_event and not is_kept_event(raw):
            return
        out = projected(kind.kind, kind.api_version, raw, self._names)
        key, new = _identified(out)
        before = target.seen.objects.get(key)
        if not key[1] or (before is not None and 0 < new.version <= before.version):
            return
        if change != "DELETED":
            self._write_state(target, key, before, new, out, relisted=False)
            target.seen.objects[key] = new
        elif before is not None:
            if not is_event:
                self._append(kind, "DELETED", out, new_version(out), relisted=False)
            del target.seen.objects[key]

    def _write_state(
        self,
        target: WatchTarget,
        key: Key,
        before: SeenObject | None,
        new: SeenObject,
        out: dict[str, Any],
        *,
        relisted: bool,
    ) -> None:
        """Write a state where it is another than before; one of another uid is another object."""
        is_other = before is not None and before.uid != new.uid
        if before is not None and not is_other and before.digest == new.digest:
            return
        if is_other and before is not None and target.kind.kind != EVENT:
            self._write_gone(target.kind, key, before.uid, new_version(out))
            target.seen.objects.pop(key, None)
        change: ChangeType = "ADDED" if before is None or is_other else "MODIFIED"
        self._append(target.kind, change, out, new_version(out), relisted=relisted)

    def _write_gone(self, kind: ServedKind, key: Key, uid: str, version: str) -> None:
        """Write that an object is gone whose last state is not there any more."""
        metadata = {"name": key[1], **({"namespace": key[0]} if key[0] else {}), **({"uid": uid} if uid else {})}
        out = {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": metadata}
        self._append(kind, "DELETED", out, version, relisted=True)

    def _append(
        self, kind: ServedKind, change: ChangeType, out: dict[str, Any], version: str, *, relisted: bool
    ) -> None:
        line = Change(t=self.clock(), rv=version, type=change, object=msgspec.Raw(_encode(out)), relisted=relisted)
        self._writer.append(EVENTS if kind.kind == EVENT else CHANGES, _encode(line))


def new_version(out: dict[str, Any]) -> str:
    """The resourceVersion of an object that leaves, "" without one."""
    version = out.get("metadata", {}).get("resourceVersion")
    return version if isinstance(version, str) else ""


def _identified(out: dict[str, Any]) -> tuple[Key, SeenObject]:
    """Key and state of an object that leaves."""
    metadata = out.get("metadata", {})
    namespace, name, uid = (metadata.get(field) for field in ("namespace", "name", "uid"))
    key = (namespace if isinstance(namespace, str) else "", name if isinstance(name, str) else "")
    version = version_number(metadata.get("resourceVersion"))
    return key, SeenObject(digest(comparable(out)), uid if isinstance(uid, str) else "", version)


def seen_in(content: msgspec.Raw) -> tuple[str, Key, SeenObject]:
    """Kind, key and state of an object of a journal. Raises msgspec.MsgspecError."""
    out = msgspec.json.decode(content, type=dict[str, Any])
    kind = out.get("kind")
    return (kind if isinstance(kind, str) else "", *_identified(out))
