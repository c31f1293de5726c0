"""From a configuration to frameworks: plugins made with their arguments and put at their extension points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from scheduler_core.api.config import PluginRef, Profile, SchedulerConfiguration
from scheduler_core.extenders.calls import ExtenderSource
from scheduler_core.extenders.chain import ExtenderChain
from scheduler_core.framework.contracts import plugin as fw
from scheduler_core.framework.contracts.run_context import RunContext
from scheduler_core.framework.runtime.framework import Framework, PluginPoints
from scheduler_core.profiles.args import decode_args
from scheduler_core.profiles.defaults import has_point
from scheduler_core.profiles.plugin_sets import (
    UNVERSIONED,
    NotInstalled,
    ProfileError,
    plugins_by_point,
    score_weights,
)
from scheduler_core.profiles.registry import Factory, Registry, how_to_install, installed
from scheduler_core.versions.behaviours import Behaviours

FIT = "NodeResourcesFit"
POINT_TYPES: dict[str, tuple[str, type[fw.Plugin[Any]]]] = {
    "preEnqueue": ("pre_enqueue", fw.PreEnqueuePlugin),
    "queueSort": ("queue_sort", fw.QueueSortPlugin),
    "preFilter": ("pre_filter", fw.PreFilterPlugin),
    "filter": ("filter", fw.FilterPlugin),
    "postFilter": ("post_filter", fw.PostFilterPlugin),
    "preScore": ("pre_score", fw.PreScorePlugin),
    "score": ("score", fw.ScorePlugin),
    "reserve": ("reserve", fw.ReservePlugin),
    "permit": ("permit", fw.PermitPlugin),
    "preBind": ("pre_bind", fw.PreBindPlugin),
    "bind": ("bind", fw.BindPlugin),
    "postBind": ("post_bind", fw.PostBindPlugin),
}
"""Extension point in the configuration's words -> (field of PluginPoints, contract)."""


def build_frameworks(
    configuration: SchedulerConfiguration,
    context: RunContext,
    registry: Registry | None = None,
    source: ExtenderSource | None = None,
) -> dict[str, Framework]:
    """A framework per profile, by scheduler name; the extenders, which serve all of them, go to the context, answered
    by ``source``. Raises ProfileError for a configuration that cannot work."""
    registry = registry or installed()
    context.extenders = None
    if configuration.extenders:
        if source is None:
            raise ProfileError("the configuration has extenders, and nothing is given that answers for them")
        context.extenders = ExtenderChain(configuration.extenders, source, context)
    frameworks: dict[str, Framework] = {}
    ignored = ignored_resources(configuration)
    for profile in configuration.profiles:
        if profile.scheduler_name in frameworks:
            raise ProfileError(f"two profiles are named {profile.scheduler_name}")
        percentage = profile.percentage_of_nodes_to_score
        if percentage is None:
            percentage = configuration.percentage_of_nodes_to_score
        framework = Framework(profile.scheduler_name, context, percentage)
        _install(framework, _with_ignored(profile, ignored), registry)
        frameworks[profile.scheduler_name] = framework
    return frameworks


def ignored_resources(configuration: SchedulerConfiguration) -> list[str]:
    """The resources that extenders manage and the scheduler ignores."""
    managed = [resource for extender in configuration.extenders for resource in extender.managed_resources]
    return [resource.name for resource in managed if resource.ignored_by_scheduler]


def _with_ignored(profile: Profile, ignored: list[str]) -> Profile:
    """The profile in which these resources, if there are any, take the place of NodeResourcesFit's ignoredResources."""
    if not ignored:
        return profile
    args = {**profile.plugin_config.get(FIT, {}), "ignoredResources": ignored}
    return msgspec.structs.replace(profile, plugin_config={**profile.plugin_config, FIT: args})


def _install(framework: Framework, profile: Profile, registry: Registry) -> None:
    behaviours = framework.run.behaviours
    points = plugins_by_point(profile, lambda name, point: takes_part(registry, name, point, behaviours), behaviours)
    _check_single(profile, points)
    names = {ref.name for refs in points.values() for ref in refs}
    plugins = {name: _make(registry.factories[name], name, profile, framework) for name in sorted(names)}
    at_points = PluginPoints(weights=score_weights(profile, points, behaviours))
    for point, (field, _) in POINT_TYPES.items():
        setattr(at_points, field, [plugins[ref.name] for ref in points[point]])
    framework.install(plugins, at_points)


def takes_part(registry: Registry, name: str, point: str, behaviours: Behaviours = UNVERSIONED) -> bool:
    """Whether a plugin has this extension point (the configuration's word) in a version with these behaviours.

    Raises ProfileError for unknown ones.
    """
    factory = registry.factories.get(name)
    if factory is None:
        raise NotInstalled(f"plugin {name} is not installed here. {how_to_install(name)}")
    plugin_type = factory if isinstance(factory, type) else getattr(factory, "plugin_type", None)
    if plugin_type is None:
        raise ProfileError(f"the factory of {name} must be a Plugin class or have the attribute plugin_type")
    return issubclass(plugin_type, POINT_TYPES[point][1]) and has_point(behaviours, name, point)


def _make(factory: Factory, name: str, profile: Profile, framework: Framework) -> fw.Plugin[Any]:
    args_type = getattr(factory, "Args", fw.NoArgs)
    raw: Mapping[str, Any] = profile.plugin_config.get(name, {})
    try:
        args = decode_args(args_type, raw)
    except (msgspec.ValidationError, ValueError) as problem:
        raise ProfileError(f"pluginConfig of {name}: {problem}") from problem
    return factory(args, framework)


def _check_single(profile: Profile, points: Mapping[str, list[PluginRef]]) -> None:
    """One queue sort plugin and at least one bind plugin, as upstream demands."""
    sorters = [ref.name for ref in points["queueSort"]]
    if len(sorters) != 1:
        sorter_names = ", ".join(sorters) or "none"
        raise ProfileError(
            f"profile {profile.scheduler_name}: exactly one queueSort plugin is needed, not {sorter_names}"
        )
    if not points["bind"]:
        raise ProfileError(f"profile {profile.scheduler_name}: at least one bind plugin is needed")
