"""The contents of a draft: its base revision with the objects that operations changed.

The cost follows the change: typed objects of the base are shared, and only changed ones are read. If a change affects
other objects (workloads make pods, admission reads priority classes and namespaces), the whole cluster is read again.
"""

from __future__ import annotations

import hashlib
import weakref
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

from dashboard.clusters.models import Draft, DraftObject, Revision
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.contents import Contents, cache, read_contents
from dashboard.clusters.revisions.object_keys import Key, ManifestsByKey, normal_key
from dashboard.common.pages.numbers import grouped
from scheduler_core.manifests import Finding, LoadResult, load_manifests
from scheduler_core.manifests.cluster_dump.missing_objects import missing_objects
from scheduler_core.manifests.kinds.registry import CONTEXT_KINDS, KINDS, POD_MAKERS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scheduler_core.api.objects import ClusterObjects
    from scheduler_core.manifests import Content

# Kinds whose objects depend on no other object.
SELF_CONTAINED = ("Node", "Pod", "PodDisruptionBudget")
KEPT_INDEXES = 4

Address = bytes | None
"""SHA-256 of an object's content, None for no object."""


@lru_cache(maxsize=KEPT_INDEXES)
def _index(workspace_id: int, sha256: str, pages: bytes) -> dict[Key, bytes]:
    entries = object_store.read_pages(workspace_id, pages)
    return {normal_key(*entry.key): entry.sha256 for entry in entries}


def revision_addresses(revision: Revision) -> Mapping[Key, bytes]:
    """Return {key: SHA-256 of the content} in the order of the revision; cached."""
    return _index(revision.cluster.workspace_id, revision.sha256, bytes(revision.pages))


def admission_addresses(revision: Revision) -> Mapping[Key, bytes]:
    """Return {key: address} of the revision's objects that admission of another object reads; cached."""
    return _admission_index(revision.cluster.workspace_id, revision.sha256, bytes(revision.pages))


@lru_cache(maxsize=KEPT_INDEXES)
def _admission_index(workspace_id: int, sha256: str, pages: bytes) -> dict[Key, bytes]:
    index = _index(workspace_id, sha256, pages)
    return {key: address for key, address in index.items() if key.kind in CONTEXT_KINDS}


def changed_rows(draft: Draft) -> dict[Key, DraftObject]:
    """Return the objects that the draft's operations changed, in the order of their first change."""
    return {Key(*row.key): row for row in DraftObject.objects.filter(draft=draft).order_by("id")}


def current_address(row: DraftObject) -> Address:
    """Return the address of the row's current content."""
    return None if row.sha256 is None else bytes(row.sha256)


def base_address(row: DraftObject) -> Address:
    """Return the address of the object in the revision on top of which the draft will be saved."""
    return None if row.base is None else bytes(row.base)


def changed_addresses(draft: Draft, **chosen: Any) -> dict[Key, Address]:
    """Return {key: SHA-256, None where it is deleted} of what the draft's operations changed, in the order of their
    first change; `chosen` are conditions on the rows.
    """
    rows = DraftObject.objects.filter(draft=draft, **chosen).order_by("id")
    values = rows.values_list("kind", "namespace", "name", "sha256")
    return {Key(kind, ns, name): None if sha256 is None else bytes(sha256) for kind, ns, name, sha256 in values}


def named_keys(keys: Sequence[Key]) -> str:
    """Return the name of the first object, and how many more there are."""
    return keys[0].path if len(keys) == 1 else f"{keys[0].path} and {grouped(len(keys) - 1)} more"


def overlaid(index: Mapping[Key, bytes], changed: Mapping[Key, Address]) -> dict[Key, bytes]:
    """Return the index with changed addresses in place, new ones at the end, and deleted ones (None) removed."""
    out = dict(index)
    for key, address in changed.items():
        if address is None:
            out.pop(key, None)
        else:
            out[key] = address
    return out


def contents_of_draft(draft: Draft, changed: Mapping[Key, Address] | None = None) -> Contents:
    """Return the draft's contents for tables and the engine; `changed` are its changed addresses, if they are known.

    Costs reading the base, once, and the changed objects.
    """
    changed = changed_addresses(draft) if changed is None else changed
    cache_key = (draft.cluster.workspace_id, _state_hash(_base_hash(draft), changed))
    contents = cache.get(cache_key)
    if contents is None:
        contents = _read(draft, changed)
        cache.put(cache_key, contents)
    return contents


def contents_hash(draft: Draft, changed: Mapping[Key, Address] | None = None) -> str:
    """Return a hash of the draft's contents: unlike `draft.version`, it is the same again after an undo.

    `changed` are its changed addresses, if they are known.
    """
    return _state_hash(_base_hash(draft), changed_addresses(draft) if changed is None else changed)


def _base_hash(draft: Draft) -> str:
    return f"{draft.base.sha256}{bytes(draft.base.unplayed).hex()}"


def _state_hash(base: str, changed: Mapping[Key, Address]) -> str:
    digest = hashlib.sha256(base.encode())
    for key, address in changed.items():
        digest.update("\0".join(key).encode() + b"\0" + (address or b"-"))
    return f"draft-{digest.hexdigest()}"


def _read(draft: Draft, changed: Mapping[Key, Address]) -> Contents:
    base = read_contents(draft.base)
    texts = object_store.read_addresses(
        draft.cluster.workspace_id, [address for address in changed.values() if address is not None]
    )
    contents = {key: None if address is None else msgspec.Raw(texts[address]) for key, address in changed.items()}
    stored = dict(base.by_key.stored)
    for key, content in contents.items():
        if content is None:
            stored.pop(key, None)
        else:
            stored[key] = content
    by_key = ManifestsByKey.of(stored)
    loaded = _spliced(base, by_key, contents)
    made_of = None if loaded is None else weakref.ref(base)
    if loaded is None:
        loaded = load_manifests(list(stored.values()), source=str(draft), is_whole=True, unplayed=base.unplayed)
    made = Contents(list(stored.values()), loaded, is_shared=made_of is not None, made_of=made_of)
    made.by_key = by_key
    return made


# ---------------------------------------------------------------- only what changed


def _spliced(base: Contents, by_key: ManifestsByKey, changed: Mapping[Key, Content | None]) -> LoadResult | None:
    """Return the base's objects with the changed ones read again, None if a change affects other objects."""
    if not base.loaded.ok or not _is_self_contained(base, changed):
        return None
    context = [by_key.stored[key] for key in by_key if key.kind in CONTEXT_KINDS]
    given = [content for content in changed.values() if content is not None]
    read = load_manifests([*context, *given], source="draft")
    if not read.ok:
        return None
    objects = _replaced(base.loaded.objects, read.objects, changed)
    doubts = {doubt.message for doubt in _doubts(base)}
    about = {key.label for key in changed}
    findings = [one for one in base.loaded.findings if one.message not in doubts and one.object not in about]
    whole = msgspec.structs.replace(base.loaded, objects=objects, findings=[*findings, *read.findings])
    return _with_doubts(whole, by_key)


def _is_self_contained(base: Contents, changed: Mapping[Key, Content | None]) -> bool:
    kinds = {key.kind for key in changed}
    if not kinds <= set(SELF_CONTAINED):
        return False
    makers = {key.kind for key in base.by_key if key.kind in POD_MAKERS}
    if "Pod" in kinds and makers:
        return False
    return not ("Node" in kinds and "DaemonSet" in makers)


def _replaced(base: ClusterObjects, read: ClusterObjects, changed: Mapping[Key, Content | None]) -> ClusterObjects:
    fields: dict[str, list[Any]] = {}
    for kind in {key.kind for key in changed}:
        field = KINDS[kind].field
        new = {_object_name(kind, one): one for one in getattr(read, field)}
        gone = {(key.namespace, key.name) for key in changed if key.kind == kind}
        out = []
        for one in getattr(base, field):
            name = _object_name(kind, one)
            if name not in gone:
                out.append(one)
            elif name in new:
                out.append(new.pop(name))
        fields[field] = [*out, *(new[name] for key in changed if (name := key[1:]) in new and key.kind == kind)]
    return msgspec.structs.replace(base, **fields)


def _object_name(kind: str, one: Any) -> tuple[str, str]:
    return (one.namespace if KINDS[kind].namespaced else "", one.name)


def _doubts(contents: Contents) -> list[Any]:
    def find() -> list[Any]:
        return list(missing_objects(contents.loaded.objects, contents.by_key.keys()))

    return contents.ordered("missing objects", "", find)


def _with_doubts(loaded: LoadResult, by_key: ManifestsByKey) -> LoadResult:
    findings = [
        Finding(
            severity="warning",
            source="draft",
            object=f"{doubt.kind} {doubt.namespace}/{doubt.name}",
            field=doubt.field,
            message=doubt.message,
        )
        for doubt in missing_objects(loaded.objects, by_key.keys())
    ]
    return msgspec.structs.replace(loaded, findings=[*loaded.findings, *findings])
