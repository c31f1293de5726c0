"""Why one node and not another, and in which range of the pod's requests: on the state that a cycle found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scheduler_core.explain.rivals.answer import pod_of_cycle, why_node
from scheduler_core.explain.rivals.model import RequestRanges, RequestTrial, Rivalry
from scheduler_core.explain.rivals.requests import request_ranges
from scheduler_core.explain.rivals.trying import try_requests

if TYPE_CHECKING:
    from dashboard.answers.answering.source import Source
    from dashboard.answers.answering.time_limit import TimeLimit
    from dashboard.answers.questions import NodesCompared, RequestRangesOf, RequestsTried

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
