"""Content-addressed storage of manifests and of revisions' index pages."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec
import zstandard
from django.db import connection, transaction

from dashboard.clusters.models import Cluster, CondemnedBlob, NumberedRevision, ObjectBlob, Revision
from dashboard.clusters.revisions.index_pages import ObjectEntry, pack_pages, unpack_page
from dashboard.clusters.revisions.object_keys import canonical, canonical_text, written_key
from dashboard.common.problems import Conflict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dashboard.accounts.models import User, Workspace
    from scheduler_core.manifests import Content, ProgressCallback

Manifest = dict[str, Any]
Text = bytes | msgspec.Raw
# PostgreSQL takes 65,535 parameters in a statement, SQLite 250,000; batches keep memory even as well.
BATCH = 2000
# Of more contents the stored ones are looked up first, and not sent again.
FEW = 20

_decode_json = msgspec.json.Decoder()


@dataclass(frozen=True)
class Saving:
    """The author and message of a revision; `expected` is the number that must still be the newest (None: any).

    `events` and `unplayed` are addresses of what is stored beside the objects, None for the previous revision's."""

    author: User | None
    message: str = ""
    source: str = ""
    expected: int | None = None
    events: bytes | None = None
    unplayed: bytes | None = None


@dataclass(frozen=True)
class StoredIndex:
    """What a revision's row says of its objects, which are stored: the addresses of its index pages, 32 bytes each, and
    the number of objects of each kind.
    """

    pages: bytes
    counts: dict[str, int]


def store_objects(
    workspace_id: int, manifests: Sequence[Content], report_progress: ProgressCallback | None = None
) -> StoredIndex:
    """Store the objects and their index pages, ahead of the transaction that makes a revision of them.

    Compressing takes most of a revision's time, and what is stored by its address needs no transaction.
    """
    blobs: dict[bytes, Text] = {}
    index = _index([_entry(manifest, blobs) for manifest in manifests], blobs)
    _store(workspace_id, blobs, report_progress)
    return index


def save_revision(cluster: Cluster, manifests: Sequence[Content], saving: Saving) -> Revision:
    """Return a new revision of the cluster with these objects, in this order.

    Raises Conflict when somebody saved since revision `saving.expected`.
    """
    blobs: dict[bytes, Text] = {}
    entries = [_entry(manifest, blobs) for manifest in manifests]
    return save_entries(cluster, entries, saving, blobs)


def save_entries(
    cluster: Cluster, entries: Sequence[ObjectEntry], saving: Saving, blobs: dict[bytes, Text] | None = None
) -> Revision:
    """Return a new revision of these objects, whose contents are stored or among `blobs`; raises Conflict."""
    blobs = {} if blobs is None else blobs
    index = _index(entries, blobs)
    with transaction.atomic():
        _store(cluster.workspace_id, blobs)
        return save_index(cluster, index, saving)


def save_index(cluster: Cluster, index: StoredIndex, saving: Saving) -> Revision:
    """Return a new revision of objects that are stored; raises Conflict as `save_revision` does."""
    with transaction.atomic():
        newest = cluster.revisions.order_by("-number").first()
        number = next_number(newest, saving.expected)
        return Revision.objects.create(
            cluster=cluster,
            number=number,
            parent=newest,
            author=saving.author,
            message=saving.message,
            source=saving.source,
            sha256=hashlib.sha256(index.pages).hexdigest(),
            pages=index.pages,
            counts=index.counts,
            events=saving.events if saving.events is not None else bytes(newest.events) if newest else b"",
            unplayed=saving.unplayed if saving.unplayed is not None else bytes(newest.unplayed) if newest else b"",
        )


def read_index(revision: Revision) -> list[ObjectEntry]:
    """Return the revision's objects in their order, without their content."""
    return read_pages(revision.cluster.workspace_id, bytes(revision.pages))


def read_pages(workspace_id: int, listed: bytes) -> list[ObjectEntry]:
    """Return the objects that index pages name; `listed` holds the pages' addresses, 32 bytes each."""
    addresses = [listed[at : at + 32] for at in range(0, len(listed), 32)]
    pages = _fetch(workspace_id, addresses)
    return [entry for address in addresses for entry in unpack_page(pages[address])]


def read_addresses(workspace_id: int, addresses: Iterable[bytes]) -> dict[bytes, bytes]:
    """Return {SHA-256: content}; raises KeyError where one is missing."""
    return _fetch(workspace_id, list(addresses))


def as_content(text: bytes) -> Content:
    """Return stored text as a manifest that is decoded on access."""
    return msgspec.Raw(text)


def store_manifests(workspace_id: int, manifests: Sequence[Content]) -> list[bytes]:
    """Return the addresses of the manifests, stored as canonical text where they were not stored yet."""
    return put_blobs(workspace_id, [canonical_text(manifest) for manifest in manifests])


def read_manifests(revision: Revision) -> list[Manifest]:
    """Return all manifests, in the order of the revision."""
    return [_decode_json.decode(content) for content in _contents(revision)]


def read_stored(revision: Revision) -> list[Content]:
    """Return all manifests as canonical text, in the order of the revision."""
    return [msgspec.Raw(content) for content in _contents(revision)]


def put_blobs(workspace_id: int, contents: Iterable[Text]) -> list[bytes]:
    """Store contents where they were not stored yet, and return their addresses."""
    blobs: dict[bytes, Text] = {}
    addresses = [_put(content, blobs) for content in contents]
    _store(workspace_id, blobs)
    return addresses


def put_blob(workspace_id: int, content: bytes) -> bytes:
    """Store a content, and return its address."""
    return put_blobs(workspace_id, [content])[0]


def read_blob(workspace_id: int, address: bytes) -> bytes:
    """Return the content of an address; raises KeyError where there is none."""
    return _fetch(workspace_id, [address])[address]


def _contents(revision: Revision) -> list[bytes]:
    entries = read_index(revision)
    contents = _fetch(revision.cluster.workspace_id, [entry.sha256 for entry in entries])
    return [contents[entry.sha256] for entry in entries]


def _entry(manifest: Content, blobs: dict[bytes, Text]) -> ObjectEntry:
    kind, namespace, name = written_key(manifest)
    text = manifest if isinstance(manifest, msgspec.Raw) else canonical(manifest)
    return ObjectEntry(kind, namespace, name, _put(text, blobs))


def _put(content: Text, blobs: dict[bytes, Text]) -> bytes:
    sha256 = hashlib.sha256(content).digest()
    blobs[sha256] = content
    return sha256


def _index(entries: Sequence[ObjectEntry], blobs: dict[bytes, Text]) -> StoredIndex:
    """Return the index of these entries, whose pages are put among the blobs."""
    pages = b"".join(_put(page, blobs) for page in pack_pages(entries))
    return StoredIndex(pages, dict(sorted(Counter(entry.kind for entry in entries).items())))


def _store(workspace_id: int, blobs: dict[bytes, Text], report_progress: ProgressCallback | None = None) -> None:
    _pardon(workspace_id, list(blobs))
    stored = set(_existing(workspace_id, list(blobs))) if len(blobs) > FEW else set()
    n_stored, compress = len(stored), zstandard.ZstdCompressor(level=3).compress
    rows = (
        ObjectBlob(workspace_id=workspace_id, sha256=sha256, data=compress(content))
        for sha256, content in blobs.items()
        if sha256 not in stored
    )
    while batch := list(islice(rows, BATCH)):
        # Of two equal rows, stored at the same moment, one stays.
        ObjectBlob.objects.bulk_create(batch, ignore_conflicts=True)
        n_stored += len(batch)
        if report_progress is not None:
            report_progress(n_stored / len(blobs))


def _pardon(workspace_id: int, addresses: list[bytes]) -> None:
    """Take content off the note of what may be deleted (clusters/sweeping.py), before looking whether it is stored."""
    noted = CondemnedBlob.objects.filter(workspace=workspace_id)
    if noted.exists():
        for at in range(0, len(addresses), BATCH):
            noted.filter(sha256__in=addresses[at : at + BATCH]).delete()


def _existing(workspace_id: int, addresses: list[bytes]) -> Iterator[bytes]:
    for at in range(0, len(addresses), BATCH):
        existing = ObjectBlob.objects.filter(workspace_id=workspace_id, sha256__in=addresses[at : at + BATCH])
        yield from (bytes(sha256) for sha256 in existing.values_list("sha256", flat=True))


def _fetch(workspace_id: int, addresses: list[bytes]) -> dict[bytes, bytes]:
    """Return {sha256: content}; raises KeyError when one is missing."""
    unique = list(dict.fromkeys(addresses))
    decompress = zstandard.ZstdDecompressor().decompress
    table = ObjectBlob._meta.db_table
    contents: dict[bytes, bytes] = {}
    with connection.cursor() as cursor:
        for at in range(0, len(unique), BATCH):
            part = unique[at : at + BATCH]
            marks = ",".join(["%s"] * len(part))
            query = f'SELECT sha256, data FROM "{table}" WHERE workspace_id = %s AND sha256 IN ({marks})'
            cursor.execute(query, [workspace_id, *part])
            contents.update((bytes(sha256), decompress(bytes(data))) for sha256, data in cursor.fetchall())
    missing = next((sha256 for sha256 in unique if sha256 not in contents), None)
    if missing is not None:
        raise KeyError(f"no content {missing.hex()} in workspace {workspace_id}")
    return contents


def next_number(newest: NumberedRevision | None, expected: int | None) -> int:
    """Return the number after that of the newest revision; raises Conflict where that is not the expected one."""
    number = newest.number if newest else 0
    if expected is not None and number != expected:
        raise Conflict(
            f"Somebody saved revision {number} while you were at revision {expected}. Compare the two first."
        )
    return number + 1


def stored_bytes(workspace: Workspace) -> int:
    """Return how many bytes the workspace's objects take, index pages included."""
    table = ObjectBlob._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute(f'SELECT COALESCE(SUM(LENGTH(data)), 0) FROM "{table}" WHERE workspace_id = %s', [workspace.pk])
        return int(cursor.fetchone()[0])
