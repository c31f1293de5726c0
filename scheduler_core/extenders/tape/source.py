"""Answers calls from a tape."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import zstandard

from scheduler_core.extenders.calls import ExtenderCall, ExtenderReply
from scheduler_core.extenders.tape.errors import TapeError
from scheduler_core.extenders.tape.reader import Tape
from scheduler_core.extenders.tape.requests import UnknownPartError, compared_parts

NOT_ON_TAPE = "the request is not on the tape: "
"""How the fault of such a reply begins."""


class TapeSource:
    """The k-th call with the same request (requests.py) gets the k-th answer that was recorded to it.

    A request that is not on the tape is answered by a fault that says so. `state` says how far each request is, for a
    keyframe or a trial that is taken back.
    """

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self._number_of = {key: number for number, key in enumerate(tape.calls)}
        self._n_asked = np.zeros(len(tape.calls), dtype="<u4")

    def ask(self, calls: Sequence[ExtenderCall]) -> list[ExtenderReply]:
        """Raises TapeError where an answer is damaged."""
        return [self._answer(call) for call in calls]

    def state(self) -> bytes:
        """How many answers to each request were given."""
        return zstandard.ZstdCompressor(level=1).compress(self._n_asked.tobytes())

    def restore(self, state: bytes) -> None:
        """Go on from a state of this tape's source. Raises TapeError for another one's."""
        size = self._n_asked.nbytes
        try:
            data = zstandard.ZstdDecompressor().decompress(state, max_output_size=size)
        except zstandard.ZstdError as error:
            raise TapeError(f"{self.tape.name}: the state of its source cannot be read: {error}") from error
        if len(data) != size:
            raise TapeError(f"{self.tape.name}: the state is that of another tape's source")
        self._n_asked = np.frombuffer(data, dtype="<u4").copy()

    def _answer(self, call: ExtenderCall) -> ExtenderReply:
        try:
            key = self.tape.tables.key(call)
        except UnknownPartError as unknown:
            return _not_on_tape(call, str(unknown))
        number = self._number_of.get(key)
        if number is None:
            what = "these victims" if call.verb == "preempt" else "these nodes"
            return _not_on_tape(call, f"no such request for this pod and {what}")
        answers = self.tape.calls[key]
        place = int(self._n_asked[number])
        if place == len(answers):
            return _not_on_tape(call, f"answers to this request end after {place:,}")
        self._n_asked[number] += 1
        return self.tape.reply(answers[place])


def _not_on_tape(call: ExtenderCall, reason: str) -> ExtenderReply:
    namespace, name, _ = compared_parts(call).pod
    what = f"{call.verb} of extenders[{call.extender}] for pod {namespace}/{name}"
    return ExtenderReply(fault=f"{NOT_ON_TAPE}{what}: {reason}")
