"""Archives (.zip, .tar, .tar.gz) to the manifests in them, in memory: nothing is ever written to a disk.

An archive comes from outside, so it is judged as a whole before anything of it counts: one entry that could lead
elsewhere (an absolute name, ``..``, a link, a device), that is encrypted or damaged, or that is given twice refuses the
archive, with the names of both. Sizes are counted while data is inflated, never believed from a header, so that a bomb
gets no more memory than the limit.
"""

from __future__ import annotations

import io
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator

from scheduler_core.manifests.model import Limits, LoadError, ManifestSource, printable, shortened
from scheduler_core.manifests.parsing.archive_entries import (
    LONGEST_NAME,
    ArchiveContents,
    ArchiveEntry,
    ArchiveLimits,
    EntryReader,
    check_ratio,
    is_manifest_name,
)
from scheduler_core.manifests.parsing.sources import read_data

_ZIP, _EMPTY_ZIP, _GZIP = b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b"
_ZIP_END, _ZIP64_END = b"PK\x05\x06", b"PK\x06\x07"
_ZIP_END_SIZE, _ZIP64_END_SIZE, _LONGEST_COMMENT = 22, 20, 1 << 16
_TAR_AT, _TAR, _BLOCK = 257, b"ustar", 512
_CHUNK = 1 << 20
_LONGEST_ENTRY = 46 + LONGEST_NAME + 200
"""Bytes of a zip's directory for one entry: its header, name and extra fields."""
_DEEPEST = 3
"""Archives in archives are opened so far."""


def is_archive(data: bytes) -> bool:
    """Whether the bytes are a zip, a tar or a gzipped tar."""
    return data[:4] in (_ZIP, _EMPTY_ZIP) or _is_tar(data) or _is_tar(_first_block(data))


def unpacked(source: ManifestSource, limits: ArchiveLimits | None = None) -> ArchiveContents:
    """The manifests of an archive, and of archives in it. Raises LoadError, whose message names the archive and the
    entry that is wrong."""
    return _unpacked(source, limits or ArchiveLimits(), 0)


def _unpacked(source: ManifestSource, limits: ArchiveLimits, depth: int) -> ArchiveContents:
    try:
        if source.data[:4] in (_ZIP, _EMPTY_ZIP):
            return _unzipped(source, limits, depth)
        return _untarred(source, limits, depth)
    except LoadError as problem:
        raise LoadError(f"{source.name}: {problem.message}") from None


def _first_block(data: bytes) -> bytes:
    """The first bytes of what is gzipped, b"" for anything else."""
    if data[:2] != _GZIP:
        return b""
    try:
        return zlib.decompressobj(wbits=31).decompress(data[:_CHUNK], _BLOCK)
    except zlib.error:
        return b""


def _is_tar(data: bytes) -> bool:
    return data[_TAR_AT : _TAR_AT + len(_TAR)] == _TAR


# ---------------------------------------------------------------- zip


def _unzipped(source: ManifestSource, limits: ArchiveLimits, depth: int) -> ArchiveContents:
    _check_directory(source.data, limits)
    try:
        with zipfile.ZipFile(io.BytesIO(source.data)) as archive:
            entries = [_zip_entry(info) for info in archive.infolist()]
            reader = _Reader(source, limits, entries, depth)
            return reader.contents(lambda entry: _zip_data(archive, entry))
    except (zipfile.BadZipFile, struct.error, ValueError, OverflowError) as problem:
        raise LoadError(f"the zip file is damaged ({printable(str(problem))}). Copy it again") from None


def _check_directory(data: bytes, limits: ArchiveLimits) -> None:
    """Refuse a directory that is too long before it is read: the record at the end says how long it is."""
    end = data.rfind(_ZIP_END, max(0, len(data) - _ZIP_END_SIZE - _LONGEST_COMMENT))
    if end < 0 or len(data) < end + _ZIP_END_SIZE:
        raise LoadError("the zip file ends too early. Copy it again")
    if data[end - _ZIP64_END_SIZE : end - _ZIP64_END_SIZE + 4] == _ZIP64_END:
        raise LoadError("the zip file is in the form for more than 65,535 entries or 4 GiB (zip64). Split it")
    n_entries, n_bytes = struct.unpack("<HI", data[end + 10 : end + 16])
    if n_entries > limits.max_entries or n_bytes > limits.max_entries * _LONGEST_ENTRY:
        raise LoadError(f"more than {limits.max_entries:,} entries. Split it")


def _zip_entry(info: zipfile.ZipInfo) -> ArchiveEntry:
    mode = info.external_attr >> 16
    oddity = ""
    if stat.S_ISLNK(mode):
        oddity = "a link"
    elif stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
        oddity = "a device or another special file"
    elif info.flag_bits & 0x1:
        oddity = "encrypted"
    # As it was written: ZipInfo.filename ends at a NUL.
    name = info.orig_filename
    return ArchiveEntry(name, name.endswith("/"), oddity, info.file_size, info)


def _zip_data(archive: zipfile.ZipFile, entry: ArchiveEntry) -> Iterator[bytes]:
    assert isinstance(entry.handle, zipfile.ZipInfo)
    try:
        with archive.open(entry.handle) as file:
            while chunk := file.read(_CHUNK):
                yield chunk
    except NotImplementedError:
        raise LoadError("compressed in a way that is not read here. Pack it with the usual one (deflate)") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, OSError) as problem:
        raise LoadError(f"damaged ({printable(str(problem))}). Copy the archive again") from None


# ---------------------------------------------------------------- tar


def _untarred(source: ManifestSource, limits: ArchiveLimits, depth: int) -> ArchiveContents:
    data = read_data(source, Limits(max_bytes=limits.max_bytes))
    if data is not source.data:
        check_ratio(len(data), len(source.data), limits)
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
            entries = []
            for member in archive:
                entries.append(_tar_entry(member))
                if len(entries) > limits.max_entries:
                    raise LoadError(f"more than {limits.max_entries:,} entries. Split it")
            # A tar ends with blocks of zeros; reading just stops at what is no header.
            end = data[archive.offset : archive.offset + _BLOCK]
            if end.strip(b"\0") or len(end) < _BLOCK:
                last = f" after {shortened(printable(entries[-1].name))}" if entries else ""
                raise LoadError(f"the tar file is damaged or ends too early{last}. Copy it again")
            reader = _Reader(source, limits, entries, depth)
            return reader.contents(lambda entry: _tar_data(archive, entry))
    except (tarfile.TarError, ValueError, OverflowError, EOFError) as problem:
        raise LoadError(f"the tar file is damaged ({printable(str(problem))}). Copy it again") from None


def _tar_entry(member: tarfile.TarInfo) -> ArchiveEntry:
    oddity = ""
    if member.issym() or member.islnk():
        oddity = "a link"
    elif member.issparse():
        oddity = "a file with holes (sparse)"
    elif not (member.isreg() or member.isdir()):
        oddity = "a device or another special file"
    return ArchiveEntry(member.name, member.isdir(), oddity, member.size, member)


def _tar_data(archive: tarfile.TarFile, entry: ArchiveEntry) -> Iterator[bytes]:
    assert isinstance(entry.handle, tarfile.TarInfo)
    file = archive.extractfile(entry.handle)
    if file is None:
        return
    left = entry.size
    while left > 0 and (chunk := file.read(min(_CHUNK, left))):
        left -= len(chunk)
        yield chunk
    if left:
        raise LoadError("cut off. Copy the archive again")


# ---------------------------------------------------------------- archives in archives


class _Reader(EntryReader):
    """Reads entries, and those of archives among them within what is left of the limits."""

    def __init__(self, source: ManifestSource, limits: ArchiveLimits, entries: list[ArchiveEntry], depth: int) -> None:
        super().__init__(source, limits, entries, is_inner=depth > 0)
        self._depth = depth

    def inner(self, source: ManifestSource, limits: ArchiveLimits) -> ArchiveContents | None:
        """The content of an entry that is an archive itself; None of one that is none."""
        if not is_archive(source.data):
            return None
        if self._depth >= _DEEPEST:
            raise LoadError(f"archives are packed into each other more than {_DEEPEST} deep. Unpack them first")
        return _unpacked(source, limits, self._depth + 1)


__all__ = ["ArchiveContents", "ArchiveLimits", "is_archive", "is_manifest_name", "unpacked"]
