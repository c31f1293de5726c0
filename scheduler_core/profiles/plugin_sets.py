"""Which plugins run at which extension point: defaults merged with a profile, multiPoint expanded.

Mirrors apis/config/v1/default_plugins.go (mergePlugins) and framework/runtime (expandMultiPointPlugins).
"""

from __future__ import annotations

from collections.abc import Callable

from scheduler_core.api.config import EXTENSION_POINTS, PluginRef, PluginSet, Profile
from scheduler_core.profiles.defaults import default_plugins
from scheduler_core.versions.behaviours import Behaviours

Implements = Callable[[str, str], bool]
"""(plugin name, extension point) -> whether the plugin takes part there."""
UNVERSIONED = Behaviours()


class ProfileError(ValueError):
    """A profile that cannot work; the message names the profile and the field."""


class NotInstalled(ProfileError):
    """The configuration names a plugin that is not installed here."""


def plugins_by_point(
    profile: Profile, implements: Implements, behaviours: Behaviours = UNVERSIONED
) -> dict[str, list[PluginRef]]:
    """Plugins in order for each extension point of the configuration's words; ``behaviours`` are those of the version
    whose defaults count. Raises ProfileError."""
    multi = _multi_point(profile, behaviours)
    points = {}
    for point in EXTENSION_POINTS:
        points[point] = _expand(point, profile.plugins.get(point, PluginSet()), multi, implements)
    return points


def score_weights(
    profile: Profile, points: dict[str, list[PluginRef]], behaviours: Behaviours = UNVERSIONED
) -> dict[str, int]:
    """Weight of each score plugin: of its own entry where it has one, else of multiPoint; 1 where that names none
    (getScoreWeights)."""
    multi = _multi_point(profile, behaviours)
    own = {ref.name: ref.weight for ref in profile.plugins.get("score", PluginSet()).enabled}
    shared = {ref.name: ref.weight for ref in multi.enabled}
    return {ref.name: (own if ref.name in own else shared).get(ref.name) or 1 for ref in points["score"]}


def _multi_point(profile: Profile, behaviours: Behaviours) -> PluginSet:
    return _merge(PluginSet(enabled=default_plugins(behaviours)), profile.plugins.get("multiPoint", PluginSet()))


def _merge(defaults: PluginSet, custom: PluginSet) -> PluginSet:
    """Custom entries replace a default of the same name in its place; the others follow."""
    disabled = {ref.name for ref in custom.disabled} | {ref.name for ref in defaults.disabled}
    overrides = {ref.name: ref for ref in custom.enabled}
    enabled: list[PluginRef] = []
    replaced: set[str] = set()
    for ref in () if "*" in disabled else defaults.enabled:
        if ref.name in disabled:
            continue
        if ref.name in overrides:
            replaced.add(ref.name)
        enabled.append(overrides.get(ref.name, ref))
    enabled += [ref for ref in custom.enabled if ref.name not in replaced]
    return PluginSet(tuple(enabled), tuple(PluginRef(name) for name in sorted(disabled)))


def _expand(point: str, own: PluginSet, multi: PluginSet, implements: Implements) -> list[PluginRef]:
    """Plugins that override their multiPoint entry first, then multiPoint, then the rest of the own entries."""
    for ref in own.enabled:
        if not implements(ref.name, point):
            raise ProfileError(f"plugins.{point}.enabled: {ref.name} does not take part in {point}")
    disabled = {ref.name for ref in own.disabled}
    if "*" in disabled:
        return list(own.enabled)
    named = {ref.name for ref in own.enabled}
    general = [ref for ref in multi.enabled if implements(ref.name, point)]
    overriding = {ref.name for ref in general} & named - disabled
    first = [ref for ref in own.enabled if ref.name in overriding]
    middle = [ref for ref in general if ref.name not in disabled and ref.name not in named]
    last = [ref for ref in own.enabled if ref.name not in overriding]
    return first + middle + last
