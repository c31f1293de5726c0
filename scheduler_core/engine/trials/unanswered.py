"""Requests of a trial that the run's tape has no answer for: what extenders would say to them is unknown."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

import msgspec

from scheduler_core.extenders.calls import missing_on_tape
from scheduler_core.framework.contracts.extending.recorded import FilterCall, PreemptCall, PrioritizeCall
from scheduler_core.framework.preemption.decision import PreemptionDecision
from scheduler_core.recording.events import AnyEvent, ExtendersFiltered, ExtendersScored


class Unanswered(msgspec.Struct, frozen=True):
    """The first requests that are not on the tape, as it names them; "": there is none.

    Without ``fitting`` (nodes, or victims of preemption) nothing is known of what fits; without ``scoring`` only the
    choice among the nodes that fit may be another.
    """

    fitting: str = ""
    scoring: str = ""

    @property
    def any(self) -> str:
        """The first of both."""
        return self.fitting or self.scoring


def unanswered_in(events: Iterable[AnyEvent], preemption: PreemptionDecision | None) -> Unanswered:
    """Those of an attempt with these events."""
    fitting: list[FilterCall | PreemptCall] = [] if preemption is None else [*preemption.calls]
    scoring: list[PrioritizeCall] = []
    for event in events:
        if isinstance(event, ExtendersFiltered):
            fitting = [*event.calls, *fitting]
        elif isinstance(event, ExtendersScored):
            scoring += event.calls
    return Unanswered(_first(call.error for call in fitting), _first(call.error for call in scoring))


def _first(errors: Iterable[str]) -> str:
    return next(chain(filter(None, map(missing_on_tape, errors)), ("",)))
