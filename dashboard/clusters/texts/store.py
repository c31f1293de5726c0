"""The texts of a cluster's objects: kept under the content that they held, found again for that content or a later one.

A content is found by its hash, as before; a text only says how people write it. So an object that changed is shown in
its newest text with the change written in, and one that changed back in the text of that time, byte for byte.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import zstandard
from django.db.models import Q

from dashboard.clusters.models import ObjectText
from dashboard.clusters.texts.changes import Rewritten, holds, rewritten
from scheduler_core.manifests import dump_yaml

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from dashboard.clusters.models import Cluster

MAX_KEPT_TEXT = 128 << 10
"""Longer texts are not kept: few are written by hand, and each edit reads and writes the whole text."""
KEPT_PER_OBJECT = 8
_BATCH = 1_000
_LEVEL = 3

ObjectKey = tuple[str, str, str]
"""(kind, namespace, name); the namespace is empty for kinds without one."""
K = TypeVar("K", bound=ObjectKey)


class WrittenText(NamedTuple):
    """A text, and the SHA-256 of the content that it holds."""

    address: bytes
    text: str


def content_address(content: bytes) -> bytes:
    """Return the address of a content: its SHA-256."""
    return hashlib.sha256(content).digest()


def keep(cluster: Cluster, texts: Mapping[K, WrittenText]) -> None:
    """Keep how these objects are written; of one object the newest texts stay."""
    compress = zstandard.ZstdCompressor(level=_LEVEL).compress
    chosen = [(key, one) for key, one in texts.items() if len(one.text) <= MAX_KEPT_TEXT]
    for at in range(0, len(chosen), _BATCH):
        part = chosen[at : at + _BATCH]
        before = _rows(cluster, [key for key, _ in part])
        new: dict[ObjectKey, WrittenText] = dict(part)
        gone = [pk for key, rows in before.items() for pk in _gone(rows, new[key])]
        for start in range(0, len(gone), _BATCH):
            ObjectText.objects.filter(pk__in=gone[start : start + _BATCH]).delete()
        ObjectText.objects.bulk_create(
            ObjectText(
                cluster=cluster,
                kind=key[0],
                namespace=key[1],
                name=key[2],
                sha256=one.address,
                data=compress(one.text.encode()),
            )
            for key, one in part
        )


def _gone(rows: Sequence[ObjectText], new: WrittenText) -> list[int]:
    """Return the rows that a new text replaces: those of its content, and the oldest of many."""
    others = [row.pk for row in rows if bytes(row.sha256) != new.address]
    return [row.pk for row in rows if row.pk not in others] + others[KEPT_PER_OBJECT - 1 :]


def shown(cluster: Cluster, key: ObjectKey, address: bytes, manifest: Mapping[str, Any]) -> Rewritten:
    """Return an object as people wrote it; `address` is the SHA-256 of its content `manifest`."""
    return _written(_rows(cluster, [key])[key], address, manifest)


class ClusterTexts:
    """All texts of a cluster, read at once and held as they are stored: compressed."""

    def __init__(self, cluster: Cluster) -> None:
        self._rows: dict[ObjectKey, list[ObjectText]] = {}
        for row in ObjectText.objects.filter(cluster=cluster).order_by("-pk").iterator(_BATCH):
            self._rows.setdefault(row.key, []).append(row)

    def shown(self, key: ObjectKey, address: bytes, manifest: Mapping[str, Any]) -> str:
        """Return an object as people wrote it, without another look into the database.

        The namespace default, which the stored form adds, is left out where they left it out.
        """
        rows = self._rows.get((*key,), [])
        row = next((one for one in rows if bytes(one.sha256) == address), None)
        text = _stored_text(row) if row is not None else ""
        return text if text and holds(text, manifest) else _written(rows, address, manifest).text


def _written(rows: Sequence[ObjectText], address: bytes, manifest: Mapping[str, Any]) -> Rewritten:
    row = next((one for one in rows if bytes(one.sha256) == address), rows[0] if rows else None)
    if row is None:
        return Rewritten(dump_yaml([manifest]))
    return rewritten(_stored_text(row), manifest)


def _stored_text(row: ObjectText) -> str:
    return zstandard.ZstdDecompressor().decompress(bytes(row.data)).decode()


def _rows(cluster: Cluster, keys: Sequence[ObjectKey]) -> dict[ObjectKey, list[ObjectText]]:
    """Return the rows of each object, the newest first."""
    of_objects: dict[ObjectKey, list[ObjectText]] = {key: [] for key in keys}
    names = Q(name=keys[0][2]) if len(keys) == 1 else Q(name__in={key[2] for key in keys})
    for row in ObjectText.objects.filter(names, cluster=cluster).order_by("-pk"):
        if row.key in of_objects:
            of_objects[row.key].append(row)
    return of_objects
