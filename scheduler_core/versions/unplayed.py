"""What is on by default in some version and is not played here, by the rows of unplayed.toml (see its head)."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Literal

import msgspec

from scheduler_core.versions.trains import TRAINS, find_train

Matters = Literal[
    "never",
    "claims",
    "unbound_claims",
    "volumes",
    "deletions",
    "preemption",
    "resizes",
    "nominations",
    "image_volumes",
    "affinity",
]


class UnplayedChange(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A row: a change with its upstream number, where it holds, and what an input has where it can matter."""

    name: str
    change: str
    sentence: str
    matters: Matters
    gate: str = ""
    trains: tuple[str, ...] = ()

    @property
    def holds_in(self) -> tuple[str, ...]:
        """The trains that have it on by default, in order of age."""
        if not self.gate:
            return self.trains
        return tuple(name for name, train in TRAINS.items() if (gate := train.gates.get(self.gate)) and gate.is_on)


class _UnplayedTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    unplayed: tuple[UnplayedChange, ...]
    settled: dict[str, str]


_TABLE = msgspec.convert(
    tomllib.loads(Path(__file__).with_name("unplayed.toml").read_text(encoding="utf-8")), _UnplayedTable
)
UNPLAYED: tuple[UnplayedChange, ...] = _TABLE.unplayed
SETTLED: dict[str, str] = _TABLE.settled
"""{gate that switches nothing here: why}."""


def unplayed_in(version: str) -> tuple[UnplayedChange, ...]:
    """What a version has on by default and is not played. Raises VersionError."""
    train = find_train(version)
    return tuple(row for row in UNPLAYED if train.name in row.holds_in)
