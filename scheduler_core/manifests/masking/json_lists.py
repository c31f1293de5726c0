"""JSON lists with their secrets masked: an entry is read once, and written anew where it holds a secret."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import msgspec

from scheduler_core.manifests.kinds.metadata import header
from scheduler_core.manifests.kinds.registry import KINDS, is_foreign
from scheduler_core.manifests.masking.secrets import (
    OTHER_KINDS,
    counted,
    is_masked,
    mask_at,
    masked_copy,
    secrets_of_entry,
)
from scheduler_core.manifests.masking.words import MARKS
from scheduler_core.manifests.model import Content
from scheduler_core.manifests.parsing.json_lists import JsonList, NotPlain
from scheduler_core.manifests.progress import ProgressCallback

_INDENT = 4
"""kubectl's indentation, so that the text of a masked object has as many lines as before."""
_REPORT_EVERY = 256


class MaskedList(NamedTuple):
    """A list without its secrets.

    ``text`` is None where nothing had to be masked, ``content`` None where an entry could not be read: it holds no
    secret, and the loader is to say what is wrong with it.
    """

    text: bytes | None
    counts: Counter[str]
    content: JsonList | None


def masked_list(json_list: JsonList, report_progress: ProgressCallback | None = None) -> MaskedList:
    """The list with its entries masked where they stand in the text. Raises NotPlain."""
    return _Masking(json_list).run(report_progress)


class _Masking:
    """One pass over the entries; ``_written`` holds the text of each entry that is written anew, by index."""

    def __init__(self, json_list: JsonList) -> None:
        kind, version = json_list.fields.get("kind"), json_list.fields.get("apiVersion")
        self._list = json_list
        self._kind = "" if kind == "List" else str(kind).removesuffix("List")
        self._version = version if self._kind and isinstance(version, str) else ""
        self._written: dict[int, bytes] = {}
        self._known: list[tuple[Any, Content]] = []
        self._counts: Counter[str] = Counter()

    def run(self, report_progress: ProgressCallback | None) -> MaskedList:
        is_whole = True
        for index in range(len(self._list)):
            try:
                self._take(index)
            except NotPlain:
                if _may_hold_secret(bytes(self._list.entries[index]), self._kind, self._version):
                    raise
                is_whole = False
            if report_progress is not None and not index % _REPORT_EVERY:
                report_progress(index / len(self._list))
        text = self._text() if self._written else None
        return MaskedList(text, self._counts, self._content(text) if is_whole else None)

    def _take(self, index: int) -> None:
        value, content = self._list.read(index)
        found = secrets_of_entry(value, self._kind, self._version)
        if found:
            if value.__class__ is dict:
                self._counts.update(counted(found))
            else:
                self._counts[OTHER_KINDS] += 1
            if not all(is_masked(value, one) for one in found):
                if value is content or value.__class__ is not dict:
                    value = masked_copy(value, found)  # the slower decoder makes equal parts one and the same
                else:
                    mask_at(value, found)
                self._written[index] = written = _formatted(value, bytes(self._list.entries[index]))
                content = msgspec.Raw(written) if value.__class__ is dict else value
        self._known.append((header(value, self._kind), content))

    def _text(self) -> bytes:
        parts: list[bytes] = []
        at = 0
        for index, written in self._written.items():
            start = self._list.start(index)
            parts += [self._list.data[at:start], written]
            at = start + memoryview(self._list.entries[index]).nbytes
        return b"".join([*parts, self._list.data[at:]])

    def _content(self, text: bytes | None) -> JsonList:
        """The list as it is read from the masked text; its entries refer to that text, not to the one with secrets."""
        if text is None:
            return JsonList(self._list.data, self._list.fields, self._list.entries, self._list.limits, self._known)
        view, moved = memoryview(text), 0
        entries: list[msgspec.Raw] = []
        known: list[tuple[Any, Content]] = []
        for index, (entry, (head, content)) in enumerate(zip(self._list.entries, self._known, strict=True)):
            start, length = self._list.start(index) + moved, memoryview(entry).nbytes
            if index in self._written:
                moved += len(self._written[index]) - length
                length = len(self._written[index])
            raw = msgspec.Raw(view[start : start + length])
            entries.append(raw)
            known.append((head, raw if content.__class__ is msgspec.Raw else content))
        return JsonList(text, self._list.fields, entries, self._list.limits, known)


class _TypeMeta(msgspec.Struct):
    kind: str = ""
    apiVersion: str = ""


_decode_type_meta = msgspec.json.Decoder(_TypeMeta).decode


def _may_hold_secret(text: bytes, kind: str, version: str) -> bool:
    """Whether a word in the text of an entry could belong to a secret, or the entry is of a kind that is not read."""
    small = text.lower()
    if any(mark in small for mark in MARKS):
        return True
    try:
        type_meta = _decode_type_meta(text)
    except msgspec.MsgspecError:
        return True
    kind = type_meta.kind or kind
    return kind not in KINDS or is_foreign(kind, type_meta.apiVersion or version)


def _formatted(value: Any, text: bytes) -> bytes:
    """The value as JSON, in one line where the text was in one."""
    written = msgspec.json.encode(value)
    return msgspec.json.format(written, indent=_INDENT) if b"\n" in text else written
