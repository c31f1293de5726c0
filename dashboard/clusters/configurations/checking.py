"""Scheduler configurations judged as text, and what they mean: the plugins of each profile."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from dashboard.clusters.yaml_text import EDITOR
from scheduler_core.api.config import EXTENSION_POINTS, SchedulerConfiguration
from scheduler_core.manifests import KNOWN_PLUGINS, Finding, ManifestSource, load_config
from scheduler_core.profiles.build import takes_part
from scheduler_core.profiles.plugin_sets import ProfileError, plugins_by_point, score_weights
from scheduler_core.profiles.registry import Registry, installed


def check_config(text: str) -> tuple[SchedulerConfiguration | None, list[Finding]]:
    """Return the configuration in a text (None if it has an error), and the findings of the check."""
    plugin_names = {*KNOWN_PLUGINS, *registry().factories}
    config, findings = load_config(ManifestSource(EDITOR, text.encode()), plugin_names)
    if config is None:
        return None, findings
    try:
        for profile in config.profiles:
            plugins_by_point(profile, _implements)
    except ProfileError as problem:
        return None, [*findings, Finding(severity="error", source=EDITOR, message=str(problem))]
    return config, findings


@cache
def registry() -> Registry:
    """Return the installed plugins, kept as long as the process lives."""
    return installed()


def _implements(name: str, point: str) -> bool:
    return takes_part(registry(), name, point)


@dataclass(frozen=True)
class PluginLine:
    """A plugin of a profile: at which points it takes part (True per point), and its weight where it scores."""

    name: str
    points: list[tuple[str, bool]]
    weight: int | None


@dataclass(frozen=True)
class ProfileView:
    """A profile as the scheduler understands it."""

    name: str
    lines: list[PluginLine]


POINTS = tuple(point for point in EXTENSION_POINTS if point != "postBind")


def profiles_of(config: SchedulerConfiguration) -> list[ProfileView]:
    """Return each profile's plugins in the order in which they are first asked, with points and weights."""
    out = []
    for profile in config.profiles:
        points = plugins_by_point(profile, _implements)
        weights = score_weights(profile, points)
        names = list(dict.fromkeys(ref.name for point in POINTS for ref in points[point]))
        at = {point: {ref.name for ref in points[point]} for point in POINTS}
        lines = [PluginLine(name, [(p, name in at[p]) for p in POINTS], weights.get(name)) for name in names]
        out.append(ProfileView(profile.scheduler_name, lines))
    return out
