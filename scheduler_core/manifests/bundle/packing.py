"""A bundle's archive from its parts, in memory."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterable, Mapping

import msgspec

from scheduler_core.manifests.bundle.model import (
    CHANGES,
    EVENTS,
    FILES,
    META,
    OBJECTS,
    BundleMeta,
    Change,
    ListedObject,
)

_LEVEL = 6
_encode = msgspec.json.encode


def packed(
    meta: BundleMeta, objects: Iterable[ListedObject], events: Iterable[Change], changes: Iterable[Change]
) -> bytes:
    """The .tar.gz, its files in their order."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz", compresslevel=_LEVEL) as archive:
        _add(archive, META, _encode(meta))
        _add(archive, OBJECTS, _lines(objects))
        _add(archive, EVENTS, _lines(events))
        _add(archive, CHANGES, _lines(changes))
    return out.getvalue()


def joined(files: Mapping[str, bytes]) -> bytes:
    """The files of a bundle's folder by their names as one archive, which is not compressed."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name in sorted(files, key=FILES.index):
            _add(archive, name, files[name])
    return out.getvalue()


def _lines(values: Iterable[ListedObject | Change]) -> bytes:
    return b"".join(_encode(one) + b"\n" for one in values)


def _add(archive: tarfile.TarFile, name: str, data: bytes) -> None:
    info = tarfile.TarInfo(name)
    info.size = len(data)
    archive.addfile(info, io.BytesIO(data))
