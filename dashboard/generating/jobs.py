"""The jobs of generated clusters: to make what a description says, or a workload of a test case."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.urls import reverse

from dashboard.clusters.background.jobs import JobDone, register
from dashboard.clusters.models import NAME_LENGTH
from dashboard.clusters.revisions.actions import store_ahead
from dashboard.clusters.revisions.page_context import find_cluster
from dashboard.clusters.uploads.sent_files import unpacked_files
from dashboard.common.problems import Problem
from dashboard.generating import actions
from dashboard.generating.preview import build_preview
from dashboard.generating.scheduler_perf_files import BenchmarkFiles
from scheduler_core.manifests.model import LoadError
from scheduler_core.workloads.generator import fields
from scheduler_core.workloads.scheduler_perf.conversion import PAUSE

if TYPE_CHECKING:
    from dashboard.clusters.background.jobs import JobInput, Write

MAKING = 0.5
"""The share of their time that jobs make and check objects; the rest is storing."""
GENERATE, BENCHMARK = "generate", "generate: test case"


def generate(given: JobInput) -> Write:
    """Make what a description says. Arguments: `text`, `into` (the slug of a cluster that gets a draft, "" for a new
    cluster), `name`.
    """
    preview = build_preview(given.arguments["text"])
    if preview.plan is None:
        raise Problem(preview.errors[0].text(), title="The description has errors")
    parts = actions.generated_parts(preview.plan, given.part(0.0, MAKING))
    return _stored(given, parts, given.arguments["name"])


def make_case(given: JobInput) -> Write:
    """Make a workload of the files. Arguments: `case` (`WorkloadChoice.value`), `pause`, `into` and `name`."""
    files = BenchmarkFiles(unpacked_files(given.uploads, objects_alone=False))
    case = files.made(given.arguments["case"], parse_pause(given.arguments["pause"]), given.part(0.0, MAKING))
    parts = actions.checked_parts(case.benchmark.made, case.title)
    return _stored(given, parts, given.arguments["name"] or case.title[:NAME_LENGTH])


def parse_pause(text: str) -> int:
    """Return the pause for each wait in microseconds; raises Problem."""
    try:
        return fields.parse_duration(text or None, PAUSE)
    except LoadError as problem:
        raise Problem(f"{problem.message}.", title="The pause is no time") from problem


def _stored(given: JobInput, parts: actions.GeneratedParts, name: str) -> Write:
    """Return what stores the parts as a new cluster of that name, or what is added to one (`into`) as its draft."""
    member, into = given.member, given.arguments["into"]
    added = actions.added_objects(find_cluster(member, into), parts) if into else None
    store_ahead(member.workspace_id, parts.contents, given.part(MAKING, 1.0))

    def write() -> JobDone:
        here = member.workspace.slug
        if added is None:
            made = actions.make_cluster(member, name, parts)
            timeline = made.timeline
            location = reverse("clusters:detail", args=[here, made.cluster.slug])
        else:
            drafted = actions.make_draft(member, added, parts)
            timeline = drafted.timeline
            location = reverse("clusters:draft", args=[here, added.base.cluster.slug, drafted.draft.pk])
        said = f"{parts.title}: {len(parts.made.manifests):,} objects"
        if timeline is None:
            return JobDone(location, said)
        said += f', and {timeline.n_entries:,} entries in the timeline "{timeline.timeline.name}"'
        arrivals = reverse("clusters:timeline", args=[here, timeline.timeline.slug])
        return JobDone(location, said, (arrivals, "Edit the arrivals"))

    return write


def register_jobs() -> None:
    """Register the jobs of generated clusters."""
    register(GENERATE, generate)
    register(BENCHMARK, make_case)
