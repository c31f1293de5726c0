"""Runs, clusters, configurations, timelines, reviews, threads and people of a workspace: all that its members see.

Each kind is read again for each search, since names, states and rights change at any time: the newest MOST_ROWS rows of
it in one query, ranked here. The texts that are searched hold more than a name: a run is found by its cluster, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode

from django.db.models import F, OuterRef, Prefetch, Subquery
from django.db.models.functions import Substr
from django.urls import reverse

from dashboard.accounts.models import Member
from dashboard.clusters.models import Cluster
from dashboard.common.pages.numbers import grouped
from dashboard.documents.configurations import presets
from dashboard.documents.models import DeclaredExtenders, ExtenderTape, SchedulerConfig, Timeline
from dashboard.review.links import about_line, review_url
from dashboard.review.models import Comment, Review, SubjectKind, Thread, ThreadKind, Verdict
from dashboard.review.queries import STATE_LOOKS
from dashboard.review.threads import about
from dashboard.runs.list.lines import LOOKS
from dashboard.runs.models import Run, State
from dashboard.search.hits import HitGroup, SearchHit
from dashboard.search.ranking import NameList, find

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dashboard.accounts.access import Access

MOST_ROWS = 2_000
EXCERPT = 100
# What a run's or a thread's number is behind in its text, so that "41" is the whole of that part (ranking.py).
_PART = "/"


@dataclass(frozen=True)
class HitSource:
    """A kind of things of a workspace: how its rows are read, by which text one is found, and its hit."""

    kind: str
    title: str
    rows: Callable[[Access], Sequence[Any]]
    text: Callable[[Any], str]
    hit: Callable[[str, Any], SearchHit]

    def group(self, access: Access, words: Sequence[str], limit: int) -> HitGroup:
        """Return the best hits; without words the first rows."""
        rows = self.rows(access)
        matches, n = find([NameList(self.text(row) for row in rows)], words, limit)
        slug = access.workspace.slug
        hits = [self.hit(slug, rows[match.place]).marked(words, match.cost) for match in matches]
        return HitGroup(self.kind, self.title, hits, n, matches[0].cost if matches else 0)

    def hits_of(self, access: Access, refs: set[tuple[str, ...]]) -> list[SearchHit]:
        """Return the hits that `refs` name, as far as they are there."""
        hits = (self.hit(access.workspace.slug, row) for row in self.rows(access))
        return [hit for hit in hits if hit.ref in refs]


# ---------------------------------------------------------------- runs


class RunRow(NamedTuple):
    """What is searched and shown of a run. There may be many, so they are no models."""

    number: int
    name: str
    state: str
    cluster: str
    revision: int


def _runs(access: Access) -> Sequence[RunRow]:
    runs = Run.objects.filter(workspace=access.workspace).order_by("-number")
    rows = runs.values_list("number", "name", "state", "revision__cluster__name", "revision__number")
    return [RunRow(*row) for row in rows[:MOST_ROWS]]


def _run_text(run: RunRow) -> str:
    return f"{run.name} {run.cluster} run{_PART}{run.number}"


def _run_hit(slug: str, run: RunRow) -> SearchHit:
    meaning, glyph = LOOKS[run.state]
    named = [f"run {run.number}"] if run.name else []
    sub = " · ".join([*named, f"{run.cluster} r{run.revision}", State(run.state).label])
    url = reverse("debugger:run", kwargs={"slug": slug, "number": run.number})
    return SearchHit(("run", str(run.number)), run.name or f"Run {run.number}", url, glyph, sub, meaning)


# ---------------------------------------------------------------- clusters, configurations, timelines


def _in_use(model: Any) -> Callable[[Access], Sequence[Any]]:
    def rows(access: Access) -> Sequence[Any]:
        named = model.objects.filter(workspace=access.workspace, archived_at=None).order_by("-created_at", "-id")
        return list(named.only("name", "slug", "description")[:MOST_ROWS])

    return rows


def _name(row: Any) -> str:
    return str(row.name)


def _cluster_hit(slug: str, cluster: Cluster) -> SearchHit:
    url = reverse("clusters:detail", kwargs={"slug": slug, "cluster": cluster.slug})
    return SearchHit(("cluster", cluster.slug), cluster.name, url, "layers", excerpt(cluster.description))


def _timeline_hit(slug: str, timeline: Timeline) -> SearchHit:
    url = reverse("clusters:timeline", kwargs={"slug": slug, "timeline": timeline.slug})
    return SearchHit(("timeline", timeline.slug), timeline.name, url, "clock", excerpt(timeline.description))


def _tape_hit(slug: str, tape: ExtenderTape) -> SearchHit:
    url = reverse("clusters:tape", kwargs={"slug": slug, "tape": tape.slug})
    return SearchHit(("tape", tape.slug), tape.name, url, "plug", excerpt(tape.description))


def _declared_hit(slug: str, declared: DeclaredExtenders) -> SearchHit:
    url = reverse("clusters:declared_one", kwargs={"slug": slug, "declared": declared.slug})
    return SearchHit(("declared", declared.slug), declared.name, url, "plug", excerpt(declared.description))


@dataclass(frozen=True)
class NamedConfiguration:
    """A saved configuration, a preset, or the default one: its name, the kind of its address with what that takes."""

    name: str
    sub: str
    view: str
    kwargs: tuple[tuple[str, str], ...] = ()


def _configurations(access: Access) -> Sequence[NamedConfiguration]:
    saved = [
        NamedConfiguration(row.name, excerpt(row.description), "configuration", (("config", row.slug),))
        for row in _in_use(SchedulerConfig)(access)
    ]
    ready = [NamedConfiguration(name, "preset", "preset", (("preset", name),)) for name in presets.available()]
    return [*saved, NamedConfiguration("Kubernetes defaults", "", "default_configuration"), *ready]


def _configuration_hit(slug: str, one: NamedConfiguration) -> SearchHit:
    url = reverse(f"clusters:{one.view}", kwargs={"slug": slug, **dict(one.kwargs)})
    ref = ("configuration", one.view, *(value for _, value in one.kwargs))
    return SearchHit(ref, one.name, url, "gear", one.sub)


# ---------------------------------------------------------------- reviews


def _reviews(access: Access) -> Sequence[Review]:
    standing = Verdict.objects.filter(stands=True).select_related("author")
    reviews = Review.objects.filter(workspace=access.workspace).select_related("run", "run__revision__cluster")
    return list(reviews.prefetch_related(Prefetch("verdicts", standing, to_attr="standing"))[:MOST_ROWS])


def _review_text(review: Any) -> str:
    verdicts = " ".join(f"{_author(one)} {one.get_kind_display()} {one.text}" for one in review.standing)
    named = f"{review.title} {review.subject} {review.get_kind_display()}"
    run = review.run if review.kind == SubjectKind.RUN else None
    of_run = f"{run.revision.cluster.name} run{_PART}{run.number}" if run else ""
    return f"{named} {review.get_state_display()} {verdicts} review{_PART}{review.number} {of_run}"


def _review_hit(slug: str, review: Any) -> SearchHit:
    meaning, glyph = STATE_LOOKS[review.state]
    verdicts = [f"{_author(one)} {one.get_kind_display()}" for one in review.standing]
    sub = " · ".join([about_line(review), *(verdicts or ["no verdict"])])
    url = review_url(slug, review)
    return SearchHit(("review", str(review.number)), str(review), url, glyph, sub, meaning)


def _author(written: Any) -> str:
    return written.author.label if written.author else "somebody who left"


def _threads(access: Access) -> Sequence[Any]:
    first = Comment.objects.filter(thread=OuterRef("pk")).order_by("id").values("text")[:1]
    threads = Thread.objects.filter(workspace=access.workspace).exclude(run__state=State.DELETING)
    with_text = threads.annotate(text=Substr(Subquery(first), 1, 2 * EXCERPT), run_number=F("run__number"))
    return list(with_text.select_related("created_by").order_by("-last_at", "-id")[:MOST_ROWS])


def _thread_text(thread: Any) -> str:
    by = thread.created_by.label if thread.created_by else ""
    pin = " ".join(filter(None, (thread.point, thread.plugin, thread.node)))
    at = f"run {thread.run_number} cycle{_PART}{thread.cycle}" if thread.run_number else thread.field
    return f"{excerpt(thread.text)} {by} {pin} {thread.pod} {at}"


def _thread_hit(slug: str, thread: Any) -> SearchHit:
    by = [thread.created_by.label] if thread.created_by else []
    state = "resolved" if thread.is_resolved else "open"
    of = f" of run {thread.run_number}" if thread.run_number else ""
    what = f"cycle {grouped(thread.cycle)}" if thread.kind == ThreadKind.CYCLE else about(thread, None)
    sub = " · ".join([f"{what}{of}", *by, state])
    url = reverse("review:thread", kwargs={"slug": slug, "thread_id": thread.pk})
    return SearchHit(("thread", str(thread.pk)), excerpt(thread.text) or "A comment", url, "comment", sub)


def excerpt(text: str | None) -> str:
    """Return the beginning of a text, on one line."""
    line = " ".join((text or "").split())
    return line if len(line) <= EXCERPT else f"{line[: EXCERPT - 3]}..."


# ---------------------------------------------------------------- people


def _members(access: Access) -> Sequence[Member]:
    members = Member.objects.filter(workspace=access.workspace).select_related("user")
    return list(members.order_by("user__name", "user__email")[:MOST_ROWS])


def _member_text(member: Member) -> str:
    return f"{member.user.name} {member.user.email}"


def _member_hit(slug: str, member: Member) -> SearchHit:
    url = f"{reverse('accounts:members', kwargs={'slug': slug})}?{urlencode({'q': member.user.email})}"
    named = [member.user.email] if member.user.name else []
    return SearchHit(("person", str(member.pk)), member.user.label, url, "user", " · ".join([*named, str(member.role)]))


SOURCES = (
    HitSource("run", "Runs", _runs, _run_text, _run_hit),
    HitSource("cluster", "Clusters", _in_use(Cluster), _name, _cluster_hit),
    HitSource("configuration", "Configurations", _configurations, _name, _configuration_hit),
    HitSource("timeline", "Timelines", _in_use(Timeline), _name, _timeline_hit),
    HitSource("tape", "Tapes", _in_use(ExtenderTape), _name, _tape_hit),
    HitSource("declared", "Declared extenders", _in_use(DeclaredExtenders), _name, _declared_hit),
    HitSource("review", "Reviews", _reviews, _review_text, _review_hit),
    HitSource("thread", "Threads", _threads, _thread_text, _thread_hit),
    HitSource("person", "People", _members, _member_text, _member_hit),
)
