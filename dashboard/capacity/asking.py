"""The four questions of the page as answers are asked for: the one that is shown, and those of the other tiles."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from dashboard.answers.asking import ask_of_revision
from dashboard.answers.panel import PATIENCE_SECONDS, Asker
from dashboard.answers.questions import CapacityQuestion, DrainedOf, GroupsOf, RoomOf, UnneededOf
from dashboard.capacity.choice import DRAIN, GROUPS, ROOM
from dashboard.fit.asking import asked_draft
from dashboard.runs import chosen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dashboard.answers.outcomes import Outcome
    from dashboard.capacity.choice import CapacityChoice
    from dashboard.clusters.revisions.page_context import PageContext

TURN_SECONDS, ROOM_SECONDS, LONG_SECONDS = 1.0, 5.0, 50.0


def question_of(here: PageContext, choice: CapacityChoice) -> CapacityQuestion:
    """Return the question that is shown."""
    about = {"config": chosen.of_cluster(here.cluster).name, **asked_draft(here)}
    if choice.show == GROUPS:
        return GroupsOf(
            pod=choice.pod,
            likes=choice.like,
            groups=choice.groups,
            by_price=choice.goal == "price",
            turn=choice.turn,
            seconds=TURN_SECONDS,
            **about,  # type: ignore[arg-type]
        )
    if choice.show == ROOM:
        seconds = LONG_SECONDS if choice.long else ROOM_SECONDS
        return RoomOf(pod=choice.of, seconds=seconds, **about)  # type: ignore[arg-type]
    if choice.show == DRAIN:
        return DrainedOf(nodes=choice.node, text=choice.q, **about)  # type: ignore[arg-type]
    return UnneededOf(code=choice.why, turn=choice.turn, seconds=TURN_SECONDS, **about)  # type: ignore[arg-type]


def ask(
    here: PageContext, question: CapacityQuestion, query: Mapping[str, str], patience: float = PATIENCE_SECONDS
) -> tuple[Outcome, dict[str, str]]:
    """Return what comes of a question, and what the next request for the same has to say."""
    asker = Asker.of(question, query)
    patience = min(patience, max(asker.deadline - time.time(), 0.0))
    outcome = ask_of_revision(here.revision, question, asker.deadline, asker=asker.name, patience=patience)
    return outcome, asker.query
