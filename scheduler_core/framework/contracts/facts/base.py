"""What all facts have in common."""

from __future__ import annotations

import msgspec


class Fact(msgspec.Struct, frozen=True, kw_only=True, tag_field="fact", tag=True):
    """One input of a verdict or score; subclasses add it as plain fields, and are tagged with their name as ``fact``.

    ``refuses``: this input alone has the plugin refuse the node. A plugin that gives facts gives at least one that
    refuses with each refusal, and none with a verdict that passes. Facts of a score never refuse.
    """

    refuses: bool = False
    code: str = ""
    """Which obstacle the fact is where it refuses: one of the codes that the plugin declares (obstacles.py)."""

    @property
    def instead(self) -> tuple[Facts, ...]:
        """Other facts of the node, each several of which would have to go in the place of all that refuse."""
        return ()

    @property
    def subject(self) -> str:
        """What the obstacle is about, the same on each node with the same obstacle: "disk=ssd", a claim, a port."""
        return ""

    @property
    def needs(self) -> dict[str, str]:
        """What would satisfy the rule, as field and value: {"tier": "gold"}."""
        return {}

    def words(self) -> str:
        """The fact in one plain sentence part without a full stop; for types that explain/facts does not know."""
        return ""


Facts = tuple[Fact, ...]


class Holder(msgspec.Struct, frozen=True):
    """A pod that holds an amount of a resource on a node; key namespace/name, canonical integer.

    ``promised``: it is nominated to the node, not placed there, and counted in as the filter counts it.
    """

    pod: str
    amount: int
    priority: int = 0
    promised: bool = False
