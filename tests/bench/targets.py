"""What a figure is to be, and figures with targets as a table for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Target(NamedTuple):
    """What a scaled figure is to be: at most `limit`, or at least where more is better."""

    figure: str
    title: str
    limit: float
    is_least: bool = False

    def is_met(self, value: float) -> bool:
        """Return whether the value is as good as it is to be."""
        return value >= self.limit if self.is_least else value <= self.limit


def target_rows(targets: Iterable[Target], line: Mapping[str, Any]) -> list[str]:
    """Return a head and a row for each target: measured, scaled where that is said, and whether it is met."""
    rows = [f"{'':44}{'measured':>10}{'scaled':>10}{'target':>10}"]
    for one in targets:
        measured = round(line[one.figure], 1)
        scaled = round(line.get(f"{one.figure}_scaled", measured), 1)
        limit = f"{'>=' if one.is_least else '<='} {one.limit:g}"
        rows.append(f"{one.title:44}{measured:>10}{scaled:>10}{limit:>10}  {'met' if one.is_met(scaled) else 'MISSED'}")
    return rows
