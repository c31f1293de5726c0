"""Plugin arguments of a KubeSchedulerConfiguration: what validation_pluginargs.go refuses is refused here too."""

from __future__ import annotations

from collections.abc import Callable

from scheduler_core.cel.errors import CelError
from scheduler_core.cel.library.times import duration_of
from scheduler_core.manifests.checking.names import label_key_problem
from scheduler_core.manifests.checking.raw_values import At
from scheduler_core.manifests.kinds.pods.affinity import PREFERRED, REQUIRED, read_constraints
from scheduler_core.manifests.kinds.selectors import ADDED_TERM, node_selector, node_selector_term
from scheduler_core.manifests.model import Fix, quoted, shortened

V1 = "kubescheduler.config.k8s.io/v1"
_TYPE = ("apiVersion", "kind")
STRATEGIES = ("LeastAllocated", "MostAllocated", "RequestedToCapacityRatio")


def check_args(plugin: str, at: At) -> None:
    """Complains of arguments that the plugin would refuse; unknown plugins take any mapping."""
    at.mapping()
    kind, version = at.get("kind"), at.get("apiVersion")
    if kind.present and kind.raw != f"{plugin}Args" and plugin in _CHECKS:
        kind.error(f"{quoted(kind.raw)} are not the arguments of {plugin}. Write {plugin}Args, or remove kind")
    if version.present and version.raw != V1 and plugin in _CHECKS:
        version.error(f"{quoted(version.raw)} is not served. Write {V1}, or remove apiVersion")
    check = _CHECKS.get(plugin)
    if check is not None:
        check(at)


def known_fields(at: At, fields: tuple[str, ...]) -> None:
    """Complains of a field that is not known: configurations are decoded strictly, arguments of plugins too."""
    for key in at.mapping():
        if key not in fields:
            near = at.sink.budget.near(key, fields)
            hint = f". Did you mean {near}?" if near else ". Remove it"
            at.error(f"is no known field{hint}", key, fix=Fix("key", near) if near else None)


def _default_preemption(at: At) -> None:
    known_fields(at, (*_TYPE, "minCandidateNodesPercentage", "minCandidateNodesAbsolute"))
    percentage = at.get("minCandidateNodesPercentage").integer(10, 0, 100)
    absolute = at.get("minCandidateNodesAbsolute").integer(100, 0)
    if percentage == 0 and absolute == 0:
        at.get("minCandidateNodesPercentage").error(
            "cannot be 0 together with minCandidateNodesAbsolute. Raise one of them"
        )


def _inter_pod_affinity(at: At) -> None:
    known_fields(at, (*_TYPE, "hardPodAffinityWeight", "ignorePreferredTermsOfExistingPods"))
    at.get("hardPodAffinityWeight").integer(1, 0, 100)
    at.get("ignorePreferredTermsOfExistingPods").boolean()


def _node_affinity(at: At) -> None:
    known_fields(at, (*_TYPE, "addedAffinity"))
    added = at.get("addedAffinity")
    known_fields(added, (REQUIRED, PREFERRED))
    node_selector(added.get(REQUIRED), ADDED_TERM)
    for item in added.get(PREFERRED).items():
        known_fields(item, ("weight", "preference"))
        item.get("weight").integer(1, 1, 100)
        node_selector_term(item.get("preference"), ADDED_TERM)


def _pod_topology_spread(at: At) -> None:
    known_fields(at, (*_TYPE, "defaultConstraints", "defaultingType"))
    constraints = at.get("defaultConstraints")
    kind = at.get("defaultingType").text("System", ("System", "List"))
    if kind == "System" and constraints.items():
        at.get("defaultingType").error("with defaultConstraints it must be List. Write defaultingType: List")
    read_constraints(constraints)
    for item in constraints.items():
        if item.get("labelSelector").present:
            item.get("labelSelector").error("is not allowed here: the selector comes from each pod. Remove it")


def _balanced_allocation(at: At) -> None:
    known_fields(at, (*_TYPE, "resources"))
    seen: set[str] = set()
    for item in at.get("resources").items():
        name = _resource(item)
        if name in seen:
            item.get("name").error(f"{quoted(name)} is given twice. Remove one of them")
        seen.add(name)
        if item.get("weight").present and item.get("weight").integer(1) != 1:
            item.get("weight").error("must be 1: this plugin knows no weights")


def _resource(at: At) -> str:
    known_fields(at, ("name", "weight"))
    return at.get("name").text(required=True)


def _volume_binding(at: At) -> None:
    known_fields(at, (*_TYPE, "bindTimeoutSeconds", "shape"))
    at.get("bindTimeoutSeconds").integer(600, 0, (1 << 62))
    if at.get("shape").present:
        at.get("shape").error("needs the feature gate StorageCapacityScoring, which is off in v1.34. Remove it")


def _dynamic_resources(at: At) -> None:
    known_fields(at, (*_TYPE, "filterTimeout", "bindingTimeout"))
    for name in ("filterTimeout", "bindingTimeout"):
        text = at.get(name).text("1s")
        try:
            duration_of(text)
        except CelError:
            at.get(name).error("is no duration as Go reads it. Write 600s, 5m or 1h30m")


def _node_resources_fit(at: At) -> None:
    known_fields(at, (*_TYPE, "ignoredResources", "ignoredResourceGroups", "scoringStrategy"))
    _names(at.get("ignoredResources"))
    groups = at.get("ignoredResourceGroups")
    for i, group in enumerate(_names(groups)):
        if "/" in group:
            groups.error("a resource group has no slash. Write only what comes before it", i)
    strategy = at.get("scoringStrategy")
    if not strategy.present:
        return
    known_fields(strategy, ("type", "resources", "requestedToCapacityRatio"))
    kind = strategy.get("type").text("LeastAllocated", STRATEGIES)
    for item in strategy.get("resources").items():
        _resource(item)
        # The defaults of v1 set an absent or zero weight to 1.
        if item.get("weight").raw != 0:
            item.get("weight").integer(1, 1, 100)
    ratio = strategy.get("requestedToCapacityRatio")
    if kind == "RequestedToCapacityRatio" or ratio.present:
        known_fields(ratio, ("shape",))
        check_shape(ratio.get("shape"))


def _names(at: At) -> tuple[str, ...]:
    names = at.texts()
    for i, name in enumerate(names):
        if label_key_problem(name):
            at.error(label_key_problem(name), i)
    return names


def check_shape(at: At) -> None:
    """Complains of a shape without points, with figures out of range or not in rising order."""
    if at.present and at.raw.__class__ is not list:
        at.items()
        return
    if not at.items():
        at.error("needs at least one point. Write utilization (0 to 100) and score (0 to 10)")
    last = -1
    for item in at.items():
        known_fields(item, ("utilization", "score"))
        utilization = item.get("utilization").integer(0, 0, 100)
        item.get("score").integer(0, 0, 10)
        if utilization <= last:
            item.get("utilization").error("points must come in rising order of utilization")
        last = max(last, utilization)


def _coscheduling(at: At) -> None:
    known_fields(at, (*_TYPE, "permitWaitingTimeSeconds", "podGroupBackoffSeconds"))
    at.get("permitWaitingTimeSeconds").integer(60, 1, 1 << 31)
    at.get("podGroupBackoffSeconds").integer(3, 0, 1 << 31)


def _none(at: At) -> None:
    for key in at.mapping():
        if key not in _TYPE:
            at.warn(f"the plugin takes no arguments, so {shortened(key)} has no effect. Remove it", key)


_WITHOUT_ARGS = (
    "SchedulingGates", "PrioritySort", "NodeUnschedulable", "NodeName", "TaintToleration", "NodePorts",
    "VolumeRestrictions", "NodeVolumeLimits", "VolumeZone", "ImageLocality", "DefaultBinder", "NodeDeclaredFeatures",
    "LeastRequestedPriority", "MostRequestedPriority", "BalancedResourceAllocation", "GenericPreemption",
    "CapacityScheduling",
)  # fmt: skip

_CHECKS: dict[str, Callable[[At], None]] = {
    "DefaultPreemption": _default_preemption,
    "InterPodAffinity": _inter_pod_affinity,
    "NodeAffinity": _node_affinity,
    "NodeResourcesBalancedAllocation": _balanced_allocation,
    "NodeResourcesFit": _node_resources_fit,
    "PodTopologySpread": _pod_topology_spread,
    "VolumeBinding": _volume_binding,
    "DynamicResources": _dynamic_resources,
    "Coscheduling": _coscheduling,
    **dict.fromkeys(_WITHOUT_ARGS, _none),
}

DEFAULT_PLUGINS = (
    "SchedulingGates", "PrioritySort", "NodeUnschedulable", "NodeName", "TaintToleration", "NodeAffinity",
    "NodePorts", "NodeResourcesFit", "VolumeRestrictions", "NodeVolumeLimits", "VolumeBinding", "VolumeZone",
    "PodTopologySpread", "InterPodAffinity", "DynamicResources", "DefaultPreemption",
    "NodeResourcesBalancedAllocation", "ImageLocality", "DefaultBinder", "NodeDeclaredFeatures",
)  # fmt: skip
"""The plugins that some version enables by default, in order."""

LEGACY_PLUGINS = (
    "LeastRequestedPriority", "MostRequestedPriority", "BalancedResourceAllocation", "GenericPreemption",
)  # fmt: skip
"""Rules of older schedulers, for presets; off unless a profile enables them."""

KNOWN_PLUGINS = (*DEFAULT_PLUGINS, "Coscheduling", "CapacityScheduling", *LEGACY_PLUGINS)

__all__ = ["DEFAULT_PLUGINS", "KNOWN_PLUGINS", "STRATEGIES", "V1", "check_args", "check_shape"]
