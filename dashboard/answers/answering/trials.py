"""Answers computed by trials of the engine on the state that a cycle found."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from dashboard.common.problems import NotFound
from dashboard.runs.inputs import read_changes
from dashboard.runs.models import ChangeList
from scheduler_core.explain.pending.change_list import ListEntry, TriedTogether, try_together
from scheduler_core.explain.preemption import PreemptionAnswer, why_no_preemption
from scheduler_core.explain.remedies.model import Remedies
from scheduler_core.explain.remedies.search import remedies
from scheduler_core.explain.remedies.single import RemedyTrial, single_remedy
from scheduler_core.explain.rivals.answer import pod_of_cycle, why_node
from scheduler_core.explain.rivals.model import RequestRanges, RequestTrial, Rivalry
from scheduler_core.explain.rivals.requests import request_ranges
from scheduler_core.explain.rivals.trying import try_requests
from scheduler_core.explain.victims import VictimFate, fates_on
from scheduler_core.recording.events import PreemptionDecided
from scheduler_core.simulate import RunSession

if TYPE_CHECKING:
    from dashboard.answers.answering.source import Source
    from dashboard.answers.answering.time_limit import TimeLimit
    from dashboard.answers.questions import (
        ListTried,
        NodesCompared,
        NoPreemption,
        RemediesOf,
        RemedyTried,
        RequestRangesOf,
        RequestsTried,
        UntriedRemedies,
        VictimsOf,
    )
    from scheduler_core.recording.events import VictimSet
    from scheduler_core.recording.reader import RecordingReader


# So long remedies are tried; what was not tried then is said. Restoring the state comes before that.
TRYING_SECONDS = 2.0


def find_remedies(source: Source, question: RemediesOf, limit: TimeLimit) -> Remedies:
    """Try what would let the cycle's pod fit; raises RecordingError for a cycle that is not recorded."""
    pod = source.read(lambda reader: pod_of_cycle(reader, question.cycle))
    trials = source.trials(question.cycle)
    return remedies(trials, pod, limit.within(TRYING_SECONDS))


def untried_remedies(source: Source, question: UntriedRemedies, limit: TimeLimit) -> Remedies:
    """Try changes that would let a pod fit that waits in the queue, or for another scheduler.

    Raises RecordingError for a moment after the head.
    """
    trials = source.trials_at(question.seq)
    if not trials.knows(question.pod):
        return Remedies(question.pod, question.seq, fits=False, failure="The state has no such pod.")
    return remedies(trials, question.pod, limit.within(TRYING_SECONDS))


def remedy_tried(source: Source, question: RemedyTried, limit: TimeLimit) -> RemedyTrial:
    """Try one remedy for the cycle's pod; raises RecordingError for a cycle that is not recorded."""
    pod = source.read(lambda reader: pod_of_cycle(reader, question.cycle))
    trials = source.trials(question.cycle)
    return single_remedy(trials, pod, question.remedy, limit.within(TRYING_SECONDS)).trial


def list_tried(source: Source, question: ListTried, limit: TimeLimit) -> TriedTogether:
    """Try the changes of a list together; raises NotFound for a list that is another one by now, InputError for changes
    that cannot be read, BranchError where no branch can begin there.

    One attempt with the changes and one without is all it takes, so that the limit is not asked.
    """
    rows = ChangeList.objects.filter(pk=question.changes, run_id=source.run.pk, version=question.version)
    row = rows.first()
    if row is None:
        raise NotFound("The list of changes is another one by now.")
    seq, inputs = question.seq, source.inputs
    active = [[{**change, "at": seq} for change in entry["changes"]] for entry in row.active]
    read = iter(read_changes(source.run, [change for changes in active for change in changes], inputs))
    entries = [
        ListEntry(texts=tuple(entry["texts"]), changes=tuple(islice(read, len(changes))))
        for entry, changes in zip(row.active, active, strict=True)
    ]

    def at_place(reader: RecordingReader) -> tuple[RunSession, int]:
        session, _ = RunSession.branch(inputs, seq, (), reader.keyframe_bytes, extenders=source.extenders())
        return session, reader.event(reader.cycle_span(row.cycle)[0]).at if row.cycle else 0

    session, now = source.read(at_place)
    return try_together(session.simulation, now, row.pod, entries)


def explain_no_preemption(source: Source, question: NoPreemption, limit: TimeLimit) -> PreemptionAnswer:
    """Say why preemption did not help the cycle's pod; raises RecordingError for a cycle that is not recorded.

    It takes one attempt with its dry run, so the time limit is not checked.
    """
    pod = source.read(lambda reader: pod_of_cycle(reader, question.cycle))
    try:
        return why_no_preemption(source.trials(question.cycle), pod)
    except ValueError as error:
        # The engine finds a node where the recorded cycle found none: another version of it may.
        return PreemptionAnswer(pod, False, "", f"{error}.", 0)


def examine_victims(source: Source, question: VictimsOf, limit: TimeLimit) -> tuple[VictimFate, ...]:
    """Say it of the first victims and the first pods that stay; none where no node was cleared. Raises RecordingError.

    A few attempts for each of them is all it takes, so that the limit is not asked.
    """

    def chosen(reader: RecordingReader) -> VictimSet | None:
        first, last = reader.cycle_span(question.cycle)
        decided = (event for _, event in reader.events(first, last + 1) if isinstance(event, PreemptionDecided))
        return next((event.nominated for event in decided), None)

    on = source.read(chosen)
    if on is None:
        return ()
    pod = source.read(lambda reader: pod_of_cycle(reader, question.cycle))
    return tuple(fates_on(source.trials(question.cycle), pod, on, question.cycle))


# So long requests are tried; how far that came is said. Restoring the state comes before that.
TRYING_SECONDS = 4.0


def compared(source: Source, question: NodesCompared, limit: TimeLimit) -> Rivalry:
    """Set the nodes beside each other; raises RecordingError for a cycle that is not recorded.

    An attempt for each node that was not scored is all it takes, so that the limit is not asked.
    """
    trials = source.trials(question.cycle)
    return source.read(lambda reader: why_node(reader, trials, question.cycle, question.nodes))


def ranges(source: Source, question: RequestRangesOf, limit: TimeLimit) -> RequestRanges:
    """Try other requests until the winner is another; raises RecordingError for a cycle that is not recorded."""
    pod = source.read(lambda reader: pod_of_cycle(reader, question.cycle))
    trials = source.trials(question.cycle)
    resource_ranges = request_ranges(trials, pod, limit.within(TRYING_SECONDS))
    return RequestRanges(pod, trials.attempt(pod).node, resource_ranges)


def tried(source: Source, question: RequestsTried, limit: TimeLimit) -> RequestTrial:
    """Try these requests and weights; raises RecordingError for a cycle that is not recorded."""
    pod = source.read(lambda reader: pod_of_cycle(reader, question.cycle))
    return try_requests(source.trials(question.cycle), pod, question.requests, question.weights, question.nodes)
