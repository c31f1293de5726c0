"""Lines of fields: a second look at the text, only where there is something to say."""

from __future__ import annotations

from collections.abc import Sequence

from scheduler_core.manifests.items import Origin
from scheduler_core.manifests.model import Limits, Path


class Positions:
    """Finds lines in one text; without a text no line is known."""

    def __init__(self, text: str | None, limits: Limits) -> None:
        self._text = text
        self._limits = limits

    def line(self, origin: Origin, path: Path) -> int | None:
        """The line of one field."""
        return self.lines([(origin, path)])[0]

    def lines(self, wanted: Sequence[tuple[Origin, Path]]) -> list[int | None]:
        """The line of each field, or of the nearest thing around it that exists."""
        return [origin.line for origin, _ in wanted]
