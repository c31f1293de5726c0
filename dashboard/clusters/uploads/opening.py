"""Uploaded files as manifests: archives opened."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from django.conf import settings

from dashboard.common.problems import Problem
from scheduler_core.manifests import (
    ArchiveLimits,
    ManifestSource,
    ParsedSource,
    is_archive,
    unpacked,
    unpacked_whole,
)
from scheduler_core.manifests.bundle.reading import is_bundle
from scheduler_core.manifests.model import LoadError

if TYPE_CHECKING:
    from collections.abc import Sequence


class Upload(NamedTuple):
    """A file as it was uploaded or stored; `parsed` if it was read already. `bundle`: the bundle of a live cluster that
    `data` has the objects of, as of its end; b"" for any other file."""

    name: str
    data: bytes
    parsed: ParsedSource | None = None
    bundle: bytes = b""

    @property
    def size(self) -> int:
        """Return the length in bytes."""
        return len(self.data)


def opened(uploads: Sequence[Upload], *, objects_alone: bool = True) -> list[Upload]:
    """Return the files with each archive replaced by the files in it that hold objects, or by all with the endings of
    manifests; raises TooLarge, and Problem for an archive that is not taken in, with the names of it and of the entry
    that is wrong."""
    unpack = unpacked if objects_alone else unpacked_whole
    left, out = settings.UPLOAD_MAX_BYTES, []
    for upload in uploads:
        if not is_archive(upload.data):
            left -= len(upload.data)
            out.append(upload)
            continue
        limits = ArchiveLimits(max_bytes=max(0, left), max_files=settings.DATA_UPLOAD_MAX_NUMBER_FILES)
        try:
            contents = unpack(ManifestSource(upload.name, upload.data), limits)
        except LoadError as problem:
            raise Problem(f"{problem.message}.", title="This archive is not taken in") from None
        left -= sum(len(file.data) for file in contents.files)
        bundle = upload.data if objects_alone and is_bundle(upload.data) else b""
        out += [Upload(file.name, file.data, bundle=bundle) for file in contents.files]
    return out
