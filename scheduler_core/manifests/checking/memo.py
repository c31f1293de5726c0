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
        return parse(at) if at.raw is None else self.reduced(kind, at, at.raw, parse)

    def reduced(self, kind: str, at: At, raw: Any, parse: Callable[[At], T]) -> T:
        """As ``read``, for ``raw`` in place of the part at ``at``: what is left of it for parsing."""
        text = self._encode(raw)
        parsed = self._parts[kind].get(text) if kind in self._parts else None
        if parsed is None:
            parsed = self._parse(kind, text, At(raw, (), at.sink), parse)
        for complaint in parsed.complaints:
            at.sink.add(complaint._replace(path=at.path + complaint.path))
        value: T = parsed.value
        return value

    def field(self, kind: str, at: At, key: str, parse: Callable[[At], T]) -> T:
        """The parsed part under a key of ``at``; ``parse`` must not complain of an absent part."""
        raw = at.raw.get(key) if at.raw.__class__ is dict else None
        if raw is not None:
            text = self._encode(raw)
            parsed = self._parts[kind].get(text) if kind in self._parts else None
            if parsed is None:
                parsed = self._parse(kind, text, At(raw, (), at.sink), parse)
            for complaint in parsed.complaints:
                at.sink.add(complaint._replace(path=(*at.path, key, *complaint.path)))
            value: T = parsed.value
            return value
        if kind not in self._absent:
            self._absent[kind] = parse(At(None, (), Sink()))
        absent: T = self._absent[kind]
        return absent

    def _parse(self, kind: str, text: bytes, at: At, parse: Callable[[At], Any]) -> _Parsed:
        """The part whose JSON is ``text``, parsed and put into the cache.

        A kind whose parts hardly repeat would fill the memory, so its cache is emptied when it is full; parts that do
        repeat stand mostly in objects near each other and are soon cached again.
        """
        parts = self._parts.setdefault(kind, {})
        if len(parts) >= _MAX_PARTS:
            parts.clear()
        sink = Sink(at.sink.budget, as_posted=at.sink.as_posted)
        part = parts[text] = _Parsed(parse(At(at.raw, (), sink)), tuple(sink.complaints))
        return part


class _Parsed(NamedTuple):
    value: Any
    complaints: tuple[Complaint, ...]
