"""Equal parts of many objects are parsed and validated once.

``Memo`` caches the result and the complaints by the part's JSON text and repeats the complaints under each path.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import msgspec

from scheduler_core.manifests.checking.raw_values import At, Complaint, Sink

T = TypeVar("T")

_MAX_PARTS = 4096


class Memo:
    """Parses equal parts once. ``read(kind, at, parse)`` calls ``parse(At)`` for a new part only."""

    def __init__(self) -> None:
        self._parts: dict[str, dict[bytes, _Parsed]] = {}
        self._absent: dict[str, Any] = {}
        self._encode = msgspec.json.Encoder().encode

    def read(self, kind: str, at: At, parse: Callable[[At], T]) -> T:
        """The parsed part; its complaints go to the sink of ``at`` under its path."""
        if at.raw is None:
            return parse(at)
        parsed = self._parsed(kind, at, parse)
        for complaint in parsed.complaints:
            at.sink.add(Complaint(complaint.severity, at.path + complaint.path, complaint.message))
        value: T = parsed.value
        return value

    def field(self, kind: str, at: At, key: str, parse: Callable[[At], T]) -> T:
        """The parsed part under a key of ``at``; ``parse`` must not complain of an absent part."""
        raw = at.raw.get(key) if at.raw.__class__ is dict else None
        if raw is not None:
            parsed = self._parts[kind].get(self._encode(raw)) if kind in self._parts else None
            if parsed is None or parsed.complaints:
                return self.read(kind, at.get(key), parse)
            value: T = parsed.value
            return value
        if kind not in self._absent:
            self._absent[kind] = parse(At(None, (), Sink()))
        absent: T = self._absent[kind]
        return absent

    def _parsed(self, kind: str, at: At, parse: Callable[[At], Any]) -> _Parsed:
        """The part by its content, from the cache or parsed now.

        A kind whose parts hardly repeat would fill the memory, so its cache is emptied when it is full; parts that do
        repeat stand mostly in objects near each other and are soon cached again.
        """
        parts = self._parts.setdefault(kind, {})
        key = self._encode(at.raw)
        part = parts.get(key)
        if part is None:
            if len(parts) >= _MAX_PARTS:
                parts.clear()
            sink = Sink(at.sink.budget, as_posted=at.sink.as_posted)
            part = parts[key] = _Parsed(parse(At(at.raw, (), sink)), tuple(sink.complaints))
        return part


class _Parsed(NamedTuple):
    value: Any
    complaints: tuple[Complaint, ...]
