"""JSON lists of objects, one object at a time: what ``kubectl get -o json`` writes, without the whole of it in memory.

``open_list`` finds where the entries are; each is decoded when its turn comes. This is the quick way
for well-formed input only. Whatever else there is (damage, keys given twice, depth, text after the end) raises
NotPlain, and the caller reads the text as one value, which finds what is wrong and where.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec
import numpy as np

from scheduler_core.manifests.model import Content, Limits, LoadError
from scheduler_core.manifests.parsing.json_values import DuplicateKey, check_depth, check_size, new_decoder

_OPENING = re.compile(rb"[ \t\r\n]*\{")
_KEY = re.compile(rb'[ \t\r\n]*("(?:[^"\\]|\\.)*")[ \t\r\n]*:[ \t\r\n]*')
_COMMA = re.compile(rb"[ \t\r\n]*,")
_BETWEEN = re.compile(rb"[ \t\r\n]*,[ \t\r\n]*")
_END = re.compile(rb"[ \t\r\n]*\}[ \t\r\n]*")
_ABOVE = 2
"""An entry is nested in the list and in its items."""
_MOST_FIELDS = 100
"""A list has four: each is looked at, so a text with more is read as one value."""
_QUOTE, _COMMAS_AND_OPENINGS = ord('"'), tuple(b",[{")
_ESCAPED_QUOTE = rb"\u0022"
_COUNTED_AT_ONCE = 1 << 18


class _Entries(msgspec.Struct):
    items: list[msgspec.Raw]


_envelope = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_decode_entries = msgspec.json.Decoder(_Entries).decode
_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode
_REFUSED = (msgspec.MsgspecError, UnicodeError, RecursionError, DuplicateKey, ValueError, LoadError)


class NotPlain(Exception):
    """The text is no list that can be read entry by entry."""


class JsonList:
    """The entries of a list in a JSON text, and the list's other fields.

    ``known`` are the values to look at and the contents of all entries, where they were read already.
    """

    def __init__(
        self,
        data: bytes,
        fields: dict[str, Any],
        entries: list[msgspec.Raw],
        limits: Limits,
        already_read: Sequence[tuple[Any, Content]] | None = None,
    ) -> None:
        self.data = data
        self.fields = fields
        self.entries = entries
        self.limits = limits
        self._already_read = already_read
        self._address = _address(data)
        self._limit = limits.max_depth - _ABOVE
        self._most_values = limits.max_object_values
        self._slow = new_decoder()

    def __iter__(self) -> Iterator[tuple[Any, Content]]:
        """Each entry as a value to look at, and as the content to store. Raises NotPlain."""
        if self._already_read is not None:
            yield from self._already_read
            return
        for index in range(len(self.entries)):
            yield self.read(index)

    @property
    def is_read(self) -> bool:
        """Whether the entries were read already."""
        return self._already_read is not None

    def read(self, index: int) -> tuple[Any, Content]:
        """One entry as a value to look at, and as the content to store. Raises NotPlain."""
        try:
            return self._read(self.entries[index])
        except _REFUSED as problem:
            raise NotPlain from problem

    def __len__(self) -> int:
        return len(self.entries)

    def line(self) -> int:
        """The line that the list begins on."""
        return 1 + self.data.count(b"\n", 0, self.data.index(b"{"))

    def start(self, index: int) -> int:
        """Where in the text an entry begins."""
        return _address(self.entries[index]) - self._address

    def starts(self) -> list[int]:
        """Where in the text each entry begins: between two there is a comma, and blanks."""
        starts: list[int] = []
        at = self.start(0) if self.entries else 0
        for entry in self.entries:
            starts.append(at)
            between = _BETWEEN.match(self.data, at + memoryview(entry).nbytes)
            at = between.end() if between else len(self.data)
        return starts

    def entry_lines(self, indexes: Iterable[int]) -> dict[int, int]:
        """The line that each of the entries begins on."""
        line, counted = 1, 0
        lines: dict[int, int] = {}
        for index in sorted(indexes):
            start = self.start(index)
            line += self.data.count(b"\n", counted, start)
            lines[index], counted = line, start
        return lines

    def _read(self, entry: msgspec.Raw) -> tuple[Any, Content]:
        value: Any = _decode(entry)
        content: Any = entry
        if memoryview(entry).nbytes > self._most_values:  # each value takes a byte at least
            check_size(value, bytes(entry), self._most_values)
        written = _encode(value)
        if not _is_all(written, entry):
            # With a key twice, or a quote written as a number: the slower decoder distinguishes the two.
            value = content = self._slow.decode(bytes(entry).decode())
        if written.count(b"{") + written.count(b"[") > self._limit:
            check_depth([value], self._limit)
        return value, content if value.__class__ is dict else value


def open_list(data: bytes, limits: Limits) -> JsonList:
    """The list that the text is. Raises NotPlain where it is none, or holds too many values."""
    try:
        entries = _decode_entries(data).items
        parts = _other_parts(data, entries)
        if _holds_more_values(data, limits.max_json_values):
            raise NotPlain
        fields = {name: _decode(part) for name, part in parts.items()}
        if not all(_is_all(_encode(value), parts[name]) for name, value in fields.items()):
            raise NotPlain
        check_depth(list(fields.values()), limits.max_depth - 1)
    except (*_REFUSED, KeyError) as problem:
        raise NotPlain from problem
    if not str(fields.get("kind")).endswith("List"):
        raise NotPlain
    return JsonList(data, fields, entries, limits)


def _other_parts(data: bytes, entries: list[msgspec.Raw]) -> dict[str, msgspec.Raw]:
    """The parts of a list but for its items, which are looked for in the text without the entries."""
    text = data
    if entries:
        base, last = _address(data), entries[-1]
        end = _address(last) - base + memoryview(last).nbytes
        text = data[: _address(entries[0]) - base] + data[end:]
    parts = _envelope(text)
    if len(parts) > _MOST_FIELDS:
        raise NotPlain
    _check_complete(text, parts)
    del parts["items"]
    return parts


def _holds_more_values(data: bytes, most: int) -> bool:
    """Whether the text has more values than allowed, by its commas and opening brackets; each takes a byte at least."""
    if len(data) <= most:
        return False
    count, codes = 0, np.frombuffer(data, dtype=np.uint8)
    for at in range(0, len(data), _COUNTED_AT_ONCE):
        part = codes[at : at + _COUNTED_AT_ONCE]
        count += sum(int(np.count_nonzero(part == code)) for code in _COMMAS_AND_OPENINGS)
    return count > most


def _check_complete(data: bytes, parts: dict[str, msgspec.Raw]) -> None:
    """Raises NotPlain unless the text is an object of exactly these parts in a row: a key given twice leaves a gap."""
    base, separator, at = _address(data), _OPENING, 0
    for name, part in parts.items():
        opening = separator.match(data, at)
        key = _KEY.match(data, opening.end()) if opening else None
        if key is None or json.loads(key[1]) != name or key.end() != _address(part) - base:
            raise NotPlain
        at, separator = key.end() + memoryview(part).nbytes, _COMMA
    if not _END.fullmatch(data, at):
        raise NotPlain


def _is_all(written: bytes, part: msgspec.Raw) -> bool:
    """Whether a value, written out, has all that the text has: of a key given twice only one is left.

    A key that is lost takes its two quotes along, and a text has as many quotes however its characters are written,
    unless one is a quote written as a number.
    """
    text = bytes(part)
    if written == text:
        return True
    if _ESCAPED_QUOTE in text:
        return False
    return int(np.count_nonzero(np.frombuffer(text, dtype=np.uint8) == _QUOTE)) == written.count(b'"')


def _address(part: bytes | msgspec.Raw) -> int:
    """Where in the process's memory the bytes are; parts are views of the text."""
    address: int = np.frombuffer(part, dtype=np.uint8).__array_interface__["data"][0]
    return address
