"""What may answer for the extenders of a run that is to be launched: tapes and declared extenders."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db.models import Max

from dashboard.clusters.revisions.contents import read_contents
from dashboard.documents.extenders.answering import AnswersError, ExtenderAnswers
from dashboard.documents.models import DeclaredExtenders, ExtenderTape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dashboard.accounts.models import Workspace
    from dashboard.clusters.models import Revision
    from scheduler_core.api.config import Extender

# At most this many of each kind are checked for one that fits, which is chosen to begin with.
TRIED = 30


@dataclass(frozen=True)
class AnswerChoices:
    """The tapes and declared extenders of a workspace that are not archived, by name, each with `newest`."""

    tapes: list[Any]
    declared: list[Any]

    @classmethod
    def of(cls, workspace: Workspace) -> AnswerChoices:
        """Return those of a workspace."""
        return cls(
            *(
                list(
                    kind.objects.filter(workspace=workspace, archived_at=None)
                    .annotate(newest=Max("revisions__number"))
                    .exclude(newest=None)
                    .order_by("name", "id")
                )
                for kind in (ExtenderTape, DeclaredExtenders)
            )
        )

    def named(self, value: str) -> Any:
        """Return what a value of the field `answers` names, None for nothing."""
        kind, _, slug = value.partition(":")
        things = {"tape": self.tapes, "declared": self.declared}.get(kind, [])
        return next((thing for thing in things if thing.slug == slug), None)

    def fitting(self, extenders: Sequence[Extender], revision: Revision | None) -> str:
        """Return the value that names the first one whose newest revision fits, "" where none does."""
        for thing in (*self.tapes[:TRIED], *self.declared[:TRIED]):
            answers = ExtenderAnswers(thing.revisions.first())
            if not answers_problem(answers, extenders, revision):
                return answers.name
        return ""


def answers_problem(answers: ExtenderAnswers, extenders: Sequence[Extender], revision: Revision | None) -> str:
    """Return why these answers do not fit the extenders and the cluster's revision, "" if they do."""
    nodes = read_contents(revision).loaded.objects.nodes if revision is not None else ()
    try:
        answers.check(extenders, nodes)
    except AnswersError as problem:
        return str(problem)
    return ""
