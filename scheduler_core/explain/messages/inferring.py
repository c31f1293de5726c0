"""What follows from a message's texts besides what they say, and what cannot be known from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from scheduler_core.explain.messages.model import MessageNote, ReadMessage
from scheduler_core.explain.messages.table import NO_CLAIMS
from scheduler_core.explain.messages.texts import (
    NODES,
    POST_FILTER,
    PREEMPTION,
    MessageText,
    common_versions,
    versions_in_words,
)
from scheduler_core.explain.outcomes.texts import plural

VERSIONS, EXTENDER, CUT_OFF, COMPLETE, SEVERAL_REASONS, TOO_LARGE = (
    "VERSIONS", "EXTENDER", "CUT_OFF", "COMPLETE", "SEVERAL_REASONS", "TOO_LARGE",
)  # fmt: skip
"""What is inferred: versions with these texts; an extender or a plugin from outside; that the message was cut off, or
not; nodes counted for several reasons; that the pod is larger than nodes are."""
CAUSE, WHICH_POD, WHEN, WHICH_NODES = "CAUSE", "WHICH_POD", "WHEN", "WHICH_NODES"
"""What cannot be known."""
_BEFORE_DEVICES = MessageText(text="", until="1.33")
_OF_ROOM = "TOO_LARGE"


def infer(message: ReadMessage, rows: Sequence[MessageText]) -> ReadMessage:
    """The message with its versions and with what else is inferred; ``rows`` are those of its texts."""
    versions = common_versions(rows)
    if _lacks_devices(message):  # else a profile has preemption and not the plugin for devices
        versions = common_versions([*rows, _BEFORE_DEVICES]) or versions
    since, until = versions if versions is not None else (None, None)
    message = msgspec.structs.replace(message, since=since, until=until)
    return msgspec.structs.replace(message, inferred=tuple(_inferred(message, rows)))


def left_open(messages: Sequence[ReadMessage]) -> tuple[MessageNote, ...]:
    """What the messages leave open. The cause is given where all nodes have one kind of refusal that hides no other."""
    notes = []
    if any(len(_refusals(message)) > 1 or any(part.hides for part in message.parts) for message in messages):
        text = "each node is counted under the first filter that refused it; what else stands against it is hidden"
        notes.append(MessageNote(CAUSE, text))
    if any(message.nodes for message in messages):
        notes.append(MessageNote(WHICH_NODES, "no node is named, and no amount"))
    if any(message.event is None or not message.event.object for message in messages):
        notes.append(MessageNote(WHICH_POD, "the text names no pod"))
    if any(message.event is None or not message.event.age for message in messages):
        notes.append(MessageNote(WHEN, "an event of a series keeps its first text; the pod's condition holds the last"))
    return tuple(notes)


def _inferred(message: ReadMessage, rows: Sequence[MessageText]) -> Iterator[MessageNote]:
    if rows:
        yield MessageNote(VERSIONS, _of_versions(message))
    strange = [part for part in message.parts if not part.is_known]
    if strange and rows:
        text = f"{plural(len(strange), 'part')} not of kube-scheduler: an extender, or a plugin from outside"
        yield MessageNote(EXTENDER, text)
    if message.is_cut:
        yield MessageNote(CUT_OFF, "the message ends in the middle; the pod's condition PodScheduled has all of it")
    elif message.nodes is not None and message.counted == message.nodes:
        yield MessageNote(COMPLETE, f"the counts add up to {plural(message.nodes, 'node')}; nothing was cut off")
    if message.nodes is not None and message.counted > message.nodes:
        text = f"the counts add up to {message.counted:,}: some of the {message.nodes:,} nodes give several reasons"
        yield MessageNote(SEVERAL_REASONS, text)
    if _is_too_large(message):
        yield MessageNote(
            TOO_LARGE, "since 1.34 preemption is not helpful only where the pod asks for more than the node has in all"
        )


def _of_versions(message: ReadMessage) -> str:
    if message.since is None or message.until is None:
        return "no version of kube-scheduler has all of these texts"
    words = f"kube-scheduler {versions_in_words(message.since, message.until)} has these texts"
    if _lacks_devices(message):
        words += f'; since 1.34 "{NO_CLAIMS}" stands before what preemption says, by default'
    return words


def _lacks_devices(message: ReadMessage) -> bool:
    """Whether the text of preemption comes without what DynamicResources says before it since 1.34."""
    places = [part.place for part in message.parts]
    return message.nodes is not None and PREEMPTION in places and POST_FILTER not in places


def _is_too_large(message: ReadMessage) -> bool:
    refusals = _refusals(message)
    return (
        message.since not in (None, "")
        and bool(refusals)
        and all(_OF_ROOM in codes for codes in refusals)
        and message.preemption.not_helpful == message.nodes
    )


def _refusals(message: ReadMessage) -> list[tuple[str, ...]]:
    return [part.codes for part in message.parts if part.place == NODES]
