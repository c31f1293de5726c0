"""The first answers of a page: what stood against the pod of an attempt, or why a pod was never tried."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from scheduler_core.explain.pending import AttemptInputs, FoundNodes, against_pod
from scheduler_core.explain.pending.model import AgainstPod
from scheduler_core.explain.rivals.answer import pod_of_cycle
from scheduler_core.explain.shortfalls import checked_requests
from scheduler_core.simulate import settings_at

if TYPE_CHECKING:
    from dashboard.answers.answering.source import Source
    from dashboard.answers.answering.time_limit import TimeLimit
    from dashboard.answers.questions import UntriedOf, WhyOf
    from scheduler_core.recording.reader import RecordingReader


class UntriedAnswer(msgspec.Struct, frozen=True):
    """The scheduling gates of a pod, and the scheduler that it asks for where no profile of the run is of that name;
    nothing of a pod that neither inputs nor recording have."""

    gates: tuple[str, ...] = ()
    scheduler: str = ""


def why_of(source: Source, question: WhyOf, limit: TimeLimit) -> AgainstPod:
    """Say what stood against the cycle's pod; raises RecordingError for a cycle that is not recorded.

    One look at the state is all it takes, so that the limit is not asked.
    """
    return against(source, question.cycle)


def untried(source: Source, question: UntriedOf, limit: TimeLimit) -> UntriedAnswer:
    """Say which properties of the pod prevent an attempt; raises RecordingError behind the head."""
    followed = source.followed
    pod = source.read(lambda reader: followed.at(reader, question.seq)).objects.pods.get(question.pod)
    if pod is None:
        return UntriedAnswer()
    configuration, _ = settings_at(source.inputs, question.seq)
    is_ours = pod.scheduler_name in {profile.scheduler_name for profile in configuration.profiles}
    return UntriedAnswer(pod.scheduling_gates, "" if is_ours else pod.scheduler_name)


def against(source: Source, cycle: int) -> AgainstPod:
    """What stood against the pod of a cycle; nothing where it ended before any node was looked at."""
    followed = source.followed

    def in_cycle(reader: RecordingReader) -> AgainstPod:
        frame = reader.frame(cycle)
        if frame is None:
            return AgainstPod()
        first = reader.cycle_span(cycle)[0]
        cluster = followed.at(reader, first)
        pod = cluster.objects.pods.get(pod_of_cycle(reader, cycle))
        if pod is None:
            return against_pod(frame, AttemptInputs(None, {}, FoundNodes(reader.node_names(cycle))))
        requests = checked_requests(pod, settings_at(source.inputs, first)[0])
        return against_pod(frame, AttemptInputs(pod, requests, cluster.nodes_for(pod)))

    return source.read(in_cycle)
