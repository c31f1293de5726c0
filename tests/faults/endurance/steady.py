"""Memory over time: `python -m tests.faults.endurance.steady --minutes 60` prints one line of JSON for each set-up.

People launch, watch, step through, comment on, ask about, export and delete runs all the while; the resident size of
each process goes to a CSV every ten seconds. Ends with 1 where a process grew by 2 % or more in the last half.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import django

if TYPE_CHECKING:
    from tests.faults.installations import Installation

PEOPLE = 2
SAMPLE_SECONDS = 10.0
# Small, so that the answer worker comes to its limit early and has to stay there.
ANSWERS_MAX_BYTES = 192 << 20
START_SECONDS = 300.0


def steady(set_up: str, folder: Path, minutes: float, csv: Path) -> dict[str, Any]:
    """Return the figures of one set-up; `wrong` says in words what grew or failed."""
    from tests.faults.trial import SET_UPS

    folder.mkdir()
    make, processes, _kinds = SET_UPS[set_up]
    os.environ["SCHEDSCOPE_ANSWERS_MAX_BYTES"] = str(ANSWERS_MAX_BYTES)
    with make(folder) as installation:
        installation.environment["SCHEDSCOPE_ANSWERS_MAX_BYTES"] = str(ANSWERS_MAX_BYTES)
        installation.start(*processes)
        return {"set_up": set_up, "minutes": minutes, **_watched(installation, minutes * 60, csv)}


def _watched(installation: Installation, seconds: float, csv: Path) -> dict[str, Any]:
    from tests.faults.endurance.people import Worker
    from tests.faults.endurance.resident import Sampler, growth, too_much
    from tests.faults.processes import wait_until
    from tests.health import answers

    wait_until(lambda: answers(("127.0.0.1", installation.port)), "no web server", installation.log)
    stopping = threading.Event()
    people = [Worker(installation, str(number), stopping) for number in range(PEOPLE)]
    people[0].story.begin()
    roots = [process.pid for process in installation.processes.values()]
    roots += [server.process.pid for name, server in installation.servers.items() if server.process and name == "redis"]
    sampler = Sampler(roots, csv)
    for person in people:
        person.start()
    while time.monotonic() - sampler.began < seconds and all(person.is_alive() for person in people):
        sampler.take()
        time.sleep(SAMPLE_SECONDS)
    stopping.set()
    for person in people:
        person.join(START_SECONDS)
    figures = growth(sampler.samples, seconds)
    wrong = [f"{name}: {figures[name]}" for name in too_much(figures)]
    wrong += [f"{person.name}: {person.error!r}" for person in people if person.error]
    return {
        "done": dict(sum((person.done for person in people), Counter())),
        "asked_again": sum(person.person.repeated for person in people),
        "processes": figures,
        "wrong": wrong,
    }


def main() -> int:
    """Return 1 where something grew or failed."""
    reader = argparse.ArgumentParser(prog="python -m tests.faults.endurance.steady", description=__doc__)
    reader.add_argument("--minutes", type=float, default=60.0)
    reader.add_argument("--set-up", action="append", choices=("embedded", "production"))
    reader.add_argument("--csv", type=Path, default=Path(), help="folder of the samples: resident-SET_UP.csv")
    options = reader.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    wrong = False
    with tempfile.TemporaryDirectory(prefix="steady-") as name:
        for set_up in options.set_up or ("embedded", "production"):
            csv = options.csv / f"resident-{set_up}.csv"
            csv.unlink(missing_ok=True)
            figures = steady(set_up, Path(name) / set_up, options.minutes, csv)
            print(json.dumps(figures), flush=True)
            wrong |= bool(figures["wrong"])
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
