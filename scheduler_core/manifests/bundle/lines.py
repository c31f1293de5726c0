"""The lines of a bundle's files: looked at once when the bundle is opened, decoded on demand after that."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any, Generic, TypeVar, overload

import msgspec

from scheduler_core.manifests.bundle.folding import name_of
from scheduler_core.manifests.bundle.model import Change, ListedObject
from scheduler_core.manifests.bundle.packed import FileData
from scheduler_core.manifests.model import LoadError, printable

Line = TypeVar("Line", ListedObject, Change)
_CHUNK = 1 << 20
LATEST = 253_402_300_799.0
"""9999-12-31T23:59:59Z."""
_LONGEST_VERSION = 20
"""Digits of a resourceVersion that is a number: a revision of etcd has 64 bits."""


class TextLines:
    """The lines of a file; what is left after the last line break is a line where ``is_cut`` is False."""

    def __init__(self, name: str, file: FileData, max_line: int) -> None:
        self.name, self.is_cut = name, file.is_cut
        content = bytes(file.content)
        self._data = memoryview(content)
        self._ends, self._starts, at = array("Q"), array("Q"), 0
        _check_text(name, self._data)
        while at < len(content):
            end = content.find(b"\n", at)
            stop = len(content) if end < 0 else end
            if stop - at > max_line:
                raise LoadError(f"the line is longer than {max_line >> 20} MiB", len(self._ends) + 1, name)
            self._starts.append(at)
            self._ends.append(stop)
            at = stop + 1
        self.ends_whole = not content or content.endswith(b"\n")

    def __len__(self) -> int:
        return len(self._ends)

    def line(self, index: int) -> memoryview:
        """The line of this index, counted from 0, without its end."""
        return self._data[self._starts[index] : self._ends[index]]

    def drop_last(self) -> None:
        """Forget the last line, which is not whole."""
        self._starts.pop()
        self._ends.pop()


def _check_text(name: str, data: memoryview) -> None:
    """Refuse what is no UTF-8; the part of a character at the end is that of a cut."""
    decoder, at = getincrementaldecoder("utf-8")(), 0
    try:
        for at in range(0, len(data), _CHUNK):
            decoder.decode(data[at : at + _CHUNK])
    except UnicodeDecodeError as problem:
        line = bytes(data[: at + max(0, problem.start)]).count(b"\n") + 1
        raise LoadError("this is no UTF-8 text", line, name) from None


class JsonLines(Generic[Line]):
    """Lines of one type. ``cut`` says that the last one was left out as it is not whole, "" where all are;
    ``last_at``: the latest moment of a line, 0 without lines."""

    def __init__(self, lines: TextLines, of: type[Line], most: int) -> None:
        self.lines, self.cut, self.last_at = lines, "", 0.0
        self._decode: Callable[[memoryview], Line] = msgspec.json.Decoder(of).decode
        if len(lines) > most:
            raise LoadError(f"{len(lines):,} lines are more than the {most:,} allowed", most + 1, lines.name)
        for index in range(len(lines)):
            line = self._checked(index)
            if line is None:
                break
            self.last_at = max(self.last_at, line.t)
            self._note(line)

    def _note(self, line: Line) -> None:
        """Take in a line that was looked at."""

    def _checked(self, index: int) -> Line | None:
        """The line, None where it is the last one and not whole. Raises LoadError."""
        is_last = index == len(self.lines) - 1
        try:
            line = self.decoded(index)
        except LoadError as problem:
            if not is_last or self.lines.ends_whole:
                raise
            self.lines.drop_last()
            self.cut = f"{self.lines.name} is cut off in line {problem.line}: what came after that is missing"
            return None
        return line

    def decoded(self, index: int) -> Line:
        """The line of this index in the file. Raises LoadError, which names file and line."""
        number, name = index + 1, self.lines.name
        try:
            line = self._decode(self.lines.line(index))
            called = name_of(line.object)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as problem:
            raise LoadError(f"this is no line of a bundle: {printable(str(problem))}", number, name) from None
        if not called.kind or not called.name:
            raise LoadError("object: kind and metadata.name are needed", number, name)
        if not 0 <= line.t <= LATEST:
            raise LoadError("t: the time lies outside of the years 1970 to 9999", number, name)
        return line

    def __len__(self) -> int:
        return len(self.lines)

    def __iter__(self) -> Iterator[Line]:
        return (self.decoded(index) for index in range(len(self)))


class ChangeLines(JsonLines[Change], Sequence[Change]):
    """Changes in their order: by resourceVersion where that is a number, as lines of several kinds are interleaved by
    their receipt. A change without one, and a deletion that was noticed by listing again (its version is that of the
    object's last change), stays after what was received before it."""

    def __init__(self, lines: TextLines, most: int) -> None:
        self._versions, self._times = array("Q"), array("d")
        self._newest = 0
        super().__init__(lines, Change, most)
        versions = self._versions
        self._order = array("Q", sorted(range(len(versions)), key=versions.__getitem__))

    @property
    def versions(self) -> list[int]:
        """The resourceVersion of each change in their order, never falling; 0 before the first that is a number."""
        return [self._versions[index] for index in self._order]

    def received(self, at: int) -> float:
        """The moment at which the change of a position was received."""
        return self._times[self._order[at]]

    def position_at(self, t: float) -> int:
        """The position of the first change that was received at this moment or later."""
        return bisect_left(self._receipts, t)

    @cached_property
    def _receipts(self) -> list[float]:
        """The latest receipt up to each change, in their order."""
        return list(accumulate((self._times[index] for index in self._order), max))

    def _note(self, line: Change) -> None:
        self._times.append(line.t)
        version = line.rv
        is_number = version.isascii() and version.isdigit() and len(version) < _LONGEST_VERSION
        if is_number and not (line.relisted and line.type == "DELETED"):
            self._versions.append(int(version))
            self._newest = max(self._newest, int(version))
        else:
            self._versions.append(self._newest)

    @overload
    def __getitem__(self, at: int) -> Change: ...
    @overload
    def __getitem__(self, at: slice) -> list[Change]: ...
    def __getitem__(self, at: int | slice) -> Any:
        if isinstance(at, slice):
            return [self.decoded(index) for index in self._order[at]]
        return self.decoded(self._order[at])

    def __iter__(self) -> Iterator[Change]:
        return (self.decoded(index) for index in self._order)

    def line_number(self, at: int) -> int:
        """The number of the line that holds a change, counted from 1."""
        return self._order[at] + 1
