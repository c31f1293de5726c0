"""A disk that fills up under an installation: a sentence for each write that is refused, and what was made is there.

A small write may find room in pages that are allocated already, so each answer is one of two: refused as a whole, or
made and there for good. When there is room again the refused ones are sent again and go through.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any, NamedTuple

import pytest

from tests.dashboard.run_helpers import cluster_of, undisturbed_hash
from tests.faults.disks import Disk, small_disk
from tests.faults.installations import Installation, supervised
from tests.faults.lengths import LONG, length
from tests.faults.person import Files, Person
from tests.faults.processes import ROOT, sign_in, start_run, wait_until
from tests.health import answers
from tests.processes import children_of
from tests.services.servers import kill_all

pytestmark = [pytest.mark.slow, pytest.mark.long, pytest.mark.skipif(not LONG, reason="needs root: make faults")]

MEBIBYTES = 48
MANIFESTS = cluster_of(*length(short=(100, 1500), long=(300, 6000)))
SMALL = cluster_of(10, 30)
W = "/w/default"
FULL, DONE = 507, (200, 204, 302)


class Write(NamedTuple):
    """A form that writes; `count` asks for the number of what it made."""

    path: str
    fields: dict[str, Any]
    count: str
    files: Files = ()


class Scene(NamedTuple):
    """A disk with an installation that a person works with."""

    disk: Disk
    installation: Installation
    person: Person


@pytest.fixture(scope="module")
def scene(tmp_path_factory):
    """An installation on a small disk, with a finished run and a cluster with a draft."""
    folder = tmp_path_factory.mktemp("full")
    with small_disk(folder / "var", MEBIBYTES) as disk, supervised(folder) as installation:
        installation.start("supervisor")
        wait_until(lambda: answers(("127.0.0.1", installation.port)), "no web server", installation.log)
        person = Person(installation.port, sign_in(installation.environment))
        start_run(installation.environment, folder, SMALL, "--cluster", "small", "--wait", "120")
        yield Scene(disk, installation, person)


def text_of(number: int, pods: int = 20) -> str:
    """Return a list of manifests that no other number has."""
    items = cluster_of(5, pods)
    for item in items:
        item["metadata"]["labels"] = {"number": f"n{number}"}
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": items})


def writes(person: Person, number: int) -> dict[str, Write]:
    """Return one write of each kind, with contents of its own; the forms are those of the pages."""
    text, about = text_of(number), f"text {number} " + "x" * 8_000
    launch = person.form(f"{W}/runs/new/?cluster=small", "/runs/new/")
    config = {"name": f"config {number}", "message": "", "base": "", "text": CONFIGURATION, "step": "save"}
    timeline = person.form(f"{W}/timelines/new/", "/timelines/save")
    timeline |= {"name": [f"timeline {number}"], "cluster": ["small"], "text": ['{"entries": []}'], "step": ["save"]}
    taint = person.form(f"{W}/clusters/small/nodes/", "/nodes/change")
    taint |= {"node": [f"node-{number % 10}"], "what": ["taint"], "taint_key": [f"key-{number}"]}
    return {
        "import": Write(f"{W}/import/", {"text": text}, "clusters_importdraft"),
        "upload": Write(
            f"{W}/import/", {}, "clusters_backgroundtask", [("files", "a.json", text_of(number, 12_000).encode())]
        ),
        "draft": Write(f"{W}/clusters/small/nodes/change", taint, "clusters_draftoperation"),
        "launch": Write(f"{W}/runs/new/", launch | {"seed": [str(number)]}, "runs_run"),
        "comment": Write(f"{W}/runs/1/review/threads/new", {"cycle": "1", "text": about}, "review_comment"),
        "configuration": Write(f"{W}/configurations/save", config, "clusters_configrevision"),
        "timeline": Write(f"{W}/timelines/save", timeline, "clusters_timelinerevision"),
        "name": Write("/account/name", {"name": f"Person {number}"}, ""),
    }


CONFIGURATION = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"


def count(installation: Installation, table: str) -> int:
    """Return the number of rows."""
    return installation.ask(f"SELECT count(*) FROM {table}")[0] if table else 0


def sent(scene: Scene, write: Write) -> int:
    """Send a form; return the status, once it is seen that what it says is so."""
    before = count(scene.installation, write.count)
    answer = scene.person.once(write.path, write.fields, write.files)
    made = count(scene.installation, write.count) - before
    assert answer.status == FULL or answer.status in DONE, (write.path, answer.status, answer.text[-2000:])
    if answer.status == FULL:
        assert "The disk is full" in answer.text
        assert "Nothing of what you sent was saved" in answer.text
    if write.count:
        assert bool(made) == (answer.status != FULL), (write.path, answer.status, made)
    return answer.status


def commanded(environment: dict[str, str], *arguments: str) -> tuple[int, str]:
    """Return the exit status of a management command and what it said of errors."""
    command = [sys.executable, "manage.py", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stderr


def test_each_write_is_whole_or_refused_and_a_run_goes_on_when_there_is_room(scene, tmp_path):
    disk, installation, person = scene
    forms = [writes(person, number) for number in range(4)]
    run = start_run(installation.environment, tmp_path, MANIFESTS, "--cluster", "large")
    state = f"SELECT r.state, h.seq FROM runs_run r JOIN runs_runhead h ON h.run_id = r.id WHERE r.id = {run['id']}"
    wait_until(lambda: installation.ask(state)[1] > 0, "no progress", installation.log)
    refused: dict[str, Write] = {}
    for number, kinds in enumerate(forms):
        # A journal that was longer before has room for its next entries: it is cut, which itself takes some.
        disk.make_room()
        installation.ask("PRAGMA wal_checkpoint(TRUNCATE)")
        disk.fill()
        for name, write in kinds.items():
            if sent(scene, write) == FULL:
                refused[name] = write
        # Pages are read meanwhile, also by a process that was started on the full disk.
        assert person.get(f"{W}/runs/").status == 200
        if number == 2:
            for line, pid in children_of(installation.processes["supervisor"].pid).items():
                if "celery" in line or "dashboard.webserver" in line:
                    kill_all(pid)
    assert {"import", "upload", "launch", "comment", "configuration", "timeline"} <= set(refused), set(refused)
    assert installation.ask(state)[0] in ("running", "queued"), "the run was over before the disk was full"
    for arguments in (
        ("backup",),
        ("export_workspace", "default", str(disk.path / "workspace.zip")),
        ("shell", "--no-imports", "-c", BUILD),
    ):
        status, said = commanded(installation.environment, *arguments)
        assert (status, "Traceback" in said) == (1, False), (arguments, said)
        assert "full" in said or "No space left" in said, said
    assert not list(disk.path.glob("backups/*.sqlite3"))
    assert not list(disk.path.glob("*.zip"))
    disk.make_room()
    for write in refused.values():
        assert sent(scene, write) in DONE
    wait_until(lambda: installation.ask(state)[0] in ("finished", "failed"), "the run stands", installation.log)
    ended = installation.ask(f"SELECT state, error, recording_hash FROM runs_run WHERE id = {run['id']}")
    assert ended == ("finished", "", undisturbed_hash(MANIFESTS))
    assert installation.ask("PRAGMA integrity_check") == ("ok",)
    assert commanded(installation.environment, "backup") == (0, "")
    assert installation.ended() == {}


# The files of pages are built into the data folder where the checkout takes no writes.
BUILD = """
from django.conf import settings
from django.core.management import call_command
settings.STATIC_ROOT = settings.DATA_FOLDER.path / "staticfiles"
call_command("collectstatic")
"""
