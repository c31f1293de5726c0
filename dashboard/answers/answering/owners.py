"""Why an owner lacks pods: admission refused them, or its rollout does not go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from scheduler_core.explain.diagnosis.model import ObstacleSet
from scheduler_core.explain.pending.tries import Tries
from scheduler_core.explain.remedies.model import Remedies
from scheduler_core.explain.report_lines import report_lines
from scheduler_core.explain.rollouts.answer import report_of_owner
from scheduler_core.explain.rollouts.model import RolloutState
from scheduler_core.explain.sessions import TrialsOf

if TYPE_CHECKING:
    from collections.abc import Callable

    from dashboard.answers.answering.source import Source
    from dashboard.answers.answering.time_limit import TimeLimit
    from dashboard.answers.questions import OwnerOf
    from scheduler_core.explain.report import WhyReport
    from scheduler_core.recording.reader import RecordingReader

# So long changes are tried, each by a whole run.
TRYING_SECONDS = 4.0


class OwnerAnswer(msgspec.Struct, frozen=True):
    """The report on the owner: `state` in a word or two, the cause as data, the attempts to create
    refused pods or the state of the rollout, `remedies` where they were asked for, and the lines that `why` prints."""

    state: str
    seq: int
    cause: ObstacleSet | None = None
    tries: Tries | None = None
    rollout: RolloutState | None = None
    remedies: Remedies | None = None
    text: str = ""


def of_owner(source: Source, question: OwnerOf, limit: TimeLimit) -> OwnerAnswer | None:
    """Say why; None where nothing holds up the owner. No change is tried."""
    return _answer(source, question, lambda: True)


def remedies_of_owner(source: Source, question: OwnerOf, limit: TimeLimit) -> OwnerAnswer | None:
    """Say why, and try changes."""
    return _answer(source, question, limit.within(TRYING_SECONDS))


def _answer(source: Source, question: OwnerOf, is_over: Callable[[], bool]) -> OwnerAnswer | None:
    def report(reader: RecordingReader) -> WhyReport | None:
        return report_of_owner(TrialsOf(reader, source.inputs, source.extenders()), question.owner, is_over)

    said = source.read(report)
    if said is None:
        return None
    text = "\n".join(report_lines(said))
    return OwnerAnswer(said.pending.state, said.pending.seq, said.cause, said.tries, said.rollout, said.remedies, text)
