"""A member's drafts: those of a place, each with what it is about. Nobody else's are ever read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dashboard.common.problems import NotFound
from dashboard.review import threads
from dashboard.review.models import CommentDraft, Review, SubjectKind, Thread
from dashboard.runs import queries as run_queries
from dashboard.runs.models import Run, State

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.db.models import QuerySet

    from dashboard.accounts.models import Member


@dataclass(frozen=True)
class DraftLine:
    """A draft as pages show it: `about` is what the thread that it begins speaks of, "" for a reply."""

    draft: CommentDraft
    about: str


def place_columns(of: Run | Review) -> dict[str, Any]:
    """Return the columns that say where a draft belongs: a run's review is named by the run."""
    if isinstance(of, Run):
        return {"run": of}
    return {"run": of.run} if of.kind == SubjectKind.RUN and of.run else {"review": of}


def drafts_of(member: Member, of: Run | Review) -> QuerySet[CommentDraft]:
    """Return the member's drafts of a review, in the order in which they were begun."""
    mine = CommentDraft.objects.filter(author=member.user, workspace=member.workspace, **place_columns(of))
    return mine.select_related("thread", "about_run").order_by("id")


def find_draft(member: Member, draft_id: int) -> CommentDraft:
    """Return a draft of the member's own; raises NotFound for everybody else's."""
    mine = CommentDraft.objects.filter(author=member.user, workspace=member.workspace, pk=draft_id)
    draft = mine.exclude(run__state=State.DELETING).select_related("run", "review__run", "thread").first()
    if draft is None:
        raise NotFound("This draft does not exist any more: it was submitted or discarded.")
    return draft


def draft_lines(member: Member, of: Run | Review) -> list[DraftLine]:
    """Return the member's drafts of a review with what they are about."""
    return lines_of(drafts_of(member, of))


def lines_of(drafts: Iterable[CommentDraft]) -> list[DraftLine]:
    """Return drafts with what they are about."""
    return [DraftLine(draft, _about(draft)) for draft in drafts]


def _about(draft: CommentDraft) -> str:
    if draft.thread_id is not None:
        return ""
    thread = Thread(run=draft.about_run, **draft.columns)
    row = run_queries.find_cycle(draft.about_run, thread.cycle) if draft.about_run and thread.cycle else None
    return threads.about(thread, row)
