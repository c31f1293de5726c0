"""Lines of fields: the text is parsed once more, and only where a finding needs a line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, NamedTuple

from scheduler_core.manifests.model import Limits, LoadError, Path
from scheduler_core.manifests.parsing.json_lists import JsonList
from scheduler_core.manifests.parsing.yaml_events import Reader, TextWatch

_BLANK = re.compile(r"[ \t\r\n]*")
_Trie = dict[Any, Any]


class ObjectPosition(NamedTuple):
    """Where an object stands: indexes of its source and document, its path in the document, the document's line."""

    source: int
    document: int
    path: Path
    line: int | None
    label: str = ""


class Positions:
    """Finds lines in one text; without a text no line is known."""

    def __init__(self, text: str | None, limits: Limits) -> None:
        self._text = text
        self._limits = limits

    def line(self, origin: ObjectPosition, path: Path) -> int | None:
        """The line of one field."""
        return self.lines([(origin, path)])[0]

    def lines(self, fields: Sequence[tuple[ObjectPosition, Path]]) -> list[int | None]:
        """The line of each field, or of the nearest thing around it that exists."""
        if self._text is None or not fields:
            return [None] * len(fields)
        paths = [(origin.document, origin.path + path) for origin, path in fields]
        lines = self._find_lines(paths)
        return [_nearest(lines, document, path) for document, path in paths]

    def _find_lines(self, paths: list[tuple[int, Path]]) -> dict[tuple[int, Path], int]:
        text = self._text or ""
        if text.lstrip()[:1] in ("{", "["):
            try:
                return _JsonLines(text).find(paths)
            except (ValueError, IndexError, StopIteration, RecursionError):
                pass  # flow style YAML also starts with a bracket
        watch = TextWatch(paths)
        try:
            for number, _ in enumerate(Reader(text, self._limits, watch).documents()):
                if number >= watch.last:
                    break
        except LoadError:
            pass  # reported by the first reading; what was seen up to there counts
        return watch.lines


def _nearest(lines: dict[tuple[int, Path], int], document: int, path: Path) -> int | None:
    for length in range(len(path), -1, -1):
        line = lines.get((document, path[:length]))
        if line is not None:
            return line
    return None


class ListPositions:
    """Finds lines in a JSON list of which only some entries are looked at; ``whole`` finds what lies elsewhere."""

    def __init__(self, json_list: JsonList, whole: Callable[[], Positions]) -> None:
        self._list = json_list
        self._whole = whole

    def lines(self, fields: Sequence[tuple[ObjectPosition, Path]]) -> list[int | None]:
        """The line of each field, or of the nearest thing around it that exists."""
        paths = [origin.path + path for origin, path in fields]
        if not all(_is_inside(path) or not path for path in paths):
            return self._whole().lines(fields)
        starts = self._list.entry_lines({int(path[1]) for path in paths if path})
        by_entry: dict[int, list[Path]] = {}
        for path in paths:
            if path:
                by_entry.setdefault(int(path[1]), []).append(path[2:])
        inner = {
            (index, path): starts[index] + line - 1
            for index, inside in by_entry.items()
            for path, line in self._inner(index, inside)
        }
        return [inner[int(path[1]), path[2:]] if path else self._list.line() for path in paths]

    def _inner(self, index: int, paths: list[Path]) -> Iterator[tuple[Path, int]]:
        """The lines in the entry, counted from 1."""
        lines = _JsonLines(str(self._list.entries[index], "utf-8")).find([(0, path) for path in paths])
        for path in paths:
            yield path, _nearest(lines, 0, path) or 1


def _is_inside(path: Path) -> bool:
    return len(path) > 1 and path[0] == "items" and path[1].__class__ is int


class _AllSeen(Exception):
    """The last wanted part was found."""


class _JsonLines:
    """Walks JSON to the wanted paths; everything else is skipped by the decoder's C scanner."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._scan = json.JSONDecoder().scan_once  # type: ignore[attr-defined]
        self._at: dict[tuple[int, Path], int] = {}
        self._document = 0

    def find(self, paths: list[tuple[int, Path]]) -> dict[tuple[int, Path], int]:
        """The line of each wanted path that exists and of what is around it."""
        tries: dict[int, _Trie] = {}
        for document, path in paths:
            node = tries.setdefault(document, {})
            for part in path:
                node = node.setdefault(part, {})
        at = self._skip(0)
        for number in range(max(tries) + 1):
            if at >= len(self._text):
                break
            self._document = number
            if number in tries:
                self._at[number, ()] = at
                try:
                    at = self._walk(at, tries[number], (), number == max(tries))
                except _AllSeen:
                    break
            else:
                at = self._scan(self._text, at)[1]
            at = self._skip(at)
        return self._lines()

    def _lines(self) -> dict[tuple[int, Path], int]:
        out: dict[tuple[int, Path], int] = {}
        line, counted = 1, 0
        for key, at in sorted(self._at.items(), key=lambda entry: entry[1]):
            line += self._text.count("\n", counted, at)
            counted = at
            out[key] = line
        return out

    def _skip(self, at: int) -> int:
        match = _BLANK.match(self._text, at)
        return match.end() if match else at

    def _walk(self, at: int, trie: _Trie, path: Path, last: bool) -> int:
        """The end of the value at ``at``; notes the wanted parts of it. As deep as the wanted paths, no deeper.

        ``last`` says that nothing after this value is wanted: then the walk ends (_Found) with its last wanted part.
        """
        if not trie or self._text[at] not in "{[":
            end: int = self._scan(self._text, at)[1]
            return end
        closing = "}" if self._text[at] == "{" else "]"
        is_object = closing == "}"
        at, index, left = self._skip(at + 1), 0, len(trie)
        while self._text[at] != closing:
            start = at
            part: str | int = index
            if is_object:
                part, at = scanstring(self._text, at + 1, True)
                at = self._skip(self._skip(at) + 1)
            inner = trie.get(part)
            if inner is not None:
                self._at.setdefault((self._document, (*path, part)), start)
                left -= 1
                if last and not left and not inner:
                    raise _AllSeen
            at = self._skip(self._walk(at, inner or {}, (*path, part), last and not left))
            index += 1
            if self._text[at] == ",":
                at = self._skip(at + 1)
        return at + 1
