"""Short texts of refusals: missing amounts first, kube-scheduler's message for reasons without an amount."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dashboard.common.pages.numbers import amount
from scheduler_core.profiles.names import FIT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from dashboard.debugger.inputs.layout import Usage

RESOURCES = FIT
_INSUFFICIENT = "Insufficient "
_TOO_MANY_PODS = "Too many pods"
# The beginning of most reasons, after the number of nodes that kube-scheduler puts first.
_OPENING = re.compile(r"^node\(s\) (had |were |was )?")


@dataclass(frozen=True)
class MissingOnNodes:
    """What nodes lack for one pod: `requests` are those that its profile compares with nodes, `usage` the amounts in
    use.

    Without usage (sizes are being read) texts have no amounts.
    """

    usage: Usage | None = None
    requests: Mapping[str, int] = field(default_factory=dict)

    def text(self, plugin: str, reasons: Iterable[str], names: Iterable[str]) -> str:
        """Return the reasons of one plugin over nodes with amounts: "gpu-count short of 1, cpu short of 2 to 5"."""
        if plugin != RESOURCES:
            return ", ".join(plain(reason) for reason in reasons)
        nodes = list(names)
        return ", ".join(self._short(reason, nodes) for reason in reasons)

    def _short(self, reason: str, names: list[str]) -> str:
        resource = _resource_of(reason)
        if not resource:
            return plain(reason)
        gaps = self._gaps(resource, names)
        if gaps is None or not len(gaps):
            return f"{_name_of(resource)} insufficient"
        return short_of(resource, int(gaps.min()), int(gaps.max()))

    def _gaps(self, resource: str, names: list[str]) -> NDArray[Any] | None:
        """The missing amounts on the nodes that lack some; None if unknown."""
        usage, asked = self.usage, self.requests.get(resource, 1 if resource == "pods" else 0)
        if usage is None or not asked:
            return None
        rows = [usage.index[name] for name in names if name in usage.index]
        gaps = asked - (usage.whole(resource)[rows] - usage.used(resource)[rows])
        return gaps[gaps > 0]


def short_of(resource: str, least: int, most: int) -> str:
    """Return how much is missing over nodes, canonical integers: "cpu short of 500m to 2"."""
    low, high = amount(least, resource), amount(most, resource)
    return f"{_name_of(resource)} short of {low}" + (f" to {high}" if low != high else "")


def _name_of(resource: str) -> str:
    return resource.rpartition("/")[2]


def names_resource(reasons: Iterable[str], resource: str) -> bool:
    """Return whether one of the reasons of NodeResourcesFit is that the resource is short."""
    return any(_resource_of(reason) == resource for reason in reasons)


def _resource_of(reason: str) -> str:
    """The resource that the reason says is short, "" for another reason."""
    if reason == _TOO_MANY_PODS:
        return "pods"
    return reason.removeprefix(_INSUFFICIENT) if reason.startswith(_INSUFFICIENT) else ""


def plain(reason: str) -> str:
    """Return a reason without the words that follow a number of nodes."""
    return _OPENING.sub("", reason) or reason
