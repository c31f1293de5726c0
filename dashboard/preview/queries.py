"""Results and computations: those of a subject, one by its number, those of a configuration."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import msgspec
from django.db.models import Q

from dashboard.answers.answering.comparing.what_changes import WhatChanges
from dashboard.common.problems import NotFound
from dashboard.documents.models import ConfigRevision
from dashboard.preview.models import Computation, PreviewResult
from dashboard.runs.models import State

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from dashboard.accounts.models import Member, Workspace
    from dashboard.documents.models import SchedulerConfig
    from dashboard.preview.models import PreviewOf
    from dashboard.preview.subject import PreviewSubject

RESULTS_LISTED = 50
_decode = msgspec.json.Decoder(WhatChanges).decode


def find_result(workspace: Workspace, subject: PreviewSubject) -> PreviewResult | None:
    """Return what was computed of the subject by this version, None where nothing is stored."""
    return _results(workspace).filter(key=subject.key).first()


def result_numbered(workspace: Workspace, number: int) -> PreviewResult:
    """Return a stored result; raises NotFound."""
    result = _results(workspace).filter(pk=number).first()
    if result is None:
        raise NotFound("This result is not stored any more. The oldest ones of a workspace make room for new ones.")
    return result


def results_for(member: Member, document: SchedulerConfig | None) -> list[PreviewResult]:
    """Return the newest results asked for on the page of a configuration, or of a text that is one of its revisions.

    Without a `document`, those asked for where a configuration is new. What was computed by itself is in its author's
    list alone. Texts and pods are left out.
    """
    results = _results(member.workspace).defer("text", "data")
    return list(results.filter(_listed(member, document))[:RESULTS_LISTED])


def computations_for(member: Member, document: SchedulerConfig | None) -> list[Computation]:
    """Return the computations that have not ended, and those that failed lately, as `results_for` does the results."""
    rows = _computations(member.workspace).defer("text").filter(_listed(member, document))
    return list(rows.exclude(ended_at__isnull=False, error="")[:RESULTS_LISTED])


def find_computation(workspace: Workspace, subject: PreviewSubject) -> Computation | None:
    """Return the computation of the subject, which may have ended; None where nobody asked for it lately."""
    return _computations(workspace).filter(key=subject.key).first()


def computation_numbered(workspace: Workspace, number: int) -> Computation:
    """Return a computation; raises NotFound."""
    computation = _computations(workspace).filter(pk=number).first()
    if computation is None:
        raise NotFound(
            "This computation is not there any more. One that has ended is kept for a day; its result stays."
        )
    return computation


def n_before(computation: Computation) -> int:
    """Return how many computations of all workspaces wait longer than this one."""
    # One that is asked for again is a new row.
    return Computation.objects.filter(ended_at=None, claimed_at=None, pk__lt=computation.pk).count()


def changes_in(result: PreviewResult) -> WhatChanges:
    """Return what was computed."""
    return _decode(zlib.decompress(bytes(result.data)))


def saved_as(result: PreviewOf) -> ConfigRevision | None:
    """Return the newest saved revision with this text, of its own configuration before others; None for none."""
    same = ConfigRevision.objects.filter(config__workspace=result.workspace_id, sha256=result.text_sha256)
    revisions = same.select_related("config").defer("text").order_by("-created_at")
    return revisions.filter(config=result.document_id).first() or revisions.first()


def _listed(member: Member, document: SchedulerConfig | None) -> Q:
    saved = ConfigRevision.objects.filter(config=document).values("sha256")
    own = Q(document=None) if document is None else Q(document=document) | Q(text_sha256__in=saved)
    return own & (Q(is_automatic=False) | Q(author=member.user))


def _computations(workspace: Workspace) -> QuerySet[Computation]:
    rows = Computation.objects.filter(workspace=workspace).exclude(run__state=State.DELETING)
    return rows.select_related("workspace", "revision__cluster", "run", "document", "author", "cancelled_by")


def _results(workspace: Workspace) -> QuerySet[PreviewResult]:
    results = PreviewResult.objects.filter(workspace=workspace).exclude(run__state=State.DELETING)
    return results.select_related("workspace", "revision__cluster", "run", "document", "author")
