"""YAML texts with values masked where they stand: each becomes ``'***'``, a comment that may hold a secret ``# ***``.

A text whose values and scalars follow each other one by one is masked by what was noted when it was read
(ScalarSpans); each piece that is replaced is checked to be the value alone. Others, which have anchors or tags, are
read twice more: for the places of their values, and to see that what was written is clean.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

import yaml

from scheduler_core.manifests.masking.secrets import COLLECTIONS, MASK, Secret, is_masked, looks_secret, secrets
from scheduler_core.manifests.model import Limits, LoadError
from scheduler_core.manifests.parsing.sources import read_documents
from scheduler_core.manifests.parsing.yaml_events import Reader, ScalarSpans, TextWatch, plain_scalar

_MAX_READ_AGAIN = 4 << 20
_COMMENT = re.compile(r"#[^\n]*")
_DIRECTIVE = re.compile(r"^%", re.MULTILINE)
_ODD_CHARACTERS = "\ufeff\x85\u2028\u2029"
"""A byte order mark inside of the text, and what YAML takes for line breaks and other programs do not."""
_QUOTES = ("'", '"')
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_Edit = tuple[int, int, str]
"""Start and end of a piece of the text, and what to write instead."""


def has_secret_comment(text: str) -> bool:
    """Whether something that may be a comment looks like a secret."""
    return any(map(looks_secret, _COMMENT.findall(text)))


def masked_by_spans(
    text: str, values: Sequence[Any], to_mask: Sequence[list[Secret]], spans: ScalarSpans
) -> str | None:
    """The text with these values of its documents masked; None where its spans do not say for sure where they stand."""
    if not spans.is_plain or _is_odd(text):
        return None
    edits = list(_comment_edits(text, spans))
    for value, here, first in zip(values, to_mask, spans.firsts, strict=True):
        if not here:
            continue
        numbers = list(_numbers(value, _tree(here), first))
        if len(numbers) != len(here):
            return None
        for number, masked in numbers:
            start, end = spans.starts[number], spans.ends[number]
            if not _is_alone(text[start:end], masked):
                return None
            edits.append(_value_edit(text, start, end))
    return _edited(text, edits)


def masked_by_watch(text: str, to_mask: Sequence[list[Secret]], spans: ScalarSpans, limits: Limits) -> str | None:
    """As ``masked_by_spans``, for any text that is not too large: the values are watched for in another reading.

    None where a value has no text of its own (an alias), or what was written would not be clean.
    """
    if len(text) > _MAX_READ_AGAIN:
        return None
    places = {(number, one.path) for number, here in enumerate(to_mask) for one in here}
    watch = TextWatch(places)
    if places:
        deque(Reader(text, limits, watch).documents(), maxlen=0)
    if not places <= watch.spans.keys():
        return None
    edits = [*_comment_edits(text, spans), *(_value_edit(text, *watch.spans[one]) for one in places)]
    written = _edited(text, edits)
    return written if written == text or _is_clean(written, limits) else None


def _edited(text: str, edits: list[_Edit]) -> str:
    parts, at = [], 0
    for start, end, instead in sorted(edits):
        parts += [text[at:start], instead]
        at = end
    return "".join([*parts, text[at:]])


def _value_edit(text: str, start: int, end: int) -> _Edit:
    return start, end, f"'{MASK}'" + "\n" * text.count("\n", start, end)


# ---------------------------------------------------------------- by spans


def _is_odd(text: str) -> bool:
    """Whether the text has something that is rare and makes places or lines unsure: directives, odd line breaks."""
    if any(character in text for character in _ODD_CHARACTERS) or text.count("\r") != text.count("\r\n"):
        return True
    return "%" in text and _DIRECTIVE.search(text) is not None


def _comment_edits(text: str, spans: ScalarSpans) -> Iterator[_Edit]:
    """Comments that look like secrets: a # that stands in no scalar begins one."""
    for line in _COMMENT.finditer(text):
        if not looks_secret(line[0]):
            continue
        at = line.start()
        while at >= 0:
            scalar = bisect_right(spans.starts, at) - 1
            if scalar < 0 or at >= spans.ends[scalar]:
                if looks_secret(text[at : line.end()]):
                    yield at, line.end(), f"# {MASK}"
                break
            at = text.find("#", spans.ends[scalar], line.end())


def _tree(to_mask: list[Secret]) -> dict[Any, Any]:
    """The paths as a tree of their parts."""
    tree: dict[Any, Any] = {}
    for path, _ in to_mask:
        node = tree
        for part in path:
            node = node.setdefault(part, {})
    return tree


def _numbers(value: Any, tree: dict[Any, Any] | None, first: int) -> Iterator[tuple[int, Any]]:
    """(number of its scalar, value) of each value in the tree; ``first`` is the number of the first scalar.

    Iterative, as a text may be nested as deep as the limits allow. Each key is a scalar before its value.
    """
    number = first
    stack: list[tuple[Any, dict[Any, Any] | None]] = [(value, tree)]
    while stack:
        inside, branch = stack.pop()
        if not branch and (branch is None or inside.__class__ in COLLECTIONS):
            number += _n_scalars(inside)
        elif inside.__class__ is dict and branch:
            for key in reversed(inside):
                stack += ((inside[key], branch.get(key)), (key, None))
        elif inside.__class__ is list and branch:
            for i in range(len(inside) - 1, -1, -1):
                stack.append((inside[i], branch.get(i)))
        else:
            yield number, inside
            number += 1


def _n_scalars(value: Any) -> int:
    """How many scalars a value has in the text, keys included."""
    if value.__class__ not in COLLECTIONS:
        return 1
    count = 0
    stack: list[Any] = [value]
    while stack:
        inside = stack.pop()
        if inside.__class__ is dict:
            count += len(inside)
            inside = inside.values()
        for part in inside:
            if part.__class__ in COLLECTIONS:
                stack.append(part)
            else:
                count += 1
    return count


def _is_alone(piece: str, value: Any) -> bool:
    """Whether a piece of text is the scalar of this value and nothing else."""
    if value.__class__ is not str:
        read = plain_scalar(piece)
        return read.__class__ is value.__class__ and bool(read == value)
    is_quoted = piece[:1] in _QUOTES and piece[0] == piece[-1]
    if piece.isprintable() and (piece[1:-1] == value if is_quoted else piece == value and piece[:1].isalnum()):
        return True
    try:
        events: list[Any] = list(yaml.parse(piece, Loader=_Loader))
    except yaml.YAMLError:
        return False
    # Start of the stream and of the document, the scalar, and two ends.
    return len(events) == 5 and isinstance(events[2], yaml.ScalarEvent) and events[2].value == value


def _is_clean(text: str, limits: Limits) -> bool:
    """Whether the text is read, and has nothing in it that is not masked."""
    try:
        values = [document.value for document in read_documents(text, limits)]
    except LoadError:
        return False
    return all(is_masked(value, one) for value in values for one in secrets(value))
