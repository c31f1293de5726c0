"""Runs that decide one bound pod again against the rest, so that its difference has a matrix in the debugger."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlencode

from django.urls import reverse

from dashboard.runs.models import Cycle

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from django.db.models import QuerySet

    from dashboard.accounts.models import Member
    from dashboard.clusters.models import Revision
    from dashboard.runs.chosen import ChosenConfiguration
    from dashboard.runs.models import Run

Without = Literal["", "younger"]
"""What is taken away besides the pod itself: nothing, or the pods that were made after it."""
YOUNGER: Without = "younger"


def find_or_start_run(
    member: Member, revision: Revision, configuration: ChosenConfiguration, pod: str, without: Without
) -> Run:
    """Return the run of this engine that decides a bound pod again, made in the background where there is none.

    Raises Forbidden, Problem where nothing can be run.
    """
    policies = _policies(configuration.policies_on(revision), pod, without)
    same = (run for run in _runs(revision, configuration, [pod]) if run.policies == policies)
    run = next(same, None)
    if run is not None:
        return run
    name = f"Decide {pod} again{' without later pods' if without else ''}"
    return configuration.run_pending(member, revision, name, policies)


def addresses(
    revision: Revision, configuration: ChosenConfiguration, pods: Iterable[str]
) -> dict[tuple[str, Without], str]:
    """Return {(pod, what was taken away): address of its cycle} of the runs that there are."""
    address_of: dict[tuple[str, Without], str] = {}
    for run in _runs(revision, configuration, list(pods)):
        pod = decided_by(run)
        without = YOUNGER if run.policies.get("without_younger") else ""
        here = cycle_address(run, pod)
        if here and run.policies == _policies(configuration.policies_on(revision), pod, without):
            address_of.setdefault((pod, without), here)
    return address_of


def decided_by(run: Run) -> str:
    """Return the pod that a run decides again, "" where it is another run."""
    return str(run.policies.get("decide_anew", ""))


def cycle_address(run: Run, pod: str) -> str:
    """Return the address of the pod's first cycle in the debugger, "" while there is none."""
    cycle = Cycle.objects.filter(run=run, pod=pod).order_by("number").values_list("number", flat=True).first()
    if cycle is None:
        return ""
    here = reverse("debugger:run", args=[run.workspace.slug, run.number])
    return f"{here}?{urlencode({'cycle': cycle, 'pod': pod}, safe='/')}"


def _runs(revision: Revision, configuration: ChosenConfiguration, pods: list[str]) -> QuerySet[Run]:
    """The runs of this engine that decide one of these pods again, newest first."""
    return configuration.usable_runs(revision).filter(policies__decide_anew__in=pods).select_related("workspace")


def _policies(usual: Mapping[str, Any], pod: str, without: Without) -> dict[str, Any]:
    """As agreement decides: nobody replaces pods, and every node is looked at."""
    deciding: dict[str, Any] = {"owners": "ignore", "node_search": "all", "decide_anew": pod}
    return {**usual, **deciding, **({"without_younger": True} if without else {})}
