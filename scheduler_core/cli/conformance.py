"""``conformance FILES...``: run recorded scenarios and print what this scheduler decides, one JSON object per line."""

from __future__ import annotations

import argparse
import gzip
import sys
from pathlib import Path
from typing import Any

import msgspec

from scheduler_core.testing.engines import ENGINES, NoKernelError, engine
from scheduler_core.testing.queue_scenarios import run_queue_scenario
from scheduler_core.testing.scheduling_scenarios import run_scheduling_scenario


def run(argv: list[str]) -> int:
    """Exit status 0 when every file was executed, 1 when one could not be, which is one line; the others go on.

    2 when the engine that was asked for is not to be had.
    """
    parser = argparse.ArgumentParser(prog="python -m scheduler_core conformance", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--engine", choices=ENGINES, help="the setting of the engine; compiled where there is a kernel")
    options = parser.parse_args(argv)
    failed = 0
    try:
        with engine(options.engine):
            pass
    except NoKernelError as problem:
        print(problem, file=sys.stderr)
        return 2
    for path in options.files:
        try:
            scenario = read_scenario(path)
            told = {"name": scenario["name"], "expected": execute(scenario, options.engine)}
        except Exception as problem:  # whatever is wrong with one file, the others have their turn
            text = " ".join(str(problem).split())
            print(f"{path}: {type(problem).__name__}: {text}", file=sys.stderr)
            failed = 1
            continue
        print(msgspec.json.encode(told).decode(), flush=True)
    return failed


def execute(scenario: dict[str, Any], engine_name: str | None = None) -> Any:
    """The ``expected`` value of a scheduling or queue scenario, by that engine (see testing.engines)."""
    with engine(engine_name) as keeping:
        if "ops" in scenario:
            return run_queue_scenario(scenario)
        return run_scheduling_scenario(scenario, keeping=keeping)


def read_scenario(path: Path) -> dict[str, Any]:
    """The scenario in a JSON file, gzipped or plain."""
    data = path.read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    scenario: dict[str, Any] = msgspec.json.decode(data)
    return scenario
