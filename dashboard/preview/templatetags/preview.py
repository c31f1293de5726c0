"""What a configuration can be tried on besides clusters, and lists of what was and is computed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from django import template

from dashboard.preview.pages import PreviewList, preview_list_for
from dashboard.preview.result_panel import subject_label
from dashboard.runs.models import Run
from scheduler_core.compare.pods import MOVED, PLACED_A, PLACED_B

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from dashboard.accounts.models import Workspace
    from dashboard.documents.models import SchedulerConfig
    from dashboard.preview.models import PreviewOf, PreviewResult

register = template.Library()
RUNS_OFFERED = 20


@register.filter
def runs_to_try(workspace: Workspace) -> Iterable[Run]:
    """Return the newest runs that were not changed on their way."""
    runs = Run.objects.filter(workspace=workspace, head__n_changes=0)
    return runs.select_related("revision__cluster").order_by("-number")[:RUNS_OFFERED]


@register.filter
def run_choice(run: Run) -> str:
    """Return a run as the choice beside the editor names it."""
    return f"run:{run.number}"


@register.simple_tag
def preview_choice(listed: PreviewList, clusters: Iterable[Any], runs: Iterable[Run]) -> str:
    """Return what the choice beside the editor begins with: what was asked about last, else the first cluster.

    `clusters` have `counts`, {kind: objects}. One whose pods all arrive later has none to try the text on; its newest
    run has.
    """
    if listed.last_on:
        return listed.last_on
    first = next(iter(clusters))
    newest = next((run for run in runs if run.revision.cluster_id == first.pk), None)
    return run_choice(newest) if newest is not None and not first.counts.get("Pod") else f"cluster:{first.slug}"


class PreviewCounts(NamedTuple):
    """How many pods of a result differ, and how."""

    moved: int
    newly_pending: int
    newly_placed: int
    other: int


@register.filter
def preview_counts(result: PreviewResult) -> PreviewCounts:
    """Return how many pods differ."""
    moved, pending, placed = (result.groups.get(group, 0) for group in (MOVED, PLACED_A, PLACED_B))
    return PreviewCounts(moved, pending, placed, sum(result.groups.values()) - moved - pending - placed)


@register.filter
def preview_subject(result: PreviewOf) -> str:
    """Return what the result is about: "Prod r3", or "run 7 on Prod r3"."""
    return subject_label(result)


@register.simple_tag(takes_context=True)
def preview_list(context: Mapping[str, Any], document: SchedulerConfig | None) -> PreviewList:
    """Return what was and is computed of a configuration, as far as the reader may see it."""
    return preview_list_for(context["member"], document)
