"""Stored results: the one of a subject, one by its number, those of a configuration."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import msgspec
from django.db.models import Q

from dashboard.answers.answering.comparing.what_changes import WhatChanges
from dashboard.clusters.models import ConfigRevision
from dashboard.common.problems import NotFound
from dashboard.preview.models import PreviewResult
from dashboard.runs.models import State

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from dashboard.accounts.models import Member, Workspace
    from dashboard.clusters.models import SchedulerConfig
    from dashboard.preview.subject import PreviewSubject

RESULTS_LISTED = 50
_decode = msgspec.json.Decoder(WhatChanges).decode


def result_of(workspace: Workspace, subject: PreviewSubject) -> PreviewResult | None:
    """Return what was computed of the subject by this version, None where nothing is stored."""
    return _results(workspace).filter(key=subject.key).first()


def result_numbered(workspace: Workspace, number: int) -> PreviewResult:
    """Return a stored result; raises NotFound."""
    result = _results(workspace).filter(pk=number).first()
    if result is None:
        raise NotFound("This result is not stored any more. The oldest ones of a workspace make room for new ones.")
    return result


def results_for(member: Member, document: SchedulerConfig) -> list[PreviewResult]:
    """Return the newest results asked for on the page of a configuration, or of a text that is one of its revisions.

    What was computed by itself is in its author's list alone. Texts and pods are left out.
    """
    saved = ConfigRevision.objects.filter(config=document).values("sha256")
    results = _results(member.workspace).defer("text", "data")
    results = results.filter(Q(document=document) | Q(text_sha256__in=saved))
    return list(results.filter(Q(is_automatic=False) | Q(author=member.user))[:RESULTS_LISTED])


def changes_in(result: PreviewResult) -> WhatChanges:
    """Return what was computed."""
    return _decode(zlib.decompress(bytes(result.data)))


def text_of(result: PreviewResult) -> str:
    """Return the text that was tried."""
    return zlib.decompress(bytes(result.text)).decode()


def saved_as(result: PreviewResult) -> ConfigRevision | None:
    """Return the newest saved revision with this text, of its own configuration before others; None for none."""
    same = ConfigRevision.objects.filter(config__workspace=result.workspace_id, sha256=result.text_sha256)
    revisions = same.select_related("config").defer("text").order_by("-created_at")
    return revisions.filter(config=result.document_id).first() or revisions.first()


def _results(workspace: Workspace) -> QuerySet[PreviewResult]:
    results = PreviewResult.objects.filter(workspace=workspace).exclude(run__state=State.DELETING)
    return results.select_related("workspace", "revision__cluster", "run", "document", "author")
