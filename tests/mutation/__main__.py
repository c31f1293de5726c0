"""``python -m tests.mutation [table] [rooms] [fast] ...``: do tests notice when code is wrong?

``table``: each mutation of ``table.py``, in a copy of the working tree. ``rooms``: N of those that rules make
(``generated.py``) in each room of ``rooms.py``. ``fast``: of those that the tests nearest to the code noticed, N by
the tests of ``make test-fast``. Prints one line for each and a summary.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.mutation.copied import ROOT, CopiedTree
from tests.mutation.equivalent import EQUIVALENT
from tests.mutation.judging import Asked, Judging
from tests.mutation.lines import Lines
from tests.mutation.rooms import ROOMS, drawn, nearest, turn
from tests.mutation.table import TABLE
from tests.mutation.verdicts import Verdict, Verdicts, digest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.mutation.generated import Mutant

NEAREST = "(not long or essential) and not browser and not faults"
FAST = "not slow and not long and not pages and not services and not browser"
FAST_SAMPLE, FAST_WANTED = 60, 36


def main(argv: Sequence[str]) -> int:
    """Exit status 0 where the tests noticed what they should."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation")
    parser.add_argument("parts", nargs="*", help="table, rooms, fast, or one room; all by default")
    parser.add_argument("--sample", type=int, default=28, help="how many by rule in each room")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="those whose name or path has these words")
    parser.add_argument("--into", type=Path, default=ROOT / "var/mutation", help="folder of the verdicts")
    parser.add_argument("--again", action="store_true", help="judge again what survived")
    options = parser.parse_args(argv)
    parts = options.parts or ["table", "rooms", "fast"]
    status = 0
    for part in parts:
        if part == "table":
            status |= by_table(options.only)
        elif part == "rooms":
            for room in ROOMS:
                command = [sys.executable, "-m", "tests.mutation", room, *(word for word in argv if word not in parts)]
                status |= subprocess.run(command, cwd=ROOT, check=False).returncode
            summary("all", sum((figures(room, options) for room in ROOMS), Counter[str]()))
        elif part == "fast":
            status |= by_fast_tests(options)
        else:
            status |= by_rule(part, options)
            summary(part, figures(part, options))
    return status


def by_table(only: str) -> int:
    """Judge the mutations of the table; 1 where one survives."""
    missed = 0
    with tempfile.TemporaryDirectory(prefix="mutation-") as folder:
        tree, passing = CopiedTree(Path(folder)), set[tuple[str, ...]]()
        for each in TABLE:
            if only not in each.name and only not in each.path:
                continue
            if each.tests not in passing and not tree.pass_all(each.tests):
                print(f"{' '.join(each.tests)} fails without any mutation", file=sys.stderr)
                return 1
            passing.add(each.tests)
            began = time.monotonic()
            text = (ROOT / each.path).read_text().replace(each.old, each.new)
            noticed = tree.is_noticed(each.path, text, each.tests)
            missed += not noticed
            print(_line(noticed, time.monotonic() - began, each.name), flush=True)
    return int(missed > 0)


def by_rule(name: str, options: argparse.Namespace) -> int:
    """Judge the mutants of a room that no verdict is known of."""
    room, verdicts = ROOMS[name], Verdicts(options.into / "rooms.jsonl")
    asked = [
        Asked(path, mutant, nearest(room, path))
        for path, mutant in drawn(room, options.sample, options.seed)
        if options.only in path
    ]
    tests = sorted({test for one in asked for test in one.tests})
    return judge(asked, tests, NEAREST, verdicts, {one.path: name for one in asked}, options.again)


def by_fast_tests(options: argparse.Namespace) -> int:
    """Judge some of what the nearest tests noticed; 1 where the fast tests notice less than they should."""
    record, verdicts = Verdicts(options.into / "rooms.jsonl"), Verdicts(options.into / "fast.jsonl")
    noticed = [
        (path, mutant, name)
        for name, room in ROOMS.items()
        for path, mutant in drawn(room, options.sample, options.seed)
        if (verdict := record.of(path, mutant.change, _text(path, mutant))) and verdict.noticed
    ]
    noticed.sort(key=lambda one: turn("fast", options.seed, one[0], one[1].function, one[1].change, _text(*one[:2])))
    chosen = noticed[:FAST_SAMPLE]
    asked = [Asked(path, mutant, nearest(ROOMS[name], path), is_near=False) for path, mutant, name in chosen]
    status = judge(asked, ["tests"], FAST, verdicts, {path: name for path, _, name in chosen}, options.again)
    results = [verdicts.of(path, mutant.change, _text(path, mutant)) for path, mutant, _ in chosen]
    n_noticed = sum(verdict is not None and verdict.noticed for verdict in results)
    print(f"{n_noticed} of {len(chosen)} noticed by the fast tests")
    return status or int(n_noticed < len(chosen) * FAST_WANTED / FAST_SAMPLE)


def judge(
    asked: Sequence[Asked], tests: Sequence[str], marks: str, verdicts: Verdicts, rooms: dict[str, str], again: bool
) -> int:
    """Let a session of these tests judge what is left."""
    left = []
    for one in asked:
        record = verdicts.of(one.path, one.mutant.change, _text(one.path, one.mutant))
        if record is None or (again and not record.noticed and not is_equivalent(one.path, one.mutant)):
            left.append(one)
    if not left:
        return 0

    def answer(one: Asked, noticed: bool, by: str, seconds: float) -> None:
        path, mutant = one.path, one.mutant
        text = digest(_text(path, mutant))
        verdicts.add(
            Verdict(
                rooms[path], path, mutant.line, mutant.function, mutant.change, text, noticed, by, round(seconds, 2)
            )
        )
        print(_line(noticed, seconds, f"{path}:{mutant.line} {mutant.change}  ({by})"), flush=True)

    folder = tempfile.mkdtemp(prefix="mutation-")
    # Children end without tidying up: all that they leave lies in one folder.
    os.environ["TMPDIR"] = tempfile.tempdir = folder
    lines = Lines({str(ROOT / one.path) for one in left})
    try:
        arguments = ["-s", "-qq", "-n0", "-p", "no:cacheprovider", "-m", marks, *tests]
        lines.begin()
        return int(pytest.main(arguments, plugins=[Judging(left, lines, marks, answer)]) != 0)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def figures(name: str, options: argparse.Namespace) -> Counter[str]:
    """Return how many of a room were drawn, noticed and are equivalent."""
    verdicts, counts = Verdicts(options.into / "rooms.jsonl"), Counter[str]()
    for path, mutant in drawn(ROOMS[name], options.sample, options.seed):
        verdict = verdicts.of(path, mutant.change, _text(path, mutant))
        noticed = verdict is not None and verdict.noticed
        counts.update(drawn=1, noticed=noticed, equivalent=not noticed and is_equivalent(path, mutant))
    return counts


def summary(name: str, counts: Counter[str]) -> None:
    """Print the figures of a room, or of all."""
    print(f"{name}: {counts['noticed']} of {counts['drawn']} noticed, {counts['equivalent']} equivalent", flush=True)


def is_equivalent(path: str, mutant: Mutant) -> bool:
    """Whether the table of equivalent changes has it."""
    return any((path, mutant.function, mutant.change) == each[:3] for each in EQUIVALENT)


def _text(path: str, mutant: Mutant) -> str:
    return mutant.text((ROOT / path).read_text())


def _line(noticed: bool, seconds: float, what: str) -> str:
    return f"{'noticed ' if noticed else 'SURVIVED'} {seconds:5.1f} s  {what}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
