"""Finds messages of failed scheduling in what somebody pastes: a message, lines of events, a pod as YAML or JSON.

Lines of ``kubectl get events`` and ``kubectl describe pod`` have the message in their widest column; other lines are
searched for the form of a message. A message goes on in the next lines until it has its end, as in folded YAML. Lines
that begin none are passed over, unless there is nothing else and little of it: then that is taken for a message.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

import msgspec

from scheduler_core.explain.messages.parsing import HEADER, MAX_MESSAGE
from scheduler_core.explain.messages.table import TEXTS

MAX_INPUT = 1 << 20
"""Characters of a paste that are read."""
MAX_MESSAGES = 100
_MOST_UNCERTAIN = 3
"""At most this many texts of no known form are taken for messages, if the paste has nothing else."""
_MAX_LINES = 20_000
_COLUMN = re.compile(r"\S+(?: \S+)*")
_TYPES = ("Normal", "Warning")
_REASONS = ("FailedScheduling", "FailedCreate", "SchedulingGated", "Unschedulable")
"""Reasons of events whose messages say why a pod has no node, or was not made."""
_OBJECT = re.compile(r"[a-z.]+/\S+")
_TIMES = re.compile(r"\(x(\d+) over [^)]*\)")
_KEY = re.compile(r"""\s*(?:- )?"?(?:message|note)"?: ?(["']?)""")
_PADDING = "   "
_ESCAPES = {"n": " ", "t": " ", "r": " "}


class MessageEvent(msgspec.Struct, frozen=True, kw_only=True):
    """The event that a message is from: the object (kind/name), its namespace, how long ago, how often, who says it;
    "" for what its line does not have."""

    object: str = ""
    namespace: str = ""
    age: str = ""
    count: int = 1
    source: str = ""


class PastedMessage(msgspec.Struct):
    """A message as one line of text. ``runs``: (offset in the text, line, column) where characters that follow each
    other in the text do so in the paste as well, from there on; lines and columns from 1."""

    event: MessageEvent | None = None
    quote: str = ""
    is_certain: bool = True
    characters: list[str] = msgspec.field(default_factory=list)
    runs: list[tuple[int, int, int]] = msgspec.field(default_factory=list)

    @property
    def text(self) -> str:
        """The message, with single spaces."""
        return "".join(self.characters).rstrip(" ")

    def place(self, offset: int) -> tuple[int, int]:
        """The line and column of a character of the text."""
        i = bisect_right(self.runs, offset, key=lambda run: run[0]) - 1
        if i < 0:
            return 1, 1
        start, line, column = self.runs[i]
        return line, column + offset - start

    @property
    def goes_on(self) -> bool:
        """Whether the next line may belong to it."""
        return bool(self.quote) or self.characters[-1:] != ["."]

    def add(self, line: str, number: int, start: int, end: int) -> None:
        """Put in what stands in a line; a quotation mark that closes ends it for good."""
        i, expected = start, -1
        if self.characters and self.characters[-1] != " ":
            self.characters.append(" ")
        while i < end and len(self.characters) < MAX_MESSAGE:
            shown, taken = _character(line, i, self.quote)
            if shown is None:
                self.quote = ""
                return
            if shown != " " or self.characters[-1:] != [" "]:
                if i != expected:
                    self.runs.append((len(self.characters), number, i + 1))
                self.characters.append(shown)
                expected = i + 1
            i += taken


class Paste(msgspec.Struct, frozen=True):
    """The messages in the order of the paste; how many lines were passed over; whether the paste has more than is
    read."""

    messages: tuple[PastedMessage, ...]
    passed_over: int = 0
    is_longer: bool = False


def messages_in(text: str) -> Paste:
    """All messages of a paste."""
    lines = text[:MAX_INPUT].split("\n")
    begun_ones: list[PastedMessage] = []
    open_one: PastedMessage | None = None
    for number, line in enumerate(lines[:_MAX_LINES], start=1):
        goes_on = open_one is not None and open_one.goes_on
        begun = _begin(line, number, may_go_on=goes_on)
        if begun is not None:
            begun_ones.append(begun)
            open_one = begun
        elif open_one is not None and goes_on and line.strip() and _columns_of_event(line) is None:
            open_one.add(line, number, len(line) - len(line.lstrip()), len(line))
        else:
            open_one = None
    certain = [one for one in begun_ones if one.is_certain or TEXTS.find(one.text.rstrip(". ")) is not None]
    chosen = certain or (begun_ones if len(begun_ones) <= _MOST_UNCERTAIN else [])
    messages = tuple([one for one in chosen if one.characters][:MAX_MESSAGES])
    used = {line for one in messages for _, line, _ in one.runs}
    passed_over = sum(bool(line.strip()) for number, line in enumerate(lines, start=1) if number not in used)
    return Paste(messages, passed_over, len(text) > MAX_INPUT or len(lines) > _MAX_LINES)


def _begin(line: str, number: int, *, may_go_on: bool) -> PastedMessage | None:
    """The message that begins in a line, with what the line has of it; None where none does."""
    columns = _columns_of_event(line)
    if columns is not None:
        return _of_event(line, number, columns)
    key = _KEY.match(line)
    if key is not None and not (
        HEADER.match(line, key.end()) or TEXTS.find(line[key.end() : MAX_MESSAGE].rstrip(" .,\"'"))
    ):
        return None
    header = HEADER.search(line)
    if key is None and header is None and (may_go_on or not line.strip()):
        return None
    if key is None and header is not None and may_go_on and line[: header.start()].strip().endswith("preemption:"):
        return None
    start = key.end() if key else header.start() if header else len(line) - len(line.lstrip())
    message = PastedMessage(quote=key[1] if key else "", is_certain=bool(key or header))
    message.add(line, number, start, len(line))
    return message


def _columns_of_event(line: str) -> tuple[int, Sequence[re.Match[str]]] | None:
    """(which column holds the type, the columns) of a line that kubectl prints of an event."""
    if "Warning" not in line and "Normal" not in line:
        return None
    columns = list(_COLUMN.finditer(line))
    for i, column in enumerate(columns[:4]):
        if column[0] in _TYPES and i + 2 < len(columns):
            return i, columns
    return None


def _of_event(line: str, number: int, event: tuple[int, Sequence[re.Match[str]]]) -> PastedMessage | None:
    kind, columns = event
    if columns[kind + 1][0] not in _REASONS:
        return None
    said = max(columns[kind + 2 :], key=lambda column: (HEADER.match(column[0]) is not None, len(column[0])))
    before = [column[0] for column in columns if column.start() < said.start()]
    message = PastedMessage(event=_event(kind, before))
    end = line.find(_PADDING, said.end())
    message.add(line, number, said.start(), len(line) if end < 0 else end)
    return message


def _event(kind: int, before: Sequence[str]) -> MessageEvent:
    """From the columns before the message: NAMESPACE, LAST SEEN, TYPE, REASON, OBJECT of ``kubectl get events``, or
    TYPE, REASON, AGE, FROM of ``kubectl describe``."""
    rest = before[kind + 2 :]
    if rest and _OBJECT.fullmatch(rest[0]):
        namespace = before[0] if kind > 1 else ""
        return MessageEvent(object=rest[0], namespace=namespace, age=before[kind - 1] if kind else "")
    age, source = (*rest, "", "")[:2]
    times = _TIMES.search(age)
    return MessageEvent(age=age, count=int(times[1]) if times and len(times[1]) < 10 else 1, source=source)


def _character(line: str, i: int, quote: str) -> tuple[str | None, int]:
    """(the character that stands at a place, how many it is written with); None where the quotation ends."""
    character = line[i]
    if quote == '"' and character == "\\" and i + 1 < len(line):
        return _ESCAPES.get(line[i + 1], line[i + 1]), 2
    if quote and character == quote:
        return ("'", 2) if quote == "'" and line[i + 1 : i + 2] == "'" else (None, 1)
    return (" ", 1) if character.isspace() else (character, 1)
