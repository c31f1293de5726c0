"""``parse_watch``: text to a watch; a closed list of forms, each wrong part named with its column."""

from __future__ import annotations

import re

from scheduler_core.explain.watches.model import FORMS, LANES_OF, MAX_WATCH_LENGTH, Watch, WatchKind
from scheduler_core.query import QueryError, parse

_WORD = re.compile(r"\S+")
_RESOURCE = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,252}/?[A-Za-z0-9._-]{0,62})?")
_NODE = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?")
_POD = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?/[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?")
_LANES = {name.lower(): name for name in LANES_OF}
SHOWN = 60

_Word = tuple[str, int]
"""A word and its column, from 1."""


def parse_watch(text: str) -> Watch:
    """The watch. Raises QueryError at the column of the first thing that is wrong."""
    if len(text) > MAX_WATCH_LENGTH:
        raise QueryError(f"a watch has at most {MAX_WATCH_LENGTH} characters", MAX_WATCH_LENGTH + 1)
    if (control := next((i for i, letter in enumerate(text) if not letter.isprintable()), None)) is not None:
        raise QueryError("a character here cannot be printed", control + 1)
    words = [(match.group(), match.start() + 1) for match in _WORD.finditer(text)]
    forms = tuple(form for form, _ in FORMS.values())
    if not words:
        raise QueryError("there is nothing to watch", 1, expected=forms)
    kind, column = words[0]
    match kind.lower():
        case "free" | "used":
            return _amount(WatchKind(kind.lower()), words, text)
        case "pods":
            _keyword(words, 1, "on", text)
            return Watch(WatchKind.PODS, _node(words, 2, text))
        case "length":
            _keyword(words, 1, "of", text)
            return Watch(WatchKind.LENGTH, _lane(words, text))
        case "state":
            return _state(words, text)
        case "count":
            _keyword(words, 1, "of", text)
            return _count(words, text)
    raise QueryError(f"{kind[:SHOWN]!r} cannot be watched", column, column + len(kind), forms)


def _amount(kind: WatchKind, words: list[_Word], text: str) -> Watch:
    resource, column = _word(words, 1, "a resource, as cpu or memory", text)
    if not _RESOURCE.fullmatch(resource):
        message = f"{resource[:SHOWN]!r} cannot be the name of a resource"
        raise QueryError(message, column, column + len(resource), ("cpu", "memory", "pods", "nvidia.com/gpu"))
    _keyword(words, 2, "of", text)
    return Watch(kind, _node(words, 3, text), resource)


def _state(words: list[_Word], text: str) -> Watch:
    _keyword(words, 1, "of", text)
    _keyword(words, 2, "pod", text)
    pod, column = _word(words, 3, "a pod, as namespace/name", text)
    if not _POD.fullmatch(pod):
        message = f"{pod[:SHOWN]!r} is not the name of a pod"
        raise QueryError(message, column, column + len(pod), ("namespace/name",))
    _nothing_follows(words, 3)
    return Watch(WatchKind.STATE, pod)


def _count(words: list[_Word], text: str) -> Watch:
    _, column = _word(words, 2, "a query", text)
    query = text[column - 1 :].rstrip()
    try:
        parse(query)
    except QueryError as error:
        before = column - 1
        raise QueryError(
            error.message, error.column + before, error.end + before, error.expected, error.suggestion
        ) from None
    return Watch(WatchKind.COUNT, query)


def _node(words: list[_Word], index: int, text: str) -> str:
    node, column = _word(words, index, "the name of a node", text)
    if not _NODE.fullmatch(node):
        raise QueryError(f"{node[:SHOWN]!r} cannot be the name of a node", column, column + len(node))
    _nothing_follows(words, index)
    return node


def _lane(words: list[_Word], text: str) -> str:
    _, column = _word(words, 2, "a lane of the queue", text, tuple(LANES_OF))
    written = text[column - 1 :].rstrip()
    lane = _LANES.get(" ".join(written.lower().split()))
    if lane is None:
        raise QueryError(f"{written[:SHOWN]!r} is no lane of the queue", column, column + len(written), tuple(LANES_OF))
    return lane


def _word(words: list[_Word], index: int, what: str, text: str, expected: tuple[str, ...] = ()) -> _Word:
    if len(words) > index:
        return words[index]
    raise QueryError(f"{what} is missing", len(text.rstrip()) + 1, expected=expected)


def _keyword(words: list[_Word], index: int, keyword: str, text: str) -> None:
    word, column = _word(words, index, f'"{keyword}"', text)
    if word.lower() != keyword:
        raise QueryError(f'"{keyword}" is missing here', column, column + len(word), (keyword,))


def _nothing_follows(words: list[_Word], last: int) -> None:
    if len(words) > last + 1:
        word, column = words[last + 1]
        raise QueryError(f"nothing may follow here, not {word[:SHOWN]!r}", column, column + len(word))
