"""The figures of docs/fidelity.md: recorded cases and decisions by family, those of the same inputs by version, and how
many come out the same.

``python -m tests.conformance.figures --write`` runs every recording at hand and writes the tables; without --write it
prints them. Needs all recordings, not only the subset kept here.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from scheduler_core.cli.runs.conformance import read_scenario
from tests.conformance.test_recorded_decisions import CASES, check, files, recordings
from tests.conformance.test_recorded_versions import AT_HAND as AT_HAND_BY_VERSION
from tests.conformance.test_recorded_versions import KEPT_HERE, VERSIONS

if TYPE_CHECKING:
    from collections.abc import Iterable

PAGE = Path(__file__).parents[2] / "docs" / "fidelity.md"
BEGIN, END = "<!-- figures: begin -->\n", "<!-- figures: end -->\n"
BEGIN_VERSIONS, END_VERSIONS = "<!-- versions: begin -->\n", "<!-- versions: end -->\n"
_COLUMNS = "| cases recorded | decisions in them | match | kept in this repository |\n|---|--:|--:|--:|--:|\n"
HEAD, HEAD_VERSIONS = f"| family {_COLUMNS}", f"| kube-scheduler {_COLUMNS}"


class Figures(NamedTuple):
    """Numbers of one family; a decision is an attempt to schedule a pod, or an operation on the queue."""

    family: str
    cases: int
    decisions: int
    matching: int
    n_kept: int

    def line(self) -> str:
        """The line of the table."""
        return f"| {self.family} | {self.cases:,} | {self.decisions:,} | {self.matching:,} | {self.n_kept:,} |\n"


def families() -> list[str]:
    """The families of which recordings are kept here."""
    return sorted({path.parent.name for path in files(CASES)})


def decisions(paths: Iterable[Path]) -> int:
    """How many decisions the recordings hold."""
    total = 0
    for path in paths:
        expected = read_scenario(path)["expected"]
        total += len(expected if isinstance(expected, list) else expected["steps"])
    return total


def matches(path: Path) -> bool:
    """Whether a recording comes out the same."""
    try:
        check(path)
    except AssertionError:
        return False
    return True


def figures_of(family: str) -> Figures:
    """The numbers of a family, by running it."""
    recorded = [path for path in recordings() if path.parent.name == family]
    kept_files = [path for path in files(CASES) if path.parent.name == family]
    return Figures(family, len(recorded), decisions(recorded), sum(map(matches, recorded)), len(kept_files))


def figures_of_version(version: str) -> Figures:
    """The numbers of a version (or of the folder of differences), by running it."""
    recorded, kept_files = files(AT_HAND_BY_VERSION / version), files(KEPT_HERE / version)
    return Figures(version, len(recorded), decisions(recorded), sum(map(matches, recorded)), len(kept_files))


def table(lines: list[Figures], head: str = HEAD) -> str:
    """The table with its sums."""
    sums = Figures("**all**", *(sum(line[i] for line in lines) for i in range(1, 5)))
    return head + "".join(line.line() for line in [*lines, sums])


def written(begin: str = BEGIN, end: str = END) -> list[Figures]:
    """The numbers of a table as the page has them. Raises ValueError where the page has no such table."""
    text = PAGE.read_text()
    if begin not in text or end not in text:
        raise ValueError(f"{PAGE.name} has no figures")
    block = text.split(begin)[1].split(end)[0]
    rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in block.splitlines()[2:]]
    return [Figures(row[0], *(int(cell.replace(",", "")) for cell in row[1:])) for row in rows if row[0] != "**all**"]


def write(begin: str, text: str, end: str) -> None:
    """Put the table between its marks on the page."""
    page = PAGE.read_text()
    before, after = page.split(begin)[0], page.split(end)[1]
    PAGE.write_text(f"{before}{begin}{text}{end}{after}")


def main() -> int:
    """Exit status 1 where not all recordings are at hand."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.figures", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the table into docs/fidelity.md")
    options = parser.parse_args()
    if not recordings():
        print("the recordings are not at hand; only the subset kept here is", file=sys.stderr)
        return 1
    text = table([figures_of(family) for family in families()])
    versions = table([figures_of_version(version) for version in (*VERSIONS, "differences")], HEAD_VERSIONS)
    if options.write:
        write(BEGIN, text, END)
        write(BEGIN_VERSIONS, versions, END_VERSIONS)
    print(text, versions, sep="\n", end="")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
