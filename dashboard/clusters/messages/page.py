"""A message's parts with their letters, and the headline of the page."""

from __future__ import annotations

from dataclasses import dataclass
from string import ascii_uppercase
from typing import TYPE_CHECKING

from scheduler_core.explain.messages.texts import NODES, POD

if TYPE_CHECKING:
    from scheduler_core.explain.messages import ExplainedMessages, MessagePart, ReadMessage

# At most this many messages are shown whole; of the rest the number is said.
SHOWN = 10


@dataclass(frozen=True)
class ShownPart:
    """A part with its letter, where it stands for an obstacle, else its number."""

    part: MessagePart
    mark: str

    @property
    def is_obstacle(self) -> bool:
        """Return whether it stands for an obstacle."""
        return bool(self.part.codes) and self.part.place in (NODES, POD)

    @property
    def look(self) -> str:
        """Return the class of its underline."""
        return "is-obstacle" if self.is_obstacle else "" if self.part.is_known else "is-strange"

    @property
    def hides(self) -> str:
        """Return what it does not say."""
        if not self.part.hides:
            return ""
        return f"{', '.join(self.part.hides)} run later and may refuse the same nodes without being named"


@dataclass(frozen=True)
class ShownMessage:
    """A message with its parts."""

    message: ReadMessage
    parts: tuple[ShownPart, ...]


def shown_messages(answer: ExplainedMessages) -> list[ShownMessage]:
    """Return the first messages with their parts: letters for obstacles, numbers for the others."""
    return [ShownMessage(one, _marked(one)) for one in answer.messages[:SHOWN]]


def headline(answer: ExplainedMessages) -> str:
    """Return what the first message says, of each obstacle how many nodes and its text."""
    if not answer.messages:
        return "No message of failed scheduling"
    obstacles = [part for part in answer.messages[0].parts if part.codes and part.place in (NODES, POD)]
    if not obstacles:
        return answer.messages[0].parts[0].text if answer.messages[0].parts else "An empty message"
    said = [part.text if part.count is None else f"{part.count:,} {part.text}" for part in obstacles]
    return "; ".join(said)


def _marked(message: ReadMessage) -> tuple[ShownPart, ...]:
    letters, numbers = iter(ascii_uppercase), iter(range(1, 1_000))
    shown = []
    for part in message.parts:
        is_obstacle = part.codes and part.place in (NODES, POD)
        shown.append(ShownPart(part, next(letters, "…") if is_obstacle else f"{next(numbers)}"))
    return tuple(shown)
