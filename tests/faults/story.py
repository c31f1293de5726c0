"""What people do while processes die: clusters are imported, changed and run, runs are commented on and deleted."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

from tests.dashboard.run_helpers import cluster_of
from tests.faults.lengths import length
from tests.faults.workloads import WORKLOADS

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from tests.faults.installations import Installation
    from tests.faults.person import Person

WORKSPACE = "/w/default"
SEEDS = length(short=(0,), long=(0, 1))
LIVE_RUNS = 3
EDITED = "edited"


def start_by_form(person: Person, cluster: str, schedule: str, seed: int) -> int:
    """Return the number of the run that the launch form started; a timeline is the one of the cluster's name."""
    fields = person.form(f"{WORKSPACE}/runs/new/?cluster={cluster}", "/runs/new/")
    fields |= {"schedule": [schedule], "seed": [str(seed)], "timeline": [cluster]}
    started = person.post(f"{WORKSPACE}/runs/new/", fields)
    assert started.status == 302, f"launch: {started.status}\n{started.text[:3000]}"
    return int(re.search(r"/runs/(\d+)/", started.location).group(1))


class Story:
    """Actions of one person, and an account of what was answered. `doing` names the action under way."""

    def __init__(self, installation: Installation, person: Person, chance: random.Random) -> None:
        self.installation, self.person, self.chance = installation, person, chance
        self.doing = "nothing"
        self.done: Counter[str] = Counter()
        self.imported: Counter[str] = Counter()
        self.launched: dict[int, tuple[str, int]] = {}
        self.deleted: set[int] = set()
        self.comments: dict[str, int] = {}
        self.edits = 0

    def begin(self) -> None:
        """Import the clusters that later steps work on, and save the timelines of their names."""
        for name, workload in WORKLOADS.items():
            self.import_as(name, workload.manifests)
            if workload.entries:
                self.save_timeline(name, workload.entries)
        self.import_as(EDITED, cluster_of(10, 5))

    def go_on(self, over: Callable[[], bool]) -> None:
        """Do one thing after the other until it is over."""
        steps = [self.import_cluster, self.change_nodes, self.delete, self.comment, *[self.launch] * 4]
        while not over():
            self.chance.choice(steps)()

    def _doing(self, what: str) -> None:
        self.doing = what
        self.done[what] += 1

    # ---------------------------------------------------------------- steps

    def import_cluster(self) -> None:
        """Import a cluster that nobody looks at afterwards."""
        self.import_as(f"import-{self.done['import']}", cluster_of(5, 40))

    def import_as(self, name: str, manifests: list[dict[str, Any]]) -> None:
        self._doing("import")
        text = json.dumps({"apiVersion": "v1", "kind": "List", "items": manifests})
        read = self.person.post(f"{WORKSPACE}/import/", {"text": text})
        assert read.status == 302, f"import of {name}: {read.status}"
        self._doing("save")
        fields = self.person.form(read.location, "/save")
        saved = self.person.post(f"{read.location}save", fields | {"name": [name], "into": [""]})
        assert saved.status == 302, f"save of {name}: {saved.status} after {saved.tries} tries\n{saved.text[:3000]}"
        self.imported[name] += 1

    def save_timeline(self, cluster: str, entries: list[dict[str, Any]]) -> None:
        self._doing("save")
        fields = self.person.form(f"{WORKSPACE}/timelines/new/", "/timelines/save")
        fields |= {"name": [cluster], "cluster": [cluster], "text": [json.dumps({"entries": entries})]}
        saved = self.person.post(f"{WORKSPACE}/timelines/save", fields | {"step": ["save"]})
        assert saved.status == 302, f"save of timeline {cluster}: {saved.status}\n{saved.text[:3000]}"

    def change_nodes(self) -> None:
        """Cordon or uncordon a node in a draft, and save it as a revision."""
        self._doing("save")
        cluster = f"{WORKSPACE}/clusters/{EDITED}"
        path = f"{cluster}/nodes/"
        fields = self.person.form(path, "/nodes/change")
        names, what = [f"node-{self.edits // 2 % 10}"], ("cordon", "uncordon")[self.edits % 2]
        changed = self.person.post(f"{path}change", fields | {"node": names, "what": [what]})
        # A repeated change meets its own operation: nothing would change (422), or the draft holds it already (400).
        is_repeated = changed.status == 422 or (changed.status == 400 and "Nothing differs" in changed.text)
        assert changed.status == 302 or (changed.tries > 1 and is_repeated), changed
        # One draft goes on after each saving: nobody else edits the cluster.
        draft = re.search(r"/drafts/(\d+)/", self.person.get(f"{cluster}/drafts/").text).group(1)
        fields = self.person.form(f"{cluster}/drafts/{draft}/", f"/drafts/{draft}/save")
        saved = self.person.post(f"{cluster}/drafts/{draft}/save", fields)
        # A repeated saving finds nothing left to save, or a draft that has gone on from what it looked at.
        assert saved.status == 302 or (saved.tries > 1 and saved.status in (409, 422)), saved
        self.edits += 1

    def launch(self) -> None:
        """Start a run, unless enough are under way."""
        self._doing("run")
        if self._count("state IN ('queued', 'running')") >= LIVE_RUNS:
            time.sleep(self.chance.uniform(0, 0.2))
            return
        # Every other run is one in which owners act: few runs get to their end while workers die all the time.
        cluster = "owned" if len(self.launched) % 2 == 0 else self.chance.choice(sorted(WORKLOADS))
        seed = self.chance.choice(SEEDS)
        number = start_by_form(self.person, cluster, WORKLOADS[cluster].schedule, seed)
        assert number not in self.launched, "two forms led to one run"
        self.launched[number] = (cluster, seed)

    def delete(self) -> None:
        """Delete a run, ended or not, now and then."""
        left = sorted(set(self.launched) - self.deleted)
        if len(left) < 4:
            return
        self._doing("delete")
        number = self.chance.choice(left[:-1])
        gone = self.person.post(f"{WORKSPACE}/runs/{number}/delete", {})
        assert gone.status == 302 or (gone.tries > 1 and gone.status == 404), gone
        self.deleted.add(number)

    def comment(self) -> None:
        """Comment on the first cycle of a run that has one."""
        begun = "id IN (SELECT run_id FROM runs_runhead WHERE cycle > 0)"
        left = sorted(set(self.launched) - self.deleted)
        number = self.chance.choice(left) if left else 0
        if not number or not self._count(f"number = {number} AND {begun}"):
            return
        self._doing("comment")
        run, text = f"{WORKSPACE}/runs/{number}", f"comment {len(self.comments)}"
        fields = self.person.form(f"{run}/cycles/1/threads/", "/review/threads/new")
        written = self.person.post(f"{run}/review/threads/new", fields | {"text": [text]})
        assert written.status == 302, written
        self.comments[text] = number

    def _count(self, where: str) -> int:
        from tests.faults.verdict import patiently

        return patiently(self.installation.ask, f"SELECT count(*) FROM runs_run WHERE {where}")[0]
