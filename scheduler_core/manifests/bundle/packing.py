"""A bundle's archive from its parts, in memory."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterable
from itertools import chain

import msgspec

from scheduler_core.manifests.bundle.model import (
    CHANGES,
    EVENTS,
    META,
    OBJECTS,
    BundleMeta,
    Change,
    ListedObject,
)

LEVEL = 6
_encode = msgspec.json.encode


def packed(
    meta: BundleMeta, objects: Iterable[ListedObject], events: Iterable[Change], changes: Iterable[Change]
) -> bytes:
    """The .tar.gz, its files in their order."""
    lines = ((OBJECTS, objects), (EVENTS, events), (CHANGES, changes))
    return archived(chain([(META, _encode(meta))], ((name, _lines(of)) for name, of in lines)), LEVEL)


def archived(files: Iterable[tuple[str, bytes]], level: int = 0) -> bytes:
    """Files by their names as one archive, gzipped at a level from 1 on."""
    out = io.BytesIO()
    if level:
        with tarfile.open(fileobj=out, mode="w:gz", compresslevel=level) as archive:
            _add(archive, files)
    else:
        with tarfile.open(fileobj=out, mode="w") as archive:
            _add(archive, files)
    return out.getvalue()


def _lines(values: Iterable[ListedObject | Change]) -> bytes:
    return b"".join(_encode(one) + b"\n" for one in values)


def _add(archive: tarfile.TarFile, files: Iterable[tuple[str, bytes]]) -> None:
    for name, data in files:
        info = tarfile.TarInfo(name)
        info.size = len(data)
        archive.addfile(info, io.BytesIO(data))
