"""The parts of the page that answer workers compute: each is requested separately until its answer arrives."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from dashboard.answers.panel import AskedPart
from dashboard.answers.questions import (
    ChainsOf,
    DoubtsOf,
    FactsOf,
    NoPreemption,
    PodDevicesOf,
    RemediesOf,
    ReportOf,
    RoomTaken,
    UntriedRemedies,
    VictimsOf,
    WakesOf,
)
from dashboard.debugger.panels.why.chain_rows import ChainList, chain_list
from dashboard.debugger.panels.why.device_rows import DeviceList, device_list
from dashboard.debugger.panels.why.fact_rows import FactList, fact_list
from dashboard.debugger.panels.why.no_preemption import NoPreemptionList, no_preemption_list
from dashboard.debugger.panels.why.remedies import RemedyList, remedy_list
from dashboard.debugger.panels.why.room_taken import RoomList, room_list
from dashboard.debugger.panels.why.victim_rows import VictimList, victim_list
from dashboard.debugger.panels.why.wake_rows import WakeList, wake_list
from scheduler_core.profiles.names import DEVICES

if TYPE_CHECKING:
    from dashboard.answers.outcomes import Answer
    from dashboard.answers.questions import Question
    from dashboard.debugger.cause import PodCause
    from scheduler_core.explain.doubt import AnswerDoubt


class AskedParts:
    """The parts about the shown attempt and its pod; one is without a question where it does not apply."""

    def __init__(self, why: PodCause) -> None:
        self.why = why
        self.asking = why.asking
        self.moment = why.moment
        self.attempt = why.attempt
        self.pod = why.pod

    @cached_property
    def remedies(self) -> AskedPart[RemedyList]:
        """What would let the pod fit, where something keeps it from a node.

        The page does not request it by itself: trying changes takes long, and readers pass most moments quickly.
        """
        question: Question | None = None
        if self._cycle is None:
            if self.why.question is not None:
                question = UntriedRemedies(self.moment.selection.pod, self.moment.cursor.seq)
        elif self.attempt.is_refused:
            question = RemediesOf(self._cycle)
        return AskedPart(self.asking, question, self._remedy_list)

    def _remedy_list(self, answer: Answer) -> RemedyList:
        has_tape = self.moment.run.tape_revision_id is not None
        # Of a pod that was not tried there is no cycle on whose state single changes are tried.
        try_url = self.asking.address("remedy") if self._cycle is not None else ""
        return remedy_list(answer.value, answer.seconds, try_url, self.why.diagnosis, has_tape=has_tape)

    @cached_property
    def no_preemption(self) -> AskedPart[NoPreemptionList]:
        """Why preemption did not help, where it was tried in vain."""
        is_in_vain = self.attempt.is_refused and self._nominated == ""
        question = NoPreemption(self._cycle) if self._cycle is not None and is_in_vain else None
        return AskedPart(self.asking, question, lambda answer: no_preemption_list(answer.value))

    @cached_property
    def victims(self) -> AskedPart[VictimList]:
        """What decided whom the preemption evicts, where it evicts somebody."""
        question = VictimsOf(self._cycle) if self._cycle is not None and self._nominated else None
        return AskedPart(self.asking, question, lambda answer: victim_list(answer.value))

    @cached_property
    def room(self) -> AskedPart[RoomList]:
        """Who took the room, where the pod lacks room."""
        short = self.attempt.short_resource if self.attempt.is_refused else ""
        question = RoomTaken(self._cycle) if self._cycle is not None and short else None
        return AskedPart(self.asking, question, lambda answer: room_list(answer.value, short))

    @cached_property
    def devices(self) -> AskedPart[DeviceList | None]:
        """Why its claims get no devices, where DynamicResources refused the pod."""
        is_refused = self.attempt.is_refused and DEVICES in self.attempt.refusing
        question = PodDevicesOf(self._cycle) if self._cycle is not None and is_refused else None
        return AskedPart(self.asking, question, lambda answer: device_list(answer.value))

    @cached_property
    def chains(self) -> AskedPart[ChainList]:
        """Who preempted whom around the pod, up to the end of what is recorded, where a preemption concerns it."""
        selected, head = self.moment.selection, self.moment.run.head
        cycle = self._cycle if self.room.question is not None else None
        question = ChainsOf(selected.pod, head.seq, cycle) if self._had_preemptions else None
        seq = self.moment.cursor.seq
        return AskedPart(
            self.asking, question, lambda answer: chain_list(answer.value, selected.pod, selected.uid, seq)
        )

    @property
    def _had_preemptions(self) -> bool:
        """Whether the pod preempted or was preempted, or lacks room while any pod of the run was preempted."""
        if not self.moment.run.head.victims or (history := self.pod.history) is None:
            return False
        mine = any(one.victims for one in history.preemptions) or any(not one.reprieved for one in history.evictions)
        return mine or self.room.question is not None

    @cached_property
    def facts(self) -> AskedPart[FactList]:
        """What the plugins say of a node of each group, where the pod or nodes were refused."""
        attempt = self.attempt
        is_refused = attempt.is_refused and (attempt.rejected or attempt.refusals)
        question = FactsOf(self._cycle) if self._cycle is not None and is_refused else None
        return AskedPart(self.asking, question, lambda answer: fact_list(answer.value))

    @cached_property
    def wakes(self) -> AskedPart[WakeList]:
        """What wakes the pod, where it waits in the queue at the cursor."""
        cycle, question = self.attempt.cycle, None
        is_failed = cycle is not None and cycle.is_done and cycle.row.outcome in ("unschedulable", "error")
        if cycle is not None and is_failed and self.moment.selection.pod in self.moment.state.queue:
            question = WakesOf(cycle.row.number, self.moment.cursor.seq)
        return AskedPart(self.asking, question, lambda answer: wake_list(answer.value))

    @cached_property
    def doubts(self) -> AskedPart[tuple[AnswerDoubt, ...]]:
        """What may falsify the placement, where the attempt placed the pod."""
        cycle = self.attempt.cycle
        is_placed = cycle is not None and cycle.is_done and cycle.row.outcome == "scheduled"
        question = DoubtsOf(self._cycle) if self._cycle is not None and is_placed else None
        return AskedPart(self.asking, question, lambda answer: answer.value)

    @cached_property
    def report(self) -> AskedPart[str]:
        """The explanation as text, for a pod that found no node."""
        question = ReportOf(self._cycle) if self._cycle is not None and self.attempt.is_refused else None
        return AskedPart(self.asking, question, lambda answer: answer.value)

    @property
    def _cycle(self) -> int | None:
        """The number of the attempt's cycle."""
        return self.attempt.cycle.row.number if self.attempt.cycle is not None else None

    @property
    def _nominated(self) -> str | None:
        """The node that the attempt's preemption nominated, "" where it found none, None without a preemption."""
        decided = self.attempt.cycle.preemption if self.attempt.cycle is not None else None
        return None if decided is None else decided.nominated_node or ""
