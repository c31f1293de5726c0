"""50 people at one run that makes 1,000 events a second: ``python -m tests.bench.presence``.

Prints a JSON line per set-up. Each person has a session and a page of their own, which follows the run's events and
moves once a second; beside it somebody comments four times a second, in turns in REVIEWS reviews that ask everybody, so
that with each comment is counted what waits for whom. A latency is the time from the move, or from before the comment's
transaction, until a page has heard of it, at every page. Raises ValueError for a gap in the events of any page, for a
change that was not told to somebody, or for somebody who was not told that all of these reviews wait for them.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.bench import live
from tests.bench.installation import INSTALLATIONS, Installation
from tests.bench.workloads import WORKLOADS, manifests_of
from tests.faults.processes import manage, process

if TYPE_CHECKING:
    from collections.abc import Iterator

PEOPLE = 50
SECONDS = 20
EVENTS_PER_SECOND = 1_000
P99_LIMIT_MS = 1_000.0
REVIEWS = 30

MEMBERS = """
import json
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from dashboard.accounts.models import Member, User, Workspace
workspace, keys = Workspace.objects.get(), []
for number in range({count}):
    user = User.objects.create_user(f"person-{{number}}@example.org", f"Person {{number}}")
    Member.objects.create(workspace=workspace, user=user, role={role!r})
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    keys.append(session.session_key)
from dashboard.review import actions
from dashboard.review.deciding.asking import ReviewRequest, ask_about
from dashboard.review.deciding.subjects import subject_in
from dashboard.review.findings.gathering import gathered
from dashboard.review.pins.fields import FieldPin
asking = Member.objects.select_related("workspace", "user").get(role="admin")
for number in range({reviews}):
    review = ask_about(asking, subject_in(asking, {{"text": {text!r}}}), ReviewRequest(f"Review {{number}}"))
    finding = gathered(asking, review).findings[0]
    for text in ("Why?", "For how long?"):
        actions.open_field_thread(asking, review, FieldPin(finding.key), text)
print(json.dumps([workspace.slug, keys]))
"""
_WRITER = """
import itertools, time
from django.db import transaction
from dashboard.accounts.models import Member
from dashboard.live.feed.topics import announce
from dashboard.review import actions
from dashboard.review.models import Thread
member = Member.objects.select_related("workspace", "user").get(role="admin")
threads = list(Thread.objects.select_related("review"))
for number, thread in enumerate(itertools.cycle(threads)):
    began = time.monotonic()
    with transaction.atomic():
        actions.reply(member, thread, f"Answer {number}")
        announce(member.workspace_id, f"bench:{began}")
    time.sleep(0.25)
"""
_PACKING = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- pluginConfig:
  - name: NodeResourcesFit
    args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}]}}
"""
SHELL = ("manage.py", "shell", "--no-imports", "-c")


def lines(nodes: int, cycles: int, set_ups: tuple[str, ...] = tuple(INSTALLATIONS)) -> Iterator[dict[str, Any]]:
    """Figures per set-up: the embedded one has no layer between processes, the other one has Redis."""
    pace = ("--events-per-second", str(EVENTS_PER_SECOND), "--commits-per-second", str(live.COMMITS_PER_SECOND))
    for name in set_ups:
        with INSTALLATIONS[name](*pace) as installation:
            line = _measured(installation, manifests_of(WORKLOADS["mix"], nodes, cycles))
            yield {"workload": f"presence, {name}", "nodes": nodes, "limit_ms": P99_LIMIT_MS} | line


def _measured(installation: Installation, manifests: list[dict[str, Any]]) -> dict[str, Any]:
    environment, log = installation.environment, installation.log
    members = MEMBERS.format(count=PEOPLE, role="reviewer", reviews=REVIEWS, text=_PACKING)
    slug, keys = json.loads(manage(environment, *SHELL[1:], members).splitlines()[-1])
    cookies = installation.folder / "cookies"
    cookies.write_text(json.dumps(keys))
    url = f"ws://127.0.0.1:{installation.port}/ws/w/{slug}/"
    with installation.sockets(PEOPLE) as received:
        installation.start_run(manifests, "--schedule", "pending")
        with process(environment, [sys.executable, *SHELL, _WRITER], log):
            asked = (url, installation.origin, str(cookies), str(SECONDS))
            crowd = installation.question("tests.bench.crowd", *asked)
    if set(crowd["waiting"]) != {REVIEWS}:
        raise ValueError(f"not everybody was told of {REVIEWS} reviews that wait for them: {crowd['waiting']}")
    commits = installation.commits()
    sockets = json.loads(received.read_text())["sockets"]
    for receipts in sockets:
        live.check(commits, receipts)
    return {
        "people": crowd["people"],
        "events": commits[-1][0],
        "sockets_without_gap": len(sockets),
        "heard_share": crowd["heard_share"],
        **_percentiles("moves", crowd["moves"]),
        **_percentiles("changes", crowd["changes"]),
        "megabytes_sent": crowd["bytes"] / 1e6,
    }


def _percentiles(what: str, seconds: list[float]) -> dict[str, float]:
    milliseconds = np.percentile(np.array(seconds) * 1000, [50, 99, 100])
    return {f"{what}_ms_{name}": float(ms) for name, ms in zip(("p50", "p99", "max"), milliseconds, strict=True)}


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.presence", description=__doc__)
    parser.add_argument("--nodes", type=int, default=200)
    parser.add_argument("--set-up", choices=sorted(INSTALLATIONS), action="append")
    options = parser.parse_args(argv)
    # The run goes on for as long as people move, and somewhat longer.
    cycles = 2 * SECONDS * EVENTS_PER_SECOND // live.EVENTS_PER_CYCLE
    for line in lines(options.nodes, cycles, tuple(options.set_up or INSTALLATIONS)):
        print(json.dumps({k: round(v, 2) if isinstance(v, float) else v for k, v in line.items()}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
