"""The folder of a bundle while it is written: its four files, and what a resumed collection needs to go on.

Lines are appended without a buffer, so that a line is written or it is not. What was seen last of each kind is written
after the lines that it rests on have reached the disk: after a power cut the lines may be newer than it, never older.
"""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from scheduler_core.manifests.bundle.model import CHANGES, EVENTS, META, OBJECTS, STATE, BundleMeta
from scheduler_core.manifests.model import LoadError

FILES = (OBJECTS, EVENTS, CHANGES)
PARTIAL = ".partial"
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""Numbers of errors that say that there is no room."""
_BLOCK = 1 << 20
_MOST_STATE_BYTES = 64 << 20


class DiskFull(Exception):
    """A line could not be written for want of room; nothing of it is in the file."""


class CollectionState(msgspec.Struct, kw_only=True):
    """What a collection goes on from. ``key``: of the pseudonyms, in hexadecimal, "" without; ``versions``: the last
    resourceVersion by "resource/namespace"; ``listed``: those that were listed whole; ``namespaces`` by their own
    names."""

    collection: str
    key: str = ""
    versions: dict[str, str] = {}
    listed: list[str] = []
    namespaces: tuple[str, ...] = ()
    meta: BundleMeta


class Journal:
    """Writes the files of a folder of mode 0700."""

    def __init__(self, folder: Path, write: Callable[[int, bytes], int] = os.write) -> None:
        self.folder = folder
        self.sizes = dict.fromkeys(FILES, 0)
        self.n_lines = dict.fromkeys(FILES, 0)
        self._files: dict[str, int] = {}
        self._write = write
        self._replacing = asyncio.Lock()

    def create(self) -> None:
        """Make the folder and its files. Raises OSError, and FileExistsError where the folder is there."""
        self.folder.mkdir(mode=0o700)
        self._open()

    def reopen(self) -> list[str]:
        """Open the files of an earlier collection; what was cut off at their ends is removed, and the names of these
        files are given back. Raises OSError."""
        self.folder.chmod(0o700)
        cut = []
        for name in FILES:
            path = self.folder / name
            with path.open("ab"):
                pass
            whole = _whole_bytes(path)
            if whole < path.stat().st_size:
                os.truncate(path, whole)
                cut.append(name)
        self._open()
        for name in FILES:
            with (self.folder / name).open("rb") as file:
                self.n_lines[name] = sum(block.count(b"\n") for block in iter(lambda: file.read(_BLOCK), b""))
        return cut

    def _open(self) -> None:
        for name in FILES:
            path = self.folder / name
            self._files[name] = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
            self.sizes[name] = os.fstat(self._files[name]).st_size

    def append(self, name: str, line: bytes) -> None:
        """Write a line, which has no line break. Raises DiskFull; another OSError where the disk is broken."""
        data, file = line + b"\n", self._files[name]
        try:
            written = self._write(file, data)
            while written < len(data):
                written += self._write(file, data[written:])
        except OSError as problem:
            os.ftruncate(file, self.sizes[name])
            if problem.errno in FULL:
                raise DiskFull(f"{self.folder}: {os.strerror(problem.errno)}") from None
            raise
        self.sizes[name] += len(data)
        self.n_lines[name] += 1

    async def sync(self, state: CollectionState) -> None:
        """Bring all lines to the disk, then the state, which is of before this call. Raises DiskFull, OSError."""
        try:
            async with self._replacing:
                for file in self._files.values():
                    await asyncio.to_thread(os.fsync, file)
            await asyncio.to_thread(_replace, self.folder / STATE, msgspec.json.encode(state))
            await asyncio.to_thread(_replace, self.folder / META, msgspec.json.encode(state.meta))
        except OSError as problem:
            if problem.errno in FULL:
                raise DiskFull(f"{self.folder}: {os.strerror(problem.errno)}") from None
            raise

    def state(self) -> CollectionState:
        """The state of an earlier collection. Raises LoadError where there is none that can be read."""
        path = self.folder / STATE
        try:
            with path.open("rb") as file:
                return msgspec.json.decode(file.read(_MOST_STATE_BYTES), type=CollectionState)
        except OSError as problem:
            raise LoadError(f"{path} cannot be read: {problem.strerror or problem}") from None
        except msgspec.MsgspecError as problem:
            raise LoadError(f"{path} is not the state of a collection: {problem}") from None

    def lines(self, name: str, start: int = 0, end: int | None = None) -> Iterator[bytes]:
        """The lines of a file between two offsets, both at the beginning of a line; without ``end`` all later ones."""
        with (self.folder / name).open("rb") as file:
            file.seek(start)
            at = start
            for line in file:
                at += len(line)
                if not line.endswith(b"\n") or (end is not None and at > end):
                    return
                yield line[:-1]

    async def forget(self, acknowledged: dict[str, int]) -> None:
        """Remove the lines before these offsets; offsets count from the new beginnings then."""
        async with self._replacing:
            self._cut_off(acknowledged)

    def _cut_off(self, acknowledged: dict[str, int]) -> None:
        for name, offset in acknowledged.items():
            with (self.folder / name).open("rb") as file:
                file.seek(offset)
                rest = file.read()
            _replace(self.folder / name, rest)
            os.close(self._files[name])
            self._files[name] = os.open(self.folder / name, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
            self.sizes[name] = len(rest)

    def close(self) -> None:
        """Close the files."""
        for file in self._files.values():
            os.close(file)
        self._files = {}


def _whole_bytes(path: Path) -> int:
    """How many bytes of a file are whole lines."""
    with path.open("rb") as file:
        at = file.seek(0, os.SEEK_END)
        while at > 0:
            start = max(0, at - _BLOCK)
            file.seek(start)
            end = file.read(at - start).rfind(b"\n")
            if end >= 0:
                return start + end + 1
            at = start
    return 0


def _replace(path: Path, data: bytes) -> None:
    """Write a file so that it is whole, the old or the new one, whatever happens meanwhile."""
    beside = path.with_name(f".{path.name}.new")
    try:
        with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except OSError:
        beside.unlink(missing_ok=True)
        raise
