"""Pieces of a bundle as a collector sends them while it goes on: gzipped lines of JSON, the first of them the head.

A piece is known by its collection and number, counted from 0, and is sent again until it is acknowledged: who receives
it applies each number once, in order. Example, inflated:

    {"collection":"0190…","number":0,"is_listed":true,"meta":{"kind":"Bundle","format":1,"began":1764543600.0,…}}
    {"file":"objects.jsonl","line":{"t":1764543600.2,"object":{"apiVersion":"v1","kind":"Node",…}}}
    {"file":"changes.jsonl","line":{"t":1764543601.5,"rv":"812","type":"MODIFIED","object":{…}}}
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from scheduler_core.manifests.bundle.model import BundleMeta, Change, ListedObject
from scheduler_core.manifests.model import LoadError

MOST_BYTES, MOST_LINES = 64 << 20, 200_000
"""Of one piece, inflated."""
MOST_LINE = 8 << 20
"""Bytes of one line of it; an API server takes no object larger than 3 MiB."""
_CHUNK = 1 << 16


class PieceHead(msgspec.Struct, frozen=True, kw_only=True):
    """Which piece this is, and the bundle's meta as of its end. ``is_listed``: with it every kind has been listed, so
    that the objects are a whole state from here on. ``is_last``: the collection was closed."""

    collection: str
    number: int
    is_listed: bool = False
    is_last: bool = False
    meta: BundleMeta


class PieceLine(msgspec.Struct, frozen=True):
    """A line of one of the bundle's files."""

    file: Literal["objects.jsonl", "events.jsonl", "changes.jsonl"]
    line: msgspec.Raw


_head = msgspec.json.Decoder(PieceHead)
_line = msgspec.json.Decoder(PieceLine)
_listed = msgspec.json.Decoder(ListedObject)
_change = msgspec.json.Decoder(Change)


def encoded(head: PieceHead, lines: Iterable[PieceLine]) -> bytes:
    """The piece as it is sent."""
    encode = msgspec.json.encode
    return gzip.compress(b"".join(encode(one) + b"\n" for one in (head, *lines)), 6)


def read_piece(data: bytes) -> tuple[PieceHead, list[ListedObject], list[Change], list[Change]]:
    """Head, listed objects, events and changes of a piece. Raises LoadError, which names the line, for what is none and
    for more than MOST_BYTES or MOST_LINES."""
    lines = _lines(data)
    number = 0
    try:
        head = _head.decode(next(lines, b""))
        objects, events, changes = list[ListedObject](), list[Change](), list[Change]()
        for number, text in enumerate(lines, start=1):
            if number > MOST_LINES:
                raise LoadError(f"a piece has at most {MOST_LINES:,} lines")
            line = _line.decode(text)
            if line.file == "objects.jsonl":
                objects.append(_listed.decode(line.line))
            else:
                (events if line.file == "events.jsonl" else changes).append(_change.decode(line.line))
    except msgspec.MsgspecError as problem:
        raise LoadError(f"this is no piece of a bundle: {problem}", line=number + 1) from None
    return head, objects, events, changes


def _lines(data: bytes) -> Iterator[bytes]:
    inflating, size = zlib.decompressobj(wbits=31), 0
    # The parts of a line that has no end yet; joined once, as a line of many parts would be copied for each of them.
    parts, length = list[bytes](), 0
    try:
        while data and not inflating.eof:
            part = inflating.decompress(data, _CHUNK)
            data = inflating.unconsumed_tail
            size += len(part)
            if size > MOST_BYTES:
                raise LoadError(f"a piece has at most {MOST_BYTES >> 20} MiB")
            first, *others = part.split(b"\n")
            parts.append(first)
            length += len(first)
            if length > MOST_LINE:
                raise LoadError(f"a line has at most {MOST_LINE >> 20} MiB")
            if others:
                yield b"".join(parts)
                yield from others[:-1]
                parts, length = [others[-1]], len(others[-1])
    except zlib.error:
        raise LoadError("this is not gzipped") from None
    if length or not inflating.eof:
        raise LoadError("the piece is cut off")
