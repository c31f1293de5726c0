"""JSON text to plain types: one value or several in a row, duplicate keys refused, depth and size bounded."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from scheduler_core.manifests.model import Limits, LoadError, Path, path_text, shortened
from scheduler_core.manifests.parsing.yaml_events import Document, too_large

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_PLAIN = (str, int, float, bool)
_MOST_SHARED = 1_000
"""Objects with more keys are hardly ever equal."""
_BLANK = re.compile(r"[ \t\r\n]*")
_TOKEN = re.compile(r'[{}\[\]:,]|"(?:[^"\\]++|\\.)*+"|[^\s{}\[\]:,"]+')


class DuplicateKey(Exception):
    """A key is given twice in one object."""


class _Sharing:
    """Builds the decoder's objects; equal ones become one and the same.

    That saves most memory and time for a cluster full of pods alike. Inner objects are shared before the outer one
    comes, so their ids tell them apart.
    """

    def __init__(self) -> None:
        self._shared: dict[tuple[Any, ...], dict[str, Any]] = {}

    def build(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        """The object of these pairs. Raises DuplicateKey."""
        if len(pairs) > _MOST_SHARED:
            return _object(pairs)
        parts: list[tuple[Any, ...]] = []
        for name, value in pairs:
            kind = value.__class__
            if kind is str:
                parts.append((name, value))
            elif kind is dict:
                parts.append((name, id(value), dict))
            elif kind is list:
                parts.append((name, tuple([(id(v), v.__class__) if v.__class__ is dict else v for v in value]), list))
            else:
                parts.append((name, value, kind))
        key = tuple(parts)
        try:
            shared = self._shared.get(key)
        except TypeError:  # a list in a list
            return _object(pairs)
        if shared is None:
            shared = self._shared[key] = _object(pairs)
        return shared


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise DuplicateKey
    return value


def _constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is no JSON number")


def _finite(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError(f"{shortened(text)} is too large for a number")
    return value


def new_decoder() -> json.JSONDecoder:
    """A decoder that raises DuplicateKey, ValueError and RecursionError; equal objects become one and the same."""
    return json.JSONDecoder(object_pairs_hook=_Sharing().build, parse_constant=_constant, parse_float=_finite)


def read_json(text: str, limits: Limits) -> list[Document]:
    """The values of the text. Raises LoadError at a broken limit or duplicate key, ValueError where it is no JSON."""
    if text.count(",") + text.count("[") + text.count("{") > limits.max_json_values:
        raise LoadError(f"more than {limits.max_json_values} JSON values in one file. Split it")
    decoder = new_decoder()
    documents: list[Document] = []
    at = _skip(text, 0)
    line, counted = 1, 0
    while at < len(text):
        try:
            value, end = decoder.raw_decode(text, at)
        except RecursionError:
            raise LoadError(f"nested deeper than {limits.max_depth} levels") from None
        except DuplicateKey:
            raise _duplicate(text) from None
        line += text.count("\n", counted, at)
        counted = at
        _check_sizes(value, text[at:end], line, limits)
        documents.append(Document(value, line))
        if len(documents) > limits.max_documents:
            raise LoadError(f"more than {limits.max_documents} documents in one file", line)
        at = _skip(text, end)
    values = [d.value for d in documents]
    check_depth(values, limits.max_depth)
    _check_surrogates(text, values)
    return documents


def _check_sizes(value: Any, text: str, line: int, limits: Limits) -> None:
    """Raises LoadError where an object of the document holds too many values; the entries of a list count apart."""
    if 2 * (text.count(",") + text.count("{") + text.count("[")) <= limits.max_object_values:
        return
    entries, path = value, ""
    if value.__class__ is dict and value.get("items").__class__ is list:
        entries, path = value["items"], "items"
        _check_whole({key: part for key, part in value.items() if key != "items"}, limits.max_object_values, "", line)
    if entries.__class__ is not list:
        _check_whole(value, limits.max_object_values, "", line)
        return
    for i, entry in enumerate(entries):
        _check_whole(entry, limits.max_object_values, f"{path}[{i}]", line)


def _check_whole(value: Any, most: int, field: str, line: int) -> None:
    if n_values(value, most) > most:
        raise LoadError(too_large(most), line, field)


def check_size(value: Any, text: bytes, most: int) -> None:
    """Raises LoadError where an object, written as ``text``, holds more values than allowed."""
    if 2 * (text.count(b",") + text.count(b"{") + text.count(b"[")) > most and n_values(value, most) > most:
        raise LoadError(too_large(most))


def n_values(value: Any, most: int) -> int:
    """How many keys, values and entries the value holds in all, itself included; counted to a little above ``most``."""
    count, level = 1, [value]
    while level and count <= most:
        inner: list[Any] = []
        for part in level:
            if part.__class__ is dict:
                count += 2 * len(part)
                inner.extend(part.values())
            elif part.__class__ is list:
                count += len(part)
                inner.extend(part)
        level = inner
    return count


def _check_surrogates(text: str, values: list[Any]) -> None:
    """Halves of surrogate pairs cannot be stored or shown; only an escape can bring one in."""
    escape = _SURROGATE.search(text)
    if escape is None:
        return
    try:
        json.dumps(values, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        line = text.count("\n", 0, escape.start()) + 1
        raise LoadError("a text holds half of a surrogate pair. Write the character itself", line) from None


def check_depth(values: list[Any], limit: int) -> None:
    """Raises LoadError where a value is nested deeper than the limit. Level by level, without recursion."""
    dicts: Iterable[Any] = [v for v in values if v.__class__ is dict]
    lists: list[Any] = [v for v in values if v.__class__ is list]
    for _ in range(limit + 1):
        inner = [v for outer in dicts for v in outer.values() if v.__class__ is dict or v.__class__ is list]
        inner += [v for outer in lists for v in outer if v.__class__ is dict or v.__class__ is list]
        dicts = {id(v): v for v in inner if v.__class__ is dict}.values()  # shared ones once
        lists = [v for v in inner if v.__class__ is list]
        if not inner:
            return
    raise LoadError(f"nested deeper than {limit} levels")


def check_plain(values: Sequence[Any], limit: int) -> None:
    """Raises LoadError where values that were parsed elsewhere are no plain JSON types, or nested too deeply."""
    level: list[Any] = list(values)
    for _ in range(limit + 2):
        inner: list[Any] = []
        for value in level:
            if value.__class__ is dict:
                if not all(key.__class__ is str for key in value):
                    raise LoadError("a mapping has a key that is no text")
                inner.extend(value.values())
            elif value.__class__ is list:
                inner.extend(value)
            elif value is not None and value.__class__ not in _PLAIN:
                raise LoadError(f"a value of the type {value.__class__.__name__} is no JSON")
        if not inner:
            return
        level = inner
    raise LoadError(f"nested deeper than {limit} levels")


def _skip(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    return match.end() if match else at


def _duplicate(text: str) -> LoadError:
    """Finds the first key given twice: walks the tokens, only after the decoder said that there is one."""
    stack: list[tuple[set[str] | None, list[Any]]] = []
    key: list[Any] = [None]
    expect_key = False
    for token in _TOKEN.finditer(text):
        t = token.group()
        if t in "{[":
            if stack and stack[-1][0] is None:
                key[0] += 1
            stack.append((set() if t == "{" else None, key))
            key = [-1] if t == "[" else [None]
            expect_key = t == "{"
        elif t in "}]":
            _, key = stack.pop()
            expect_key = False
        elif t == ",":
            expect_key = bool(stack) and stack[-1][0] is not None
        elif t == ":":
            expect_key = False
        elif expect_key:
            seen, name = stack[-1][0], json.loads(t)
            key[0] = name
            if seen is not None and name in seen:
                path: Path = (*(k[0] for _, k in stack[1:]), name)
                line = text.count("\n", 0, token.start()) + 1
                return LoadError(f"the key {shortened(name)} is given twice. Keep one of them", line, path_text(path))
            if seen is not None:
                seen.add(name)
        elif stack and stack[-1][0] is None:
            key[0] += 1
    return LoadError("a key is given twice in one object. Keep one of them")
