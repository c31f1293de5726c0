"""A pod's requests in the inspector's head: resources that few nodes have come before cpu and memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import amount

if TYPE_CHECKING:
    from dashboard.debugger.inputs.facts import PodFacts


@dataclass(frozen=True)
class RequestedResource:
    """A requested resource: its full `resource`, the `name` that fits the head, and the amount as text."""

    resource: str
    name: str
    text: str


# As the map calls it.
_SHORT = {"memory": "mem"}


def asks_of(pod: PodFacts | None) -> list[RequestedResource]:
    """Return the pod's requests, extended resources first; [] if no input has the pod."""
    if pod is None:
        return []
    amounts = [*pod.others, ("cpu", pod.cpu), ("memory", pod.memory)]
    return [RequestedResource(name, _name(name), amount(value, name)) for name, value in amounts if value]


def _name(resource: str) -> str:
    return _SHORT.get(resource) or resource.rpartition("/")[2]
