"""What of a workspace needs a look: runs that failed, pods that stay pending, imports that are not saved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import Count, Max, OuterRef, Subquery
from django.db.models.fields.json import KeyTransform
from django.urls import reverse
from django.utils import timezone

from dashboard.clusters.models import ImportDraft
from dashboard.common.pages.numbers import grouped
from dashboard.debugger.outcomes.unplaced import UNPLACED, unplaced_pods
from dashboard.runs import queries
from dashboard.runs.list.lines import run_url
from dashboard.runs.models import ENDED, Run, State

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dashboard.accounts.access import Access
    from dashboard.accounts.models import Workspace

RUNS_LOOKED_AT, GROUPS_OF_A_RUN, DRAFTS_SHOWN = 8, 3, 3


@dataclass(frozen=True)
class Look:
    """One line: what it means, how many of what, more about it, of which run or cluster, and the page that answers."""

    meaning: str
    glyph: str
    count: int | None
    text: str
    more: str
    place: str
    url: str
    answer: str


def looks(access: Access) -> list[Look]:
    """Return what needs a look, gravest first: failed runs, errors, pods without a node, imports of the reader."""
    runs = _newest_ended(access.workspace)
    failed = [_failed(run) for run in runs if run.state == State.FAILED]
    errors = [_errors(run) for run in runs if run.head.errors]
    pending = [look for run in runs if run.state == State.FINISHED for look in _pending(run)]
    return [*failed, *errors, *pending, *_drafts(access)]


def _newest_ended(workspace: Workspace) -> list[Run]:
    """Return the newest run of each cluster that has ended, newest first."""
    same = Run.objects.filter(revision__cluster=OuterRef("revision__cluster"), state__in=ENDED)
    newest = same.order_by().values("revision__cluster").annotate(newest=Max("number")).values("newest")
    runs = queries.list_runs(workspace).filter(state__in=ENDED, number=Subquery(newest))
    return list(runs[:RUNS_LOOKED_AT])


def _place(run: Run) -> str:
    return f"{run.revision.cluster.name}, run {run.number}"


def _failed(run: Run) -> Look:
    return Look("error", "alert", None, "Failed", run.error or "no reason is known", _place(run), run_url(run), "Open")


def _errors(run: Run) -> Look:
    cycles = reverse("search:run", kwargs={"slug": run.workspace.slug, "number": run.number})
    text = "attempt ended in an error" if run.head.errors == 1 else "attempts ended in an error"
    return Look("error", "x", run.head.errors, text, "", _place(run), f"{cycles}?q=outcome:error", "Cycles")


def _pending(run: Run) -> Iterator[Look]:
    """Yield a line for each of the largest groups of pods without a node, and one for the pods that are left."""
    if not run.head.pending:
        return
    groups = unplaced_pods(run)
    for group in groups[:GROUPS_OF_A_RUN]:
        meaning, glyph, state = UNPLACED[group.kind]
        text = f"pod{'s' if group.count > 1 else ''} {state}: {group.title}"
        url, answer = (f"{run_url(run)}?cycle={group.cycle}&tab=why", "Why") if group.cycle else (run_url(run), "Open")
        yield Look(meaning, glyph, group.count, text, group.plugins, _place(run), url, answer)
    left = run.head.pending - sum(group.count for group in groups[:GROUPS_OF_A_RUN])
    if left > 0:
        text = f"{'more ' if groups else ''}pod{'s' if left > 1 else ''} without a node"
        yield Look("unsched", "x", left, text, "", _place(run), run_url(run), "Open")


def _drafts(access: Access) -> list[Look]:
    """Return the reader's imports that were read and not saved yet."""
    drafts = ImportDraft.objects.filter(workspace=access.workspace, owner=access.user, expires_at__gt=timezone.now())
    # Without the whole report, which holds every finding.
    rows = drafts.annotate(
        n_files=Count("files"), n_objects=KeyTransform("objects", "report"), n_errors=KeyTransform("errors", "report")
    ).values_list("pk", "cluster__name", "n_files", "n_objects", "n_errors")
    return [_draft(access.workspace, *row) for row in rows[:DRAFTS_SHOWN]]


def _draft(
    workspace: Workspace, pk: int, cluster: str | None, n_files: int, objects: int | None, wrong: int | None
) -> Look:
    summary = (
        f"object{'' if objects == 1 else 's'} read from {n_files} file{'' if n_files == 1 else 's'}, not saved yet"
    )
    more = f"{grouped(wrong)} error{'' if wrong == 1 else 's'}" if wrong else ""
    url = reverse("clusters:import_preview", kwargs={"slug": workspace.slug, "draft_id": pk})
    return Look("backoff", "upload", objects or 0, summary, more, cluster or "a new cluster", url, "Continue")
