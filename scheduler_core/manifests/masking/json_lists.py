"""JSON lists with their secrets masked: an entry is read once, and rewritten where it holds a secret."""

from __future__ import annotations

from collections import Counter
from io import BytesIO
from typing import Any, NamedTuple

import msgspec

from scheduler_core.api.objects import Pod
from scheduler_core.manifests.checking.raw_values import At, Budget, Sink
from scheduler_core.manifests.kinds.metadata import EntryHeader, header
from scheduler_core.manifests.kinds.pods.pod_specs import AdmissionContext
from scheduler_core.manifests.kinds.pods.pods import read_pod
from scheduler_core.manifests.kinds.registry import kind_name
from scheduler_core.manifests.masking.marks import MARKS
from scheduler_core.manifests.masking.pods import EntrySecrets
from scheduler_core.manifests.masking.secrets import (
    OTHER_KINDS,
    Secret,
    counted,
    is_masked,
    mask_open_at,
    masked_copy,
)
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
    """One pass over the entries.

    The masked text is written along with it: ``_places`` are start and length of each entry in it, ``_copied`` is how
    far the list's own text is in it already.
    """

    def __init__(self, json_list: JsonList) -> None:
        kind, version = json_list.fields.get("kind"), json_list.fields.get("apiVersion")
        self._list = json_list
        self._kind = "" if kind == "List" else str(kind).removesuffix("List")
        self._version = version if self._kind and isinstance(version, str) else ""
        self._typed = (self._kind, self._version)
        self._secrets = EntrySecrets(*self._typed)
        self._pods = EarlyPods()
        self._known: list[tuple[Any, Content]] = []
        self._counts: Counter[str] = Counter()
        self._data = memoryview(json_list.data)
        self._text = BytesIO()
        self._copied = 0
        self._places: list[tuple[int, int]] = []

    def run(self, report_progress: ProgressCallback | None) -> MaskedList:
        is_whole = True
        for index, start in enumerate(self._list.starts()):
            try:
                self._take(index, start)
            except NotPlain:
                if _may_hold_secret(bytes(self._list.entries[index]), self._kind, self._version):
                    raise
                is_whole = False
            if report_progress is not None and not index % _REPORT_EVERY:
                report_progress(index / len(self._list))
        text = None
        if self._copied:
            self._text.write(self._data[self._copied :])
            text = self._text.getvalue()
        return MaskedList(text, self._counts, self._content(text) if is_whole else None)

    def _take(self, index: int, start: int) -> None:
        value, content = self._list.read(index)
        entry = self._list.entries[index]
        length = memoryview(entry).nbytes
        place = (start - self._copied + self._text.tell(), length)
        secrets = self._secrets.of(value)
        if secrets:
            if value.__class__ is dict:
                for what, count in counted(secrets).items():
                    self._counts[what] += count
            else:
                self._counts[OTHER_KINDS] += 1
            masked = self._masked(value, content, secrets)
            if masked is not None:
                value = masked
                written = _formatted(value, entry)
                self._text.write(self._data[self._copied : start])
                place = (self._text.tell(), len(written))
                self._text.write(written)
                self._copied = start + length
                content = entry if value.__class__ is dict else value
        self._places.append(place)
        head = header(value, self._typed)
        if head.__class__ is EntryHeader and head.kind == "Pod" and not head.is_prefix:
            head.pod = self._pods.read(value)
        self._known.append((head, content))

    def _masked(self, value: Any, content: Any, secrets: list[Secret]) -> Any:
        """The value with its secrets masked; None where they are masked already."""
        if value is not content and value.__class__ is dict:
            return value if mask_open_at(value, secrets) else None
        if all(is_masked(value, one) for one in secrets):
            return None
        return masked_copy(value, secrets)  # the slower decoder makes equal parts one and the same

    def _content(self, text: bytes | None) -> JsonList:
        """The list as it is read from the masked text; its entries refer to that text, not to the one with secrets."""
        if text is None:
            return JsonList(self._list.data, self._list.fields, self._list.entries, self._list.limits, self._known)
        view = memoryview(text)
        entries = [msgspec.Raw(view[start : start + length]) for start, length in self._places]
        entries_read = [
            (head, entry if content.__class__ is msgspec.Raw else content)
            for (head, content), entry in zip(self._known, entries, strict=True)
        ]
        return JsonList(text, self._list.fields, entries, self._list.limits, entries_read)


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
    return not kind_name(type_meta.kind or kind, type_meta.apiVersion or version)


def _formatted(value: Any, entry: msgspec.Raw) -> bytes:
    """The value as JSON, in one line where the entry was in one."""
    written = msgspec.json.encode(value)
    return msgspec.json.format(written, indent=_INDENT) if b"\n" in bytes(entry) else written


class EarlyPods:
    """Reads pods while their values are at hand for masking, before the input's priority classes are known: under the
    built-in ones. ``AdmissionContext.admits_as_built_in`` says whether the input's classes give the same."""

    def __init__(self) -> None:
        self._context = AdmissionContext()
        self._budget = Budget(0)  # for complaints alone, which are made when the pod is read again

    def read(self, raw: Any) -> Pod | None:
        """The pod; None where there is something to complain about."""
        sink = Sink(self._budget)
        try:
            pod = read_pod(At(raw, (), sink), self._context)
        except (RecursionError, UnicodeEncodeError):
            return None
        return None if sink.complaints else pod
