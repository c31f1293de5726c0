"""``conformance FILES...``: run recorded scenarios and print what this scheduler decides, one JSON object per line."""

from __future__ import annotations

import argparse
import gzip
import sys
from pathlib import Path
from typing import Any

import msgspec

from scheduler_core.testing.queue_scenarios import run_queue_scenario
from scheduler_core.testing.scheduling_scenarios import run_scheduling_scenario


def run(argv: list[str]) -> int:
    """Exit status 0 when every file was executed, 1 when one could not be."""
    parser = argparse.ArgumentParser(prog="python -m scheduler_core conformance", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    failed = 0
    for path in parser.parse_args(argv).files:
        try:
            scenario = read_scenario(path)
            told = {"name": scenario["name"], "expected": execute(scenario)}
        except (OSError, ValueError, KeyError, msgspec.MsgspecError) as problem:
            print(f"{path}: {type(problem).__name__}: {problem}", file=sys.stderr)
            failed = 1
            continue
        print(msgspec.json.encode(told).decode(), flush=True)
    return failed


def execute(scenario: dict[str, Any]) -> Any:
    """The ``expected`` value of a scheduling or queue scenario."""
    return run_queue_scenario(scenario) if "ops" in scenario else run_scheduling_scenario(scenario)


def read_scenario(path: Path) -> dict[str, Any]:
    """The scenario in a JSON file, gzipped or plain."""
    data = path.read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    scenario: dict[str, Any] = msgspec.json.decode(data)
    return scenario
