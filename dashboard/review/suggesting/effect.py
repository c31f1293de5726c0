"""What a suggested branch comes to beside the run that it leaves: pods that end otherwise, and both in figures."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dashboard.answers.questions import FiguresCompared
from dashboard.common.http.params import INT32_MAX, optional_int
from dashboard.common.problems import Problem
from dashboard.review.findings.asked import AnswerClock
from dashboard.review.findings.comparison import TURN_SECONDS
from dashboard.review.findings.pods import GROUPS_OF_PODS
from dashboard.review.queries import runs_of
from dashboard.runs.actions import find_run
from dashboard.runs.branches.lineage import changes_in_words, list_branches, living_origin
from dashboard.runs.models import Run
from scheduler_core.explain.outcomes import BOUND, COMPLETED, PREEMPTED, UNPLACED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dashboard.accounts.models import Member, Workspace
    from dashboard.answers.answering.comparing.sides import FiguresAnswer
    from dashboard.review.models import Review
    from dashboard.runs.models import BranchKeeping
    from scheduler_core.compare import SideTotals


_FIGURES = {"bound or completed": (BOUND, COMPLETED), "without a node": UNPLACED, "preempted": (PREEMPTED,)}


CHOICES = 20
LABEL = 90


@dataclass(frozen=True)
class BranchChoice:
    """A branch that a comment can suggest: its number, and what it changes."""

    number: int
    label: str


@dataclass(frozen=True)
class FigurePair:
    """A figure of the run that was left and of the branch."""

    label: str
    before: int
    after: int


@dataclass(frozen=True)
class OtherwiseCount:
    """How many pods end otherwise in one way, and how that looks."""

    label: str
    meaning: str
    glyph: str
    count: int


@dataclass(frozen=True)
class SuggestedEffect:
    """A branch with its effect, as far as it is computed; `note` says why there is none, or none yet."""

    branch: Run
    origin: Run | None
    changes: str
    figures: Sequence[FigurePair] = ()
    groups: Sequence[OtherwiseCount] = ()
    keepings: Sequence[BranchKeeping] = ()
    note: str = ""
    turn: int = 0
    is_waiting: bool = False
    is_computed: bool = False


def suggested_in(workspace: Workspace, form: Mapping[str, str]) -> Run | None:
    """Return the branch that a comment's form suggests, None for none; raises NotFound, Problem for no branch."""
    number = optional_int(form, "suggest", 1, INT32_MAX)
    if number is None:
        return None
    run = find_run(workspace, number)
    if not run.is_branch:
        raise Problem(f"Run {number} is no branch. A comment suggests the changes of a run that leaves another one.")
    return run


def branch_choices(runs: Iterable[Run]) -> list[BranchChoice]:
    """Return the newest branches of these runs, which a comment can suggest."""
    branches = [one for run in runs for one in list_branches(run)[-CHOICES:]]
    return _choices(branches)


def _choices(branches: Iterable[Run]) -> list[BranchChoice]:
    return [BranchChoice(one.number, f"run {one.number}: {changes_in_words(one.branch)}"[:LABEL]) for one in branches]


def choices_beside(review: Review) -> list[BranchChoice]:
    """Return the branches that a comment in a review can suggest: of its runs; of a change of a cluster or of a
    configuration on one, those of runs on the revisions that it is about."""
    if runs := runs_of(review):
        return branch_choices(runs)
    revisions = [one for one in (review.base, review.revision) if one is not None]
    newest = Run.objects.filter(branch__isnull=False, revision__in=revisions, workspace=review.workspace_id)
    return _choices(reversed(newest.select_related("branch", "workspace").order_by("-number")[:CHOICES]))


def effect_of(member: Member, branch: Run, turn: int = 0) -> SuggestedEffect:
    """Return what the branch comes to beside the run that it left, from turn number `turn` of reading both."""
    origin = living_origin(branch)
    words = changes_in_words(branch.branch)
    keepings = list(branch.keepings.select_related("draft", "revision__cluster", "config_revision", "author"))
    base = SuggestedEffect(branch, origin, words, keepings=keepings)
    if origin is None:
        return replace(base, note=f"Run {branch.branch.origin_number}, which it left, has been deleted")
    if not branch.has_ended:
        return replace(base, note="The branch is still running", is_waiting=branch.is_live)
    sides = (branch.pk, branch.created_at.isoformat(), origin.head.seq, branch.head.seq)
    clock = AnswerClock(f"suggestion {member.pk} {branch.pk}")
    answer = clock.of_run(origin, lambda n: FiguresCompared(*sides, turn=n, seconds=TURN_SECONDS), turn)
    if answer.value is None:
        return replace(base, note=answer.note, turn=answer.turn, is_waiting=answer.is_waiting)
    return replace(base, figures=_figures(answer.value), groups=_groups(answer.value), is_computed=True)


def _figures(answer: FiguresAnswer) -> list[FigurePair]:
    if answer.totals is None:
        return []
    a, b = answer.totals
    return [FigurePair(label, *(_counted(side, kinds) for side in (a, b))) for label, kinds in _FIGURES.items()]


def _counted(side: SideTotals, kinds: Sequence[str]) -> int:
    return sum(side.outcomes.get(kind, 0) for kind in kinds)


def _groups(answer: FiguresAnswer) -> list[OtherwiseCount]:
    return [
        OtherwiseCount(title, meaning, glyph, answer.groups[name])
        for name, (title, meaning, glyph) in GROUPS_OF_PODS.items()
        if answer.groups.get(name)
    ]
