"""The states of the page that says why: causes by stage, several at once, many groups, and what is still to come."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from playwright.sync_api import Page

from dashboard.accounts.models import Member, Role, User
from dashboard.answers import asking
from dashboard.clusters.importing import reading
from dashboard.clusters.importing.saving import contents_from
from dashboard.clusters.revisions.actions import NewCluster, create_cluster
from dashboard.clusters.uploads.opening import Upload
from dashboard.runs import actions, execution
from dashboard.runs.actions import Launch
from dashboard.runs.demo import load_teaching
from tests.gallery.steps import click, sees, then

if TYPE_CHECKING:
    from dashboard.clusters.revisions.contents import Contents
    from tests.browser.team import Team

CASES = Path(__file__).parents[1] / "cases" / "diagnosis"
ANSWERED = "tests.dashboard.answers.here.ask"
# {name of a state: the file of its cluster and the pod}
SHOWN = {
    "spread": ("a05-rollout-hard-spread.yaml", "default/cart-v2-x"),
    "either": ("a02-three-zonal-claims.yaml", "default/store-0"),
    "gate": ("3-gate.yaml", "default/q"),
    "queue": ("a16-kueue-gate.yaml", "batch/task"),
    "node-lost": ("a10-node-unreachable.yaml", "default/api"),
    "hidden": ("hidden-cordon.yaml", "kettle/tea-0"),
    "scheduler": ("a26-scheduler-name-typo.yaml", "default/typo"),
    "preempts": ("a01-daemonset-victim.yaml", "default/vip"),
}
MANY = "many"
KINDS = ("disk", "tier", "team", "arch", "rack", "room", "row")


@dataclass(frozen=True)
class CauseRows:
    """The runs by the name of what they show, and who looks."""

    team: Team
    people: dict[str, User]
    runs: dict[str, int]

    def open(self, path: str, user: str = "mara", answers: str = ANSWERED) -> Page:
        """Return a page of the workspace, where questions are answered in this way."""
        settings.ANSWERS_TRANSPORT = answers
        asking._transport.cache_clear()
        return self.team.open(self.people[user], f"/w/{self.team.workspace.slug}/{path}")


State = Callable[[CauseRows], Page]


def rows(team: Team) -> CauseRows:
    """Run all of it."""
    people = {"mara": team.join("Mara Lindqvist", Role.EDITOR), "vera": team.join("Vera Novak", Role.VIEWER)}
    member = Member.objects.select_related("workspace", "user").get(user=people["mara"])
    teaching = load_teaching(member)
    assert teaching is not None
    runs = {"demo": teaching.number}
    shown: dict[str, Sequence[dict[str, Any]] | Contents] = {MANY: _many()}
    shown |= {name: _contents(file) for name, (file, _) in SHOWN.items()}
    for name, objects in shown.items():
        cluster = create_cluster(member, NewCluster(name), objects)
        runs[name] = actions.create_run(member, Launch(cluster.revisions.get(), schedule="pending")).number
    while execution.work():
        pass
    return CauseRows(team, people, runs)


def _contents(file: str) -> Contents:
    """What an import of the file keeps."""
    return contents_from(reading.load([Upload(file, (CASES / file).read_bytes())]))


def _many() -> list[dict[str, Any]]:
    """Nodes that refuse the pod for more kinds of things, in more groups, than a table shows at once."""
    resources = {"cpu": "8", "memory": "16Gi", "pods": "110"}
    nodes = [
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": f"worker-{i:03}", "labels": {"topology.kubernetes.io/zone": f"eu-{'abc'[i % 3]}"}},
            "spec": {
                "taints": [
                    {"key": key, "value": "yes", "effect": "NoSchedule"}
                    for bit, key in enumerate(KINDS)
                    if i >> bit & 1
                ]
            },
            "status": {"allocatable": resources, "capacity": resources},
        }
        for i in range(64)
    ]
    container = {"name": "main", "image": "web:1", "resources": {"requests": {"cpu": "12", "memory": "1Gi"}}}
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "indexer-7", "namespace": "search"},
        "spec": {"containers": [container]},
    }
    return [*nodes, pod]


def why(name: str, user: str = "mara", answers: str = ANSWERED) -> State:
    """Return a function that opens why the pod of a run is pending."""
    pod = "search/indexer-7" if name == MANY else "lab/batch-10" if name == "demo" else SHOWN[name][1]
    return lambda all_rows: all_rows.open(f"runs/{all_rows.runs[name]}/why/?pod={pod}", user, answers)


def at(name: str, more: str) -> State:
    """Return a function that opens a run at the first cycle."""
    return lambda all_rows: all_rows.open(f"runs/{all_rows.runs[name]}/{more}")


VERIFIED = sees("#do-this", "verified")
STATES: dict[str, State] = {
    "demo": then(why("demo"), VERIFIED),
    **{name: then(why(name), VERIFIED) for name in ("spread", "either", "gate", "node-lost", "hidden", "scheduler")},
    "queue": then(why("queue"), sees("#cause .an-doubts", "not played")),
    "many": then(why(MANY), sees("#remedies .an-act"), click(".an-folds summary"), click(".an-row summary")),
    "message": then(why("spread"), VERIFIED, click(".an-msg-d summary")),
    "as-viewer": then(why("hidden", "vera"), VERIFIED),
    "computing": why("hidden", answers="tests.gallery.answers.waiting"),
    "failed": why("hidden", answers="tests.gallery.answers.failed"),
    "placed": why("preempts"),
    "preempts": then(at("preempts", "why/?cycle=1"), sees("#victims h4")),
    "tab": then(at("spread", "?cycle=1&tab=why"), VERIFIED),
    "tab-preemption": then(at("preempts", "?cycle=1&tab=preemption"), sees("#victims h4")),
}
