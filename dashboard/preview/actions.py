"""Asking what a configuration would change: for those who may edit configurations. A result is stored."""

from __future__ import annotations

import time
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec
from django.db import IntegrityError, transaction

from dashboard.accounts.access import require
from dashboard.accounts.models import Role
from dashboard.answers.asking import ask_of_revision, deadline_of
from dashboard.answers.outcomes import Answer, Failed
from dashboard.clusters.documents.actions import DOING
from dashboard.preview.models import PreviewResult
from dashboard.preview.queries import result_of
from scheduler_core import ENGINE_VERSION

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from dashboard.accounts.models import Member, Workspace
    from dashboard.answers.answering.comparing.what_changes import WhatChanges
    from dashboard.answers.outcomes import Outcome
    from dashboard.preview.subject import PreviewSubject

# A request waits so long for the answer before it says what it waits for.
PATIENCE_SECONDS = 2.0
# A workspace's newest results are stored until they are so many, or so large.
MOST_RESULTS = 200
MOST_BYTES = 32 << 20
GONE = "The cluster or the run was deleted meanwhile."


@dataclass(frozen=True)
class Turn:
    """How often a page has asked, who asks (one page), and whether it does so by itself after an edit."""

    number: int = 0
    asker: str = ""
    is_automatic: bool = False


def ask_what_changes(member: Member, subject: PreviewSubject, turn: Turn) -> PreviewResult | Outcome:
    """Return the stored result, or what comes of a turn; a later question of the same asker takes its place.

    The answer that completes it is stored. Raises Forbidden for members who may not edit configurations.
    """
    require(member, Role.EDITOR, DOING)
    result = result_of(member.workspace, subject)
    if result is not None:
        if result.is_automatic and not turn.is_automatic:
            PreviewResult.objects.filter(pk=result.pk).update(is_automatic=False)
        return result
    question = subject.question(turn.number)
    deadline = deadline_of(question)
    patience = min(PATIENCE_SECONDS, deadline - time.time())
    outcome = ask_of_revision(subject.revision, question, deadline, asker=turn.asker, patience=patience)
    match outcome:
        case Answer(changes) if changes.is_complete:
            return _stored(member, subject, changes, turn) or Failed(GONE)
    return outcome


def _stored(member: Member, subject: PreviewSubject, changes: WhatChanges, turn: Turn) -> PreviewResult | None:
    """Store a result, and remove what it takes the place of; None where its cluster or run is gone."""
    try:
        with transaction.atomic():
            if turn.is_automatic:
                _automatic_of(member, subject).delete()
            PreviewResult.objects.bulk_create([_row(member, subject, changes, turn)], ignore_conflicts=True)
            _make_room(member.workspace)
    except IntegrityError:
        return None
    return result_of(member.workspace, subject)


def _row(member: Member, subject: PreviewSubject, changes: WhatChanges, turn: Turn) -> PreviewResult:
    text, data = zlib.compress(subject.text.encode(), 6), zlib.compress(msgspec.json.encode(changes), 6)
    return PreviewResult(
        workspace=member.workspace,
        key=subject.key,
        revision=subject.revision,
        run=subject.run,
        document=subject.document,
        before=subject.before.name,
        before_label=subject.before_label[:200],
        before_sha256=subject.before.sha256,
        text=text,
        text_sha256=subject.text_sha256,
        engine_version=ENGINE_VERSION,
        author=member.user,
        is_automatic=turn.is_automatic,
        groups=changes.groups,
        n_pods=changes.n_pods,
        is_partial=changes.is_partial,
        size=len(text) + len(data),
        data=data,
    )


def _automatic_of(member: Member, subject: PreviewSubject) -> QuerySet[PreviewResult]:
    """What was computed by itself while the member edited this configuration, on the same revision or run."""
    same = {"revision": subject.revision, "run": subject.run, "document": subject.document}
    return PreviewResult.objects.filter(workspace=member.workspace, author=member.user, is_automatic=True, **same)


def _make_room(workspace: Workspace) -> None:
    """Remove the oldest results until the rest are few and small enough; the newest one stays."""
    room, surplus = MOST_BYTES, []
    rows = PreviewResult.objects.filter(workspace=workspace).order_by("-made_at", "-pk")
    for place, (pk, size) in enumerate(rows.values_list("pk", "size")):
        room -= size
        if place and (place >= MOST_RESULTS or room < 0):
            surplus.append(pk)
    PreviewResult.objects.filter(pk__in=surplus).delete()
