"""Bombs by every page that takes a file or a text, over HTTP: a sentence comes back, and no process grows too much."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from dashboard.common.processes.supervisor import answers_command
from tests.dashboard.run_helpers import cluster_of
from tests.faults.bombs import ARCHIVES, TEXTS, archive
from tests.faults.installations import Installation, embedded
from tests.faults.lengths import length
from tests.faults.person import Answer, Person
from tests.faults.processes import sign_in, start_run, wait_until
from tests.health import answers
from tests.patience import PATIENCE

pytestmark = [pytest.mark.slow, pytest.mark.long]

W = "/w/default"
SHORT = ["gzip", "zip of many members"]
MOST_MIB = 420
"""What a process may take for one answer: docs/operation.md has 261 MiB for an archive, beside what is there twice."""


class Page(NamedTuple):
    """A page's form: where it goes, its fields without the bomb, and the name of the field for it."""

    path: str
    field: str
    fields: dict[str, Any]


FILE_PAGES = {
    "import": Page(f"{W}/import/", "files", {}),
    "folder of an import": Page(f"{W}/import/", "folder", {}),
    "files of an import": Page(f"{W}/import/{{number}}/files", "files", {}),
    "scheduler_perf": Page(f"{W}/generate/scheduler-perf/", "files", {}),
    "tape": Page(f"{W}/extenders/upload/", "file", {"name": "tape"}),
    "log": Page(f"{W}/clusters/small/agreement/log", "log", {}),
}
TEXT_PAGES = {
    "import": Page(f"{W}/import/", "text", {}),
    "file of an import": Page(f"{W}/import/{{number}}/files/0/", "text", {}),
    "object, checked": Page(f"{W}/clusters/small/object/validate", "text", {}),
    "object": Page(f"{W}/clusters/small/object/save", "text", {"base": "1"}),
    "form": Page(f"{W}/clusters/small/drafts/1/form/", "text", {"new": "Pod"}),
    "would it fit": Page(f"{W}/clusters/small/fit/typed", "text", {}),
    "timeline, checked": Page(f"{W}/timelines/validate", "text", {"cluster": "small"}),
    "timeline": Page(f"{W}/timelines/save", "text", {"cluster": "small", "name": "t", "step": "save"}),
    "configuration, as a table": Page(f"{W}/configurations/table", "text", {}),
    "configuration": Page(f"{W}/configurations/save", "text", {"name": "c", "step": "save"}),
    "what would change": Page(
        f"{W}/configurations/what-changes", "text", {"preview_on": "cluster:small", "before": "default"}
    ),
    "declared extenders, checked": Page(f"{W}/extenders/validate", "text", {}),
    "declared extenders": Page(f"{W}/extenders/save", "text", {"name": "d", "step": "save"}),
    "description": Page(f"{W}/generate/make", "text", {"name": "g"}),
    "scheduler_perf": Page(f"{W}/generate/scheduler-perf/", "text", {}),
    "change of a run": Page(f"{W}/runs/1/list/", "text", {"cycle": "1"}),
    "change that is tried": Page(f"{W}/runs/1/why/would/", "text", {"cycle": "1"}),
    "log": Page(f"{W}/clusters/small/agreement/log", "text", {}),
    "comment": Page(f"{W}/runs/1/review/threads/new", "text", {"cycle": "1"}),
    "search": Page(f"{W}/search/saved/", "q", {"name": "s"}),
}


@pytest.fixture(scope="module")
def installation(tmp_path_factory):
    """A web server and both workers, with a cluster, a draft and a run."""
    folder = tmp_path_factory.mktemp("bombs")
    with embedded(folder) as installation:
        installation.commands["answers"] = answers_command()
        installation.start("web", "worker1", "answers")
        start_run(installation.environment, folder, cluster_of(5, 10), "--cluster", "small", "--wait", "120")
        wait_until(lambda: answers(("127.0.0.1", installation.port)), "no web server", installation.log)
        person = Person(installation.port, sign_in(installation.environment))
        person.post(f"{W}/clusters/small/drafts/new", {"name": "d"})
        yield installation


@pytest.fixture
def person(installation):
    """The owner, signed in."""
    return Person(installation.port, sign_in(installation.environment))


def peaks(installation: Installation) -> dict[str, float]:
    """Return {process: the most that it had since this was last asked, in MiB}."""
    most = {}
    for name, process in installation.processes.items():
        status = Path(f"/proc/{process.pid}/status").read_text()
        most[name] = int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024
        Path(f"/proc/{process.pid}/clear_refs").write_text("5")
    return most


def path_of(page: Page, person: Person) -> str:
    """Return where the form goes, of an import that has just been sent where it is about one."""
    if "{number}" not in page.path:
        return page.path
    sent = person.post(f"{W}/import/", {"text": "apiVersion: v1\nkind: Node\nmetadata: {name: a}\n"})
    return page.path.format(number=sent.location.split("/")[-2])


def ended(installation: Installation, person: Person, answer: Answer) -> Answer:
    """Return the answer, or what became of the task or the comparison that it leads to."""
    if "?log=" in answer.location:
        return compared(person, answer.location)
    task = re.fullmatch(rf"{W}/tasks/(\d+)/", answer.location)
    if task is None:
        return answer
    is_over = f"SELECT ended_at IS NOT NULL FROM clusters_backgroundtask WHERE id = {task[1]}"
    wait_until(lambda: installation.ask(is_over)[0], "the task goes on", installation.log)
    return person.once(answer.location)


def compared(person: Person, address: str) -> Answer:
    """Return the page of the agreement once the answer worker has read the log."""
    deadline = time.monotonic() + PATIENCE
    while "Waiting for" in (page := person.once(address)).text or "Being computed" in page.text:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    return page


def detonated(installation: Installation, person: Person, answer: Answer, before: dict[str, float]) -> None:
    """See that the answer, or its task's, is one for people, that all processes live and none took too much."""
    answer = ended(installation, person, answer)
    assert answer.status < 500, (answer.status, installation.log.read_text()[-4000:])
    assert "Traceback" not in answer.text
    after = peaks(installation)
    assert installation.ended() == {}
    grown = {name: round(after[name] - before[name]) for name in after}
    assert max(grown.values()) < MOST_MIB, grown
    # Shown by `pytest -s`.
    print(answer.status, grown)


@pytest.mark.parametrize("bomb", length(short=SHORT, long=list(ARCHIVES)))
@pytest.mark.parametrize("page", list(FILE_PAGES))
def test_an_archive(installation, person, page, bomb):
    to, (name, content) = FILE_PAGES[page], archive(bomb)
    before = peaks(installation)
    detonated(installation, person, person.once(path_of(to, person), to.fields, [(to.field, name, content)]), before)


@pytest.mark.parametrize("bomb", length(short=["aliases of aliases", "deep JSON"], long=list(TEXTS)))
@pytest.mark.parametrize("page", list(TEXT_PAGES))
def test_a_text(installation, person, page, bomb):
    to = TEXT_PAGES[page]
    before = peaks(installation)
    detonated(installation, person, person.once(path_of(to, person), to.fields | {to.field: TEXTS[bomb]}), before)
