"""Archives (.zip, .tar, .tar.gz) to the manifests in them, in memory: nothing is ever written to a disk.

An archive comes from outside, so it is judged as a whole before anything of it counts: one entry that could lead
elsewhere (an absolute name, ``..``, a link, a device), that is encrypted or damaged, or that is given twice refuses the
archive, with the names of both. Sizes are counted while data is inflated, never believed from a header, so that a bomb
gets no more memory than the limit.
"""

from __future__ import annotations

import io
import posixpath
import re
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import NamedTuple

import msgspec

from scheduler_core.manifests.model import Limits, LoadError, ManifestSource, printable, shortened
from scheduler_core.manifests.parsing.sources import read_data

_ZIP, _EMPTY_ZIP, _GZIP = b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b"
_ZIP_END, _ZIP64_END = b"PK\x05\x06", b"PK\x06\x07"
_ZIP_END_SIZE, _ZIP64_END_SIZE, _LONGEST_COMMENT = 22, 20, 1 << 16
_TAR_AT, _TAR, _BLOCK = 257, b"ustar", 512
_CHUNK = 1 << 20
_MAX_NAME = 1_000
_LONGEST_ENTRY = 46 + _MAX_NAME + 200
"""Bytes of a zip's directory for one entry: its header, name and extra fields."""
_DRIVE = re.compile(r"[A-Za-z]:")
_MANIFESTS = (".yaml", ".yml", ".json", ".jsonl", ".csv", ".txt")


class ArchiveLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Bounds on an archive: its entries, the files taken of it, their bytes in all, and how far it may be compressed.

    ``max_ratio`` (inflated to packed) is checked from ``ratio_from`` bytes on: dumps reach about 100.
    """

    max_entries: int = 10_000
    max_files: int = 2_000
    max_bytes: int = 256 << 20
    max_ratio: int = 250
    ratio_from: int = 16 << 20


class ArchiveContents(NamedTuple):
    """The manifests of an archive, named ``ARCHIVE/ENTRY``, and how many other files it has."""

    files: list[ManifestSource]
    n_others: int


class _ArchiveEntry(NamedTuple):
    """An entry as the archive lists it; ``oddity`` says what it is where it is neither a plain file nor a folder."""

    name: str
    is_folder: bool
    oddity: str
    size: int
    handle: zipfile.ZipInfo | tarfile.TarInfo


_DataOf = Callable[[_ArchiveEntry], Iterator[bytes]]


def is_archive(data: bytes) -> bool:
    """Whether the bytes are a zip, a tar or a gzipped tar."""
    return data[:4] in (_ZIP, _EMPTY_ZIP) or _is_tar(data) or _is_tar(_first_block(data))


def unpacked(source: ManifestSource, limits: ArchiveLimits | None = None) -> ArchiveContents:
    """The manifests of an archive. Raises LoadError, whose message names the archive and the entry that is wrong."""
    limits = limits or ArchiveLimits()
    try:
        if source.data[:4] in (_ZIP, _EMPTY_ZIP):
            return _unzipped(source, limits)
        return _untarred(source, limits)
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


def _unzipped(source: ManifestSource, limits: ArchiveLimits) -> ArchiveContents:
    _check_directory(source.data, limits)
    try:
        with zipfile.ZipFile(io.BytesIO(source.data)) as archive:
            entries = [_zip_entry(info) for info in archive.infolist()]
            reader = _EntryReader(source, limits, entries)
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


def _zip_entry(info: zipfile.ZipInfo) -> _ArchiveEntry:
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
    return _ArchiveEntry(name, name.endswith("/"), oddity, info.file_size, info)


def _zip_data(archive: zipfile.ZipFile, entry: _ArchiveEntry) -> Iterator[bytes]:
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


def _untarred(source: ManifestSource, limits: ArchiveLimits) -> ArchiveContents:
    data = read_data(source, Limits(max_bytes=limits.max_bytes))
    if data is not source.data:
        _check_ratio(len(data), len(source.data), limits)
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
            reader = _EntryReader(source, limits, entries)
            return reader.contents(lambda entry: _tar_data(archive, entry))
    except (tarfile.TarError, ValueError, OverflowError, EOFError) as problem:
        raise LoadError(f"the tar file is damaged ({printable(str(problem))}). Copy it again") from None


def _tar_entry(member: tarfile.TarInfo) -> _ArchiveEntry:
    oddity = ""
    if member.issym() or member.islnk():
        oddity = "a link"
    elif member.issparse():
        oddity = "a file with holes (sparse)"
    elif not (member.isreg() or member.isdir()):
        oddity = "a device or another special file"
    return _ArchiveEntry(member.name, member.isdir(), oddity, member.size, member)


def _tar_data(archive: tarfile.TarFile, entry: _ArchiveEntry) -> Iterator[bytes]:
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


# ---------------------------------------------------------------- entries


class _EntryReader:
    """Judges all entries of an archive, then reads the manifests among them within the limits."""

    def __init__(self, source: ManifestSource, limits: ArchiveLimits, entries: list[_ArchiveEntry]) -> None:
        self._source = source
        self._limits = limits
        self._entries = entries
        self._left = limits.max_bytes

    def contents(self, data_of: _DataOf) -> ArchiveContents:
        """The manifests, each read by ``data_of``. Raises LoadError."""
        self._judge()
        files = [entry for entry in self._entries if not entry.is_folder]
        manifests = [entry for entry in files if is_manifest_name(entry.name)]
        if len(manifests) > self._limits.max_files:
            raise LoadError(f"{len(manifests):,} files are more than the {self._limits.max_files:,} allowed. Split it")
        if not manifests:
            raise LoadError(f"no file in it ends in one of {', '.join(_MANIFESTS)} (or these with .gz)")
        sources = []
        for entry in manifests:
            try:
                sources.append(ManifestSource(f"{self._source.name}/{entry.name}", self._read(data_of(entry))))
            except LoadError as problem:
                raise _refusal(entry, problem.message) from None
        return ArchiveContents(sources, len(files) - len(manifests))

    def _judge(self) -> None:
        if len(self._entries) > self._limits.max_entries:
            raise LoadError(f"more than {self._limits.max_entries:,} entries. Split it")
        names: set[str] = set()
        for entry in self._entries:
            problem = _name_problem(entry.name) or (entry.oddity and f"is {entry.oddity}, which is not taken in")
            if problem:
                raise _refusal(entry, problem)
            name = posixpath.normpath(entry.name)
            if name in names and not entry.is_folder:
                raise _refusal(entry, "is given twice. Pack the archive again")
            names.add(name)

    def _read(self, chunks: Iterator[bytes]) -> bytes:
        """The bytes of an entry, gzip inflated, within what is left."""
        out = bytearray()
        for chunk in chunks:
            out += chunk
            self._spend(len(out))
        data = bytes(out)
        if is_archive(data):
            raise LoadError("is an archive itself. Unpack it first")
        if data[:2] == _GZIP:
            inflated = read_data(ManifestSource("", data), Limits(max_bytes=self._left))
            _check_ratio(len(inflated), len(data), self._limits)
            data = inflated
        self._left -= len(data)
        spent = self._limits.max_bytes - self._left
        _check_ratio(spent, len(self._source.data), self._limits)
        return data

    def _spend(self, n_bytes: int) -> None:
        if n_bytes > self._left:
            most = self._limits.max_bytes >> 20
            raise LoadError(f"with it, the archive is larger than {most} MiB unpacked. Split it")


def is_manifest_name(name: str) -> bool:
    """Whether the name is that of a manifest; what systems and version control hide among the files is passed over."""
    parts = posixpath.normpath(name).split("/")
    return not any(part.startswith(".") or part == "__MACOSX" for part in parts) and parts[-1].lower().removesuffix(
        ".gz"
    ).endswith(_MANIFESTS)


def _name_problem(name: str) -> str:
    """Why an entry of this name is not taken in, "" where it is."""
    parts = re.split(r"[/\\]", name)
    if not name.strip("/"):
        return "has no name"
    if len(name) > _MAX_NAME:
        return f"has a name of {len(name):,} characters. At most {_MAX_NAME:,} are allowed"
    if not name.isprintable():
        return "has a name with control characters"
    if name[0] in "/\\" or _DRIVE.match(name):
        return "has an absolute name. Pack the archive with relative ones"
    if ".." in parts:
        return "leads out of the archive (..)"
    return ""


def _check_ratio(inflated: int, packed: int, limits: ArchiveLimits) -> None:
    if inflated >= limits.ratio_from and inflated > limits.max_ratio * max(1, packed):
        raise LoadError(f"inflates to more than {limits.max_ratio} times its size. Send its files by themselves")


def _refusal(entry: _ArchiveEntry, problem: str) -> LoadError:
    return LoadError(f"{shortened(printable(entry.name), 120)}: {problem}")
