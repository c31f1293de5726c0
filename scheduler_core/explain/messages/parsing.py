"""Takes a message of failed scheduling apart: parts with their counts, and where in the message each begins.

The form is that of framework/types.go FitError: ``0/N nodes are available: COUNT REASON, ... . PostFilter's message``.
In place of counts PreFilter's reason may stand, which is about the pod as a whole. Messages of other forms (gates,
errors, bindings) are one part, or several with commas between them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import msgspec

from scheduler_core.explain.messages.table import TEXTS
from scheduler_core.explain.messages.texts import ELSEWHERE, NODES, POD, POST_FILTER, PREEMPTION, TextMatch

MAX_MESSAGE = 32_768
"""Characters of a message that are read: more does not fit a condition (apimachinery's schema of Condition)."""
_MAX_PIECES = 1_000
HEADER = re.compile(r"0/(\d{1,7}) nodes are available:?\s*")
_ENTRY = re.compile(r"(?:^|, )(\d{1,7}) (?=\S)")
_BY_COMMAS = re.compile(r"[^, ](?:[^,]|,(?! ))*")
_PREEMPTION = "preemption: "
_POST_FILTERS = tuple(row.text for row in TEXTS.rows if row.place == POST_FILTER)
_OPENINGS = re.compile(r"(?:\(combined from similar events\): )?(?:Error creating: )?")
"""What controllers put before what the API server says."""
_CUT = " ..."
"""What kube-scheduler puts at the end of a note that is longer than an event may hold."""


class MessagePiece(msgspec.Struct, frozen=True):
    """A part of a message: ``start`` is its place in the message, ``count`` None where it counts no nodes."""

    start: int
    text: str
    place: str
    count: int | None = None

    @property
    def match(self) -> TextMatch | None:
        """Its row in the table of texts, None where the text is not one of kube-scheduler's."""
        return TEXTS.find(self.text) or TEXTS.find(self.text.rstrip(". "))


class MessagePieces(msgspec.Struct, frozen=True):
    """A message's parts in their order; ``nodes`` counted in all, None where it counts none. ``is_cut``: it does not
    end as messages do."""

    pieces: tuple[MessagePiece, ...]
    nodes: int | None = None
    is_cut: bool = False


class ParsedMessage(msgspec.Struct, frozen=True, kw_only=True):
    """``nodes`` counted in all. ``reasons`` {reason as it was written: nodes}; ``whole`` is the reason that counts for
    the pod as a whole instead (PreFilter's). ``preempting``: the same of preemption, None where nothing is said of it;
    ``ineligible``: what is said instead of counts."""

    nodes: int
    reasons: Mapping[str, int] = {}
    whole: str = ""
    preempting: Mapping[str, int] | None = None
    ineligible: str = ""


def split_message(text: str) -> MessagePieces:
    """The parts of a message in one line, of which at most MAX_MESSAGE characters are read."""
    text = text[:MAX_MESSAGE]
    is_noted_cut = text.endswith(_CUT)
    text = text.removesuffix(_CUT)
    header = HEADER.match(text)
    if header is None:
        return MessagePieces(tuple(_without_header(text)), is_cut=is_noted_cut)
    end, rest = _end_of_filters(text, header.end())
    pieces = [*_counted(text, header.end(), end, NODES), *_of_post_filter(text, rest)]
    return MessagePieces(tuple(pieces), int(header[1]), is_noted_cut or _is_open(text, pieces))


def parse_message(text: str) -> ParsedMessage | None:
    """The message's parts by what they say; None where it does not count nodes."""
    text = " ".join(text[:MAX_MESSAGE].split())
    parsed = split_message(text)
    if parsed.nodes is None:
        return None
    said = [piece for piece in parsed.pieces if piece.place == PREEMPTION]
    return ParsedMessage(
        nodes=parsed.nodes,
        reasons=_counts(piece for piece in parsed.pieces if piece.place == NODES),
        whole=next((piece.text for piece in parsed.pieces if piece.place == POD), ""),
        preempting=_counts(said) if _PREEMPTION in text else None,
        ineligible=next((piece.text.rstrip(". ") for piece in said if piece.count is None), ""),
    )


def _end_of_filters(text: str, start: int) -> tuple[int, int]:
    """(end of what filters said, without its full stop; where PostFilter's message begins). A reason may hold a full
    stop, so the first one before a text of PostFilter counts, if there is one."""
    if text.startswith((_PREEMPTION, *_POST_FILTERS), start):
        return start, start
    stops = [match.start() for match in re.finditer(r"\. ", text[start:])][:_MAX_PIECES]
    starts = (at for at in stops if text.startswith((_PREEMPTION, *_POST_FILTERS), start + at + 2))
    at = next(starts, stops[0] if stops else None)
    return (len(text), len(text)) if at is None else (start + at, start + at + 2)


def _counted(text: str, start: int, end: int, place: str) -> Iterator[MessagePiece]:
    """Entries "COUNT REASON", which are separated by commas, as some reasons' parts are too; else one text about the
    pod or about preemption as a whole."""
    body = text[start:end].rstrip(". ")
    entries = list(_ENTRY.finditer(body))[:_MAX_PIECES]
    if not entries or entries[0].start() != 0:
        if body:
            yield MessagePiece(start, body, POD if place == NODES else place)
        return
    ends = [entry.start() for entry in entries[1:]] + [len(body)]
    for entry, until in zip(entries, ends, strict=True):
        yield MessagePiece(start + entry.start(1), body[entry.end() : until].strip(), place, int(entry[1]))


def _of_post_filter(text: str, start: int) -> Iterator[MessagePiece]:
    """What PostFilter plugins say, with commas between them; preemption is the last one."""
    at = text.find(_PREEMPTION, start)
    yield from _by_commas(text, start, len(text) if at < 0 else at, POST_FILTER)
    if at < 0:
        return
    said = at + len(_PREEMPTION)
    header = HEADER.match(text, said)
    if header is not None:
        yield from _counted(text, header.end(), len(text), PREEMPTION)
    elif text[said:].strip(". "):
        yield MessagePiece(said, text[said:].rstrip(), PREEMPTION)


def _without_header(text: str) -> Iterator[MessagePiece]:
    if _PREEMPTION in text:
        yield from _of_post_filter(text, 0)
    else:
        opening = _OPENINGS.match(text)
        yield from _by_commas(text, opening.end() if opening else 0, len(text), ELSEWHERE)


def _by_commas(text: str, start: int, end: int, place: str) -> Iterator[MessagePiece]:
    """One part, or several with commas between them where that is what makes each of them known."""
    said = text[start:end].rstrip(", ")
    whole = MessagePiece(start, said, place)
    parts = [MessagePiece(start + match.start(), match[0], place) for match in _BY_COMMAS.finditer(said)]
    if whole.match is None and 1 < len(parts) <= _MAX_PIECES and all(part.match for part in parts):
        yield from parts
    elif said.strip(". "):
        yield whole


def _is_open(text: str, pieces: list[MessagePiece]) -> bool:
    """Whether the message lacks the end that it should have: a full stop, or a text that stands alone."""
    if text.rstrip().endswith("."):
        return False
    last = pieces[-1] if pieces else None
    return last is None or last.count is not None or last.place == POD or last.match is None


def _counts(pieces: Iterator[MessagePiece] | list[MessagePiece]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for piece in pieces:
        if piece.count is not None:
            counts[piece.text] = counts.get(piece.text, 0) + piece.count
    return counts
