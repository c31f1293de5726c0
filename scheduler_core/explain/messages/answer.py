"""Explains messages of failed scheduling from their texts alone: no cluster is known, so no node is named."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from scheduler_core.explain.messages.fetching import commands_for
from scheduler_core.explain.messages.inferring import infer, left_open
from scheduler_core.explain.messages.model import ExplainedMessages, MessagePart, ReadMessage, SaidOfPreemption
from scheduler_core.explain.messages.parsing import MessagePiece, split_message
from scheduler_core.explain.messages.sources import PastedMessage, messages_in
from scheduler_core.explain.messages.table import NO_VICTIMS, NOT_HELPFUL
from scheduler_core.explain.messages.texts import NODES, PREEMPTION
from scheduler_core.explain.outcomes.texts import listed, plural
from scheduler_core.framework.contracts.plugin import FilterPlugin
from scheduler_core.profiles.defaults import DEFAULT_MULTI_POINT
from scheduler_core.profiles.obstacle_kinds import find_kind
from scheduler_core.profiles.registry import in_tree


def explain_messages(paste: str) -> ExplainedMessages:
    """What the messages of a paste say, what they do not, and what to fetch next."""
    pasted = messages_in(paste)
    messages = tuple(_read(message) for message in pasted.messages)
    return ExplainedMessages(
        messages=messages,
        not_told=left_open(messages),
        fetch=commands_for(messages),
        passed_over=pasted.passed_over,
        is_longer=pasted.is_longer,
    )


def _read(pasted: PastedMessage) -> ReadMessage:
    read = split_message(pasted.text)
    parts = tuple(_part(pasted, piece, read.nodes) for piece in read.pieces)
    rows = [piece.match.row for piece in read.pieces if piece.match is not None]
    preemption = _preemption(parts)
    counted = sum(part.count or 0 for part in parts if part.place == NODES)
    message = ReadMessage(
        line=pasted.place(0)[0],
        parts=parts,
        nodes=read.nodes,
        counted=counted,
        is_cut=read.is_cut,
        event=pasted.event,
        preemption=preemption,
    )
    return infer(message, rows)


def _part(pasted: PastedMessage, piece: MessagePiece, nodes: int | None) -> MessagePart:
    line, column = pasted.place(piece.start)
    match = piece.match
    if match is None:
        of = f"{_nodes(piece.count, nodes)}: " if piece.count is not None else ""
        return MessagePart(
            line=line,
            column=column,
            text=piece.text,
            place=piece.place,
            count=piece.count,
            actor="other",
            is_known=False,
            says=f"{of}not a text of kube-scheduler; an extender or a plugin from outside may say it",
        )
    return MessagePart(
        line=line,
        column=column,
        text=piece.text,
        place=piece.place,
        count=piece.count,
        codes=match.codes,
        plugin=match.plugin,
        actor=find_kind(match.codes[0]).actor if match.codes else "",
        versions=match.row.versions,
        says=_says(piece, match.codes, nodes),
        hides=_later_filters(match.plugin) if piece.place == NODES else (),
    )


def _says(piece: MessagePiece, codes: Sequence[str], nodes: int | None) -> str:
    """ "3 of 7 nodes: too little cpu is free, or ..." """
    means = ", or ".join(find_kind(code).means for code in codes)
    if piece.count is None:
        return means
    return f"{_nodes(piece.count, nodes)}: {means}" if means else _nodes(piece.count, nodes)


def _nodes(count: int, nodes: int | None) -> str:
    return plural(count, "node") if nodes is None else f"{count:,} of {plural(nodes, 'node')}"


def _preemption(parts: Iterable[MessagePart]) -> SaidOfPreemption:
    said = [part for part in parts if part.place == PREEMPTION]
    if not said:
        return SaidOfPreemption()
    counts = {text: sum(part.count or 0 for part in said if part.text == text) for text in (NOT_HELPFUL, NO_VICTIMS)}
    return SaidOfPreemption(
        is_said=True,
        not_helpful=counts[NOT_HELPFUL],
        no_victims=counts[NO_VICTIMS],
        codes=tuple(dict.fromkeys(code for part in said for code in part.codes)),
        text=listed([part.says or part.text for part in said], "and"),
    )


@cache
def _later_filters(plugin: str) -> tuple[str, ...]:
    """The plugins whose filters run after the plugin's by default, none where it is not among them."""
    factories = in_tree().factories
    filters = [
        ref.name
        for ref in DEFAULT_MULTI_POINT
        if issubclass(factories[ref.name], FilterPlugin)  # type: ignore[arg-type]
    ]
    return tuple(filters[filters.index(plugin) + 1 :]) if plugin in filters else ()
