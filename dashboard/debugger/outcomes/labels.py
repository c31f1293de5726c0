"""Words and colours of the outcomes page: kinds, requests, spans, addresses of pods in the debugger."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.urls import reverse

from dashboard.common.pages.numbers import amount, grouped
from scheduler_core.explain import outcomes as oc
from scheduler_core.recording import times

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scheduler_core.explain.outcomes import Outcomes
    from scheduler_core.explain.outcomes.model import Group, PodOutcome

TROUBLE = (oc.PENDING, oc.ERROR, oc.PREEMPTED, oc.LOST, oc.GATED, oc.WAITING)
"""Kinds that need a look."""
MEANINGS = {
    oc.PENDING: "unsched",
    oc.ERROR: "error",
    oc.PREEMPTED: "victim",
    oc.LOST: "victim",
    oc.GATED: "gated",
    oc.WAITING: "wait",
    oc.BOUND: "bound",
    oc.COMPLETED: "bound",
    oc.DELETED: "none",
}
LABELS = {
    oc.PENDING: "pending",
    oc.ERROR: "error",
    oc.PREEMPTED: "preempted",
    oc.LOST: "lost with their node",
    oc.GATED: "gated",
    oc.WAITING: "waiting at Permit",
    oc.BOUND: "bound",
    oc.COMPLETED: "completed",
    oc.DELETED: "deleted",
}
WHY = (oc.PENDING, oc.ERROR)
"""Kinds of which a page of its own says why."""
# What the cycle of such a pod shows best.
TABS = {oc.PREEMPTED: "preemption"}
SHOWN_REQUESTS = 3


def bare(resource: str) -> str:
    """Return a resource's name without its domain."""
    return resource.rpartition("/")[2]


def meaning(group: Group) -> str:
    """Return the colour of a group."""
    if group.under_way:
        return "wait"
    return "unres" if group.hopeless else MEANINGS[group.kind]


def wait(micros: int) -> str:
    """Return a wait, "" where none is known."""
    return times.span(micros) if micros >= 0 else ""


def wait_of(pod: PodOutcome) -> str:
    """Return the pod's wait, marked where it is not over: "> 9 min 10 s"."""
    return f"> {wait(pod.wait)}" if pod.still_waits else wait(pod.wait)


class RequestWords:
    """Requests of pods in words, the scarcest resource of the run first."""

    def __init__(self, outcomes: Outcomes) -> None:
        self._all = outcomes.requests
        self._order = {line.resource: i for i, line in enumerate(outcomes.series.resources)}

    def of_pod(self, pod: PodOutcome) -> str:
        """Return "gpu-milli 1,000 · cpu 3.152"."""
        asked = sorted(self._all[pod.requests], key=self._rank)
        return " · ".join(f"{bare(name)} {amount(value, name)}" for name, value in asked[:SHOWN_REQUESTS])

    def of_pods(self, pods: Iterable[PodOutcome]) -> str:
        """Return what the pods ask for as ranges: "gpu-milli 230 to 2,000, cpu 3.2 to 8"."""
        spans: dict[str, tuple[int, int]] = {}
        for number in {pod.requests for pod in pods}:
            for name, value in self._all[number]:
                low, high = spans.get(name, (value, value))
                spans[name] = min(low, value), max(high, value)
        asked = sorted(spans.items(), key=self._rank)[:SHOWN_REQUESTS]
        return ", ".join(f"{bare(name)} {span(name, *ends)}" for name, ends in asked)

    def _rank(self, asked: tuple[str, object]) -> int:
        return self._order.get(asked[0], len(self._order))


def span(resource: str, low: int, high: int) -> str:
    """Return "8", "3.2 to 8"."""
    return amount(low, resource) if low == high else f"{amount(low, resource)} to {amount(high, resource)}"


def priorities(pods: Sequence[PodOutcome]) -> str:
    """Return "priority 100", "priority 100 to 1,000"."""
    values = {pod.priority for pod in pods}
    low, high = min(values), max(values)
    return f"priority {grouped(low)}" if low == high else f"priority {grouped(low)} to {grouped(high)}"


class Places:
    """Addresses in the debugger of a run's pods."""

    def __init__(self, slug: str, number: int, seq: int) -> None:
        self._path = reverse("debugger:run", kwargs={"slug": slug, "number": number})
        self._why = reverse("debugger:why", kwargs={"slug": slug, "number": number})
        self._rivals = reverse("debugger:why_node", kwargs={"slug": slug, "number": number})
        self._seq = seq

    def pod(self, pod: PodOutcome, kind: str) -> str:
        """Return the page of the pod's last attempt; the end of what is recorded for a pod that had none.

        Of a preempted pod it is the preemptor's cycle, which decided who had to go.
        """
        cycle = (pod.preempted_in or pod.cycle) if kind == oc.PREEMPTED else pod.cycle
        if kind in WHY and cycle:
            return f"{self._why}?{urlencode({'pod': pod.pod} | ({'uid': pod.uid} if pod.uid else {}), safe='/')}"
        query: dict[str, object] = {"cycle": cycle} if cycle else {"seq": self._seq}
        if kind != oc.PREEMPTED or not cycle:
            query["pod"] = pod.pod
            if pod.uid:
                query["uid"] = pod.uid
        tab = TABS.get(kind, "") if cycle else "story"
        if tab:
            query["tab"] = tab
        return f"{self._path}?{urlencode(query, safe='/')}"

    def rivals(self, cycle: int) -> str:
        """Return where the nodes of an attempt are set against each other."""
        return f"{self._rivals}?cycle={cycle}"

    def seq(self, seq: int) -> str:
        """Return the moment after that many events."""
        return f"{self._path}?seq={seq}"
