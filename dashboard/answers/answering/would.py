"""Whether a change of one's own would bring a waiting pod back, and whether it would fit then."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scheduler_core.explain.pending.own_change import (
    ChangeAnswer,
    ChangeProblem,
    OwnChange,
    own_change,
    would_change_help,
)

if TYPE_CHECKING:
    from dashboard.answers.answering.source import Source
    from dashboard.answers.answering.time_limit import TimeLimit
    from dashboard.answers.questions import WouldHelpOf


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
