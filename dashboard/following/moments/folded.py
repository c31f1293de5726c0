"""The objects of a followed cluster as rows: written as changes are folded, read whole.

Rows carry the number of the collection that they are of. Those of a collection whose first listing is not whole yet are
beside those that pages show, until `begin` makes them the ones.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import zstandard
from django.db.models import F

from dashboard.clusters.models import FollowedObject
from scheduler_core.manifests.bundle.folding import name_of
from scheduler_core.manifests.kinds.registry import KINDS, name_in_group

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dashboard.clusters.models import Following
    from scheduler_core.manifests.bundle.folding import ObjectName

MOST_OBJECTS = 200_000
"""Objects of a followed cluster, as many as an import may have."""
BATCH = 2_000
MOST_MANAGERS = 200
_FIELDS = ["kind", "namespace", "name", "sha256", "data", "managers", "changed_at"]


class TooManyObjects(Exception):
    """A cluster has more objects than are taken."""


class FoldedChange(NamedTuple):
    """An object after a change at `at`; `content` None: it is gone."""

    content: msgspec.Raw | None
    at: float


class _ManagedField(msgspec.Struct):
    manager: str = ""
    time: str = ""


class _ManagedMetadata(msgspec.Struct):
    managedFields: list[_ManagedField] = []


class _Managed(msgspec.Struct):
    metadata: _ManagedMetadata = msgspec.field(default_factory=_ManagedMetadata)


_managed = msgspec.json.Decoder(_Managed).decode


class FoldedPart:
    """What a part of a piece comes to: of each object its latest state."""

    def __init__(self) -> None:
        self.changed: dict[ObjectName, FoldedChange] = {}

    def put(self, content: msgspec.Raw, at: float, *, is_gone: bool = False) -> None:
        """Take a change."""
        self.changed[name_of(content)] = FoldedChange(None if is_gone else content, at)

    def write(self, following: Following, generation: int) -> bool:
        """Write it to the rows of this generation; return whether anything is to be written. In a transaction.

        Raises TooManyObjects.
        """
        rows = FollowedObject.objects.filter(following=following, generation=generation)
        gone = [key_of(name) for name, change in self.changed.items() if change.content is None]
        for at in range(0, len(gone), BATCH):
            rows.filter(key__in=gone[at : at + BATCH]).delete()
        compress = zstandard.ZstdCompressor(level=3).compress
        put = [
            _row(following, generation, name, change, compress(change.content))
            for name, change in self.changed.items()
            if change.content is not None
        ]
        FollowedObject.objects.bulk_create(
            put,
            batch_size=BATCH,
            update_conflicts=True,
            unique_fields=["following", "generation", "key"],
            update_fields=_FIELDS,
        )
        if put and rows.count() > MOST_OBJECTS:
            raise TooManyObjects(f"It has more than {MOST_OBJECTS:,} objects; the collector must ask for fewer.")
        return bool(self.changed)


def _row(following: Following, generation: int, name: ObjectName, change: FoldedChange, data: bytes) -> FollowedObject:
    assert change.content is not None
    return FollowedObject(
        following=following,
        generation=generation,
        key=key_of(name),
        kind=name_in_group(name.kind, name.group),
        namespace=name.namespace,
        name=name.name,
        sha256=hashlib.sha256(change.content).digest(),
        data=data,
        managers=managers_of(change.content),
        changed_at=change.at,
    )


def key_of(name: ObjectName) -> bytes:
    """Return the key of an object's row."""
    return hashlib.sha256("\0".join(name).encode()).digest()


def managers_of(content: msgspec.Raw) -> str:
    """Return the field managers that the latest write of an object names, with commas: of those with times the newest,
    without times all."""
    try:
        fields = _managed(content).metadata.managedFields
    except msgspec.ValidationError:
        return ""
    newest = max((one.time for one in fields), default="")
    names = dict.fromkeys(one.manager for one in fields if one.manager and one.time == newest)
    return ", ".join(names)[:MOST_MANAGERS]


def begin(following: Following, generation: int) -> None:
    """Show the rows of this generation, and forget those of the ones before. In a transaction."""
    older = FollowedObject.objects.filter(following=following, generation__lt=generation)
    older._raw_delete(older.db)
    following.generation = generation


def forget_unlisted(following: Following, generation: int) -> None:
    """Forget the rows of collections that were taken over before their first listing was whole."""
    rows = FollowedObject.objects.filter(following=following)
    rows.exclude(generation__in=(following.generation, generation)).delete()


def read_objects(following: Following, *kinds: str) -> list[msgspec.Raw]:
    """Return the objects as of the moment that is folded, of these kinds or all; sorted by kind, namespace and name."""
    rows = current_rows(following)
    if kinds:
        rows = rows.filter(kind__in=kinds)
    decompress = zstandard.ZstdDecompressor().decompress
    named = rows.order_by("kind", "namespace", "name", "key").values_list("data", flat=True)
    return [msgspec.Raw(decompress(bytes(data))) for data in named.iterator(chunk_size=BATCH)]


def addresses(following: Following) -> Iterator[tuple[tuple[str, str, str], bytes, str]]:
    """Yield (kind, namespace, name), the SHA-256 of the canonical text, and the managers of each object of a kind that
    revisions hold."""
    rows = current_rows(following).filter(kind__in=list(KINDS))
    for kind, namespace, name, sha256, managers in rows.values_list("kind", "namespace", "name", "sha256", "managers"):
        yield (kind, namespace, name), bytes(sha256), managers


def current_rows(following: Following) -> Any:
    """Return the rows of the objects as of the moment that is folded; which ones these are the same statement asks."""
    return FollowedObject.objects.filter(following=following, generation=F("following__generation"))
