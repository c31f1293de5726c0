"""Answers calls from a tape."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from operator import attrgetter

from scheduler_core.extenders.calls import NOT_ON_TAPE, ExtenderCall, ExtenderReply
from scheduler_core.extenders.tape.reader import Tape, TapedCall
from scheduler_core.extenders.tape.requests import RequestKey, UnknownPartError, compared_parts

_step = attrgetter("step")


class TapeSource:
    """A call gets an answer that was given to the same request (requests.py) in the attempt of the same number; where
    there were several, they are given in turn, and again from the first one when asked once more.

    In an attempt of another number, as of a run that went another way than the recorded one, a call gets the last
    answer given before, or else the first one given after. So an answer depends on nothing but the attempt: a run that
    resumes at a keyframe, and a trial that is made twice, are answered as before. A request that is not on the tape is
    answered by a fault that says so.
    """

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self._asked: dict[RequestKey, tuple[int, int]] = {}
        """The number of the attempt that asked last, and how often it did."""

    def ask(self, calls: Sequence[ExtenderCall]) -> list[ExtenderReply]:
        """Raises TapeError where an answer is damaged."""
        return [self._answer(call) for call in calls]

    def _answer(self, call: ExtenderCall) -> ExtenderReply:
        try:
            key = self.tape.tables.key(call)
        except UnknownPartError as unknown:
            return _not_on_tape(call, str(unknown))
        answers = self.tape.calls.get(key)
        if answers is None:
            what = "these victims" if call.verb == "preempt" else "these nodes"
            return _not_on_tape(call, f"no such request for this pod and {what}")
        step, count = self._asked.get(key, (-1, 0))
        count = count if step == call.step else 0
        self._asked[key] = call.step, count + 1
        return self.tape.reply(_chosen(answers, call.step, count))


def _chosen(answers: Sequence[TapedCall], step: int, count: int) -> TapedCall:
    """The answer for the call that this attempt makes after ``count`` with the same request."""
    first, end = bisect_left(answers, step, key=_step), bisect_right(answers, step, key=_step)
    if first < end:
        return answers[first + count % (end - first)]
    return answers[max(first - 1, 0)]


def _not_on_tape(call: ExtenderCall, reason: str) -> ExtenderReply:
    namespace, name, _ = compared_parts(call).pod
    what = f"{call.verb} of extenders[{call.extender}] for pod {namespace}/{name}"
    return ExtenderReply(fault=f"{NOT_ON_TAPE}{what}: {reason}")
