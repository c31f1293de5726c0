"""Files with their secrets masked in place: the text keeps its lines, so that findings name those of the sender's file.

A JSON list is masked entry by entry, YAML value by value. Where that is not possible (aliases, merge keys) the objects
are rewritten as one JSON list. A text that cannot be read to its end is refused, since its secrets cannot be
located, unless no word in it could belong to a secret. What was read is handed on with its values masked, so that the
loader need not read the text again.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import msgspec

from scheduler_core.manifests.forms.recognising import rewritten
from scheduler_core.manifests.masking.json_lists import masked_list
from scheduler_core.manifests.masking.marks import holds_no_secret
from scheduler_core.manifests.masking.secrets import counted, is_masked, mask_at, masked_copy, secrets
from scheduler_core.manifests.masking.yaml_texts import has_secret_comment, masked_by_spans, masked_by_watch
from scheduler_core.manifests.model import Limits, ManifestSource
from scheduler_core.manifests.parsing.json_lists import JsonList, NotPlain
from scheduler_core.manifests.parsing.sources import (
    ParsedSource,
    decoded,
    is_yaml,
    read_data,
    read_documents,
    read_list,
    without_collector,
)
from scheduler_core.manifests.parsing.yaml_events import Document, ScalarSpans
from scheduler_core.manifests.progress import ProgressCallback

_INDENT = 4


class MaskedSource(NamedTuple):
    """A file without its secrets, and {what: how many values are masked in it}.

    ``parsed`` is the same file as it was read, for the loader; None where the loader has to read it.
    """

    source: ManifestSource
    counts: dict[str, int]
    parsed: ParsedSource | None = None


class _Masked(NamedTuple):
    """A masked text (None: nothing had to be masked), the counts, and what the text holds where that is known."""

    text: bytes | None
    counts: Counter[str]
    content: JsonList | list[Document] | None


def masked_source(
    source: ManifestSource, limits: Limits | None = None, report_progress: ProgressCallback | None = None
) -> MaskedSource:
    """The file with its secrets masked; one without any is given back as it is. Raises LoadError as reading does.

    ``report_progress`` is called now and then with the share of the file that is read.
    """
    with without_collector():
        return _masked_source(source, limits or Limits(), report_progress)


def _masked_source(source: ManifestSource, limits: Limits, report_progress: ProgressCallback | None) -> MaskedSource:
    source = rewritten(source, limits)
    data = read_data(source, limits)
    if holds_no_secret(data):
        return MaskedSource(source, {})
    try:
        masked = _Masked(*masked_list(read_list(data, limits), report_progress))
    except NotPlain:
        masked = _masked_documents(decoded(data), limits, report_progress)
    if masked.text is not None:
        source, data = ManifestSource(source.name, masked.text), masked.text
    parsed = None if masked.content is None else ParsedSource(source, len(data), masked.content)
    return MaskedSource(source, dict(masked.counts), parsed)


def _masked_documents(text: str, limits: Limits, report_progress: ProgressCallback | None) -> _Masked:
    spans = ScalarSpans()
    documents = list(read_documents(text, limits, report_progress, spans))
    by_document = [list(secrets(document.value)) for document in documents]
    counts: Counter[str] = Counter()
    for here in by_document:
        counts.update(counted(here))
    open_ones = [
        [one for one in here if not is_masked(document.value, one)]
        for here, document in zip(by_document, documents, strict=True)
    ]
    in_yaml = is_yaml(text)
    if not any(open_ones) and not (in_yaml and has_secret_comment(text)):
        return _Masked(None, counts, documents)
    if in_yaml:
        values = [document.value for document in documents]
        written = masked_by_spans(text, values, open_ones, spans)
        if written is not None:
            masked = [_masked(document, here) for document, here in zip(documents, open_ones, strict=True)]
            return _Masked(None if written == text else written.encode(), counts, masked)
        written = masked_by_watch(text, open_ones, spans, limits)
        if written is not None:
            return _Masked(None if written == text else written.encode(), counts, None)
    return _Masked(_masked_list(documents, open_ones, is_shared=not in_yaml), counts, None)


def _masked(document: Document, here: list[Any]) -> Document:
    """The document with these values masked in place, and without the notes on them."""
    if not here:
        return document
    mask_at(document.value, here)
    paths = {one.path for one in here}
    return Document(document.value, document.line, [note for note in document.notes if note[0] not in paths])


def _masked_list(documents: list[Document], to_mask: list[list[Any]], *, is_shared: bool) -> bytes:
    """The documents as one JSON list, masked; a document that is a list already gives its objects.

    ``is_shared``: equal parts may be one and the same, so that those to mask are copied.
    """
    items: list[Any] = []
    for document, here in zip(documents, to_mask, strict=True):
        value = document.value
        if is_shared:
            value = masked_copy(value, here) if here else value
        else:
            mask_at(value, here)
        if isinstance(value, list):
            items += value
        elif value is not None:
            items.append(value)
    whole = items[0] if len(items) == 1 else {"apiVersion": "v1", "kind": "List", "items": items}
    return msgspec.json.format(msgspec.json.encode(whole), indent=_INDENT)
