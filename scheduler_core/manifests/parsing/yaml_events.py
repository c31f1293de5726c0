"""YAML text to plain JSON types, read from libyaml's events without recursion.

Why not a stock loader: input is hostile. Depth, nodes and what aliases expand to are bounded while reading, duplicate
keys and tags are refused with their line, and plain scalars are read as Kubernetes' YAML library reads them
(no base-60 numbers, dates stay text).
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import yaml
from yaml._yaml import CParser

from scheduler_core.manifests.model import Limits, LoadError, Path, path_text, shortened
from scheduler_core.manifests.progress import ProgressCallback

_TAG = "tag:yaml.org,2002:"
_BOOLS = {
    **dict.fromkeys(("true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"), True),
    **dict.fromkeys(("false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"), False),
}
_WORDS = {**_BOOLS, **dict.fromkeys(("", "~", "null", "Null", "NULL"))}
_NUMBER_START = frozenset("0123456789+-.")
_INT = re.compile(r"[-+]?(?:0b[01_]+|0o?[0-7_]+|0x[0-9a-fA-F_]+|0|[1-9][0-9_]*)", re.ASCII)
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", re.ASCII)
_MAX_NUMBER = 1_000
_MAX_NOTES = 100
_FILE_MODES = ("mode", "defaultMode")
_DECIMAL = re.compile(r"[-+]?(?:0|[1-9][0-9]*)", re.ASCII)
_CHARS_PER_WEIGHT = 16
_REPORT_EVERY = 4_096
_OBJECT_DEPTH = 2
"""An object in a list is as deep as this: the list, its items, the object."""


class Document:
    """One YAML document: its value, the line it starts on, and notes on values that may be meant otherwise."""

    __slots__ = ("line", "notes", "value")

    def __init__(self, value: Any, line: int, notes: Sequence[tuple[Path, str]] = ()) -> None:
        self.value = value
        self.line = line
        self.notes = notes


def plain_scalar(text: str) -> Any:
    """What an unquoted scalar means: None, bool, int, float or the text itself."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] in _NUMBER_START and len(text) <= _MAX_NUMBER:
        return _number(text)
    return text


def _number(text: str) -> Any:
    if text[0] != "0" and text.isdecimal() and text.isascii():
        return int(text)
    if _INT.fullmatch(text):
        return _integer(text)
    if _FLOAT.fullmatch(text):
        value = float(text)
        return value if abs(value) != float("inf") else text
    return text


def _integer(text: str) -> Any:
    digits = text.replace("_", "")
    sign = -1 if digits.startswith("-") else 1
    digits = digits.lstrip("+-")
    try:
        if digits[:2] in ("0x", "0b", "0o"):
            return sign * int(digits, 0)
        if len(digits) > 1 and digits[0] == "0":
            return sign * int(digits, 8)
        return sign * int(digits)
    except ValueError:
        return text


class ScalarSpans:
    """Where each scalar of a text stands, keys included: character indexes, in the order of the text.

    ``is_plain`` becomes False where the text has anchors, aliases, merge keys or tags: values and scalars then do not
    follow each other one by one. ``firsts`` are the numbers of the first scalars of the documents.
    """

    __slots__ = ("ends", "firsts", "is_plain", "starts")

    def __init__(self) -> None:
        self.starts = array("q")
        self.ends = array("q")
        self.firsts: list[int] = []
        self.is_plain = True


class TextWatch:
    """Notes where the wanted paths of a text stand while it is read: their lines and, of scalars, their places.

    ``paths`` are (document, path). ``lines`` has what is around them, too; ``spans`` are character indexes.
    """

    def __init__(self, paths: Collection[tuple[int, Path]]) -> None:
        self.last = max((document for document, _ in paths), default=-1)
        self.lines: dict[tuple[int, Path], int] = {}
        self.spans: dict[tuple[int, Path], tuple[int, int]] = {}
        self._paths: dict[int, set[Path]] = {}
        for document, path in paths:
            self._paths.setdefault(document, set()).update(path[:n] for n in range(len(path) + 1))
        self._document = 0
        self._here: set[Path] = set()

    def document(self, number: int) -> None:
        """A document starts."""
        self._document = number
        self._here = self._paths.get(number, set())

    def value(self, path: Path, line: int) -> bool:
        """A key, a mapping or a list starts on a line; returns whether it or something in it is wanted."""
        if path not in self._here:
            return False
        self.lines.setdefault((self._document, path), line)
        return True

    def scalar(self, path: Path, event: Any) -> None:
        """A scalar is the value of a key or an entry of a list."""
        if self.value(path, event.start_mark.line + 1):
            self.spans[self._document, path] = event.start_mark.index, event.end_mark.index


class _OpenCollection:
    """A mapping or sequence that is being read."""

    __slots__ = ("anchor", "is_watched", "key", "line", "merges", "merging", "value", "weight_before")

    def __init__(self, value: Any, anchor: str | None, weight: int, line: int, is_watched: bool) -> None:
        self.value = value
        self.anchor = anchor
        self.weight_before = weight
        self.line = line
        self.is_watched = is_watched
        self.key: str | None = None
        self.merges: list[Any] | None = None
        self.merging = False


class Reader:
    """Reads documents one by one; ``budget`` of nodes and alias weight is shared by all of a text.

    ``report_progress`` is called now and then with the share of the text that is read; ``spans`` is filled meanwhile.
    """

    def __init__(
        self,
        text: str,
        limits: Limits,
        watch: TextWatch | None = None,
        report_progress: ProgressCallback | None = None,
        spans: ScalarSpans | None = None,
    ) -> None:
        self._parser = CParser(text)
        self._length = len(text)
        self._report_progress = report_progress
        self._limits = limits
        self._watch = watch
        self._spans = spans
        self._note_start: Any = None if spans is None else spans.starts.append
        self._note_end: Any = None if spans is None else spans.ends.append
        self._nodes = 0
        self._nodes_before = 0
        self._look_at = 0
        self._alias_weight = 0
        self._weight = 0
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._open: set[str] = set()
        self._stack: list[_OpenCollection] = []
        self._notes: list[tuple[Path, str]] = []

    def documents(self) -> Iterator[Document]:
        """Each document in turn. Raises LoadError with the line where the text is no YAML or exceeds a limit."""
        try:
            yield from self._documents()
        except yaml.MarkedYAMLError as problem:
            raise LoadError(*_syntax(problem)) from None
        except yaml.YAMLError as problem:
            raise LoadError(_flat(str(problem))) from None
        finally:
            self._parser.dispose()

    def _documents(self) -> Iterator[Document]:
        get: Any = self._parser.get_event
        count = 0
        while True:
            event = get()
            kind = event.__class__
            if event is None or kind is yaml.StreamEndEvent:
                return
            if kind is not yaml.DocumentStartEvent:
                continue
            count += 1
            if count > self._limits.max_documents:
                raise LoadError(
                    f"more than {self._limits.max_documents} documents in one file", event.start_mark.line + 1
                )
            self._anchors.clear()
            if self._watch is not None:
                self._watch.document(count - 1)
            if self._spans is not None:
                self._spans.firsts.append(len(self._spans.starts))
            first = get()
            self._notes = []
            yield Document(self._value(first), first.start_mark.line + 1, self._notes)

    def _value(self, event: Any) -> Any:
        """The value that starts with ``event``, whole. Iterative: depth costs memory here, never the C stack."""
        get: Any = self._parser.get_event
        stack = self._stack = []
        while True:
            kind = event.__class__
            if kind is yaml.ScalarEvent:
                if stack and event.tag is None and event.anchor is None and not stack[-1].is_watched:
                    event = self._plain_scalars(stack[-1], event)
                    continue
                self._note_span(event)
                value = self._scalar(event)
                if self._is_key(value, event):
                    event = get()
                    continue
                if self._watch is not None and stack and stack[-1].is_watched:
                    self._watch.scalar(self._path(), event)
            elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
                self._enter(event, {} if kind is yaml.MappingStartEvent else [])
                event = get()
                continue
            elif kind is yaml.AliasEvent:
                value = self._alias(event)
            else:
                value = self._leave()
            if not stack:
                return value
            self._put(value, event)
            event = get()

    def _plain_scalars(self, top: _OpenCollection, event: Any) -> Any:
        """Takes scalars without tag and anchor as keys, values and entries, and returns the event after them.

        Most of a text is such scalars, so this does at once what _scalar, _is_key and _put do one after another.
        """
        get: Any = self._parser.get_event
        inside, is_mapping = top.value, top.value.__class__ is dict
        note_start, note_end = self._note_start, self._note_end
        while event.__class__ is yaml.ScalarEvent and event.tag is None and event.anchor is None:
            if note_start is not None:
                marks: Any = event
                note_start(marks.start_mark.index)
                note_end(marks.end_mark.index)
            self._nodes += 1
            if self._nodes >= self._look_at:
                self._look(event)
            text: str = event.value
            if self._open:
                self._weight += 1 + len(text) // _CHARS_PER_WEIGHT
            if is_mapping and top.key is None:
                if text in inside or text == "<<":
                    self._start_key(top, text, event)
                else:
                    top.key = text
                event = get()
                continue
            value: Any = text
            if event.implicit[0]:
                value = plain_scalar(text)
                if value.__class__ is int and not _DECIMAL.fullmatch(text):
                    self._note_number(text, value)
            if not is_mapping:
                inside.append(value)
            elif top.merging:
                self._put(value, event)
            else:
                inside[top.key] = value
                top.key = None
            event = get()
        return event

    def _note_span(self, event: Any) -> None:
        if self._spans is not None:
            self._spans.starts.append(event.start_mark.index)
            self._spans.ends.append(event.end_mark.index)

    def _enter(self, event: Any, value: Any) -> None:
        if len(self._stack) <= _OBJECT_DEPTH and self._is_object():
            self._nodes_before = self._nodes
            self._look_at = 0
        self._count(event)
        line = event.start_mark.line + 1
        if len(self._stack) >= self._limits.max_depth:
            raise LoadError(f"nested deeper than {self._limits.max_depth} levels", line)
        if event.tag is not None and event.tag not in (_TAG + "map", _TAG + "seq", "!"):
            raise LoadError(_tag_message(event.tag), line, self._field())
        if self._stack and self._stack[-1].value.__class__ is dict and self._stack[-1].key is None:
            raise LoadError("a mapping key is itself a list or mapping" + _helm_hint(event), line)
        is_watched = False
        if self._watch is not None and (not self._stack or self._stack[-1].is_watched):
            is_watched = self._watch.value(self._path(), line)
        if event.anchor is not None:
            self._open.add(event.anchor)
        if self._spans is not None and (event.anchor is not None or event.tag is not None):
            self._spans.is_plain = False
        self._stack.append(_OpenCollection(value, event.anchor, self._weight, line, is_watched))

    def _is_object(self) -> bool:
        """Whether what starts here is an object: a document, or an entry of one that is a list or has ``items``."""
        stack = self._stack
        if not stack:
            return True
        return stack[-1].value.__class__ is list and (len(stack) == 1 or stack[0].key == "items")

    def _leave(self) -> Any:
        top = self._stack.pop()
        if top.merges:
            self._merge(top)
        if top.anchor is not None:
            self._open.discard(top.anchor)
            self._anchors[top.anchor] = (top.value, self._weight - top.weight_before + 1)
        return top.value

    def _merge(self, top: _OpenCollection) -> None:
        """``<<`` takes keys from other mappings; keys written out win, earlier mappings win over later ones."""
        for source in top.merges or ():
            for mapping in source if isinstance(source, list) else [source]:
                if not isinstance(mapping, dict):
                    raise LoadError("<< takes a mapping or a list of mappings", top.line)
                for key, value in mapping.items():
                    top.value.setdefault(key, value)

    def _is_key(self, value: Any, event: Any) -> bool:
        """Takes a scalar as the key where the open mapping waits for one."""
        if not self._stack:
            return False
        top = self._stack[-1]
        if top.value.__class__ is not dict or top.key is not None:
            return False
        self._start_key(top, event.value, event)
        return True

    def _start_key(self, top: _OpenCollection, key: str, event: Any) -> None:
        if key == "<<" and event.implicit[0]:
            top.key, top.merging = key, True
            if self._spans is not None:
                self._spans.is_plain = False
            return
        if key in top.value:
            top.key = key
            raise LoadError(
                f"the key {shortened(key)} is given twice. Keep one of them", event.start_mark.line + 1, self._field()
            )
        top.key = key
        if self._watch is not None and top.is_watched:
            self._watch.value(self._path(), event.start_mark.line + 1)

    def _put(self, value: Any, event: Any) -> None:
        top = self._stack[-1]
        if value.__class__ is int and event.__class__ is yaml.ScalarEvent and not _DECIMAL.fullmatch(event.value):
            self._note_number(event.value, value)
        if top.value.__class__ is list:
            top.value.append(value)
            return
        key = top.key
        if key is None:
            if not isinstance(value, str):
                raise LoadError("a mapping key is no text", event.start_mark.line + 1)
            self._start_key(top, value, event)
            return
        top.key = None
        if top.merging:
            top.merging = False
            top.merges = [*(top.merges or []), value]
        else:
            top.value[key] = value

    def _note_number(self, text: str, value: int) -> None:
        """Numbers in other bases are noted, but for file modes, which people write so."""
        path = self._path()
        field = path[-1] if path else ""
        if len(self._notes) < _MAX_NOTES and field not in _FILE_MODES:
            self._notes.append(
                (path, f"{shortened(text)} is read as the number {shortened(value)}. Write {shortened(value)}")
            )

    def _scalar(self, event: Any) -> Any:
        self._count(event)
        text: str = event.value
        self._weight += len(text) // _CHARS_PER_WEIGHT
        if self._spans is not None and (event.anchor is not None or event.tag is not None):
            self._spans.is_plain = False
        value: Any = text
        if event.tag is None or event.tag == "!":
            value = plain_scalar(text) if event.implicit[0] else text
        else:
            value = self._tagged(event.tag, event)
        if event.anchor is not None:
            self._anchors[event.anchor] = (value, 1 + len(text) // _CHARS_PER_WEIGHT)
        return value

    def _tagged(self, tag: str, event: Any) -> Any:
        if tag in (_TAG + "str", _TAG + "timestamp"):
            return event.value
        value = plain_scalar(event.value)
        fits = {_TAG + "int": int, _TAG + "bool": bool, _TAG + "null": type(None), _TAG + "float": (int, float)}.get(
            tag
        )
        if fits is not None and isinstance(value, fits):  # type: ignore[arg-type]
            return value
        raise LoadError(_tag_message(tag), event.start_mark.line + 1, self._field())

    def _alias(self, event: Any) -> Any:
        line = event.start_mark.line + 1
        if event.anchor in self._open:
            raise LoadError(
                f"the anchor {shortened(event.anchor)} contains itself. Write the value out", line, self._field()
            )
        if event.anchor not in self._anchors:
            raise LoadError(
                f"the alias *{shortened(event.anchor)} has no anchor. Quote the value if it is meant as text",
                line,
                self._field(),
            )
        if self._spans is not None:
            self._spans.is_plain = False
        value, weight = self._anchors[event.anchor]
        self._weight += weight
        self._alias_weight += weight
        if self._alias_weight > self._limits.max_alias_weight:
            raise LoadError("aliases expand to more than this program reads. Write the values out", line, self._field())
        return value

    def _count(self, event: Any) -> None:
        self._nodes += 1
        self._weight += 1
        if self._nodes >= self._look_at:
            self._look(event)

    def _look(self, event: Any) -> None:
        """Reports progress and checks the numbers of nodes; ``_look_at`` is the number at which that is due again."""
        if self._report_progress is not None and not self._nodes % _REPORT_EVERY:
            self._report_progress(event.start_mark.index / self._length)
        most, most_here = self._limits.max_yaml_nodes, self._limits.max_object_values
        if self._nodes > most:
            raise LoadError(
                f"more than {most} YAML nodes in one file. Split it, or use JSON",
                event.start_mark.line + 1,
            )
        if self._nodes - self._nodes_before > most_here:
            raise LoadError(too_large(most_here), event.start_mark.line + 1, self._field())
        report = self._nodes // _REPORT_EVERY * _REPORT_EVERY + _REPORT_EVERY
        self._look_at = min(report, most + 1, self._nodes_before + most_here + 1)

    def _path(self) -> Path:
        parts: list[str | int] = []
        for top in self._stack:
            if top.value.__class__ is list:
                parts.append(len(top.value))
            elif top.key is not None:
                parts.append(top.key)
        return tuple(parts)

    def _field(self) -> str:
        return path_text(self._path())


def too_large(most: int) -> str:
    """What is said of an object with more values than are read."""
    return f"one object holds more than {most:,} keys and values. No API server takes one so large: leave it out"


def _tag_message(tag: str) -> str:
    shown = tag.replace(_TAG, "!!")
    return f"the YAML tag {shortened(shown)} is not accepted. Write the value without a tag"


def _helm_hint(event: Any) -> str:
    if getattr(event, "flow_style", False):
        return ". If the file has {{ }} in it, it is a template: render it first (helm template)"
    return ""


def _flat(text: str) -> str:
    return " ".join(text.split())


def _syntax(problem: yaml.MarkedYAMLError) -> tuple[str, int | None]:
    """The message and the line of a syntax error."""
    mark = problem.problem_mark or problem.context_mark
    what = _flat(problem.problem or str(problem))
    if "cannot start any token" in what or "tab" in what:
        what += ". YAML is indented with blanks, not tab characters"
    context = f" ({_flat(problem.context)})" if problem.context else ""
    return f"this is no YAML: {what}{context}", mark.line + 1 if mark else None
