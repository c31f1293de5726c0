"""A journal's folder to the bundle: a .tar.gz, written beside its place and moved there when it is whole."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
from pathlib import Path

import msgspec

from scheduler_core.collect.journal import FILES
from scheduler_core.manifests.bundle.model import META, BundleMeta

_LEVEL = 6


def pack(folder: Path, meta: BundleMeta, target: Path) -> int:
    """Write the bundle of the folder's files; its size in bytes. Raises OSError, and leaves nothing half written."""
    beside = target.with_name(f".{target.name}.new")
    at = int(meta.ended or meta.began)
    try:
        with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "wb") as file:
            with (
                gzip.GzipFile(filename="", mode="wb", fileobj=file, compresslevel=_LEVEL, mtime=at) as packed,
                tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
            ):
                text = msgspec.json.encode(meta)
                archive.addfile(_entry(META, len(text), at), io.BytesIO(text))
                for name in FILES:
                    with (folder / name).open("rb") as lines:
                        archive.addfile(_entry(name, os.fstat(lines.fileno()).st_size, at), lines)
            file.flush()
            os.fsync(file.fileno())
        size = beside.stat().st_size
        os.replace(beside, target)
    except OSError:
        beside.unlink(missing_ok=True)
        raise
    return size


def _entry(name: str, size: int, at: int) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mtime, entry.mode = size, at, 0o600
    return entry
