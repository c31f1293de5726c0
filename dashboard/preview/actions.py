"""Asking what a configuration would change, and cancelling that: for those who may edit configurations."""

from __future__ import annotations

import zlib
from datetime import timedelta
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models.functions import Now

from dashboard.accounts.access import require
from dashboard.accounts.models import Role, Workspace
from dashboard.common.problems import Problem
from dashboard.documents.actions import DOING
from dashboard.preview.models import Computation, PreviewResult
from dashboard.preview.queries import computation_numbered, find_computation, find_result
from dashboard.runs.lifecycle import waiting

if TYPE_CHECKING:
    from dashboard.accounts.models import Member
    from dashboard.preview.subject import PreviewSubject

TASK = "dashboard.preview.tasks.compute"
# A workspace may have at most this many computations that have not ended.
MOST_ASKED = 10
KEPT_ENDED = timedelta(days=1)
TOO_MANY = (
    f"{MOST_ASKED} computations of this workspace have not ended. Wait for one, or cancel one in the list of what was "
    "computed on its configuration's page."
)


def ask_what_changes(
    member: Member, subject: PreviewSubject, is_automatic: bool = False
) -> PreviewResult | Computation:
    """Return the stored result, or its computation, which is begun where nobody asked for it or where it has failed.

    `is_automatic`: nobody pressed a button. Such a computation takes the place of the member's earlier one on the same
    subject. Raises Forbidden for members who may not edit configurations, Problem where too many have not ended.
    """
    require(member, Role.EDITOR, DOING)
    stored = find_result(member.workspace, subject)
    if stored is not None:
        if stored.is_automatic and not is_automatic:
            PreviewResult.objects.filter(pk=stored.pk).update(is_automatic=False)
        return stored
    with transaction.atomic():
        # One after the other: what is asked for twice at once is one computation, and the limit is kept.
        Workspace.objects.select_for_update().get(pk=member.workspace_id)
        begins = _begin(member, subject, is_automatic)
    if begins:
        waiting.wake_task(TASK)
    # It may have ended meanwhile.
    made = find_result(member.workspace, subject) or find_computation(member.workspace, subject)
    assert made is not None
    return made


def cancel(member: Member, number: int) -> Computation:
    """Cancel a computation, anybody's; one that has ended stays as it is. Raises Forbidden, NotFound."""
    require(member, Role.EDITOR, DOING)
    computation = computation_numbered(member.workspace, number)
    going = Computation.objects.filter(pk=computation.pk, ended_at=None)
    going.update(ended_at=Now(), is_cancelled=True, cancelled_by=member.user)
    return computation_numbered(member.workspace, number)


def _begin(member: Member, subject: PreviewSubject, is_automatic: bool) -> bool:
    """Have it computed; return whether nobody had asked for it."""
    mine = Computation.objects.filter(workspace=member.workspace)
    mine.filter(ended_at__lt=Now() - KEPT_ENDED).delete()
    going = mine.filter(ended_at=None)
    if is_automatic:
        same = {"revision": subject.revision, "run": subject.run, "document": subject.document}
        earlier = going.filter(author=member.user, is_automatic=True, **same).exclude(key=subject.key)
        earlier.update(ended_at=Now(), is_cancelled=True, cancelled_by=member.user)
    joined = going.filter(key=subject.key)
    if joined.exists():
        if not is_automatic:
            joined.update(is_automatic=False)
            joined.filter(document=None).update(document=subject.document)
        return False
    if going.count() >= MOST_ASKED:
        raise Problem(TOO_MANY, title="Too much is being computed", status=429)
    mine.filter(key=subject.key).delete()
    Computation.objects.create(author=member.user, is_automatic=is_automatic, **_fields(subject))
    return True


def _fields(subject: PreviewSubject) -> dict[str, object]:
    return {
        "workspace": subject.revision.cluster.workspace,
        "key": subject.key,
        "revision": subject.revision,
        "run": subject.run,
        "document": subject.document,
        "before": subject.before.name,
        "before_label": subject.before_label[:200],
        "before_sha256": subject.before.sha256,
        "text": zlib.compress(subject.text.encode(), 6),
        "text_sha256": subject.text_sha256,
    }
