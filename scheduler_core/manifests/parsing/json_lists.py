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
_END = re.compile(rb"[ \t\r\n]*\}[ \t\r\n]*")
_ABOVE = 2
"""An entry is nested in the list and in its items."""
_MOST_FIELDS = 100
"""A list has four: each is looked at, so a text with more is read as one value."""
# Go's encoder writes these three so, to be safe in HTML.
_ESCAPED = ((rb"\u003c", b"<"), (rb"\u003e", b">"), (rb"\u0026", b"&"))

_envelope = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_entries = msgspec.json.Decoder(list[msgspec.Raw]).decode
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
        known: Sequence[tuple[Any, Content]] | None = None,
    ) -> None:
        self.data = data
        self.fields = fields
        self.entries = entries
        self.limits = limits
        self._known = known
        self._address = _address(data)
        self._limit = limits.max_depth - _ABOVE
        self._most_values = limits.max_object_values
        self._slow = new_decoder()

    def __iter__(self) -> Iterator[tuple[Any, Content]]:
        """Each entry as a value to look at, and as the content to store. Raises NotPlain."""
        if self._known is not None:
            yield from self._known
            return
        for index in range(len(self.entries)):
            yield self.read(index)

    @property
    def is_known(self) -> bool:
        """Whether the entries were read already."""
        return self._known is not None

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
        text, value, content = bytes(entry), _decode(entry), entry
        if len(text) > self._most_values:  # each value takes a byte at least
            check_size(value, text, self._most_values)
        if not _says(value, text):
            # Written in another way, or with a key twice: the slower decoder distinguishes the two.
            value = content = self._slow.decode(text.decode())
        if text.count(b"{") + text.count(b"[") > self._limit:
            check_depth([value], self._limit)
        return value, content if value.__class__ is dict else value


def open_list(data: bytes, limits: Limits) -> JsonList:
    """The list that the text is. Raises NotPlain where it is none, or holds too many values."""
    try:
        parts = _envelope(data)
        if len(parts) > _MOST_FIELDS:
            raise NotPlain
        _check_complete(data, parts)
        entries = _entries(parts.pop("items"))
        if data.count(b",") + data.count(b"[") + data.count(b"{") > limits.max_json_values:
            raise NotPlain
        fields = {name: _decode(part) for name, part in parts.items()}
        if not all(_says(value, bytes(parts[name])) for name, value in fields.items()):
            raise NotPlain
        check_depth(list(fields.values()), limits.max_depth - 1)
    except (*_REFUSED, KeyError) as problem:
        raise NotPlain from problem
    if not str(fields.get("kind")).endswith("List"):
        raise NotPlain
    return JsonList(data, fields, entries, limits)


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


def _says(value: Any, text: bytes) -> bool:
    """Whether the value written out is the text again: then no key came twice, as only one of the two would be left."""
    written = _encode(value)
    if written == text:
        return True
    text = msgspec.json.format(text, indent=-1)
    for escape, character in _ESCAPED:
        if written == text:
            return True
        text = text.replace(escape, character)
    return written == text


def _address(part: bytes | msgspec.Raw) -> int:
    """Where in the process's memory the bytes are; parts are views of the text."""
    address: int = np.frombuffer(part, dtype=np.uint8).__array_interface__["data"][0]
    return address
