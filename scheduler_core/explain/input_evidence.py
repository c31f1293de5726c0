"""What the files of a run say themselves of one of its pods: what took it, what the real scheduler said, and when."""

from __future__ import annotations

from functools import cached_property

from scheduler_core.explain.agreement import raw_pods, scheduler_events, scheduler_reports
from scheduler_core.explain.agreement.events import SchedulerEvent
from scheduler_core.explain.agreement.later_changes import MOST_NAMED, CameLater, DatedObjects, later_words
from scheduler_core.explain.agreement.scheduler_reports import SchedulerReport
from scheduler_core.explain.departures import Departure, find_departure
from scheduler_core.explain.doubt import AnswerDoubt, NamedObjects
from scheduler_core.explain.real_report import RealReport, real_report
from scheduler_core.manifests import LoadResult


class InputEvidence:
    """The evidence of the files about a pod (namespace/name)."""

    def __init__(self, files: LoadResult, pod: str) -> None:
        self._files = files
        self._pod = pod

    @cached_property
    def departure(self) -> Departure | None:
        """What took the pod; None where nothing in the files did."""
        manifests = self._files.manifests
        named = (one for one in manifests if one.kind == "Pod" and f"{one.namespace}/{one.name}" == self._pod)
        manifest = next(named, None)
        return find_departure(self._pod, None if manifest is None else manifest.raw, self._events)

    def real_report(self, ours: str, node: str) -> RealReport | None:
        """What the real scheduler said of the pod, beside an attempt: its message and its node, "" for none."""
        said = self._reports.get(self._pod)
        return None if said is None else real_report(said, ours, node, len(self._files.objects.nodes))

    def doubt(self, real: RealReport) -> AnswerDoubt | None:
        """That the real message differs and is older than what the files hold; None where nothing came later."""
        if real.verdict not in ("differs", "placed") or real.report.at is None or real.said_at is None:
            return None
        objects = self._files.objects
        bound = (pod for pod in objects.pods if pod.node_name)
        later = DatedObjects(bound, objects.nodes, self._reports).after(real.report.at)
        return _older(later, f"{real.said_at:%Y-%m-%dT%H:%M:%SZ}") if later else None

    @cached_property
    def _events(self) -> list[SchedulerEvent]:
        return list(scheduler_events(self._files.events))

    @cached_property
    def _reports(self) -> dict[str, SchedulerReport]:
        return scheduler_reports(raw_pods(self._files.manifests), self._events)


def _older(later: CameLater, said: str) -> AnswerDoubt:
    pods, nodes = later.pods, later.nodes
    came = later_words(len(pods), pods[:MOST_NAMED], len(nodes), nodes[:MOST_NAMED])
    named = (*(f"v1/Pod/{pod}" for pod in pods), *(f"v1/Node//{node}" for node in nodes))
    return AnswerDoubt(
        code="MESSAGE_OLDER",
        objects=NamedObjects(len(named), named[:MOST_NAMED]),
        concerns="message",
        text=f"the real scheduler's message is of {said}; later came {came}",
    )
