"""Events of the real cluster that came with an import, kept beside the objects of a revision.

They are one blob of the workspace, which the revision names by its hash. Every event says which manifest its object had
then, so that the next revision may name the same blob: an event counts as long as its object is unchanged, and one
about a pod that was gone already counts as long as no pod has its name.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from typing import TYPE_CHECKING

import msgspec

from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.object_keys import canonical_text, normal_key, written_key
from dashboard.common.lru_cache import LruCache
from scheduler_core.explain.agreement import SchedulerEvent

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dashboard.clusters.models import Revision
    from dashboard.clusters.revisions.contents import Contents
    from dashboard.clusters.revisions.object_keys import Key
    from scheduler_core.manifests import Content

KEPT = 8


class StoredEvent(msgspec.Struct, frozen=True):
    """An event, and the SHA-256 of its object's manifest at the import; empty where that was gone."""

    event: SchedulerEvent
    manifest: bytes = b""


_cache: LruCache[dict[str, list[StoredEvent]]] = LruCache(KEPT)
_decode = msgspec.json.Decoder(list[StoredEvent]).decode


def encoded(events: Iterable[SchedulerEvent], manifests: Iterable[Content]) -> bytes:
    """Return the events as a blob keeps them, those about these manifests or about what is gone; b"" for none."""
    events = list(events)
    about = {_key(event) for event in events}
    hashes: dict[Key, bytes] = {}
    for content in manifests if about else ():
        key = normal_key(*written_key(content))
        if key in about:
            hashes[key] = _hash(content)
    stored = [StoredEvent(event, hashes.get(_key(event), b"")) for event in events]
    worth_storing = [one for one in stored if one.manifest or one.event.outlives_pod]
    return msgspec.json.encode(worth_storing) if worth_storing else b""


def current_events(revision: Revision, contents: Contents) -> list[SchedulerEvent]:
    """Return the events that still hold, those of one pod together."""
    return [event for pod in _by_pod(revision) for event in events_about(revision, contents, [pod])]


def events_about(revision: Revision, contents: Contents, pods: Sequence[str]) -> list[SchedulerEvent]:
    """Return the events about these pods (namespace/name), and workloads of their names, that still hold."""
    by_pod = _by_pod(revision)
    hashes: dict[Key, bytes] = {}
    for key in {_key(one.event) for pod in pods for one in by_pod.get(pod, [])}:
        content = contents.by_key.stored.get(key)
        hashes[key] = b"" if content is None else _hash(content)
    return [one.event for pod in pods for one in by_pod.get(pod, []) if one.manifest == hashes[_key(one.event)]]


def events_about_manifest(revision: Revision, pod: str, address: bytes) -> list[SchedulerEvent]:
    """Return the events about the pod while its manifest has this address, b"" for a pod that is gone."""
    about = (one for one in _by_pod(revision).get(pod, []) if _key(one.event).kind == "Pod")
    return [one.event for one in about if one.manifest == address]


def _by_pod(revision: Revision) -> dict[str, list[StoredEvent]]:
    address = bytes(revision.events)
    if not address:
        return {}
    workspace = revision.cluster.workspace_id
    return _cache.get((workspace, address), lambda: _read(workspace, address))


def _read(workspace: int, address: bytes) -> dict[str, list[StoredEvent]]:
    by_pod = defaultdict(list)
    for one in _decode(object_store.read_blob(workspace, address)):
        by_pod[one.event.pod].append(one)
    return dict(by_pod)


def _key(event: SchedulerEvent) -> Key:
    namespace, _, name = event.pod.partition("/")
    return normal_key(event.kind, namespace, name)


def _hash(content: Content) -> bytes:
    return hashlib.sha256(canonical_text(content)).digest()
