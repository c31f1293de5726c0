"""What one plugin has against a node, as the matrix shows it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RefusalReason:
    """What one plugin has against a node: `facts` in terms of the objects ("" unknown) beside the raw reason."""

    plugin: str
    meaning: str
    facts: str
    raw: str

    @property
    def text(self) -> str:
        """Return the facts, or the raw reason where there are none."""
        return self.facts or self.raw
