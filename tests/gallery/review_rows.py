"""What the pictures of reviews show: the teaching demo run twice, and people who talk about it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from django.conf import settings

from dashboard.accounts.actions import create_workspace
from dashboard.accounts.models import Member, Role, User
from dashboard.answers import asking
from dashboard.clusters.drafts.actions import new_draft
from dashboard.clusters.drafts.opened import OpenedDraft
from dashboard.clusters.drafts.operations import Edit, put_in
from dashboard.clusters.drafts.saving import save
from dashboard.clusters.models import Cluster, Draft, Revision
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.actions import newest_revision
from dashboard.clusters.revisions.object_keys import Key
from dashboard.clusters.revisions.object_store import Saving
from dashboard.documents.actions import NewText
from dashboard.documents.configurations.actions import save_config
from dashboard.review import actions
from dashboard.review.deciding import verdicts
from dashboard.review.deciding.asking import ReviewRequest, ask_about, ask_for_review
from dashboard.review.deciding.rules import ReviewRule
from dashboard.review.deciding.subjects import subject_in
from dashboard.review.drafts import actions as drafting
from dashboard.review.findings.changes import changes_by_key
from dashboard.review.models import ReactionKind, Review, Thread
from dashboard.review.pins.fields import FieldPin
from dashboard.review.pins.pin import Pin
from dashboard.runs import actions as runs
from dashboard.runs import execution
from dashboard.runs.actions import Launch
from dashboard.runs.branches.actions import Branching, branch_run
from dashboard.runs.demo import SEED, load_teaching
from dashboard.runs.models import Preemption, Run
from tests.browser.team import Team
from tests.dashboard.run_helpers import cluster_of, node

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from dashboard.documents.models import ConfigRevision

PACKING = """\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
  plugins:
    score:
      enabled:
      - name: NodeResourcesFit
        weight: 5
  pluginConfig:
  - name: NodeResourcesFit
    args:
      scoringStrategy:
        type: MostAllocated
        resources: [{name: cpu, weight: 1}, {name: memory, weight: 1}]
"""
BUDGET = {
    "apiVersion": "policy/v1",
    "kind": "PodDisruptionBudget",
    "metadata": {"name": "batch", "namespace": "jobs"},
    "spec": {"minAvailable": 11, "selector": {"matchLabels": {"app": "batch"}}},
}
LONG_NAME = "Maximiliane-Theodora von Hohenstauffen-Waldburg"
HOSTILE = (
    "<script>document.title='pwned'</script><img src=https://evil.example/a.png onerror=\"document.title='pwned'\">\n\n"
    "![x](https://evil.example/b.png) [x](javascript:document.title='pwned') \u202egnp.exe `</code><script>`\n\n"
    "| a | b |\n|---|---|\n| " + "wide" * 40 + " | 1 |\n\n" + "unbroken" * 30
)
ANSWERED = "tests.dashboard.answers.here.ask"
CPU = "status.allocatable.cpu"
MANY = 40


@dataclass
class ReviewRows:
    """Everything that is written once; states of pages read it and change what is their own."""

    team: Team
    quiet: Team
    people: dict[str, User]
    first: Run
    packed: Run
    again: Run
    branch: Run
    draft: Draft
    revision: Revision
    config: ConfigRevision
    reviews: dict[str, Review] = field(default_factory=dict)
    threads: dict[str, Thread] = field(default_factory=dict)

    def member(self, name: str) -> Member:
        """Return the member of the team with this short name."""
        return member_in(self.team, self.people[name])

    def open(self, path: str, user: str = "mara", answers: str = ANSWERED) -> Page:
        """Return a page of the workspace, in a window of this user's, where questions are answered in this way."""
        settings.ANSWERS_TRANSPORT = answers
        asking._transport.cache_clear()
        return self.team.open(self.people[user], self.of(path))

    def review(self, name: str) -> str:
        """Return the path of a review's page within the workspace."""
        return f"reviews/{self.reviews[name].number}/"

    def of(self, name: str) -> str:
        """Return the path of a page of the team's workspace."""
        return f"/w/{self.team.workspace.slug}/{name}"


def member_in(team: Team, user: User) -> Member:
    """Return the user's membership."""
    return Member.objects.select_related("workspace", "user").get(user=user, workspace=team.workspace)


def work() -> None:
    """Do what waits for a worker."""
    while execution.work():
        pass


def written(team: Team) -> ReviewRows:
    """Write all of it."""
    mara = Member.objects.select_related("user").get(workspace=team.workspace).user
    mara.name = "Mara Lindqvist"
    mara.save(update_fields=["name"])
    people = {"mara": mara}
    for short, name in (
        ("jonas", "Jonas Stein"),
        ("asha", "Asha Kulkarni"),
        ("lin", "Lin Nakamura"),
        ("max", LONG_NAME),
    ):
        people[short] = team.join(name)
    people["vera"] = team.join("Vera Lind", Role.VIEWER)
    quiet = Team(team.browser, team.origin, create_workspace(mara, "Quiet", "quiet"), team.patience_ms)
    quiet.contexts, quiet.complaints = team.contexts, team.complaints
    rows = _inputs(team, quiet, people)
    _comparison(rows)
    _run(rows)
    _again(rows)
    _changes(rows)
    _many(rows)
    _gone(rows)
    _plain(rows)
    return rows


def _inputs(team: Team, quiet: Team, people: dict[str, User]) -> ReviewRows:
    """The runs, and what was changed."""
    member = member_in(team, people["mara"])
    first = load_teaching(member)
    assert first is not None
    work()
    config = save_config(member, None, NewText("packing", PACKING))
    same: dict[str, Any] = {"timeline": first.timeline_revision, "schedule": first.schedule, "seed": SEED}
    packed = runs.create_run(member, Launch(first.revision, config=config, name="Packed, weight 5", **same))
    again = runs.create_run(member, Launch(first.revision, name="Again, after the budget", config=config, **same))
    first = runs.find_run(team.workspace, first.number)
    changes = [{"action": "put", "object": BUDGET}]
    branch = branch_run(member, first, Branching(first.head.seq // 2, changes, name="Budget for batch"))
    work()
    cluster = first.revision.cluster
    draft = new_draft(member, cluster, "Larger workers", newest_revision(cluster))
    _put(member, draft, "worker-a-1", "16")
    draft.refresh_from_db()
    other = new_draft(member, cluster, "One larger", newest_revision(cluster))
    _put(member, other, "worker-b-1", "12")
    other.refresh_from_db()
    revision = save(member, other, "worker-b-1 has 12 cpus")
    first, packed, again, branch = (runs.find_run(team.workspace, run.number) for run in (first, packed, again, branch))
    return ReviewRows(team, quiet, people, first, packed, again, branch, draft, revision, config)


def _put(member: Member, draft: Draft, name: str, cpu: str) -> None:
    key = Key("Node", "", name)
    edits = [Edit(key, node(name, cpu), one.address) for key, one in OpenedDraft(draft).objects([key]).items()]
    put_in(member.user, draft, f"Grow {name}", edits)


def _comparison(rows: ReviewRows) -> None:
    """Half decided: one of two approvals, and a change asked for and withdrawn."""
    mara, jonas, lin = (rows.member(name) for name in ("mara", "jonas", "lin"))
    subject = subject_in(mara, {"a": str(rows.first.number), "b": str(rows.packed.number)})
    asked = ReviewRequest(
        "Pack the nodes instead of spreading?",
        "Which pods end otherwise, and **who is evicted**? See `db-primary-0` first.\n\n- cost\n- evictions of Jobs",
        "@jonas-stein @lin-nakamura",
        ReviewRule(2, asker_counts=False),
    )
    review = rows.reviews["comparison"] = ask_about(mara, subject, asked)
    verdicts.give_verdict(lin, review, "request_changes", "Evicts three pods where one was enough.")
    verdicts.withdraw_verdict(lin, review)
    verdicts.give_verdict(jonas, review, "approve", "Fine for batch; *watch* the databases.")
    thread = actions.open_thread(lin, rows.packed, Pin(3), "Packed onto the busiest node already here.", review)
    actions.reply(jonas, thread, "As it should.")


def _run(rows: ReviewRows) -> None:
    """A bit of everything at one run."""
    run, (mara, jonas, asha, lin) = rows.first, (rows.member(one) for one in ("mara", "jonas", "asha", "lin"))
    rows.reviews["run"] = ask_for_review(asha, run, ReviewRequest("Fit for *production*?", "- Who lost?\n- `db`"))
    preemptions = Preemption.objects.filter(run=run, victims__gt=0)
    cycle = preemptions.order_by("-victims", "cycle").values_list("cycle", flat=True)[0]
    thread = actions.open_thread(
        jonas, run, Pin(cycle), "Three pods go for one, and two of them are half-done Jobs. Is that luck?"
    )
    actions.react(lin, thread.comments.get(), ReactionKind.PLUS)
    actions.react(mara, thread.comments.get(), ReactionKind.PLUS)
    actions.react(mara, thread.comments.get(), ReactionKind.EYES)
    edited = actions.reply(asha, thread, "Not luck.")
    actions.edit_comment(
        asha, edited, f"Not luck: see cycle {cycle}. Still, no Job should go, @mara-lindqvist:\n\n> of 2\n"
    )
    suggested = actions.reply(asha, thread, "This holds them:", rows.branch)
    rows.threads |= {"cycle": thread, "suggested": suggested.thread}
    settled = actions.open_thread(lin, run, Pin(2), "Why not **worker-b-1**?\n\n```yaml\nkind: Pod\nspec: {}\n```")
    actions.reply(jonas, settled, "It had fewer points: less memory was free.")
    actions.resolve(lin, settled)
    rows.threads["resolved"] = settled
    drafting.keep_reply(mara, thread, "Good. I would rather give Jobs a priority of *50*.")
    drafting.keep_thread(mara, run, Pin(4), "And what is with this one?")
    verdicts.give_verdict(lin, run, "request_changes", "The Jobs lose their work.")


def _again(rows: ReviewRows) -> None:
    """The run after: threads of the first one are carried to it; a text of somebody who means ill."""
    jonas, lin, longest = (rows.member(name) for name in ("jonas", "lin", "max"))
    actions.open_thread(lin, rows.first, Pin(5, plugin="NodeResourcesFit", node="worker-a-1"), "So many points?")
    actions.open_thread(lin, rows.first, Pin(1), "The first one, drawn among equals.")
    thread = actions.open_thread(longest, rows.again, Pin(2), HOSTILE)
    actions.reply(jonas, thread, "Nothing of this runs, @maximiliane-theodora-von-hohenstauffen.")
    rows.threads["hostile"] = thread


def _changes(rows: ReviewRows) -> None:
    """A draft that was asked about twice, a revision, and a configuration with and without its effect."""
    mara, jonas, lin = (rows.member(name) for name in ("mara", "jonas", "lin"))
    named = {"cluster": rows.draft.cluster.slug, "draft": str(rows.draft.pk)}
    before = ask_about(mara, subject_in(mara, named), ReviewRequest("Larger workers?"))
    (finding,) = changes_by_key(before)
    actions.open_field_thread(jonas, before, FieldPin(finding, CPU), "16 is twice what we can buy.")
    verdicts.give_verdict(jonas, before, "request_changes", "Too large.")
    rows.reviews["draft before"] = before
    _put(mara, rows.draft, "worker-a-1", "12")
    rows.draft.refresh_from_db()
    rows.reviews["draft"] = ask_about(mara, subject_in(mara, named), ReviewRequest("Workers a little larger?"))
    verdicts.give_verdict(lin, rows.reviews["draft"], "approve", "")
    revision = {"cluster": rows.draft.cluster.slug, "revision": str(rows.revision.number)}
    rows.reviews["revision"] = ask_about(mara, subject_in(mara, revision), ReviewRequest())
    verdicts.close(mara, rows.reviews["revision"], "Bought otherwise.")
    config = {"configuration": rows.config.config.slug, "revision": str(rows.config.number)}
    rows.reviews["configuration"] = ask_about(mara, subject_in(mara, config), ReviewRequest("Weight 5?"))
    on = config | {"on": f"run:{rows.first.number}"}
    rows.reviews["effect"] = ask_about(jonas, subject_in(jonas, on), ReviewRequest("Weight 5, on the demo?"))


def _many(rows: ReviewRows) -> None:
    """Forty threads at one run."""
    for number in range(MANY):
        author = rows.member(("jonas", "asha", "lin")[number % 3])
        actions.open_thread(author, rows.packed, Pin(1 + number % 30), f"Remark {number + 1} on this cycle.")


def _gone(rows: ReviewRows) -> None:
    """A decided review whose runs somebody deleted."""
    mara, lin = rows.member("mara"), rows.member("lin")
    run = runs.create_run(mara, Launch(rows.first.revision, name="Not needed any more"))
    work()
    run = runs.find_run(rows.team.workspace, run.number)
    subject = subject_in(mara, {"a": str(rows.first.number), "b": str(run.number)})
    review = rows.reviews["gone"] = ask_about(mara, subject, ReviewRequest("Was it worth it?"))
    verdicts.give_verdict(lin, review, "approve", "It was.")
    runs.delete_run(mara, run)
    work()


def _plain(rows: ReviewRows) -> None:
    """A run in which nothing is worth a look."""
    mara = rows.member("mara")
    cluster = Cluster.objects.create(workspace=rows.team.workspace, slug="plain", name="Plain")
    revision = object_store.save_revision(cluster, cluster_of(1, 1), Saving(None))
    rows.threads["plain"] = actions.open_thread(mara, _done(mara, revision), Pin(1), "The only one there was.")


def _done(member: Member, revision: Revision) -> Run:
    run = runs.create_run(member, Launch(revision))
    work()
    return runs.find_run(member.workspace, run.number)
