"""The findings of whatever a review is about."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

from dashboard.answers.questions import DivergenceOf
from dashboard.review.findings.asked import AnswerClock
from dashboard.review.findings.changes import of_change
from dashboard.review.findings.comparison import between, first_divergence
from dashboard.review.findings.configuration import of_configuration
from dashboard.review.findings.groups import Gathered
from dashboard.review.findings.run import findings_of
from dashboard.review.models import Review, SubjectKind
from dashboard.runs.branches.lineage import living_origin
from dashboard.runs.models import Run, State

if TYPE_CHECKING:
    from dashboard.accounts.models import Member

GONE = "What this review was about has been deleted; its record says what was found"


def gathered(member: Member, of: Run | Review, turn: int = 0, seconds: float | None = None) -> Gathered:
    """Return the findings of a run or of what a review is about, as far as they are computed within `seconds`.

    What takes an answer worker longer is asked for again from `turn` on.
    """
    slug = member.workspace.slug
    name = f"findings {member.pk} {type(of).__name__} {of.pk}"
    clock = AnswerClock(name) if seconds is None else AnswerClock(name, seconds)
    if isinstance(of, Run):
        return _of_run(of, slug, clock)
    match of.kind:
        case SubjectKind.RUN if _is_there(of.run):
            return _of_run(of.run, slug, clock)
        case SubjectKind.COMPARISON if _is_there(of.run) and _is_there(of.other_run):
            return between(of.run, of.other_run, slug, clock, turn)
        case SubjectKind.CLUSTER if of.revision is not None or "changes" in of.proposal:
            return of_change(of, slug)
        case SubjectKind.TIMELINE:
            return of_change(of, slug)
        case SubjectKind.CONFIGURATION:
            return of_configuration(of, slug, clock, turn)
    return Gathered([], GONE)


def _is_there(run: Run | None) -> TypeGuard[Run]:
    """Whether the run has not been deleted, and is not about to be."""
    return run is not None and run.state != State.DELETING


def _of_run(run: Run, slug: str, clock: AnswerClock) -> Gathered:
    """The run's own findings, and for a branch where it parts from the run that it leaves."""
    groups = findings_of(run, slug)
    origin = living_origin(run)
    if origin is None:
        return Gathered(groups)
    sides = (run.pk, run.created_at.isoformat(), origin.head.seq, run.head.seq)
    first = clock.of_run(origin, lambda _: DivergenceOf(*sides))
    if first.value is None:
        return Gathered(groups, first.note, is_waiting=first.is_waiting)
    parting = first_divergence(origin, run, slug, first.value.divergence, f"First divergence from run {origin.number}")
    return Gathered([*groups, parting] if parting.findings else groups)
