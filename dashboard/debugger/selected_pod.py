"""The selected pod over the whole run: its requests, its manifest, its attempts, and where it is without one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import amount
from dashboard.debugger.cursor import queries
from dashboard.debugger.events.line import causes_of
from dashboard.debugger.inputs.attempts import pending_attempts
from dashboard.debugger.inputs.configuration import configuration_of
from dashboard.debugger.panels.cycle_list import reason_texts
from dashboard.debugger.panels.object_yaml import ObjectYaml, object_yaml
from dashboard.debugger.panels.pod_history import HistoryLine, history_lines, moves_with_a_line, pod_status
from dashboard.debugger.panels.standing import Standing, standing_of
from dashboard.debugger.panels.untried import UntriedPod, untried_pod
from dashboard.debugger.panels.why.attempts import AttemptLog, attempt_log
from dashboard.runs import queries as run_queries

if TYPE_CHECKING:
    from dashboard.debugger.attempt import InspectedAttempt
    from dashboard.debugger.inputs.facts import PodFacts
    from dashboard.debugger.moment import CursorMoment
    from scheduler_core.explain.pending.model import PendingAttempt
    from scheduler_core.recording.state import PermitWait


class InspectedPod:
    """The pod that all panes show, each part computed on first use."""

    def __init__(self, moment: CursorMoment, attempt: InspectedAttempt) -> None:
        self.moment = moment
        self.attempt = attempt
        self.run = moment.run

    # ---------------------------------------------------------------- at the cursor

    @property
    def facts(self) -> PodFacts | None:
        """The pod as it is at the cursor; None while sizes are being read, and for one that is not known."""
        return self.moment.facts.pod(self.moment.selection.pod, self.moment.state) if self.moment.facts else None

    @property
    def asks(self) -> list[RequestedResource]:
        """The pod's requests, also before its first attempt."""
        if self.attempt.cycle is None and self.moment.selection.pod:
            return requested_resources(self.facts)
        return requested_resources(self.attempt.pod)

    @cached_property
    def yaml(self) -> ObjectYaml | None:
        """The pod's manifest at the cursor; None if neither inputs nor run have the pod."""
        moment, pod = self.moment, self.moment.selection.pod
        return object_yaml(self.run, moment.facts, moment.state, "Pod", pod) if pod else None

    @cached_property
    def untried(self) -> UntriedPod | None:
        """Where the pod is if it had no attempt yet."""
        selected = self.moment.selection
        if not selected.pod or selected.attempt is not None:
            return None
        gates = self.facts.gates if self.facts else ()
        return untried_pod(self.moment.state, selected.pod, selected.uid, gates, self.other_scheduler)

    @property
    def other_scheduler(self) -> str:
        """The scheduler of the pod if the run has no profile of that name; "" otherwise, and while sizes are being
        read.
        """
        name = self.facts.object.scheduler_name if self.facts else ""
        profiles = configuration_of(self.run, self.moment.cursor.seq).profiles
        return "" if name in {profile.scheduler_name for profile in profiles} else name

    @property
    def standing(self) -> Standing | None:
        """The state of the pod at the cursor; None without a pod and before the run has begun."""
        selected = self.moment.selection
        if not selected.pod or not self.moment.has_begun:
            return None
        return standing_of(self.moment.state, selected.pod, selected.uid)

    @property
    def waited(self) -> int | None:
        """For how long it has waited since it came to the queue, in virtual microseconds; None where it did not."""
        standing = self.standing
        first = next(iter(self.history.moves), None) if self.history is not None else None
        if standing is None or standing.until is None or first is None or first.seq >= self.moment.cursor.seq:
            return None
        return standing.until - first.at_us

    @property
    def permit_wait(self) -> PermitWait | None:
        """What holds the pod at Permit at the cursor, None where nothing does."""
        return self.moment.state.waiting.get(self.moment.selection.pod)

    @property
    def permit_left(self) -> int | None:
        """The virtual time until that ends, in microseconds."""
        return None if self.permit_wait is None else self.permit_wait.deadline - self.moment.state.at

    # ---------------------------------------------------------------- over the run

    @cached_property
    def history(self) -> run_queries.PodHistory | None:
        """The history of the pod."""
        selected = self.moment.selection
        return run_queries.pod_history(self.run, selected.pod, selected.uid) if selected.pod else None

    @cached_property
    def status(self) -> str:
        """The pod's state at the cursor if it was created by the run, or is leaving, or left; else ""."""
        if not self.history:
            return ""
        facts, state = self.moment.facts, self.moment.state
        of_inputs = None if facts is None else facts.pods.get(self.history.pod, state.at)
        return pod_status(self.history, state, "" if of_inputs is None else of_inputs.object.uid)

    @cached_property
    def history_lines(self) -> list[HistoryLine]:
        """The pod's history in lines."""
        history = self.history
        if history is None:
            return []
        times = queries.times_of(self.run, [victim.cycle for victim in history.evictions])
        moves = [move.seq for move in moves_with_a_line(history)]
        causes = {} if self.moment.lacks_causes else causes_of(self.run, moves)
        victims = run_queries.list_victims(self.run, [one.cycle for one in history.preemptions if one.node])
        failed = [cycle.number for cycle in history.cycles if cycle.outcome == "unschedulable"]
        return history_lines(history, self.moment.cursor, times, causes, victims, reason_texts(self.run, failed))

    @cached_property
    def tried(self) -> list[PendingAttempt]:
        """The pod's attempts, also after the shown one; if there are many, those around it."""
        history, shown = self.history, self.moment.selection.cycle
        if history is None:
            return []
        if not history.is_cut or not shown:
            return pending_attempts(self.run, history.cycles, history.moves)
        pod = history.pod, history.uid
        cycles = run_queries.attempts_around(self.run, *pod, shown)
        first, end = cycles[0].first_seq, cycles[-1].first_seq
        return pending_attempts(self.run, cycles, run_queries.moves_between(self.run, *pod, first, end))

    @property
    def are_more_tried(self) -> bool:
        """Whether there are attempts before these."""
        return bool(self.tried) and self.tried[0].number > 1

    @cached_property
    def attempt_numbers(self) -> list[int]:
        """The numbers of the pod's first ATTEMPTS cycles in the whole run."""
        return queries.attempt_numbers(self.run, self.moment.selection.pod, self.moment.selection.uid)

    @cached_property
    def attempts(self) -> int:
        """How many cycles of the pod there are in the whole run."""
        selected, numbers = self.moment.selection, self.attempt_numbers
        if len(numbers) < queries.ATTEMPTS:
            return len(numbers)
        return run_queries.count_attempts(self.run, selected.pod, selected.uid)

    @cached_property
    def attempt_log(self) -> AttemptLog | None:
        """The pod's attempts with what changed between them, None for a pod without one."""
        if not self.tried:
            return None
        return attempt_log(self.run, self.tried, self.moment.selection.cycle, self.attempts)


@dataclass(frozen=True)
class RequestedResource:
    """A requested resource: its full `resource`, the `name` that fits the head, and the amount as text."""

    resource: str
    name: str
    text: str


# As the map calls it.
_SHORT = {"memory": "mem"}


def requested_resources(pod: PodFacts | None) -> list[RequestedResource]:
    """Return the pod's requests, extended resources first; [] if no input has the pod."""
    if pod is None:
        return []
    amounts = [*pod.others, ("cpu", pod.cpu), ("memory", pod.memory)]
    return [
        RequestedResource(name, _SHORT.get(name) or name.rpartition("/")[2], amount(value, name))
        for name, value in amounts
        if value
    ]
