"""`python -m tests.faults.simulation --seed N` repeats one seed; with `--seeds 1000` that many from it on."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path

import django


def main() -> int:
    """Return 1 where a seed shows something wrong."""
    reader = argparse.ArgumentParser(prog="python -m tests.faults.simulation", description=__doc__)
    reader.add_argument("--seed", type=int, default=1, help="the first seed")
    reader.add_argument("--seeds", type=int, default=1, help="how many")
    reader.add_argument("--trace", action="store_true", help="print the last steps of a seed that shows something wrong")
    reader.add_argument("--planted", default="", help="plant this fault into the product, or 'all', each in turn")
    options = reader.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    from tests.faults.simulation.prepared import Prepared
    from tests.faults.simulation.trial import simulate

    with tempfile.TemporaryDirectory(prefix="simulation-") as folder:
        prepared = Prepared.make(Path(folder))
        failed = []
        began = time.monotonic()
        for seed in range(options.seed, options.seed + options.seeds):
            t=time.monotonic()
            outcome = simulate(prepared, seed)
            print(outcome.seed, outcome.steps, round(outcome.seconds), outcome.digest[:12], round(time.monotonic()-t,2), outcome.wrong[:3], flush=True)
            if outcome.wrong:
                failed.append(seed)
                if options.trace:
                    print("\n".join(outcome.trace))
        print(json.dumps({"failed": failed, "seconds": round(time.monotonic() - began, 1)}))
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
