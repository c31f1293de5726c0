"""Take one picture of each state of a feature, by width and colour scheme.

``python -m tests.gallery reviews --into DIR``

Names sort in the order of the list: ``reviews-03-thread-outdated-1280-dark.png``. Exits with 1 where a page of a state
wrote an error, or axe finds something grave.

A list is a module of this folder with `rows`, which writes what its pages show and returns it, and `STATES`, by name
the functions that get this and return the page in that state. `COMPLAINTS`, where it is there, has by name what the
page of a state may write: parts of lines of the console.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import Error

from tests.gallery.pictures import HEIGHTS, SCHEMES, Pictures, numbered

if TYPE_CHECKING:
    from collections.abc import Iterable

LISTS = ("reviews", "editor", "sources", "causes")


def take(name: str, pictures: Pictures, chosen: Iterable[str] = ("",), *, has_axe: bool = False) -> Iterable[str]:
    """Take the pictures of the states whose name contains one of `chosen`.

    Returns what their pages complained of, and what axe finds grave in them where it is asked.
    """
    # It sets Django up, in a database of its own.
    recorded = import_module("tests.bench.recorded")
    stage = import_module("tests.gallery.stage")
    axe = import_module("tests.browser.axe")
    listed = import_module(f"tests.gallery.{name}")
    with stage.team_of(recorded.owner()) as team:
        rows = listed.rows(team)
        may_complain = getattr(listed, "COMPLAINTS", {})
        for title, show in numbered(name, listed.STATES):
            if any(part in title for part in chosen):
                before = len(team.complaints)
                try:
                    page = show(rows)
                    pictures.take(title, page)
                    if has_axe:
                        team.complaints += [f"{title}: {one}" for one in axe.grave_findings(page)]
                except (AssertionError, Error) as error:
                    team.complaints.append(f"{title}: {error}")
                team.leave()
                allowed = next((few for state, few in may_complain.items() if title.endswith(f"-{state}")), ())
                new = [one for one in team.complaints[before:] if not any(part in one for part in allowed)]
                team.complaints[before:] = new
        return list(team.complaints)


def main(argv: list[str]) -> int:
    """Take what the arguments ask for."""
    parser = argparse.ArgumentParser(prog="python -m tests.gallery", description=__doc__)
    parser.add_argument("list", choices=LISTS)
    parser.add_argument("--into", type=Path, required=True, help="the folder of the pictures")
    parser.add_argument("--widths", default=",".join(map(str, HEIGHTS)))
    parser.add_argument("--schemes", default=",".join(SCHEMES))
    parser.add_argument("--only", default="", help="states with one of these in their name, separated by commas")
    parser.add_argument("--axe", action="store_true", help="ask axe, too, what is grave in each state")
    options = parser.parse_args(argv)
    widths = [int(width) for width in options.widths.split(",")]
    pictures = Pictures(options.into, widths, options.schemes.split(","))
    complaints = take(options.list, pictures, options.only.split(","), has_axe=options.axe)
    print(*complaints, f"{len(pictures.taken)} pictures in {options.into}", sep="\n")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
