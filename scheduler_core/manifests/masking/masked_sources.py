"""Files with their secrets masked in place: the text keeps its lines, so that findings name those of the sender's file.

A JSON list is masked entry by entry, YAML value by value. Where that is not possible (aliases, merge keys, a large YAML
text) the objects are written anew as one JSON list. A text that cannot be read to its end is refused, since its secrets
cannot be located, unless no word in it could belong to a secret. Masked YAML is read again before it is returned, and
refused where a value is still unmasked.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec
import yaml

from scheduler_core.manifests.kinds.registry import KINDS, group_of, is_foreign
from scheduler_core.manifests.masking.secrets import (
    MASK,
    Secret,
    counted,
    is_masked,
    looks_secret,
    mask,
    mask_at,
    secrets,
)
from scheduler_core.manifests.model import Limits, LoadError, ManifestSource, Path
from scheduler_core.manifests.parsing.json_lists import JsonList, NotPlain
from scheduler_core.manifests.parsing.sources import decoded, read_data, read_documents, read_list

_MAX_IN_PLACE = 4 << 20
_INDENT = 4
"""kubectl's indentation, so that the text of a masked object has as many lines as before."""
_COMMENT = re.compile(r"#[^\n]*")
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class MaskedSource(NamedTuple):
    """A file without its secrets, and {what: how many values are masked in it}."""

    source: ManifestSource
    counts: dict[str, int]


def masked_source(source: ManifestSource, limits: Limits | None = None) -> MaskedSource:
    """The file with its secrets masked; one without any is given back as it is. Raises LoadError as reading does."""
    limits = limits or Limits()
    data = read_data(source, limits)
    if _says_nothing(data):
        return MaskedSource(source, {})
    try:
        masked = _masked_list(read_list(data, limits))
    except NotPlain:
        masked = _masked_documents(decoded(data), limits)
    text, counts = masked
    return MaskedSource(source if text is None else ManifestSource(source.name, text), dict(counts))


# Without one of these words in its text an object of a kind that is read has nothing to mask; an escape may hide one.
_MARKS = tuple(
    word.encode()
    for word in (
        *(
            '"env"',
            '"args"',
            '"command"',
            '"httpheaders"',
            "\\u",
            MASK,
            "pass",
            "secret",
            "token",
            "credential",
            "cert",
        ),
        *("apikey", "api-key", "api_key", "api.key", "access", "private", "last-applied", "-----begin ", "eyj", "akia"),
        *("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "xox", "@"),
    )
)
# Ways of writing that may hide a word, and the words of fields that are masked whatever their value.
_HIDING = tuple(
    word.encode() for word in ("\\", "&", "*", "!", "<<", "env", "args", "command", "httpheaders", "#", "%")
)
_WORDED = (b"annotations", b"parameters", b"volumeattributes", b"options")
_KINDS = re.compile(rb"""kind["']?\s*:\s*["']?([^\s"',}\]]*)""")
_VERSIONS = re.compile(rb"""apiVersion["']?\s*:\s*["']?([^\s"',}\]]*)""")


def _says_nothing(data: bytes) -> bool:
    """Whether no word in the text could belong to a secret, and all objects are of kinds that are read.

    A look of this sort costs a small part of reading it: imports without secrets take no longer for being masked.
    """
    small = data.lower()
    if any(mark in small for mark in _HIDING):
        return False
    # Only in these fields does a word make a value a secret.
    if any(field in small for field in _WORDED) and any(mark in small for mark in _MARKS):
        return False
    kinds = {kind.decode("utf-8", "replace") for kind in set(_KINDS.findall(data))}
    groups = {group_of(version.decode("utf-8", "replace")) for version in set(_VERSIONS.findall(data))}
    read = {"List", *KINDS, *(f"{kind}List" for kind in KINDS)}
    return bool(kinds) and kinds <= read and groups <= {KINDS[kind].group for kind in KINDS}


Masked = tuple[bytes | None, Counter[str]]
"""The masked text (None: nothing had to be masked), and the counts."""


def _masked_list(json_list: JsonList) -> Masked:
    """The list with its entries masked where they stand in the text."""
    typed = {name: json_list.fields.get(name) for name in ("kind", "apiVersion")}
    parts: list[bytes] = []
    counts: Counter[str] = Counter()
    at = 0
    for index, value in _with_secrets(json_list):
        entries = [value]
        alone = {**typed, "items": entries}
        here = list(secrets(alone))
        counts.update(counted(here))
        if all(is_masked(alone, one) for one in here):
            continue
        mask_at(alone, here)
        start, text = json_list.start(index), bytes(json_list.entries[index])
        parts += [json_list.data[at:start], _formatted(entries[0], text)]
        at = start + len(text)
    return (b"".join([*parts, json_list.data[at:]]) if parts else None), counts


def _with_secrets(json_list: JsonList) -> Iterator[tuple[int, Any]]:
    """(index, value) of the entries that may hold a secret, chosen by their text, as decoding takes longer."""
    read = (json_list.fields.get("kind") == "List", json_list.fields)
    whole = json_list.data.lower()
    marks = [mark for mark in _MARKS if mark in whole]
    for index, entry in enumerate(json_list.entries):
        text = bytes(entry)
        small = text.lower() if marks else b""
        if any(mark in small for mark in marks) or not _is_read(text, *read):
            yield index, json_list.entry(index)


class _TypeMeta(msgspec.Struct):
    kind: str = ""
    apiVersion: str = ""


_decode_type_meta = msgspec.json.Decoder(_TypeMeta).decode


def _is_read(text: bytes, is_plain: bool, fields: dict[str, Any]) -> bool:
    """Whether an entry of a list is an object of a kind that is read."""
    try:
        type_meta = _decode_type_meta(text)
    except msgspec.MsgspecError:
        return False
    kind = type_meta.kind or ("" if is_plain else str(fields.get("kind")).removesuffix("List"))
    return kind in KINDS and not is_foreign(kind, type_meta.apiVersion or str(fields.get("apiVersion")))


def _formatted(value: Any, text: bytes) -> bytes:
    """The value as JSON, in one line where the text was in one."""
    written = msgspec.json.encode(value)
    return msgspec.json.format(written, indent=_INDENT) if b"\n" in text else written


def _masked_documents(text: str, limits: Limits) -> Masked:
    values = [document.value for document in read_documents(text, limits)]
    by_document = [list(secrets(value)) for value in values]
    counts: Counter[str] = Counter()
    for here in by_document:
        counts.update(counted(here))
    open_ones = [
        [one for one in here if not is_masked(value, one)] for here, value in zip(by_document, values, strict=True)
    ]
    is_yaml = text.lstrip()[:1] not in ("{", "[")
    if not any(open_ones) and not (is_yaml and any(map(looks_secret, _COMMENT.findall(text)))):
        return None, counts
    if is_yaml and len(text) <= _MAX_IN_PLACE:
        written = _in_place(text, open_ones)
        if written == text:
            return None, counts
        if written is not None and _is_clean(written, limits):
            return written.encode(), counts
    return _anew(values), counts


def _is_clean(text: str, limits: Limits) -> bool:
    """Whether the text is read, and has nothing in it that is not masked."""
    try:
        values = [document.value for document in read_documents(text, limits)]
    except LoadError:
        return False
    return all(is_masked(value, one) for value in values for one in secrets(value))


def _anew(values: list[Any]) -> bytes:
    """The documents as one JSON list, masked; a document that is a list already gives its objects."""
    items: list[Any] = []
    for value in values:
        mask(value)
        if isinstance(value, list):
            items += value
        elif value is not None:
            items.append(value)
    whole = items[0] if len(items) == 1 else {"apiVersion": "v1", "kind": "List", "items": items}
    return msgspec.json.format(msgspec.json.encode(whole), indent=_INDENT)


# ---------------------------------------------------------------- YAML in place


class _MaskingInPlace:
    """Walks over the events of a YAML text and collects ``edits``: (start, end, text to write there).

    ``above`` holds for each open collection: the path, and the next index of a sequence, or the key of a mapping (None
    where a key comes next). Between two events there is only punctuation, so that a # there begins a comment.
    """

    def __init__(self, text: str, to_mask: list[list[Secret]]) -> None:
        self.text = text
        self.missing = {(number, one.path) for number, here in enumerate(to_mask) for one in here}
        self.edits: list[tuple[int, int, str]] = []
        self._number = -1
        self._above: list[list[Any]] = []
        self._end = 0

    def walk(self) -> None:
        """Visit all events; values that stay in ``missing`` have no text of their own. Raises YAMLError."""
        events: Iterator[Any] = yaml.parse(self.text, Loader=_Loader)
        for event in events:
            self._between(event.start_mark.index)
            self._end = max(self._end, event.end_mark.index)
            if isinstance(event, yaml.DocumentStartEvent):
                self._number += 1
                self._above = []
            elif isinstance(event, yaml.SequenceEndEvent | yaml.MappingEndEvent):
                self._above.pop()
            elif isinstance(event, yaml.NodeEvent):
                self._node(event)
        self._between(len(self.text))

    def _between(self, end: int) -> None:
        for comment in _COMMENT.finditer(self.text, self._end, max(self._end, end)):
            if looks_secret(comment[0]):
                self.edits.append((comment.start(), comment.end(), f"# {MASK}"))

    def _node(self, event: Any) -> None:
        path = _step(self._above, event)
        if path is None:
            return
        if isinstance(event, yaml.SequenceStartEvent):
            self._above.append([path, 0])
        elif isinstance(event, yaml.MappingStartEvent):
            self._above.append([path, None])
        elif isinstance(event, yaml.ScalarEvent) and (self._number, path) in self.missing:
            self.missing.discard((self._number, path))
            marks: Any = event
            start, end = marks.start_mark.index, marks.end_mark.index
            self.edits.append((start, end, f"'{MASK}'" + "\n" * self.text.count("\n", start, end)))


def _in_place(text: str, to_mask: list[list[Secret]]) -> str | None:
    """The text with ``'***'`` for each value to mask, None where one has no text of its own (an alias)."""
    masking = _MaskingInPlace(text, to_mask)
    try:
        masking.walk()
    except yaml.YAMLError:
        return None
    if masking.missing:
        return None
    parts, at = [], 0
    for start, end, instead in sorted(masking.edits):
        parts += [text[at:start], instead]
        at = end
    return "".join([*parts, text[at:]])


def _step(above: list[list[Any]], event: Any) -> Path | None:
    """The path of a node, None where it is the key of a mapping."""
    if not above:
        return ()
    top = above[-1]
    path, key = top
    if isinstance(key, int):
        top[1] = key + 1
        return (*path, key)
    if key is None and isinstance(event, yaml.ScalarEvent):
        top[1] = event.value
        return None
    top[1] = None
    return (*path, key)
