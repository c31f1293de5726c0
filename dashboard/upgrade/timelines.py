"""What is scheduled in a report: a timeline, or the pods of the revision."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.clusters.revisions.contents import read_contents
from dashboard.common.problems import NotFound
from dashboard.documents import store
from dashboard.documents.models import Timeline as SavedTimeline
from dashboard.runs.inputs import InputError
from scheduler_core.simulate import Timeline, TimelineError, default_schedule, timeline_from_raw

if TYPE_CHECKING:
    from dashboard.accounts.models import Workspace
    from dashboard.clusters.models import Revision
    from dashboard.documents.models import TimelineRevision
    from scheduler_core.api.objects import ClusterObjects
    from scheduler_core.simulate import Schedule


def newest_revision_of(workspace: Workspace, slug: str) -> TimelineRevision | None:
    """Return the newest revision of a timeline by its address, None for ""; raises NotFound."""
    if not slug:
        return None
    timeline = SavedTimeline.objects.filter(workspace=workspace, slug=slug).first()
    revision = None if timeline is None else timeline.revisions.select_related("timeline").order_by("-number").first()
    if revision is None:
        raise NotFound("This timeline does not exist in this workspace.")
    return revision


def read_load(
    revision: Revision, objects: ClusterObjects, timeline: TimelineRevision | None
) -> tuple[Schedule, Timeline]:
    """Return the kind of schedule and the timeline; raises InputError for one that does not fit the revision."""
    if timeline is None:
        return default_schedule(objects), Timeline()
    try:
        return "timeline", timeline_from_raw(
            store.read_timeline(timeline), read_contents(revision).manifests, follows_run=True
        )
    except TimelineError as problem:
        raise InputError(f"{timeline}: {problem}") from problem
