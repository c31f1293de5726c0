"""The tables of docs/fidelity.md of versions, behaviours and what is not played, as scheduler_core/versions has them.

``python -m tests.docs.version_tables`` writes them into the page.
"""

from __future__ import annotations

import re
from pathlib import Path

from scheduler_core.versions.behaviours import BEHAVIOURS
from scheduler_core.versions.trains import NAMES, TRAINS
from scheduler_core.versions.unplayed import SETTLED, UNPLAYED

PAGE = Path(__file__).parents[2] / "docs" / "fidelity.md"


def trains() -> list[str]:
    """A row for each version that can be followed."""
    rows = ["| `kubernetes` | patches | evidence |", "|---|---|---|"]
    return rows + [f"| `{name}` | {train.label} | {train.evidence} |" for name, train in TRAINS.items()]


def behaviours() -> list[str]:
    """A row for each behaviour that versions differ in."""
    rows = ["| behaviour | what it is | upstream | holds in | evidence |", "|---|---|---|---|---|"]
    for row in BEHAVIOURS.values():
        on = tuple(name for name, train in TRAINS.items() if (gate := train.gates.get(row.gate)) and gate.is_on)
        holds = _trains(row.holds_in or on) + (f"; gate `{row.gate}`" if row.gate else "")
        rows.append(f"| `{row.name}` | {row.sentence} | {row.change} | {holds} | {row.evidence} |")
    return rows


def unplayed() -> list[str]:
    """A row for each change that some version has on by default and that is not played."""
    rows = ["| change | upstream | on in |", "|---|---|---|"]
    for row in UNPLAYED:
        gate = f"; gate `{row.gate}`" if row.gate else ""
        rows.append(f"| {row.sentence} | {row.change} | {_trains(row.holds_in)}{gate} |")
    return rows


def settled() -> list[str]:
    """A row for each gate that switches nothing here."""
    rows = ["| gate | why it switches nothing here |", "|---|---|"]
    return rows + [f"| `{name}` | {why} |" for name, why in SETTLED.items()]


def written(page: str) -> str:
    """The page with the tables as they are now."""
    for table in (trains, behaviours, unplayed, settled):
        begin, end = f"<!-- {table.__name__}: begin -->\n", f"<!-- {table.__name__}: end -->"
        text = "".join(f"{line}\n" for line in table())
        page = re.sub(f"{begin}.*?{end}", f"{begin}{text}{end}".replace("\\", r"\\"), page, flags=re.DOTALL)
    return page


def _trains(names: tuple[str, ...]) -> str:
    """ "1.35 on", "all", "1.33 to 1.34.0"."""
    if set(names) == set(NAMES):
        return "all"
    if names == NAMES[NAMES.index(names[0]) :]:
        return f"{names[0]} on" if len(names) > 1 else names[0]
    is_in_a_row = names == NAMES[NAMES.index(names[0]) : NAMES.index(names[-1]) + 1]
    return f"{names[0]} to {names[-1]}" if is_in_a_row and len(names) > 1 else ", ".join(names)


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text()))
