"""Random kills over both set-ups: `python -m tests.faults --seed 7 --kills 200` prints one line of JSON for each."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

import django


def main() -> int:
    """Return 1 where something was lost or differs."""
    reader = argparse.ArgumentParser(prog="make faults", description=__doc__)
    reader.add_argument("--seed", type=int, default=7)
    reader.add_argument("--kills", type=int, default=200, help="in all, the same number in each set-up")
    reader.add_argument("--set-up", action="append", choices=("embedded", "production"), help="default: both")
    options = reader.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    os.environ["TEST_FAULTS"] = "long"
    django.setup()
    from tests.faults.trial import SET_UPS, trial

    wrong = False
    with tempfile.TemporaryDirectory(prefix="faults-") as name:
        set_ups = options.set_up or list(SET_UPS)
        for number, set_up in enumerate(set_ups):
            kills = (options.kills + number) // len(set_ups)
            figures = trial(set_up, Path(name) / set_up, options.seed, kills)
            print(json.dumps(figures), flush=True)
            wrong |= bool(figures["wrong"])
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
