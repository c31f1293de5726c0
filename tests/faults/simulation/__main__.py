"""Deterministic simulation of the coordination code; `python -m tests.faults.simulation --seed N` repeats one seed.

`--seeds 1000` runs that many from it on, `--plants` looks for each planted fault from it on. Prints one line of JSON
for each seed that shows something wrong or each plant, and one at the end. Ends with 1 where the product has a fault or
a plant is not found.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import django

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.faults.simulation.prepared import Prepared

MODULE = "tests.faults.simulation"
# Workers that wait for the end of a lease look into the database every few seconds, so it is short here.
LEASE_SECONDS = "6"


def main() -> int:
    """Return 1 where something was found that should not be there, or not found that is."""
    reader = argparse.ArgumentParser(prog=f"python -m {MODULE}", description=__doc__)
    reader.add_argument("--seed", type=int, default=1, help="the first seed")
    reader.add_argument("--seeds", type=int, default=1, help="how many of them")
    reader.add_argument("--plants", nargs="*", help="plant each of these faults, all without names")
    reader.add_argument("--trace", action="store_true", help="print the last steps of what is wrong")
    options = reader.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    os.environ["SCHEDSCOPE_LEASE_SECONDS"] = LEASE_SECONDS
    django.setup()
    from dashboard.common.processes.gc_tuning import freeze_gc
    from tests.faults.simulation.prepared import Prepared

    with tempfile.TemporaryDirectory(prefix="simulation-") as folder:
        prepared = Prepared.make(Path(folder))
        freeze_gc()
        if options.plants is not None:
            return _find_plants(prepared, options.plants, options.seed)
        return _run_seeds(prepared, range(options.seed, options.seed + options.seeds), options.trace)


def _run_seeds(prepared: Prepared, seeds: Sequence[int], with_trace: bool) -> int:
    from tests.faults.simulation.trial import simulate

    began, failed, steps, digest = time.monotonic(), [], 0, ""
    for seed in seeds:
        outcome = simulate(prepared, seed)
        steps, digest = steps + outcome.steps, outcome.digest
        if outcome.wrong:
            failed.append(seed)
            again = f"python -m {MODULE} --seed {seed} --trace"
            print(json.dumps({"seed": seed, "wrong": outcome.wrong, "again": again}), flush=True)
            if with_trace:
                print("\n".join(outcome.trace))
    seconds = round(time.monotonic() - began, 1)
    figures = {"seeds": len(seeds), "failed": failed, "steps": steps, "seconds": seconds, "last": digest}
    print(json.dumps(figures), flush=True)
    return int(bool(failed))


def _find_plants(prepared: Prepared, names: Sequence[str], first: int) -> int:
    from tests.faults.simulation.planted import MOST_SEEDS, PLANTED
    from tests.faults.simulation.trial import simulate

    missed = 0
    for name in names or PLANTED:
        began = time.monotonic()
        seeds = range(first, first + MOST_SEEDS)
        outcomes = (simulate(prepared, seed, PLANTED[name]) for seed in seeds)
        first_wrong = next((outcome for outcome in outcomes if outcome.wrong), None)
        missed += first_wrong is None
        figures = {"seed": first_wrong.seed, "wrong": first_wrong.wrong[0]} if first_wrong else {"seed": None}
        print(json.dumps({"plant": name, **figures, "seconds": round(time.monotonic() - began, 1)}), flush=True)
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
