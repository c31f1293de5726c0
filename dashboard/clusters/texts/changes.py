"""A change of an object written into its YAML text: comments, order, quotes and indentation of the rest stay.

Each difference between two values is written at its place: a scalar within its line, an entry as whole lines, an item
that moves with its comments. An alias is replaced by the value of its anchor where one of the two changes. Where this
fails (a merged key is removed, or the new text does not read as the new value), the whole object is written again, and
the result says so.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from dashboard.clusters.texts.nodes import NoPlace, TextTree
from dashboard.clusters.texts.writer import Writer, is_same
from dashboard.clusters.yaml_text import MAX_TEXT, MAX_TEXT_VALUES
from scheduler_core.manifests import Limits, ManifestSource, dump_yaml
from scheduler_core.manifests.model import LoadError
from scheduler_core.manifests.parsing.sources import read_documents, read_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dashboard.clusters.texts.writer import Splice

_LIMITS = Limits(max_bytes=MAX_TEXT, max_documents=8, max_yaml_nodes=MAX_TEXT_VALUES, max_json_values=MAX_TEXT_VALUES)


class Rewritten(NamedTuple):
    """A text, and why it was written again without its comments, "" where they stayed."""

    text: str
    lost: str = ""


def read_document(text: str) -> Any:
    """Return what the one document of a text holds, None for none; raises LoadError.

    Each alias, and in JSON each mapping that equals another, becomes a copy of its own, so that a change of one leaves
    the other as it is.
    """
    documents = list(read_documents(read_text(ManifestSource("text", text.encode()), _LIMITS), _LIMITS))
    documents = [one for one in documents if one.value is not None]
    if len(documents) > 1:
        raise LoadError("there are several documents", documents[1].line)
    return _separate(documents[0].value) if documents else None


def _separate(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _separate(one) for key, one in value.items()}
    return [_separate(one) for one in value] if isinstance(value, list) else value


def rewritten(text: str, new: Mapping[str, Any]) -> Rewritten:
    """Return the text with whatever is needed for it to hold `new`; its value is equal to `new` in any case."""
    line_break = "\r\n" if "\r\n" in text else "\n"
    try:
        old = read_document(text)
        if is_same(old, new):
            return Rewritten(text)
        if text.lstrip()[:1] == "{" and _is_json(text):
            return Rewritten(json.dumps(new, indent=2 if "\n" in text.strip() else None, ensure_ascii=False) + "\n")
        written = _written(text.replace("\r\n", "\n"), old, new)
        return Rewritten(written.replace("\n", line_break))
    except (NoPlace, LoadError) as problem:
        return Rewritten(dump_yaml([new]), str(problem) or "the text cannot be read")


def _written(text: str, old: Any, new: Mapping[str, Any]) -> str:
    """Return the text with the differences at their places; raises NoPlace."""
    tree = TextTree(text)
    if tree.root is None or not isinstance(old, dict):
        raise NoPlace("it holds no object")
    writer = Writer(tree)
    splices = writer.differences(tree.root, old, new)
    candidate = _spliced(text, splices)
    if _has(candidate, new):
        return candidate
    shared = writer.written_out(tree.root, old, splices)
    if not shared:
        raise NoPlace("the change has no place of its own in it")
    return _written(_spliced(text, shared), old, new)


def _has(text: str, value: Any) -> bool:
    try:
        return is_same(read_document(text), value)
    except LoadError:
        return False


def holds(text: str, manifest: Mapping[str, Any]) -> bool:
    """Return whether a text is that of an object, the namespace default left out or not."""
    try:
        old = read_document(text)
    except LoadError:
        return False
    metadata = old.get("metadata") if isinstance(old, dict) else None
    own = manifest.get("metadata")
    is_added = isinstance(own, dict) and own.get("namespace") == "default"
    if is_added and isinstance(metadata, dict) and "namespace" not in metadata:
        old = {**old, "metadata": {**metadata, "namespace": "default"}}
    return is_same(old, manifest)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _spliced(text: str, splices: Sequence[Splice]) -> str:
    # Splices at one place stay in the order in which they were given.
    for _, splice in sorted(enumerate(splices), key=lambda one: (one[1].start, one[1].end, one[0]), reverse=True):
        text = text[: splice.start] + splice.new + text[splice.end :]
    return text
