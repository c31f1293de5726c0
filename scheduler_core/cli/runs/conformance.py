"""``conformance PATH...``: run recorded scenarios and print what this scheduler decides, one JSON object per line.

With ``--compare`` the decisions are compared with the ``expected`` of each file: only differences are printed, with how
many files agree. A folder stands for all .json and .json.gz files below it, in order of their paths.
"""

from __future__ import annotations

import argparse
import gzip
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from scheduler_core.testing.comparison import difference
from scheduler_core.testing.controller_scenarios.comparing import controller_difference
from scheduler_core.testing.controller_scenarios.playing import OTHER_FRACTIONS, run_controller_scenario
from scheduler_core.testing.controller_scenarios.reading import is_history
from scheduler_core.testing.engines import ENGINES, NoKernelError, engine
from scheduler_core.testing.queue_scenarios import run_queue_scenario
from scheduler_core.testing.scheduling_scenarios import run_scheduling_scenario

_ENDINGS = (".json", ".json.gz")


def run(argv: list[str]) -> int:
    """Exit status 0 when every file was executed (and, with --check, agrees), 1 when not; a file that cannot be
    executed is one line, and the others go on. 2 when the chosen engine is not available.
    """
    options = _parser().parse_args(argv)
    try:
        with engine(options.engine):
            pass
    except NoKernelError as problem:
        print(problem, file=sys.stderr)
        return 2
    n_files = n_good = 0
    for path in _files(options.paths):
        n_files += 1
        try:
            scenario = read_scenario(path)
            decided = execute(scenario, options.engine)
            agrees = _compare(path, scenario, decided, options.engine) if options.check else _print(scenario, decided)
            n_good += agrees
        except Exception as problem:  # whatever is wrong with one file, the others have their turn
            text = " ".join(str(problem).split())
            print(f"{path}: {type(problem).__name__}: {text}", file=sys.stderr)
    if options.check:
        print(f"{n_good:,} of {n_files:,} files agree")
    return 0 if n_good == n_files else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m scheduler_core conformance", description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="a recorded scenario, or a folder of them")
    parser.add_argument("--engine", choices=ENGINES, help="the setting of the engine; compiled where there is a kernel")
    parser.add_argument(
        "--compare",
        "--check",
        dest="check",
        action="store_true",
        help="compare with what was recorded: the first difference of each file, a count",
    )
    return parser


def _files(paths: list[Path]) -> Iterator[Path]:
    """The files named, those of folders in their place; a folder without any is given itself, to be complained of."""
    for path in paths:
        yield from (scenario_files(path) or [path]) if path.is_dir() else [path]


def _print(scenario: dict[str, Any], decided: Any) -> bool:
    print(msgspec.json.encode({"name": scenario["name"], "expected": decided}).decode(), flush=True)
    return True


def _compare(path: Path, scenario: dict[str, Any], decided: Any, engine_name: str | None) -> bool:
    """Whether the decisions are the recorded ones; says where not. KeyError where nothing was recorded."""
    if is_history(scenario):
        difference_text = history_difference(scenario, decided, engine_name)
    else:
        difference_text = difference(scenario["expected"], msgspec.json.decode(msgspec.json.encode(decided)))
    if difference_text:
        print(f"{path}: {difference_text}", flush=True)
    return not difference_text


def history_difference(scenario: dict[str, Any], decided: Any, engine_name: str | None = None) -> str:
    """The first difference of a history, "" where it comes out as recorded at one of the fractions of a second at which
    it may have begun."""
    expected, varied = scenario["expected"], scenario.get("varied", ())
    first = controller_difference(expected, decided, varied)
    if not first:
        return ""
    with engine(engine_name):
        others = (run_controller_scenario(scenario, fraction) for fraction in OTHER_FRACTIONS)
        return first if all(controller_difference(expected, one, varied) for one in others) else ""


def scenario_files(folder: Path) -> list[Path]:
    """The files below the folder that hold scenarios, by their names; none where it is no folder. An index of them is
    no scenario."""
    files = (p for p in folder.rglob("*") if p.name.endswith(_ENDINGS) and p.name != "index.json")
    return sorted(p for p in files if p.is_file())


def execute(scenario: dict[str, Any], engine_name: str | None = None) -> Any:
    """The ``expected`` value of a scheduling or queue scenario by that engine (testing.engines), or of a history."""
    with engine(engine_name) as cached:
        if is_history(scenario):
            return run_controller_scenario(scenario)
        if "ops" in scenario:
            return run_queue_scenario(scenario)
        return run_scheduling_scenario(scenario, cached=cached)


def read_scenario(path: Path) -> dict[str, Any]:
    """The scenario in a JSON file, gzipped or plain. ValueError for a folder."""
    if path.is_dir():
        raise ValueError(f"no {' or '.join(_ENDINGS)} file is in the folder")
    data = path.read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    scenario: dict[str, Any] = msgspec.json.decode(data)
    return scenario
