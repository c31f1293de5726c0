"""The file of a tape: a magic line, the version, and sections. All numbers are little-endian.

A section is its kind (one byte), the size of its content and of what is stored of it (zstd), a checksum of these and of
the stored bytes, and those bytes. Order: HEADER, then INDEX and ANSWERS in turns, then END. A file without END was cut
off. Nothing is decompressed before its declared size was compared with the limit of its kind.
"""

from __future__ import annotations

import struct
from binascii import crc32
from collections.abc import Iterator
from typing import BinaryIO

import msgspec
import zstandard

from scheduler_core.extenders.tape.errors import TapeError

MAGIC = b"schedscope extender tape\n"
VERSION = 1
HEADER, INDEX, ANSWERS, END = b"H", b"I", b"A", b"E"
LIMITS = {HEADER: 1 << 20, INDEX: 1 << 26, ANSWERS: 1 << 27, END: 1 << 10}
"""Bytes of content that a section may have."""
_VERSION = struct.Struct("<H")
_HEAD = struct.Struct("<cIII")
_MOST_OVERHEAD = 1 << 20
"""Bytes that compression can add: 1 in 256, and a few."""
_LEVEL = 3
_WINDOW_LOG = 24
"""16 MiB: answers repeat what lies several answers back."""


class Section(msgspec.Struct, frozen=True):
    """Where a section lies: ``position`` of its head and ``size`` of its content, in bytes; ``stored`` as in the
    file."""

    kind: bytes
    position: int
    size: int
    stored: bytes


def packed(kind: bytes, content: bytes) -> bytes:
    """A section's bytes. Raises TapeError for content over the limit of its kind."""
    if len(content) > LIMITS[kind]:
        raise TapeError(f"the calls of one attempt need a section of {len(content):,} bytes; {LIMITS[kind]:,} may be")
    parameters = zstandard.ZstdCompressionParameters.from_level(_LEVEL, window_log=_WINDOW_LOG, enable_ldm=True)
    stored = zstandard.ZstdCompressor(compression_params=parameters).compress(content)
    return _HEAD.pack(kind, len(content), len(stored), _checksum(kind, len(content), stored)) + stored


def prologue() -> bytes:
    """What a tape begins with."""
    return MAGIC + _VERSION.pack(VERSION)


def read_sections(file: BinaryIO, name: str) -> Iterator[Section]:
    """All sections up to END, after which nothing may stand. Raises TapeError."""
    start = file.read(len(MAGIC) + _VERSION.size)
    if start[: len(MAGIC)] != MAGIC:
        raise TapeError(f"{name}: is no tape: it does not begin with {MAGIC.decode().strip()!r}")
    if len(start) < len(MAGIC) + _VERSION.size:
        raise TapeError(f"{name}: byte {len(MAGIC)}: the tape is cut off")
    (version,) = _VERSION.unpack_from(start, len(MAGIC))
    if version != VERSION:
        raise TapeError(f"{name}: has version {version} of the format; this program reads version {VERSION}")
    position, kind = len(start), b""
    while kind != END:
        section = _section(file, position, name)
        yield section
        kind = section.kind
        position += _HEAD.size + len(section.stored)
    if file.read(1):
        raise TapeError(f"{name}: byte {position}: there is more after the end of the tape")


def read_again(file: BinaryIO, section: Section, name: str) -> Section:
    """The section at the position of one that was read before and has lost its bytes. Raises TapeError."""
    file.seek(section.position)
    return _section(file, section.position, name)


def _section(file: BinaryIO, position: int, name: str) -> Section:
    head = file.read(_HEAD.size)
    if len(head) < _HEAD.size:
        raise TapeError(f"{name}: byte {position}: the tape is cut off: its end is missing")
    kind, size, n_stored, checksum = _HEAD.unpack(head)
    where = f"{name}: byte {position}"
    if kind not in LIMITS:
        raise TapeError(f"{where}: there is no section of kind {kind!r}")
    if size > LIMITS[kind]:
        raise TapeError(f"{where}: a section declares {size:,} bytes, at most {LIMITS[kind]:,} are allowed")
    if n_stored > size + _MOST_OVERHEAD:
        raise TapeError(f"{where}: a section of {size:,} bytes is stored as {n_stored:,}")
    stored = file.read(n_stored)
    if len(stored) < n_stored:
        raise TapeError(f"{where}: the tape is cut off inside of a section")
    if _checksum(kind, size, stored) != checksum:
        raise TapeError(f"{where}: a section is damaged: its checksum is another one")
    return Section(kind, position, size, stored)


def content(section: Section, name: str) -> bytes:
    """The content, decompressed. Raises TapeError."""
    where = f"{name}: byte {section.position}"
    try:
        declared = zstandard.frame_content_size(section.stored)
        if declared != section.size:
            raise TapeError(f"{where}: a section declares {section.size:,} bytes, what it holds declares another size")
        decompressor = zstandard.ZstdDecompressor()
        return decompressor.decompress(section.stored, max_output_size=section.size, allow_extra_data=False)
    except zstandard.ZstdError as error:
        raise TapeError(f"{where}: a section cannot be decompressed: {error}") from error


def _checksum(kind: bytes, size: int, stored: bytes) -> int:
    return crc32(stored, crc32(_HEAD.pack(kind, size, len(stored), 0)))
