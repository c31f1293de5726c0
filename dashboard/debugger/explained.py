"""Explains the selected pod's state: who refused it, over all its attempts, and what changed between them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from dashboard.answers.panel import AnswerPanel
from dashboard.answers.questions import (
    ChainsOf,
    FactsOf,
    NoPreemption,
    RemediesOf,
    ReportOf,
    RoomTaken,
    UntriedRemedies,
    VictimsOf,
    WakesOf,
)
from dashboard.debugger.caused import CausedAttempt
from dashboard.debugger.cursor import queries
from dashboard.debugger.inputs.attempts import pending_attempts
from dashboard.debugger.panels.asks import RequestedResource, asks_of
from dashboard.debugger.panels.why.attempts import AttemptLog, attempt_log
from dashboard.debugger.panels.why.chain_rows import ChainList, chain_list
from dashboard.debugger.panels.why.fact_rows import FactList, fact_list
from dashboard.debugger.panels.why.no_preemption import NoPreemptionList, no_preemption_list
from dashboard.debugger.panels.why.remedies import RemedyList, remedy_list
from dashboard.debugger.panels.why.room_taken import RoomList, room_list
from dashboard.debugger.panels.why.victim_rows import VictimList, victim_list
from dashboard.debugger.panels.why.wake_rows import WakeList, wake_list
from dashboard.runs import queries as run_queries

if TYPE_CHECKING:
    from scheduler_core.explain.pending.model import PendingAttempt
    from scheduler_core.recording.state import PermitWait


class ExplainedAttempt(CausedAttempt):
    """The explanation of the attempt, each part computed on first use."""

    @property
    def asks(self) -> list[RequestedResource]:
        """The selected pod's requests, also before its first attempt."""
        if self.cycle is None and self.facts and self.selection.pod:
            return asks_of(self.facts.pod(self.selection.pod, self.state))
        return asks_of(self.pod)

    @cached_property
    def history(self) -> run_queries.PodHistory | None:
        """The history of the selected pod."""
        selected = self.selection
        return run_queries.pod_history(self.run, selected.pod, selected.uid) if selected.pod else None

    @cached_property
    def tried(self) -> list[PendingAttempt]:
        """The pod's attempts, also after the shown one; if there are many, those around it."""
        history = self.history
        if history is None:
            return []
        if not history.is_cut or not self.selection.cycle:
            return pending_attempts(self.run, history.cycles, history.moves)
        pod = history.pod, history.uid
        cycles = run_queries.attempts_around(self.run, *pod, self.selection.cycle)
        first, end = cycles[0].first_seq, cycles[-1].first_seq
        return pending_attempts(self.run, cycles, run_queries.moves_between(self.run, *pod, first, end))

    @property
    def are_more_tried(self) -> bool:
        """Whether there are attempts before these."""
        return bool(self.tried) and self.tried[0].number > 1

    @cached_property
    def attempts(self) -> int:
        """The number of the selected pod's cycles in the whole run."""
        selected, numbers = self.selection, self.attempt_numbers
        if len(numbers) < queries.ATTEMPTS:
            return len(numbers)
        return run_queries.attempts_of(self.run, selected.pod, selected.uid)

    @cached_property
    def attempt_numbers(self) -> list[int]:
        """The first ATTEMPTS of these cycles."""
        return queries.attempt_numbers(self.run, self.selection.pod, self.selection.uid)

    @cached_property
    def attempt_log(self) -> AttemptLog | None:
        """The pod's attempts with what changed between them, None for a pod without one."""
        return attempt_log(self.run, self.tried, self.selection.cycle, self.attempts) if self.tried else None

    @property
    def recorded_template(self) -> str:
        """The partial that says what is recorded, until the cause is known."""
        return self.why_template

    @property
    def remedies_url(self) -> str:
        """The address of the part with remedies; "" if nothing keeps the pod from a node.

        The page does not request it by itself: trying changes takes long, and readers pass most moments quickly.
        """
        question = self._remedies_question
        return "" if question is None else self.asking.address(question.name)

    @property
    def _remedies_question(self) -> RemediesOf | UntriedRemedies | None:
        if self.cycle is None:
            pod = self.selection.pod
            return UntriedRemedies(pod, self.cursor.seq) if self.cause_question is not None else None
        return RemediesOf(self.cycle.row.number) if self._is_refused else None

    @property
    def _is_refused(self) -> bool:
        return self.cycle is not None and self.cycle.row.outcome == "unschedulable" and self.cycle.is_done

    @cached_property
    def remedies(self) -> AnswerPanel | None:
        """The question for remedies, asked of an answer worker."""
        question = self._remedies_question
        return None if question is None else AnswerPanel.of(self.asking, question)

    @cached_property
    def remedy_list(self) -> RemedyList | None:
        """The answer, None before it is there."""
        answer = self.remedies.answer if self.remedies else None
        if answer is None:
            return None
        has_tape = self.asking.run.tape_revision_id is not None
        # Of a pod that was not tried there is no cycle on whose state single changes are tried.
        try_url = self.asking.address("remedy") if self.cycle is not None else ""
        return remedy_list(answer.value, answer.seconds, try_url, self.diagnosis, has_tape=has_tape)

    @property
    def no_preemption_url(self) -> str:
        """The address of the part that says why preemption did not help; "" if it helped or was not tried."""
        return self.asking.address("no-preemption") if self._is_in_vain else ""

    @property
    def _is_in_vain(self) -> bool:
        decided = self.cycle.preemption if self.cycle else None
        return self._is_refused and decided is not None and not decided.nominated_node

    @cached_property
    def no_preemption(self) -> AnswerPanel | None:
        """The question why preemption did not help, asked of an answer worker."""
        if self.cycle is None or not self._is_in_vain:
            return None
        return AnswerPanel.of(self.asking, NoPreemption(self.cycle.row.number))

    @cached_property
    def no_preemption_list(self) -> NoPreemptionList | None:
        """The answer, None before it is there."""
        answer = self.no_preemption.answer if self.no_preemption else None
        return None if answer is None else no_preemption_list(answer.value)

    @property
    def victims_url(self) -> str:
        """The address of the part that says what decided whom the preemption evicts; "" if it evicted nobody."""
        decided = self.cycle.preemption if self.cycle is not None else None
        return self.asking.address("victims") if decided is not None and decided.nominated_node else ""

    @cached_property
    def victims(self) -> AnswerPanel | None:
        """The question what decided it, asked of an answer worker."""
        if self.cycle is None or not self.victims_url:
            return None
        return AnswerPanel.of(self.asking, VictimsOf(self.cycle.row.number))

    @cached_property
    def victim_list(self) -> VictimList | None:
        """The answer, None before it is there."""
        answer = self.victims.answer if self.victims else None
        return None if answer is None else victim_list(answer.value)

    @property
    def room_url(self) -> str:
        """The address of the part that says who took the room; "" if the pod does not lack room."""
        return self.asking.address("room") if self._is_refused and self.short_resource else ""

    @cached_property
    def room(self) -> AnswerPanel | None:
        """The question who took the room, asked of an answer worker."""
        if self.cycle is None or not self.room_url:
            return None
        return AnswerPanel.of(self.asking, RoomTaken(self.cycle.row.number))

    @cached_property
    def room_list(self) -> RoomList | None:
        """The answer, None before it is there."""
        answer = self.room.answer if self.room else None
        return None if answer is None else room_list(answer.value, self.short_resource)

    @property
    def chains_url(self) -> str:
        """The address of the part that says who preempted whom around the pod; "" if no preemption concerns it."""
        return self.asking.address("chains") if self._had_preemptions else ""

    @property
    def _had_preemptions(self) -> bool:
        """Whether the pod preempted or was preempted, or lacks room while any pod of the run was preempted."""
        history = self.history
        if history is None or not self.run.head.victims:
            return False
        mine = any(one.victims for one in history.preemptions) or any(not one.reprieved for one in history.evictions)
        return mine or bool(self.room_url)

    @cached_property
    def chains(self) -> AnswerPanel | None:
        """The question who preempted whom, up to the end of what is recorded, asked of an answer worker."""
        if not self._had_preemptions:
            return None
        cycle = self.cycle.row.number if self.cycle is not None and self.room_url else None
        return AnswerPanel.of(self.asking, ChainsOf(self.selection.pod, self.run.head.seq, cycle))

    @cached_property
    def chain_list(self) -> ChainList | None:
        """The answer, None before it is there."""
        answer = self.chains.answer if self.chains else None
        if answer is None:
            return None
        return chain_list(answer.value, self.selection.pod, self.selection.uid, self.cursor.seq)

    @property
    def facts_url(self) -> str:
        """The address of the part with the facts that the plugins used; "" if neither pod nor node was refused."""
        return self.asking.address("facts") if self._is_refused and (self.rejected or self.refusals) else ""

    @cached_property
    def facts_panel(self) -> AnswerPanel | None:
        """The question what the plugins say of a node of each group, asked of an answer worker."""
        if self.cycle is None or not self.facts_url:
            return None
        return AnswerPanel.of(self.asking, FactsOf(self.cycle.row.number))

    @cached_property
    def fact_list(self) -> FactList | None:
        """The answer, None before it is there."""
        answer = self.facts_panel.answer if self.facts_panel else None
        return None if answer is None else fact_list(answer.value)

    @property
    def wakes_url(self) -> str:
        """The address of the part that says what wakes the pod; "" if it does not wait in the queue at the cursor."""
        failed = self._is_refused or (self.cycle is not None and self.cycle.row.outcome == "error")
        waits = failed and self.cycle is not None and self.cycle.is_done and self.selection.pod in self.state.queue
        return self.asking.address("wakes") if waits else ""

    @property
    def permit_wait(self) -> PermitWait | None:
        """What holds the pod at Permit at the cursor, None where nothing does."""
        return self.state.waiting.get(self.selection.pod)

    @property
    def permit_left(self) -> int | None:
        """The virtual time until that ends, in microseconds."""
        return None if self.permit_wait is None else self.permit_wait.deadline - self.state.at

    @cached_property
    def wakes_panel(self) -> AnswerPanel | None:
        """The question what wakes the pod, asked of an answer worker."""
        if self.cycle is None or not self.wakes_url:
            return None
        return AnswerPanel.of(self.asking, WakesOf(self.cycle.row.number, self.cursor.seq))

    @cached_property
    def wake_list(self) -> WakeList | None:
        """The answer, None before it is there."""
        answer = self.wakes_panel.answer if self.wakes_panel else None
        return None if answer is None else wake_list(answer.value)

    @property
    def report_url(self) -> str:
        """The address of the explanation as text, for a pod that found no node."""
        return self.asking.address("report") if self._is_refused else ""

    @cached_property
    def report(self) -> AnswerPanel | None:
        """The question for that text, asked of an answer worker."""
        if self.cycle is None or not self._is_refused:
            return None
        return AnswerPanel.of(self.asking, ReportOf(self.cycle.row.number))
