"""The one list of plugins, and the door for others: installed packages (entry points) and ``with_plugin``."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from scheduler_core.framework.contracts.handle import Handle
from scheduler_core.framework.contracts.plugin import Plugin
from scheduler_core.manifests import KNOWN_PLUGINS
from scheduler_core.manifests.model import printable, shortened
from scheduler_core.plugins.default_binder import DefaultBinder
from scheduler_core.plugins.default_preemption import DefaultPreemption
from scheduler_core.plugins.dynamic_resources import DynamicResources
from scheduler_core.plugins.generic_preemption import GenericPreemption
from scheduler_core.plugins.image_locality import ImageLocality
from scheduler_core.plugins.inter_pod_affinity import InterPodAffinity
from scheduler_core.plugins.legacy_priorities import (
    BalancedResourceAllocation,
    LeastRequestedPriority,
    MostRequestedPriority,
)
from scheduler_core.plugins.node_affinity import NodeAffinity
from scheduler_core.plugins.node_declared_features import NodeDeclaredFeatures
from scheduler_core.plugins.node_name import NodeName
from scheduler_core.plugins.node_ports import NodePorts
from scheduler_core.plugins.node_resources import NodeResourcesBalancedAllocation, NodeResourcesFit
from scheduler_core.plugins.node_unschedulable import NodeUnschedulable
from scheduler_core.plugins.node_volume_limits import NodeVolumeLimits
from scheduler_core.plugins.pod_topology_spread import PodTopologySpread
from scheduler_core.plugins.priority_sort import PrioritySort
from scheduler_core.plugins.scheduling_gates import SchedulingGates
from scheduler_core.plugins.taint_toleration import TaintToleration
from scheduler_core.plugins.volume_binding import VolumeBinding
from scheduler_core.plugins.volume_restrictions import VolumeRestrictions
from scheduler_core.plugins.volume_zone import VolumeZone

ENTRY_POINT_GROUP = "schedscope.plugins"
COSCHEDULING, CAPACITY_SCHEDULING = "Coscheduling", "CapacityScheduling"
PACKAGES = {COSCHEDULING: "examples/coscheduling", CAPACITY_SCHEDULING: "examples/capacity_scheduling"}
"""The folder of this project that holds the package of a plugin which is not part of kube-scheduler."""
Factory = Callable[[Any, Handle], Plugin[Any]]
"""(args, handle) -> plugin; a Plugin class is one. A factory that takes args has the attribute ``Args``."""

IN_TREE: tuple[type[Plugin[Any]], ...] = (
    SchedulingGates,
    PrioritySort,
    NodeUnschedulable,
    NodeName,
    TaintToleration,
    NodeAffinity,
    NodePorts,
    NodeResourcesFit,
    VolumeRestrictions,
    NodeVolumeLimits,
    VolumeBinding,
    VolumeZone,
    PodTopologySpread,
    InterPodAffinity,
    DynamicResources,
    DefaultPreemption,
    NodeResourcesBalancedAllocation,
    ImageLocality,
    DefaultBinder,
    NodeDeclaredFeatures,
)

LEGACY: tuple[type[Plugin[Any]], ...] = (
    LeastRequestedPriority,
    MostRequestedPriority,
    BalancedResourceAllocation,
    GenericPreemption,
)
"""Rules that kube-scheduler no longer has; presets use them, and profiles may by name."""


_log = logging.getLogger(__name__)


class Registry:
    """Plugin factories by name. `unusable` says of plugins that an installed package offers why they are not there."""

    def __init__(
        self, factories: Mapping[str, Factory] | None = None, unusable: Mapping[str, str] | None = None
    ) -> None:
        self.factories: dict[str, Factory] = dict(factories or {})
        self.unusable: dict[str, str] = dict(unusable or {})

    @property
    def names(self) -> frozenset[str]:
        """The plugin names that a configuration may use: installed ones, and those whose package could be installed."""
        return frozenset({*(set(KNOWN_PLUGINS) - self.unusable.keys()), *self.factories})

    def with_plugin(self, name: str, factory: Factory) -> Registry:
        """A registry that also knows this plugin. Raises ValueError when the name is taken."""
        if name in self.factories:
            raise ValueError(f"a plugin named {name} is registered already")
        return Registry({**self.factories, name: factory}, self.unusable)


def in_tree() -> Registry:
    """The plugins of kube-scheduler v1.34, and the older rules."""
    return Registry({plugin.name: plugin for plugin in (*IN_TREE, *LEGACY)})


def installed() -> Registry:
    """The in-tree plugins and those that installed packages offer under the entry point group.

    What cannot be loaded, or has the name of another plugin, is left out and named in `unusable`, so that one broken
    package leaves the rest at work.
    """
    registry = in_tree()
    for name, factory in _offered(tuple(sys.path)):
        why = factory if isinstance(factory, str) else ""
        if name in registry.factories:
            why = "a plugin of this name is there already"
        if why:
            registry.unusable.setdefault(name, why)
        elif not isinstance(factory, str):
            registry = registry.with_plugin(name, factory)
    return registry


def plugin_packages() -> tuple[tuple[str, str], ...]:
    """(name, version) of each installed package that offers plugins, by name."""
    return _packages(tuple(sys.path))


def how_to_install(plugin: str) -> str:
    """What somebody does who misses a plugin."""
    folder = PACKAGES.get(plugin)
    if folder is None:
        return f"Install the package that offers {plugin} under the entry point group {ENTRY_POINT_GROUP}"
    return f"Install its package: pip install ./{folder}"


@lru_cache(maxsize=4)
def _offered(_path: tuple[str, ...]) -> tuple[tuple[str, Factory | str], ...]:
    """(name, factory, or why there is none) of each entry point on this `sys.path`; finding them reads a file of every
    installed package."""
    points = sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda p: p.name)
    return tuple((point.name, _loaded(point)) for point in points)


@lru_cache(maxsize=4)
def _packages(_path: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """The same of each package; kept, as the plugins that were loaded from it are."""
    packages = (point.dist for point in entry_points(group=ENTRY_POINT_GROUP))
    return tuple(sorted({(package.name, package.version) for package in packages if package is not None}))


def _loaded(point: EntryPoint) -> Factory | str:
    """The factory, or why it cannot be loaded: importing a package runs its code, which may raise anything."""
    try:
        factory = point.load()
    except Exception as problem:
        why = printable(shortened(f"{type(problem).__name__}: {problem}", 200))
    else:
        if callable(factory):
            loaded: Factory = factory
            return loaded
        why = f"{point.value} is no class or function"
    _log.warning("plugin %s of %s cannot be loaded: %s", point.name, point.dist and point.dist.name, why)
    return why
