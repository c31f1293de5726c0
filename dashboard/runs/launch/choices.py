"""Data of the launch page: what can be chosen, how many pods would be scheduled, and what cannot work."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from django.db.models import Max

from dashboard.clusters.models import Cluster, Revision
from dashboard.clusters.recent import recent_first
from dashboard.clusters.revisions.contents import read_contents
from dashboard.documents import store
from dashboard.documents.configurations.checking import WITH_EXTENDERS, read_configuration
from dashboard.documents.models import SchedulerConfig, Timeline, TimelineRevision
from dashboard.runs import queries
from dashboard.runs.launch.answers import AnswerChoices
from dashboard.runs.list.lines import run_lines
from dashboard.runs.models import Schedule
from scheduler_core.api.config import SchedulerConfiguration
from scheduler_core.manifests import UNKNOWN
from scheduler_core.simulate import (
    ProfileError,
    TimelineError,
    check_profiles,
    default_schedule,
    pods_to_schedule,
    timeline_from_raw,
)

if TYPE_CHECKING:
    from collections.abc import Collection

    from django.db.models import QuerySet

    from dashboard.accounts.models import Workspace
    from dashboard.runs.list.lines import RunLine
    from scheduler_core.manifests import LeftOut

REVISIONS_SHOWN = 50
EARLIER_SHOWN = 4
SHOWN_FINDINGS = 3
UNANSWERED = "Nothing answers for the extenders. Choose a tape or declared extenders below, or leave the extenders out."


@dataclass(frozen=True)
class Choices:
    """The clusters, configurations and timelines of the workspace that have a revision."""

    clusters: list[Cluster]
    configs: list[SchedulerConfig]
    timelines: list[Timeline]
    workspace: Workspace

    @property
    def recent_cluster(self) -> str:
        """Return the address of the cluster that was last worked on, "" where there is none."""
        recent = recent_first(Cluster.objects.filter(pk__in=[one.pk for one in self.clusters])).first()
        return recent.slug if recent else ""

    def timeline_for(self, cluster: Cluster | None) -> str:
        """Return the address of the timeline that belongs to a cluster: the newest of its name, else the newest."""
        newest = sorted(self.timelines, key=attrgetter("saved_at"), reverse=True)
        own = [one for one in newest if cluster and f"{one.name} ".startswith(f"{cluster.name} ")]
        return next((one.slug for one in own or newest), "")

    @cached_property
    def answers(self) -> AnswerChoices:
        """Return what may answer for extenders; read where a configuration has some."""
        return AnswerChoices.of(self.workspace)


def list_choices(workspace: Workspace) -> Choices:
    """Return the choices that are not archived, by name, each with `newest`, the number of its newest revision, and
    `saved_at`, its time."""
    return Choices(
        _with_newest(Cluster.objects.filter(workspace=workspace)),
        _with_newest(SchedulerConfig.objects.filter(workspace=workspace)),
        _with_newest(Timeline.objects.filter(workspace=workspace)),
        workspace,
    )


def _with_newest(documents: QuerySet[Any]) -> list[Any]:
    in_use = documents.filter(archived_at=None).annotate(
        newest=Max("revisions__number"), saved_at=Max("revisions__created_at")
    )
    return list(in_use.exclude(newest=None).order_by("name", "id"))


def revision_choices(thing: Any, chosen: Any) -> list[Any]:
    """Return the newest revisions of a cluster, configuration, timeline or tape for a select, including the chosen
    one.
    """
    if thing is None:
        return []
    revisions = list(thing.revisions.select_related("author").order_by("-number")[:REVISIONS_SHOWN])
    if chosen is not None and all(one.pk != chosen.pk for one in revisions):
        revisions.append(chosen)
    return revisions


def named(things: list[Any], slug: str) -> Any:
    """Return the one with this slug, None if there is none."""
    return next((thing for thing in things if thing.slug == slug), None)


def numbered(thing: Any, number: str) -> Any:
    """Return the revision with this number, None if there is none or `number` is no number."""
    if not re.fullmatch(r"\d{1,9}", str(number), re.ASCII):
        return None
    return thing.revisions.select_related("author").filter(number=int(number)).first()


@dataclass(frozen=True)
class Preview:
    """What a run of a revision would have: sizes, pods to schedule by kind of schedule, earlier runs.

    `waiting`: {kind of schedule: {scheduler name: pods that wait at the start}}.
    """

    revision: Revision
    n_nodes: int
    n_zones: int
    n_pods: int
    waiting: dict[str, Counter[str]]
    default: str
    earlier: list[RunLine] = field(default_factory=list)

    @property
    def to_schedule(self) -> dict[str, int]:
        """Return the number of pods that wait at the start, for each kind of schedule."""
        return {schedule: counts.total() for schedule, counts in self.waiting.items()}

    def unserved(self, profiles: Collection[str], schedule: str) -> list[tuple[str, int]]:
        """Return (scheduler name, number of pods) of waiting pods whose scheduler none of these profiles is."""
        waiting = self.waiting.get(schedule, self.waiting[Schedule.PENDING])
        return [(name, count) for name, count in waiting.most_common() if name not in profiles]

    def with_others_bound(self, profiles: Collection[str]) -> Preview:
        """Return the preview of a run in which all pods wait, except bound pods whose scheduler none of these profiles
        is.
        """
        pending, everything = self.waiting[Schedule.PENDING], self.waiting[Schedule.ALL]
        counts = {name: (everything if name in profiles else pending)[name] for name in everything}
        return replace(self, waiting={**self.waiting, Schedule.ALL: Counter(counts)})


def revision_preview(revision: Revision) -> Preview:
    """Return the preview of a revision; reads its objects."""
    objects = read_contents(revision).loaded.objects
    zones = {node.labels.get("topology.kubernetes.io/zone", "") for node in objects.nodes} - {""}
    earlier = queries.list_runs(revision.cluster.workspace).filter(revision=revision)[:EARLIER_SHOWN]
    return Preview(
        revision=revision,
        n_nodes=len(objects.nodes),
        n_zones=len(zones),
        n_pods=len(objects.pods),
        waiting={
            Schedule.PENDING: pods_to_schedule(objects, "pending"),
            Schedule.ALL: pods_to_schedule(objects, "all"),
        },
        default=default_schedule(objects),
        earlier=run_lines(earlier),
    )


@dataclass(frozen=True)
class ConfigFacts:
    """The profiles of a configuration, or why it cannot work, and its plugins that are not installed here."""

    profiles: list[str]
    problem: str = ""
    not_installed: tuple[LeftOut, ...] = ()


def config_facts(text: str | None, *, leaves_out: bool = False, answered: bool = False) -> ConfigFacts:
    """Return the facts of a configuration's text, of the default one for None; the problem is the engine's error.

    `leaves_out`: the run ignores what is not installed here. `answered`: something answers for its extenders.
    """
    config, refusal = SchedulerConfiguration(), ""
    missing: tuple[LeftOut, ...] = ()
    if text is not None:
        without = read_configuration(text, WITH_EXTENDERS if answered else UNKNOWN, answered=answered)
        missing = without.left_out
        reading = without if leaves_out or not missing else read_configuration(text, answered=answered)
        if reading.configuration is None and without.configuration is not None:
            return ConfigFacts([], _not_installed_text(missing), missing)
        if reading.configuration is None:
            wrong = [finding.text() for finding in reading.findings if finding.severity == "error"]
            return ConfigFacts([], "; ".join(wrong[:SHOWN_FINDINGS]))
        config = reading.configuration
    try:
        check_profiles(config)
    except ProfileError as error:
        refusal = str(error)
    return ConfigFacts([profile.scheduler_name for profile in config.profiles], refusal, missing)


def _not_installed_text(missing: tuple[LeftOut, ...]) -> str:
    if all(one.kind == "extender" for one in missing):
        return UNANSWERED
    names = ", ".join(one.name for one in missing[:SHOWN_FINDINGS])
    more = f" and {len(missing) - SHOWN_FINDINGS} more" if len(missing) > SHOWN_FINDINGS else ""
    is_one = len(missing) == 1
    return (
        f"{names}{more} {'is' if is_one else 'are'} not installed here. Leave {'it' if is_one else 'them'} out below, "
        "or choose another configuration."
    )


def timeline_problem(timeline: TimelineRevision, revision: Revision) -> str:
    """Return why the timeline does not fit the cluster's revision, "" if it does."""
    try:
        timeline_from_raw(store.read_timeline(timeline), read_contents(revision).manifests)
    except TimelineError as error:
        return str(error)
    return ""
