"""The event at a cursor as a sentence, with its cause."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.debugger.events.sentences import EventSentence, number_of, seq_of, words_of
from dashboard.runs.storage import recordings
from scheduler_core.recording.events import ObjectChanged

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dashboard.runs.models import Run
    from scheduler_core.recording.events import AnyEvent
    from scheduler_core.recording.reader import RecordingReader

NOT_RECORDED = "cause not recorded"


@dataclass(frozen=True, slots=True)
class CauseWords:
    """The cause of an event: the number of another event, or None if no event caused it."""

    text: str
    number: int | None = None


@dataclass(frozen=True, slots=True)
class EventLine:
    """Event `number` at virtual time `at` (microseconds), with its cause."""

    number: int
    at: int
    sentence: EventSentence
    cause: CauseWords


def event_line(run: Run, cursor_seq: int) -> EventLine | None:
    """Return the last event before the cursor, None at the start of the run.

    Raises RecordingError if the recording cannot be read.
    """
    if cursor_seq <= 0:
        return None
    return recordings.read(run.pk, lambda reader: line_of(reader, seq_of(cursor_seq)), run.head)


def causes_of(run: Run, seqs: Iterable[int]) -> dict[int, CauseWords]:
    """Return the cause of each event of the run by its seq; raises RecordingError for what cannot be read."""
    in_order = sorted(set(seqs))
    return recordings.read(run.pk, lambda reader: {seq: line_of(reader, seq).cause for seq in in_order}, run.head)


def has_causes(run: Run) -> bool:
    """Return whether the run's recording has the causes of events, as from format 3 on."""
    return recordings.read(run.pk, lambda reader: not reader.head_seq() or reader.cause(0) is not None)


def line_of(reader: RecordingReader, seq: int) -> EventLine:
    """Return the event of that seq in words; raises RecordingError where there is none."""
    event = reader.event(seq)
    sentence = words_of(event)
    return EventLine(number_of(seq), event.at, sentence, cause_words(reader, event, sentence, reader.cause(seq)))


def cause_words(reader: RecordingReader, event: AnyEvent, effect_words: EventSentence, cause: int | None) -> CauseWords:
    """Return the cause of an event in a few words; `cause` is as `RecordingReader.causes` gives it."""
    if cause is None:
        return CauseWords(NOT_RECORDED)
    if cause >= 0:
        return CauseWords(words_of(reader.event(cause)).brief_for(effect_words), number_of(cause))
    return CauseWords(origin_words(event))


def origin_words(event: AnyEvent) -> str:
    """Return the origin of an event that no other event caused."""
    if isinstance(event, ObjectChanged):
        if event.entry is not None:
            return f"timeline, entry {event.entry + 1:,}"
        if event.change is not None:
            return f"change {event.change + 1:,} of the run"
        return "input"
    return "start of the run"
