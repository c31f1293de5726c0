"""A large cluster as squares, one a place: paths by how many of its devices are in use."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from scheduler_core.explain.devices.model import Squares

COLUMNS, STEP, SIDE = 72, 10, 8.4
LEVELS = 4


@dataclass(frozen=True)
class SquaresView:
    """The picture: `chosen` are the names of places with a frame, `url` the address to which a place is added."""

    squares: Squares
    chosen: Collection[str]
    url: str

    @property
    def columns(self) -> int:
        """Return how many squares are in a row."""
        return COLUMNS

    @property
    def width(self) -> int:
        """Return the width of the picture."""
        return COLUMNS * STEP

    @property
    def height(self) -> int:
        """Return the height of the picture."""
        return -(-len(self.squares.names) // COLUMNS) * STEP

    @cached_property
    def paths(self) -> list[tuple[str, str]]:
        """The squares of each look as one path: (look, path)."""
        by_look: dict[str, list[str]] = {}
        for place in range(len(self.squares.names)):
            by_look.setdefault(self._look(place), []).append(_square(place))
        for place, name in enumerate(self.squares.names):
            if self.squares.flawed[place] and not self.squares.fits:
                by_look.setdefault("flawed", []).append(_square(place))
            if name in self.chosen:
                by_look.setdefault("chosen", []).append(_square(place))
        order = [*(f"u{level}" for level in range(LEVELS + 1)), "none", "not", "fits", "flawed", "chosen"]
        return [(look, "".join(by_look[look])) for look in order if look in by_look]

    def _look(self, place: int) -> str:
        if self.squares.fits:
            return "fits" if self.squares.fits[place] else "not"
        total = self.squares.total[place]
        # All in use is the last level, one free device the one before.
        return f"u{LEVELS * self.squares.used[place] // total}" if total else "none"

    @cached_property
    def data(self) -> str:
        """What a script says of a square: names, used, free and all devices."""
        one = self.squares
        return json.dumps([one.names, one.used, one.free, one.total], separators=(",", ":"))


def _square(place: int) -> str:
    return f"M{place % COLUMNS * STEP} {place // COLUMNS * STEP}h{SIDE}v{SIDE}h-{SIDE}z"
