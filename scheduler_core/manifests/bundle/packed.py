"""The files of a bundle's archive, in memory: nothing is written to a disk, and sizes in headers are not believed."""

from __future__ import annotations

import io
import posixpath
import tarfile
import zlib
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from scheduler_core.manifests.bundle.model import META
from scheduler_core.manifests.model import LoadError, printable, quoted
from scheduler_core.manifests.parsing.archive_entries import ArchiveLimits, check_ratio, entry_name_problem

_GZIP = b"\x1f\x8b"
_BLOCK, _CHUNK, _HEAD = 512, 1 << 20, 1 << 16
_MOST_MEMBERS = 10_000


class FileData(NamedTuple):
    """The bytes of a file; ``is_cut`` where there should be more."""

    content: bytes | memoryview
    is_cut: bool = False


class PackedFiles(NamedTuple):
    """The files by name. ``is_cut``: the archive ends early, within the file ``last`` ("" before the first one)."""

    files: Mapping[str, FileData]
    is_archive: bool = False
    is_cut: bool = False
    last: str = ""


def begins_with_meta(data: bytes) -> bool:
    """Whether this is a tar, gzipped or not, whose first file is called as the meta of a bundle."""
    head = data[:_HEAD]
    if head[:2] == _GZIP:
        try:
            head = zlib.decompressobj(wbits=31).decompress(head, _HEAD)
        except zlib.error:
            return False
    try:
        with tarfile.open(fileobj=io.BytesIO(head), mode="r:") as archive:
            member = archive.next()
    except (tarfile.TarError, ValueError, OverflowError, EOFError):
        return False
    return member is not None and posixpath.normpath(member.name) == META


def unpacked_files(data: bytes, max_bytes: int, max_entries: int, max_ratio: int, ratio_from: int) -> PackedFiles:
    """The files of an archive. Raises LoadError for what is none, for an entry that is not taken in, and for more
    bytes, entries or compression than allowed; one that is cut off is read as far as it goes."""
    limits = ArchiveLimits(max_bytes=max_bytes, max_entries=max_entries, max_ratio=max_ratio, ratio_from=ratio_from)
    content, is_cut = _inflated(data, limits) if data[:2] == _GZIP else (data, False)
    files: dict[str, FileData] = {}
    last, n_entries, end = "", 0, 0
    view = memoryview(content)
    try:
        with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as archive:
            for member in _members(archive):
                n_entries += 1
                if n_entries > max_entries:
                    raise LoadError(f"more than {max_entries:,} entries; a bundle has four files")
                if member.isdir():
                    _check_name(member.name)
                    continue
                last = _name(member, files)
                piece = view[member.offset_data : member.offset_data + member.size]
                files[last] = FileData(piece, len(piece) < member.size)
                end = member.offset_data + member.size
    except (tarfile.TarError, ValueError, OverflowError, EOFError) as problem:
        if not files:
            raise LoadError(f"the tar file is damaged ({printable(str(problem))}). Copy it again") from None
    end = -(-end // _BLOCK) * _BLOCK
    if content[end : end + _BLOCK].strip(b"\0"):
        raise LoadError(f"the tar file is damaged after {quoted(last)}. Copy it again")
    return PackedFiles(files, True, is_cut or len(content) < end + _BLOCK, last)


def _members(archive: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    """The entries as far as there are whole headers: the last file of a cut archive is among them."""
    while True:
        try:
            member = archive.next()
        except tarfile.ReadError:
            return
        if member is None:
            return
        yield member


def _check_name(name: str) -> None:
    problem = entry_name_problem(name)
    if problem:
        raise LoadError(f"{quoted(printable(name))} {problem}")


def _name(member: tarfile.TarInfo, files: Mapping[str, FileData]) -> str:
    """The name of a plain file in no folder. Raises LoadError for anything else."""
    _check_name(member.name)
    if not member.isreg() or member.issparse():
        raise LoadError(f"{quoted(printable(member.name))} is a link, a device or another special file")
    name = posixpath.normpath(member.name)
    if name in files:
        raise LoadError(f"{quoted(printable(member.name))} is given twice. Pack the bundle again")
    return name


def _inflated(data: bytes, limits: ArchiveLimits) -> tuple[bytes, bool]:
    """The inflated bytes, and whether they end early; counted as they come, so that a bomb gets no memory."""
    out, rest, members = bytearray(), data, 0
    try:
        while rest[:2] == _GZIP:
            members += 1
            if members > _MOST_MEMBERS:
                raise LoadError("the gzip file has too many parts. Pack it again as one")
            inflate = zlib.decompressobj(wbits=31)
            chunk = inflate.decompress(rest, _CHUNK)
            while chunk:
                out += chunk
                if len(out) > limits.max_bytes:
                    most = f"{limits.max_bytes >> 20} MiB"
                    raise LoadError(f"larger than {most} when inflated. Collect for a shorter time")
                check_ratio(len(out), len(data), limits)
                chunk = inflate.decompress(inflate.unconsumed_tail, _CHUNK)
            if not inflate.eof:
                return bytes(out), True
            rest = inflate.unused_data.lstrip(b"\0")
    except zlib.error:
        raise LoadError("the gzip file is damaged. Copy it again") from None
    return bytes(out), False
