"""The pods that the filters of a view let through."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scheduler_core.recording.times import clock

if TYPE_CHECKING:
    from dashboard.debugger.outcomes.address import OutcomesView
    from scheduler_core.explain.outcomes import Outcomes
    from scheduler_core.explain.outcomes.model import PodOutcome


def passing(outcomes: Outcomes, view: OutcomesView) -> list[PodOutcome]:
    """Return the pods that pass every filter, `outcomes.pods` itself where there is none.

    There may be very many, so nothing is computed twice.
    """
    pods = outcomes.pods
    if view.outcome:
        kinds = {i for i, group in enumerate(outcomes.groups) if group.kind == view.outcome}
        pods = [pod for pod in pods if pod.group in kinds]
    if view.waited:
        start, end = view.waited
        pods = [pod for pod in pods if waited_in(pod, start, end)]
    if query := view.q.casefold():
        groups = {i for i, group in enumerate(outcomes.groups) if query in group.title.casefold()}
        owners = {i for i, owner in enumerate(outcomes.owners) if query in owner.title.casefold()}
        pods = [pod for pod in pods if pod.group in groups or pod.owner in owners or query in pod.pod.casefold()]
    return pods


def waited_in(pod: PodOutcome, start: int, end: int) -> bool:
    """Return whether the pod waited at some moment from `start` to `end`, both included; a wait has its ends."""
    return 0 <= pod.came <= end and pod.came + pod.wait >= start


def waited_text(view: OutcomesView) -> str:
    """Return which pods the filter by time lets through, "" without one."""
    if not view.waited:
        return ""
    start, end = view.waited
    return f"waited at some moment from {clock(start)} to {clock(end)}"
