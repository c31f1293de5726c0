"""The pods that are pending for the same reason, by owner: those around the one that the page is about."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import amount
from dashboard.debugger.inputs.grouping import bare
from dashboard.debugger.outcomes.labels import TROUBLE
from dashboard.debugger.why.address import why_url

if TYPE_CHECKING:
    from scheduler_core.explain.outcomes import Outcomes
    from scheduler_core.explain.outcomes.model import Group, PodOutcome

# This many pods are listed before and after the one that the page is about.
AROUND = 60


@dataclass(frozen=True)
class Sibling:
    """A pod of the list: `meta` is what it asks of the scarce resource, `owner` the head above it ("" for none)."""

    name: str
    url: str
    meta: str
    is_here: bool
    owner: str = ""


@dataclass(frozen=True)
class Siblings:
    """The pods that ended for one reason, `title`; of `total` those around the page's pod are listed.

    `resource` is what the figures beside the names are of. `previous` and `next` are the addresses of its neighbours,
    "" at the ends.
    """

    title: str
    total: int
    resource: str
    pods: list[Sibling]
    before: int
    after: int
    previous: str
    next: str


def pending_siblings(outcomes: Outcomes, slug: str, number: int, here: PodOutcome) -> Siblings | None:
    """Return the pods of the pod's group, None if the group needs no attention."""
    group = outcomes.groups[here.group]
    if group.kind not in TROUBLE:
        return None
    pods = _ordered([pod for pod in outcomes.pods if pod.group == here.group])
    at = pods.index(here)
    first, end = max(at - AROUND, 0), at + AROUND + 1
    resource = _resource(outcomes, group, pods[first:end])
    urls = {i: why_url(slug, number, pods[i].pod, pods[i].uid) for i in range(max(first - 1, 0), min(end, len(pods)))}
    return Siblings(
        title=group.title,
        total=len(pods),
        resource=bare(resource),
        pods=_listed(outcomes, pods[first:end], [urls[i] for i in range(first, min(end, len(pods)))], here, resource),
        before=first,
        after=max(len(pods) - end, 0),
        previous=urls.get(at - 1, ""),
        next=urls.get(at + 1, ""),
    )


def outcome_of(outcomes: Outcomes, pod: str, uid: str) -> PodOutcome | None:
    """Return how the pod ended, None if the summary does not have it."""
    return next((one for one in outcomes.pods if one.pod == pod and one.uid == uid), None)


def _name(pod: PodOutcome) -> str:
    return pod.pod.partition("/")[2]


def _ordered(pods: list[PodOutcome]) -> list[PodOutcome]:
    """The pods by owner, the owner with most pods first, each owner's in order of arrival."""
    counts = Counter(pod.owner for pod in pods)
    return sorted(pods, key=lambda pod: (-counts[pod.owner], pod.owner))


def _resource(outcomes: Outcomes, group: Group, pods: list[PodOutcome]) -> str:
    """The resource the group is about; if it is about none, the one the run is shortest of among those requested."""
    if group.scarce is not None:
        return group.scarce.resource
    if group.too_large:
        return group.too_large
    asked = {name for pod in pods for name, _ in outcomes.requests[pod.requests]}
    return next((line.resource for line in outcomes.series.resources if line.resource in asked), "")


def _listed(
    outcomes: Outcomes, pods: list[PodOutcome], urls: list[str], here: PodOutcome, resource: str
) -> list[Sibling]:
    listed: list[Sibling] = []
    owner = -1
    for pod, url in zip(pods, urls, strict=True):
        of = outcomes.owners[pod.owner]
        asked = dict(outcomes.requests[pod.requests]).get(resource)
        listed.append(
            Sibling(
                name=_name(pod),
                url=url,
                meta=amount(asked, resource) if asked else "",
                is_here=pod is here,
                owner=f"{of.namespace}/{of.title}" if pod.owner != owner and of.title != _name(pod) else "",
            )
        )
        owner = pod.owner
    return listed
