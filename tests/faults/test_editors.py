"""Three editors in one draft at the same time: each acknowledged edit is an operation, in the order of who sent it."""

from __future__ import annotations

import re
import threading
from typing import NamedTuple

import pytest

from tests.dashboard.run_helpers import cluster_of
from tests.faults.installations import embedded
from tests.faults.lengths import length
from tests.faults.people import make_people
from tests.faults.person import Person
from tests.faults.processes import start_run, wait_until
from tests.health import answers

pytestmark = [pytest.mark.slow, pytest.mark.long]

EDITORS = ["ada", "bo", "cem"]
EDITS = length(short=8, long=60)
NODES = 4
CLUSTER = "/w/default/clusters/shared"
UNDONE_EVERY = 5


class Sent(NamedTuple):
    """An edit as somebody sent it: the key of its taint, its node, and what was answered."""

    key: str
    node: str
    status: int


class Editor(threading.Thread):
    """Taints nodes that the others taint too, and undoes what was done last now and then."""

    def __init__(self, person: Person, name: str, draft: str, barrier: threading.Barrier) -> None:
        super().__init__(name=name, daemon=True)
        self.person, self.draft, self.barrier = person, draft, barrier
        self.sent: list[Sent] = []
        self.undone: list[str] = []
        self.refused: list[int] = []

    def run(self) -> None:
        """Send all edits, each once the one before was answered."""
        form = self.person.form(f"{CLUSTER}/nodes/?draft={self.draft}", "/nodes/change")
        self.barrier.wait(60)
        for number in range(EDITS):
            key, node = f"{self.name}-{number}", f"node-{number % NODES}"
            fields = form | {"draft": [self.draft], "node": [node], "what": ["taint"], "taint_key": [key]}
            # Refused with both versions where another one was written between reading and writing: sent again.
            while (status := self.person.once(f"{CLUSTER}/nodes/change", fields).status) == 409:
                self.refused.append(status)
            self.sent.append(Sent(key, node, status))
            if number % UNDONE_EVERY == UNDONE_EVERY - 1:
                status = self.person.once(f"{CLUSTER}/drafts/{self.draft}/undo", {}).status
                # Refused where somebody changed the node since: both versions are shown.
                (self.undone if status == 302 else self.refused).append(key if status == 302 else status)


@pytest.fixture(scope="module")
def installation(tmp_path_factory):
    """A web server and a worker, with a cluster."""
    folder = tmp_path_factory.mktemp("editors")
    with embedded(folder) as installation:
        installation.start("web", "worker1")
        start_run(installation.environment, folder, cluster_of(NODES, 4), "--cluster", "shared")
        wait_until(lambda: answers(("127.0.0.1", installation.port)), "no web server", installation.log)
        yield installation


def test_no_edit_of_three_is_lost_and_their_order_holds(installation):
    people = make_people(installation.environment, EDITORS)
    persons = {name: Person(installation.port, session) for name, session in people.sessions.items()}
    first = persons[EDITORS[0]]
    draft = re.search(r"/drafts/(\d+)/", first.post(f"{CLUSTER}/drafts/new", {"name": "ours"}).location)[1]
    others = [key for (key,) in installation.rows("SELECT id FROM accounts_user WHERE email LIKE '%@example.org'")]
    assert first.post(f"{CLUSTER}/drafts/{draft}/people", {"name": "ours", "user": others}).status == 302
    barrier = threading.Barrier(len(EDITORS))
    editors = [Editor(person, name, draft, barrier) for name, person in persons.items()]
    for editor in editors:
        editor.start()
    for editor in editors:
        editor.join(300)
    assert {one.status for editor in editors for one in editor.sent} == {302}, installation.log.read_text()[-3000:]
    assert {status for editor in editors for status in editor.refused} <= {409}
    operations = installation.rows(
        f"SELECT number, name, undone_at FROM clusters_draftoperation WHERE draft_id = {draft} ORDER BY number"
    )
    assert [number for number, _name, _undone in operations] == list(range(1, len(EDITORS) * EDITS + 1))
    for editor in editors:
        keys = [re.search(rf"{editor.name}-\d+", name) for _number, name, _undone in operations]
        assert [key[0] for key in keys if key] == [one.key for one in editor.sent]
    undone = {key for editor in editors for key in editor.undone}
    assert len([one for *_others, one in operations if one is not None]) == len(undone)
    for node in {one.node for editor in editors for one in editor.sent}:
        page = first.get(f"{CLUSTER}/object/export?kind=Node&name={node}&draft={draft}").text
        there = set(re.findall(r"key: (\w+-\d+)", page))
        assert there == {one.key for editor in editors for one in editor.sent if one.node == node} - undone
