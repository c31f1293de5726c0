"""Whether a user's own change would bring a waiting pod back to activeQ, and whether it would then fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from scheduler_core.explain.pending.own_change import (
    ChangeAnswer,
    ChangeProblem,
    OwnChange,
    object_change,
    own_change,
    would_change_help,
)
from scheduler_core.simulate import WholeObjectChange

if TYPE_CHECKING:
    from dashboard.answers.answering.source import Source
    from dashboard.answers.answering.time_limit import TimeLimit
    from dashboard.answers.questions import OwnChangeMade, WouldHelpOf


class MadeChange(msgspec.Struct, frozen=True):
    """The object that is changed; None where the change cannot be made, for which `problem` says why."""

    change: WholeObjectChange | None = None
    text: str = ""
    problem: str = ""


def change_made(source: Source, question: OwnChangeMade, limit: TimeLimit) -> MadeChange:
    """Make the change on the state, without trying it; raises RecordingError behind the head.

    It is quick, so the limit is not asked."""
    try:
        change = own_change(question.change)
        return MadeChange(object_change(source.trials_at(question.seq), question.pod, change), change.text)
    except ChangeProblem as problem:
        return MadeChange(problem=f"{problem}")
    except KeyError:
        return MadeChange(problem=f"{question.pod} does not wait in the queue at this moment")


def would_help_of(source: Source, question: WouldHelpOf, limit: TimeLimit) -> ChangeAnswer:
    """Ask the queue and try the change; raises RecordingError behind the head.

    One attempt is all it takes, so that the limit is not asked. A change that cannot be made is an answer too.
    """
    change = OwnChange("")
    try:
        change = own_change(question.change)
        return would_change_help(source.trials_at(question.seq), question.pod, change)
    except ChangeProblem as problem:
        return ChangeAnswer(change=change, field=problem.field, problem=f"{problem}")
    except KeyError:
        return ChangeAnswer(change=change, problem=f"{question.pod} does not wait in the queue at this moment")
