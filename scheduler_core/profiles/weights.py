"""A configuration with other weights of score plugins."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from scheduler_core.api.config import PluginRef, PluginSet, Profile, SchedulerConfiguration
from scheduler_core.profiles.build import takes_part
from scheduler_core.profiles.plugin_sets import ProfileError, plugins_by_point
from scheduler_core.profiles.registry import Registry

MOST = 1_000_000
"""kube-scheduler refuses weights whose product with 100 and the number of plugins is too large; this is far below."""


def with_weights(
    configuration: SchedulerConfiguration, profile: str, weights: Mapping[str, int], registry: Registry
) -> SchedulerConfiguration:
    """The configuration in which score plugins of the profile have these weights; one with weight 0 scores no more.

    All else stays, the order of plugins included. Raises ProfileError for a profile or a plugin that is not there.
    """
    names = [one.scheduler_name for one in configuration.profiles]
    if profile not in names:
        raise ProfileError(f"there is no profile {profile}; profiles are {', '.join(names)}")
    profiles = list(configuration.profiles)
    at = names.index(profile)
    profiles[at] = _weighted(profiles[at], weights, registry)
    return msgspec.structs.replace(configuration, profiles=tuple(profiles))


def _weighted(profile: Profile, weights: Mapping[str, int], registry: Registry) -> Profile:
    scoring = [
        ref.name for ref in plugins_by_point(profile, lambda name, point: takes_part(registry, name, point))["score"]
    ]
    own, multi = (profile.plugins.get(point, PluginSet()) for point in ("score", "multiPoint"))
    for name, weight in weights.items():
        if name not in scoring:
            raise ProfileError(f"{name} is no score plugin of profile {profile.scheduler_name}: {', '.join(scoring)}")
        if not 0 <= weight <= MOST:
            raise ProfileError(f"weight of {name}: {weight:,} is not between 0 and {MOST:,}")
        if weight == 0:
            own = PluginSet(_without(own.enabled, name), (*own.disabled, PluginRef(name)))
        elif any(ref.name == name for ref in own.enabled):
            own = msgspec.structs.replace(own, enabled=_with(own.enabled, name, weight))
        else:
            multi = msgspec.structs.replace(multi, enabled=_with(multi.enabled, name, weight))
    return msgspec.structs.replace(profile, plugins={**profile.plugins, "score": own, "multiPoint": multi})


def _without(refs: tuple[PluginRef, ...], name: str) -> tuple[PluginRef, ...]:
    return tuple(ref for ref in refs if ref.name != name)


def _with(refs: tuple[PluginRef, ...], name: str, weight: int) -> tuple[PluginRef, ...]:
    """The entries with this weight in the plugin's place, after the others where it has none."""
    if all(ref.name != name for ref in refs):
        return (*refs, PluginRef(name, weight))
    return tuple(PluginRef(name, weight) if ref.name == name else ref for ref in refs)
