"""The entries of an archive: which are taken, and their bytes within the limits."""

from __future__ import annotations

import posixpath
import re
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from typing import NamedTuple

import msgspec

from scheduler_core.manifests.model import Limits, LoadError, ManifestSource, printable, shortened
from scheduler_core.manifests.parsing.sources import read_data

_GZIP = b"\x1f\x8b"
_CHUNK = 1 << 20
LONGEST_NAME = 1_000
_DRIVE = re.compile(r"[A-Za-z]:")
_MANIFESTS = (".yaml", ".yml", ".json", ".jsonl", ".csv", ".txt", ".sktrace", ".msgpack", ".mpack")
_ARCHIVES = (".zip", ".tar", ".tgz")


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


class ArchiveEntry(NamedTuple):
    """An entry as the archive lists it; ``oddity`` says what it is where it is neither a plain file nor a folder."""

    name: str
    is_folder: bool
    oddity: str
    size: int
    handle: zipfile.ZipInfo | tarfile.TarInfo


DataOf = Callable[[ArchiveEntry], Iterator[bytes]]


class EntryReader:
    """Judges all entries of an archive, then reads the manifests among them within the limits."""

    def __init__(
        self, source: ManifestSource, limits: ArchiveLimits, entries: list[ArchiveEntry], *, is_inner: bool = False
    ) -> None:
        self._source = source
        self._limits = limits
        self._entries = entries
        self._is_inner = is_inner
        self._left = limits.max_bytes
        self._entries_left = limits.max_entries - len(entries)

    def inner(self, source: ManifestSource, limits: ArchiveLimits) -> ArchiveContents | None:
        """The content of an entry that is an archive itself, within limits; None of one that is none."""
        raise NotImplementedError

    def contents(self, data_of: DataOf) -> ArchiveContents:
        """The manifests, each read by ``data_of``. Raises LoadError."""
        self._judge()
        files = [entry for entry in self._entries if not entry.is_folder]
        taken = [entry for entry in files if is_manifest_name(entry.name) or _is_archive_name(entry.name)]
        self._check_number(len(taken))
        if not taken and not self._is_inner:
            raise LoadError(f"no file in it ends in one of {', '.join(_MANIFESTS)} (or these with .gz)")
        sources: list[ManifestSource] = []
        n_others = len(files) - len(taken)
        for entry in taken:
            try:
                source = ManifestSource(f"{self._source.name}/{entry.name}", self._read(data_of(entry)))
                contents = self._inner(source, len(sources))
            except LoadError as problem:
                raise _refusal(entry, problem.message) from None
            if contents is None and is_manifest_name(entry.name):
                sources.append(source)
            elif contents is None:
                n_others += 1
            else:
                sources += contents.files
                n_others += contents.n_others
                self._check_number(len(sources))
        return ArchiveContents(sources, n_others)

    def _check_number(self, n_files: int) -> None:
        if n_files > self._limits.max_files:
            raise LoadError(f"{n_files:,} files are more than the {self._limits.max_files:,} allowed. Split it")

    def _inner(self, source: ManifestSource, n_files: int) -> ArchiveContents | None:
        """The content of an entry that is an archive, which counts as what its archive holds."""
        limits = msgspec.structs.replace(
            self._limits,
            max_bytes=self._left,
            max_files=self._limits.max_files - n_files,
            max_entries=max(0, self._entries_left),
        )
        contents = self.inner(source, limits)
        if contents is not None:
            self._entries_left -= len(contents.files) + contents.n_others
            self._count(sum(len(file.data) for file in contents.files))
        return contents

    def _judge(self) -> None:
        if len(self._entries) > self._limits.max_entries:
            raise LoadError(f"more than {self._limits.max_entries:,} entries. Split it")
        names: set[str] = set()
        for entry in self._entries:
            problem = entry_name_problem(entry.name) or (entry.oddity and f"is {entry.oddity}, which is not taken in")
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
        if data[:2] == _GZIP:
            inflated = read_data(ManifestSource("", data), Limits(max_bytes=self._left))
            check_ratio(len(inflated), len(data), self._limits)
            data = inflated
        self._count(len(data))
        return data

    def _count(self, n_bytes: int) -> None:
        self._left -= n_bytes
        spent = self._limits.max_bytes - self._left
        check_ratio(spent, len(self._source.data), self._limits)

    def _spend(self, n_bytes: int) -> None:
        if n_bytes > self._left:
            most = "allowed" if self._is_inner else f"{self._limits.max_bytes >> 20} MiB"
            raise LoadError(f"with it, the archive is larger than {most} unpacked. Split it")


def is_manifest_name(name: str) -> bool:
    """Whether the name is that of a manifest; what systems and version control hide among the files is passed over."""
    parts = posixpath.normpath(name).split("/")
    return not any(part.startswith(".") or part == "__MACOSX" for part in parts) and parts[-1].lower().removesuffix(
        ".gz"
    ).endswith(_MANIFESTS)


def _is_archive_name(name: str) -> bool:
    """Whether the name is that of an archive, or of a gzipped tar."""
    return name.lower().removesuffix(".gz").endswith(_ARCHIVES)


def entry_name_problem(name: str) -> str:
    """Why an entry of this name is not taken in, "" where it is."""
    parts = re.split(r"[/\\]", name)
    if not name.strip("/"):
        return "has no name"
    if len(name) > LONGEST_NAME:
        return f"has a name of {len(name):,} characters. At most {LONGEST_NAME:,} are allowed"
    if not name.isprintable():
        return "has a name with control characters"
    if name[0] in "/\\" or _DRIVE.match(name):
        return "has an absolute name. Pack the archive with relative ones"
    if ".." in parts:
        return "leads out of the archive (..)"
    return ""


def check_ratio(inflated: int, packed: int, limits: ArchiveLimits) -> None:
    """Raises LoadError where something inflates to much more than people pack."""
    if inflated >= limits.ratio_from and inflated > limits.max_ratio * max(1, packed):
        raise LoadError(f"inflates to more than {limits.max_ratio} times its size. Send its files by themselves")


def _refusal(entry: ArchiveEntry, problem: str) -> LoadError:
    return LoadError(f"{shortened(printable(entry.name), 120)}: {problem}")
