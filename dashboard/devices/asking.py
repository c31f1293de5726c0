"""The questions of the pages about devices; a request waits a while for the answer."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from dashboard.answers.asking import ask, ask_of_revision
from dashboard.answers.panel import Asker

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dashboard.answers.outcomes import Outcome
    from dashboard.answers.questions import DevicesAt, DevicesOf
    from dashboard.clusters.models import Revision
    from dashboard.runs.models import Run

PATIENCE_SECONDS = 2.0


def ask_of_cluster(revision: Revision, question: DevicesOf, query: Mapping[str, str]) -> tuple[Outcome, dict[str, str]]:
    """Return what comes of a question about a revision, and what the next request for the same has to say."""
    asker = Asker.of(question, query)
    outcome = ask_of_revision(
        revision, question, asker.deadline, asker=asker.name, patience=patience_until(asker.deadline)
    )
    return outcome, asker.query


def ask_of_run(run: Run, question: DevicesAt, query: Mapping[str, str]) -> tuple[Outcome, dict[str, str]]:
    """Return the same of a question about a run."""
    asker = Asker.of(question, query, run)
    outcome = ask(run, question, asker.deadline, asker=asker.name, patience=patience_until(asker.deadline))
    return outcome, asker.query


def patience_until(deadline: float) -> float:
    """Return how long a request waits for the answer, in seconds."""
    return min(PATIENCE_SECONDS, max(deadline - time.time(), 0.0))
