"""The answer to a paste as lines of text."""

from __future__ import annotations

from collections.abc import Iterator

from scheduler_core.explain.messages.model import ExplainedMessages, MessagePart, ReadMessage
from scheduler_core.explain.messages.sources import MessageEvent
from scheduler_core.explain.outcomes.texts import listed, plural

_MOST_PARTS = 200
NONE = "there is no message of failed scheduling in this text"


def message_lines(answer: ExplainedMessages) -> Iterator[str]:
    """Message by message, then what is left open and what to fetch."""
    for message in answer.messages:
        yield from _message(message)
        yield ""
    if not answer.messages:
        yield NONE
    if answer.passed_over:
        yield f"{plural(answer.passed_over, 'line')} without such a message passed over"
    if answer.is_longer:
        yield "the text is longer than what is read of it"
    if answer.not_told:
        yield "Cannot be known from the text"
        yield from (f"  {note.text}" for note in answer.not_told)
    if answer.fetch:
        yield "Fetch next"
        for command in answer.fetch:
            yield f"  {command.why}"
            yield f"    {command.command}"


def _message(message: ReadMessage) -> Iterator[str]:
    nodes = f"{plural(message.nodes, 'node')} looked at, none free for the pod" if message.nodes is not None else ""
    about = [text for text in (nodes, _event(message.event)) if text]
    yield f"line {message.line}: {'; '.join(about)}" if about else f"line {message.line}"
    for part in message.parts[:_MOST_PARTS]:
        yield from _part(part, several_lines=any(other.line != message.line for other in message.parts))
    if len(message.parts) > _MOST_PARTS:
        yield f"  and {plural(len(message.parts) - _MOST_PARTS, 'part')} more"
    for note in message.inferred:
        yield f"  {note.text}"


def _event(event: MessageEvent | None) -> str:
    if event is None:
        return ""
    name = "/".join(part for part in (event.namespace, event.object.partition("/")[2]) if part)
    times = f"{event.count:,} times" if event.count > 1 else ""
    said_by = f"from {event.source}" if event.source else ""
    return ", ".join(text for text in (name, event.age, times, said_by) if text)


def _part(part: MessagePart, *, several_lines: bool) -> Iterator[str]:
    where = f"line {part.line}, column {part.column}" if several_lines else f"column {part.column}"
    yield f"  {where}: {'' if part.count is None else f'{part.count:,} '}{part.text}"
    if part.says:
        yield f"    {part.says}"
    by = ", ".join(text for text in (part.plugin, f"{part.actor} can act" if part.actor else "") if text)
    if part.codes:
        yield f"    {listed(part.codes)}{f' ({by})' if by else ''}"
    if part.hides:
        yield f"    may hide {listed(part.hides, 'and')}"
