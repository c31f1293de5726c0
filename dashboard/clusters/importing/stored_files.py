"""Imported files as they are stored until saved: compressed, lines around a finding, text to correct on a page."""

from __future__ import annotations

import gzip
import io
import zlib
from typing import TYPE_CHECKING, NamedTuple

import zstandard

from scheduler_core.manifests import Limits, ManifestSource
from scheduler_core.manifests.model import LoadError
from scheduler_core.manifests.parsing.sources import read_text

if TYPE_CHECKING:
    from dashboard.clusters.models import ImportFile


_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_LEVEL = 1
"""Takes a fifth of the time of zlib's quickest level and half of its space, of what kubectl writes."""


def compressed(data: bytes) -> bytes:
    """Return the data as it is stored."""
    return zstandard.ZstdCompressor(level=_LEVEL).compress(data)


def decompressed(stored: bytes) -> bytes:
    """Return the data that was stored, also that of an import begun when files were stored by zlib."""
    if stored.startswith(_ZSTD_MAGIC):
        return zstandard.ZstdDecompressor().decompress(stored)
    return zlib.decompress(stored)


def open_stream(stored: bytes) -> io.BufferedReader:
    """Return the stored data as a stream, which inflates what is read of it."""
    if not stored.startswith(_ZSTD_MAGIC):
        return io.BufferedReader(io.BytesIO(zlib.decompress(stored)))
    return io.BufferedReader(zstandard.ZstdDecompressor().stream_reader(io.BytesIO(stored)))


MAX_EDITABLE = 1 << 20
EXCERPT_BEFORE, EXCERPT_AFTER = 12, 8
EXCERPT_WIDTH = 200
SHOWN_BYTES = 1 << 16
"""An excerpt is looked for in this many bytes; a dump may be one long line."""
_GZIP = b"\x1f\x8b"
_CHUNK = 1 << 20


class Excerpt(NamedTuple):
    """Lines of a file around one line: [(number, text, whether it is that line)]."""

    lines: list[tuple[int, str, bool]]


def excerpt(stored: bytes, line: int) -> Excerpt:
    """Return the lines around `line` of a stored file, cut to the page's width; none if the file is no text."""
    first = max(1, line - EXCERPT_BEFORE)
    try:
        shown = _bytes_from(stored, first)
    except (OSError, EOFError):
        return Excerpt([])
    if shown is None or b"\0" in shown:
        return Excerpt([])
    rows = shown.split(b"\n")[: line + EXCERPT_AFTER + 1 - first]
    texts = (row.decode("utf-8", "replace")[:EXCERPT_WIDTH] for row in rows)
    return Excerpt([(number, text, number == line) for number, text in enumerate(texts, first)])


def _bytes_from(stored: bytes, line: int) -> bytes | None:
    """Return bytes of the file from this line on, None where it ends before; a long one is never in memory whole."""
    with open_stream(stored) as content:
        file = gzip.GzipFile(fileobj=content) if content.peek(2)[:2] == _GZIP else content
        left = line - 1
        rest = file.read(_CHUNK)
        while (n_lines := rest.count(b"\n")) < left:
            left -= n_lines
            rest = file.read(_CHUNK)
            if not rest:
                return None
        rest = rest.split(b"\n", left)[left]
        return (rest + file.read(SHOWN_BYTES))[:SHOWN_BYTES]


def editable_text(file: ImportFile) -> str | None:
    """Return the file's text if it can be edited on a page, None if it is too long or no text."""
    if file.size > MAX_EDITABLE:
        return None
    data = decompressed(bytes(file.data))
    try:
        return read_text(ManifestSource(file.name, data), Limits(max_bytes=MAX_EDITABLE))
    except LoadError:
        return data.decode("utf-8", "replace") if b"\0" not in data and data[:2] != _GZIP else None
