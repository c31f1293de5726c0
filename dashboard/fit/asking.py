"""Questions of the pages about fit: about a draft in the place of its base; a request waits a while for the answer."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypedDict

from dashboard.answers.asking import ask_of_revision
from dashboard.answers.panel import Asker

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dashboard.answers.outcomes import Outcome
    from dashboard.answers.questions import DrainOf, FitOf
    from dashboard.clusters.revisions.page_context import PageContext

# A request waits so long for the answer before it says what it waits for.
PATIENCE_SECONDS = 2.0


class AskedDraft(TypedDict, total=False):
    """The fields of a question that say which draft it is about; none of them where it is about the revision."""

    draft: int
    version: str


def asked_draft(here: PageContext) -> AskedDraft:
    """Return which draft a page shows."""
    return {"draft": here.draft.pk, "version": here.draft.version} if here.draft else {}


def ask(here: PageContext, question: FitOf | DrainOf, query: Mapping[str, str]) -> tuple[Outcome, dict[str, str]]:
    """Return what comes of a question, and what the next request for the same has to say."""
    asker = Asker.of(question, query)
    patience = min(PATIENCE_SECONDS, max(asker.deadline - time.time(), 0.0))
    outcome = ask_of_revision(here.revision, question, asker.deadline, asker=asker.name, patience=patience)
    return outcome, asker.query
