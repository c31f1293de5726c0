"""What a paste with messages of failed scheduling comes to, as typed plain values (docs/diagnosis.md)."""

from __future__ import annotations

import msgspec

from scheduler_core.explain.messages.sources import MessageEvent


class MessagePart(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a message, and where it stands (``line`` and ``column`` of the paste, from 1).

    ``count`` of nodes is None where the part counts none; ``place`` is one of texts.PLACES. ``codes`` are the obstacles
    that it can stand for, the usual one first. ``is_known``: it is a text of kube-scheduler. ``hides``: the plugins
    whose filters run later, so that they may refuse the same nodes without being named.
    """

    line: int
    column: int
    text: str
    place: str
    count: int | None = None
    codes: tuple[str, ...] = ()
    plugin: str = ""
    actor: str = ""
    is_known: bool = True
    versions: str = ""
    says: str = ""
    hides: tuple[str, ...] = ()


class SaidOfPreemption(msgspec.Struct, frozen=True, kw_only=True):
    """What a message says of preemption: on how many nodes it would not help, on how many it finds no victims, the
    codes, and the same in words. None of it where the message says nothing of it."""

    is_said: bool = False
    not_helpful: int = 0
    no_victims: int = 0
    codes: tuple[str, ...] = ()
    text: str = ""


class MessageNote(msgspec.Struct, frozen=True):
    """Something inferred, or something that cannot be known: what it is about (``code``), and it in words."""

    code: str
    text: str


class NextCommand(msgspec.Struct, frozen=True):
    """A command that brings what is missing, and what it answers."""

    command: str
    why: str


class ReadMessage(msgspec.Struct, frozen=True, kw_only=True):
    """A message: ``nodes`` that were looked at (None where it does not say), the sum of the counts of its filter part,
    whether it was cut off, and what follows from it. ``since`` and ``until``: the versions of kube-scheduler that have
    all of its texts, "" without a bound; both None where there is no such version."""

    line: int
    parts: tuple[MessagePart, ...]
    nodes: int | None = None
    counted: int = 0
    is_cut: bool = False
    event: MessageEvent | None = None
    preemption: SaidOfPreemption = SaidOfPreemption()
    since: str | None = ""
    until: str | None = ""
    inferred: tuple[MessageNote, ...] = ()


class ExplainedMessages(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to a paste. ``not_told``: what its messages leave open. ``fetch``: commands that tell it, the most
    useful first. ``passed_over``: lines without a message; ``is_longer``: the paste has more than was read."""

    schema: int = 1
    messages: tuple[ReadMessage, ...] = ()
    not_told: tuple[MessageNote, ...] = ()
    fetch: tuple[NextCommand, ...] = ()
    passed_over: int = 0
    is_longer: bool = False

    @property
    def unknown(self) -> tuple[MessagePart, ...]:
        """The parts that no version of kube-scheduler says."""
        return tuple(part for message in self.messages for part in message.parts if not part.is_known)
