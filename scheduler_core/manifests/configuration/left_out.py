"""Plugins and extenders of a configuration that are not here: left out on request, each with what is lost by it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Literal
from urllib.parse import urlsplit

import msgspec

from scheduler_core.manifests.checking.raw_values import At, Budget
from scheduler_core.manifests.model import printable, shortened

LIKE_A_SLIP = 0.8
"""How alike (difflib's ratio) a name has to be to that of a plugin to count as a slip."""

LOST_AT = {
    "preEnqueue": "pods that it would hold back enter the queue",
    "queueSort": "the queue is sorted by another plugin",
    "preFilter": "pods that it would refuse are tried",
    "filter": "nodes that it would refuse count as feasible",
    "postFilter": "it makes no room for pods that fit nowhere",
    "preScore": "",
    "score": "scores differ",
    "reserve": "what it would reserve is not held",
    "permit": "no pod waits for its approval",
    "preBind": "what it does before a binding is not done",
    "bind": "another plugin binds the pods",
    "postBind": "what it does after a binding is not done",
}
"""What is lost without a plugin, by extension point; nothing of its own at preScore, which prepares scores."""

NO_SCORES = "no score plugin is left, so the node is drawn among all feasible ones"
_POINTS_UNKNOWN = "which extension points it has is unknown, so filtering, scores and order may differ"

POINTS_OF = {
    "CapacityScheduling": ("preFilter", "postFilter", "reserve"),
    "Coscheduling": ("queueSort", "preFilter", "postFilter", "reserve", "permit"),
    "CrossNodePreemption": ("postFilter",),
    "LoadVariationRiskBalancing": ("score",),
    "LowRiskOverCommitment": ("preScore", "score"),
    "NetworkOverhead": ("preFilter", "filter", "score"),
    "NodeMetadata": ("score",),
    "NodeResourceTopologyMatch": ("preFilter", "filter", "score", "reserve", "postBind"),
    "NodeResourcesAllocatable": ("score",),
    "Peaks": ("score",),
    "PreemptionToleration": ("postFilter",),
    "QOSSort": ("queueSort",),
    "SySched": ("score",),
    "TargetLoadPacking": ("score",),
    "TopologicalSort": ("queueSort",),
}
"""Extension points of plugins that people enable by multiPoint, as kubernetes-sigs/scheduler-plugins has them."""

_VERBS = {
    "filterVerb": "nodes that it would refuse count as feasible",
    "prioritizeVerb": "scores differ",
    "preemptVerb": "preemption does not ask it for victims",
    "bindVerb": "DefaultBinder binds the pods that it would bind",
}


class LeftOut(msgspec.Struct, frozen=True):
    """A plugin or an extender that a run goes without, and what is lost by that, in words."""

    kind: Literal["plugin", "extender"]
    name: str
    lost: str

    @property
    def text(self) -> str:
        """It in a sentence."""
        what = "the extender " if self.kind == "extender" else ""
        return f"runs without {what}{self.name}" + (f": {self.lost}" if self.lost else "")


class LeaveOut(msgspec.Struct, frozen=True):
    """What a reading may leave out: plugins by name (None: all that are not known), and extenders."""

    plugins: frozenset[str] | None = frozenset()
    extenders: bool = False


NOTHING = LeaveOut()
UNKNOWN = LeaveOut(plugins=None, extenders=True)


def leave_out_again(left_out: Collection[LeftOut]) -> LeaveOut:
    """The request that leaves out what was left out before, and nothing else."""
    return LeaveOut(
        plugins=frozenset(one.name for one in left_out if one.kind == "plugin"),
        extenders=any(one.kind == "extender" for one in left_out),
    )


class PluginNames:
    """The plugins that a configuration may name, and those among its own that this reading leaves out.

    `unusable` says of plugins that are installed why they are not `here` all the same.
    """

    def __init__(
        self, here: Collection[str], leave_out: LeaveOut = NOTHING, unusable: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self.here = here
        self.unusable = unusable
        self._leave_out = leave_out
        self._places: dict[str, At] = {}
        self._points: dict[str, list[str]] = {}
        self._extenders: list[tuple[At, LeftOut]] = []
        self._budget = Budget()

    def nearest(self, name: str) -> str:
        """The plugin that was probably meant, "" where none is near or too many were looked for."""
        return self._budget.near(name, list(self.here), LIKE_A_SLIP)

    def leaves_out(self, at: At, name: str, point: str = "") -> bool:
        """Whether a plugin is left out; it is noted with the place where it is named and the point it is enabled at."""
        asked = self._leave_out.plugins
        if not name or name == "*" or (name in self.here if asked is None else name not in asked):
            return False
        self._places.setdefault(name, at)
        points = self._points.setdefault(name, [])
        if point and point not in points:
            points.append(point)
        return True

    def leaves_out_at(self, point: str) -> list[str]:
        """The plugins that were left out at an extension point, or at multiPoint where they may have it."""
        return [
            name
            for name, points in self._points.items()
            if point in points or ("multiPoint" in points and point in POINTS_OF.get(name, (point,)))
        ]

    def adds_loss(self, name: str, lost: str) -> None:
        """Note one more thing that is lost without a plugin."""
        if lost not in self._points[name]:
            self._points[name].append(lost)

    def leaves_out_extender(self, at: At) -> bool:
        """Whether extenders are left out; this one is noted."""
        if self._leave_out.extenders:
            self._extenders.append((at, LeftOut("extender", _extender_name(at), _lost_without_extender(at))))
        return self._leave_out.extenders

    def left_out(self) -> tuple[LeftOut, ...]:
        """What was left out: plugins as they are named in the file, then extenders."""
        plugins = [LeftOut("plugin", name, _lost_without(name, points)) for name, points in self._points.items()]
        return (*plugins, *(one for _, one in self._extenders))

    def warn(self) -> None:
        """Report each plugin and extender that was left out, at the first place that names it."""
        places = [*self._places.values(), *(at for at, _ in self._extenders)]
        for at, one in zip(places, self.left_out(), strict=True):
            at.warn(one.text + (self._meant(one.name) if one.kind == "plugin" else ""))

    def _meant(self, name: str) -> str:
        if why := self.unusable.get(name):
            return f". It is installed and cannot be used: {why}"
        near = self.nearest(name)
        return f". If that is a slip: did you mean {near}?" if near else ""


def _lost_without(name: str, noted: list[str]) -> str:
    if not noted:
        return "its arguments have no effect"
    points: list[str] = []
    for point in noted:
        points += POINTS_OF.get(name, (point,)) if point == "multiPoint" else (point,)
    losses = [_POINTS_UNKNOWN if point == "multiPoint" else LOST_AT.get(point, point) for point in points]
    return "; ".join(dict.fromkeys(loss for loss in losses if loss))


def _extender_name(at: At) -> str:
    """The extender's host and path; names and passwords in an address are for nobody to read."""
    prefix = at.get("urlPrefix").raw
    try:
        address = urlsplit(prefix) if isinstance(prefix, str) else None
    except ValueError:
        address = None
    if address is None or not address.netloc:
        return f"extenders[{at.path[-1]}]"
    return printable(shortened(address.netloc.rpartition("@")[2] + address.path))


def _lost_without_extender(at: At) -> str:
    losses = [lost for verb, lost in _VERBS.items() if at.get(verb).raw]
    ignored = [
        shortened(one.get("name").raw)
        for one in at.get("managedResources").items()
        if one.get("ignoredByScheduler").raw
    ]
    if ignored:
        losses.append(f"NodeResourcesFit checks {', '.join(ignored)} itself")
    return "; ".join(losses)
