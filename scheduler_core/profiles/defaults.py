"""The default plugins of each version (apis/config/v1/default_plugins.go), all enabled at multiPoint, in this order."""

from __future__ import annotations

from functools import lru_cache

from scheduler_core.api.config import PluginRef
from scheduler_core.versions.behaviours import Behaviours

_PLUGINS: tuple[tuple[str, int, str], ...] = (
    ("SchedulingGates", 0, ""),
    ("PrioritySort", 0, ""),
    ("NodeUnschedulable", 0, ""),
    ("NodeName", 0, ""),
    ("TaintToleration", 3, ""),
    ("NodeAffinity", 2, ""),
    ("NodePorts", 0, ""),
    ("NodeResourcesFit", 1, ""),
    ("VolumeRestrictions", 0, ""),
    ("NodeVolumeLimits", 0, ""),
    ("VolumeBinding", 0, ""),
    ("VolumeZone", 0, ""),
    ("PodTopologySpread", 2, ""),
    ("InterPodAffinity", 2, ""),
    ("DynamicResources", 0, "devices"),
    ("DefaultPreemption", 0, ""),
    ("NodeResourcesBalancedAllocation", 1, ""),
    ("ImageLocality", 1, ""),
    ("DefaultBinder", 0, ""),
    ("NodeDeclaredFeatures", 0, "declared_features"),
)
"""(plugin, weight, the behaviour without which it is no default), in order (apis/config/v1/default_plugins.go)."""
_POINTS = {("DynamicResources", "score"): "device_ranks_score"}
"""{(plugin, extension point): the behaviour without which the plugin does not take part there}."""
_WEIGHTS = {"DynamicResources": ("device_ranks_score", 2)}
"""{plugin: (behaviour, weight with it)}."""


@lru_cache(maxsize=64)
def default_plugins(behaviours: Behaviours) -> tuple[PluginRef, ...]:
    """The plugins that are enabled at multiPoint where a profile says nothing else, in order, with their weights."""
    refs = []
    for name, weight, needs in _PLUGINS:
        if not needs or getattr(behaviours, needs):
            behaviour, own = _WEIGHTS.get(name, ("", 0))
            refs.append(PluginRef(name, own if behaviour and getattr(behaviours, behaviour) else weight))
    return tuple(refs)


def has_point(behaviours: Behaviours, plugin: str, point: str) -> bool:
    """Whether the version's plugin of that name has the extension point, as far as versions differ."""
    needs = _POINTS.get((plugin, point))
    return needs is None or bool(getattr(behaviours, needs))


DEFAULT_MULTI_POINT = default_plugins(Behaviours())
"""Those of runs that name no version."""
