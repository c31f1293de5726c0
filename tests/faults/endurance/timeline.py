"""The longest timeline: `python -m tests.faults.endurance.timeline --entries 200000` prints one line of JSON.

A timeline of pods is repeated to its full length in a draft, opened, chosen from, shifted, undone, redone, reviewed,
saved and run, over HTTP against a web server and a worker. Each step has its seconds, the bytes and rows of its page,
and the resident size of the web server after it. Ends with 1 where a page shows more than MOST_ROWS rows or
MOST_BYTES, a step fails, or the run ends otherwise than with its entries.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import django

if TYPE_CHECKING:
    from tests.faults.installations import Installation
    from tests.faults.person import Answer, Person

COPIES = 1_000
"""As many as one repetition may make."""
MOST_ROWS, MOST_BYTES = 500, 2 << 20
NAME, N_NODES = "longest", 2_000
TIMELINE = f"/w/default/timelines/{NAME}/"
DRAFT = f"{TIMELINE}draft/"
END_SECONDS = 1800.0
STOOD = "SELECT state, error, seq, cycle FROM runs_run JOIN runs_runhead ON run_id = id WHERE number = 1"


@dataclass
class Editing:
    """A person who edits the timeline, and what each step took."""

    installation: Installation
    person: Person
    steps: list[dict[str, Any]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    version: int = 0

    def step(self, name: str, ask: Any, *expected: int) -> Answer:
        """Return the answer; note what it took, and what is wrong with it."""
        began = time.monotonic()
        answer: Answer = ask()
        web = _memory(self.installation.processes["web"].pid)
        rows = answer.text.count("<tr")
        self.steps.append(
            {
                "step": name,
                "seconds": round(time.monotonic() - began, 2),
                "tries": answer.tries,
                "bytes": len(answer.text),
                "rows": rows,
                **web,
            }
        )
        print(json.dumps(self.steps[-1]), file=sys.stderr, flush=True)
        if answer.status not in (expected or (200,)):
            self.wrong.append(f"{name}: status {answer.status} {answer.text[:300]}")
        if rows > MOST_ROWS or len(answer.text) > MOST_BYTES:
            self.wrong.append(f"{name}: a page of {len(answer.text):,} bytes and {rows} rows")
        return answer

    def open(self, name: str, path: str) -> Answer:
        """Open a page."""
        return self.step(name, lambda: self.person.get(path))

    def change(self, name: str, **fields: Any) -> None:
        """Change the draft by a button of the arrivals' edits; the first change opens the draft."""
        values = {"base": 1, **fields} | ({"version": self.version} if self.version else {})
        self.step(name, lambda: self.person.post(f"{TIMELINE}change", values), 302)
        self.version += 1

    def undo(self, name: str) -> None:
        """Undo or redo."""
        self.step(name, lambda: self.person.post(DRAFT + name, {}), 302)
        self.version += 1


def _memory(pid: int) -> dict[str, int]:
    """Return the resident size and its peak, in MiB."""
    lines = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return {"resident_mib": int(lines["VmRSS"].split()[0]) >> 10, "peak_mib": int(lines["VmHWM"].split()[0]) >> 10}


def edit(editing: Editing, entries: int) -> None:
    """Carry out the steps up to the saved timeline."""
    from tests.dashboard.run_helpers import cluster_of, pod
    from tests.faults.story import Story

    story = Story(editing.installation, editing.person, random.Random(0))
    story.import_as(NAME, cluster_of(N_NODES, 0))
    first = [{"at": f"{n}ms", "action": "add", "object": pod(f"p-{n}", "1m")} for n in range(entries // COPIES)]
    story.save_timeline(NAME, first)
    editing.open("open, short", TIMELINE)
    editing.change("repeat", do="repeat", copies=COPIES - 1, every="1s", names="{name}-#")
    editing.open("open the draft", DRAFT)
    editing.open("a page in the middle", f"{DRAFT}?page=2000")
    editing.open("choose", f"{DRAFT}?q=p-2-7")
    editing.change("shift all", do="shift", by="5s")
    editing.change("stretch all", do="stretch", factor="1.5")
    editing.change("remove those chosen", do="remove", q="p-2-7")
    editing.open("what is changed", f"{DRAFT}changes/")
    for name in ("undo", "redo", "undo"):
        editing.undo(name)
    editing.step("save", lambda: editing.person.post(f"{DRAFT}save", {"message": "all"}), 302)
    editing.open("open, saved", TIMELINE)
    editing.step("export", lambda: editing.person.get(f"{TIMELINE}export")._replace(text=""))


def run(editing: Editing, entries: int) -> dict[str, Any]:
    """Launch a run of the saved timeline; return how long it took to begin and to end, and the worker's memory."""
    from tests.faults.story import start_by_form

    began = time.monotonic()
    number = start_by_form(editing.person, NAME, "timeline", 0)
    figures: dict[str, Any] = {"launched_after": round(time.monotonic() - began, 2)}
    while (row := editing.installation.ask(STOOD))[0] not in ("finished", "failed", "cancelled"):
        if row[2] and "first_event_after" not in figures:
            figures["first_event_after"] = round(time.monotonic() - began, 2)
        if time.monotonic() - began > END_SECONDS:
            break
        time.sleep(0.2)
    state, error, seq, cycle = row
    figures |= {"state": state, "ended_after": round(time.monotonic() - began, 2), "events": seq, "cycles": cycle}
    if state != "finished" or cycle < entries:
        editing.wrong.append(f"the run is {state} after {cycle} cycles: {error}")
    editing.open("open the run", f"/w/default/runs/{number}/?cycle={cycle // 2 or 1}")
    editing.open("its outcomes", f"/w/default/runs/{number}/outcomes/")
    return figures | {"worker": _memory(editing.installation.processes["worker1"].pid)}


def main() -> int:
    """Return 1 where something was wrong."""
    reader = argparse.ArgumentParser(prog="python -m tests.faults.endurance.timeline", description=__doc__)
    reader.add_argument("--entries", type=int, default=200_000, help="a multiple of 1,000")
    options = reader.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    from tests.faults.installations import embedded
    from tests.faults.person import Person
    from tests.faults.processes import sign_in, wait_until
    from tests.health import answers

    with tempfile.TemporaryDirectory(prefix="timeline-") as name, embedded(Path(name)) as installation:
        installation.start("web", "worker1")
        wait_until(lambda: answers(("127.0.0.1", installation.port)), "no web server", installation.log)
        editing = Editing(installation, Person(installation.port, sign_in(installation.environment)))
        edit(editing, options.entries)
        figures = {"entries": options.entries, "run": run(editing, options.entries)}
        print(json.dumps({**figures, "steps": editing.steps, "wrong": editing.wrong}))
        return int(bool(editing.wrong))


if __name__ == "__main__":
    sys.exit(main())
