"""The resources of the map: those that the pod requests; its dominant one is the default."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dashboard.common.http.params import shown
from dashboard.common.problems import BadQuery
from dashboard.debugger.inputs.grouping import bare

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dashboard.debugger.inputs.facts import Facts, PodFacts
    from dashboard.debugger.inputs.layout import Usage

# At most this many are in the head of the pane, the others in a menu.
BESIDE = 4
SHORT = {"memory": "mem", "ephemeral-storage": "ephemeral"}


@dataclass(frozen=True)
class MapResource:
    """A resource as the map's switch names it. `is_on`: the map shows it; `title` says why it stands there.

    `address` is how addresses name it: "" for the default.
    """

    name: str
    title: str
    is_on: bool
    address: str

    @property
    def label(self) -> str:
        """Return a name for a narrow place."""
        return SHORT.get(self.name, bare(self.name))

    @property
    def bare_name(self) -> str:
        """Return the name without its domain."""
        return bare(self.name)


@dataclass(frozen=True)
class ResourceChoice:
    """The resources that the map can show, the dominant one of the pod first."""

    resources: tuple[MapResource, ...]

    @property
    def chosen(self) -> MapResource:
        """Return the resource that the map shows."""
        return next(one for one in self.resources if one.is_on)

    @property
    def beside(self) -> Sequence[MapResource]:
        """Return those of the switch, the chosen one among them."""
        first = self.resources[:BESIDE]
        return first if self.chosen in first else (*first[:-1], self.chosen)

    @property
    def more(self) -> list[MapResource]:
        """Return those of the menu."""
        return [one for one in self.resources if one not in self.beside]


def resource_choice(asked: str, pod: PodFacts | None, facts: Facts, usage: Usage) -> ResourceChoice:
    """Return the resources for the pod (None: of all pods) with the one `asked` for chosen, "" for the default.

    Raises BadQuery for a name that no pod of the run requests.
    """
    names = by_share(pod.requests, usage) if pod is not None else _of_all(facts)
    names = [*names, "pods"]
    if asked and asked not in names:
        if asked not in facts.requested_resources:
            requested_names = ", ".join(sorted(facts.requested_resources))
            raise BadQuery(
                f'"map" must name a resource that a pod of this run requests ({requested_names}), not "{shown(asked)}".'
            )
        names.append(asked)
    chosen = asked or names[0]
    titles = _titles(names, pod)
    # The default is not in addresses, so that they show the dominant resource of the next pod.
    resources = [MapResource(name, titles[name], name == chosen, "" if name == names[0] else name) for name in names]
    return ResourceChoice(tuple(resources))


def by_share(requests: dict[str, int], usage: Usage) -> list[str]:
    """Return the requested resources, the dominant one first.

    The dominant resource is the one whose request is the largest share of what all nodes together have free (like the
    dominant share of Ghodsi et al., "Dominant Resource Fairness", NSDI 2011, but of what is left); a resource of which
    nothing is left comes first. Among equal shares devices come first, then names decide.
    """

    def key(name: str) -> tuple[float, bool, str]:
        free = float(np.maximum(usage.whole(name) - usage.used(name), 0).sum(dtype=np.float64))
        return (-requests[name] / free if free else -math.inf), "/" not in name, name

    return sorted((name for name, amount in requests.items() if amount), key=key)


def _of_all(facts: Facts) -> list[str]:
    devices = sorted(facts.requested_resources - {"cpu", "memory", "pods"})
    return ["cpu", "memory", *devices]


def _titles(names: list[str], pod: PodFacts | None) -> dict[str, str]:
    if pod is None:
        return {name: f"Share of {name} that is requested of each node" for name in names}
    requests, titles = pod.requests, {}
    for i, name in enumerate(names):
        if i == 0 and name in requests:
            titles[name] = f"{name}: of what nodes have free, {pod.object.name} requests the largest share of this"
        elif name in requests or name == "pods":
            titles[name] = f"{name}: {pod.object.name} requests it too"
        else:
            titles[name] = f"{name}: {pod.object.name} does not request it"
    return titles
