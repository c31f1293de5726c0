"""What answers for the extenders of a run: its tape or declared extenders, as the engine asks them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.documents.extenders.answering import AnswersError, ExtenderAnswers
from dashboard.runs.inputs import InputError, extender_answers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dashboard.runs.models import Run
    from scheduler_core.simulate import ExtenderCall, ExtenderReply, ExtenderSource, RunInputs


def open_source(run: Run, inputs: RunInputs) -> ExtenderSource | None:
    """Return what answers in a run of these inputs, None where nothing does; raises InputError, also when it is asked.

    Every session needs one of its own: what a tape answers depends on the attempt that asks.
    """
    answers = extender_answers(run)
    return None if answers is None else _Told(answers, inputs)


class _Told:
    """What answers, with its errors in words for the person who started the run."""

    def __init__(self, answers: ExtenderAnswers, inputs: RunInputs) -> None:
        try:
            self._source = answers.source(inputs.configuration.extenders)
        except AnswersError as problem:
            raise InputError(str(problem)) from problem

    def ask(self, calls: Sequence[ExtenderCall]) -> list[ExtenderReply]:
        try:
            return self._source.ask(calls)
        except AnswersError as problem:
            raise InputError(str(problem)) from problem
