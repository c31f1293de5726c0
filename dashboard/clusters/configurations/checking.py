"""Scheduler configurations judged as text, and what they mean: the plugins of each profile."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from dashboard.clusters.yaml_text import EDITOR
from scheduler_core.api.config import EXTENSION_POINTS, SchedulerConfiguration
from scheduler_core.manifests import (
    KNOWN_PLUGINS,
    NOTHING,
    UNKNOWN,
    ConfigurationReading,
    Finding,
    LeaveOut,
    ManifestSource,
    read_config,
)
from scheduler_core.profiles.build import takes_part
from scheduler_core.profiles.plugin_sets import ProfileError, plugins_by_point, score_weights
from scheduler_core.profiles.registry import Registry, installed


def check_config(text: str, leave_out: LeaveOut = NOTHING) -> tuple[SchedulerConfiguration | None, list[Finding]]:
    """Return the configuration in a text (None if it has an error), and the findings of the check."""
    reading = reading_of(text, leave_out)
    return reading.configuration, reading.findings


def reading_of(text: str, leave_out: LeaveOut = NOTHING) -> ConfigurationReading:
    """Return the text read without what `leave_out` names; UNKNOWN leaves out all that is not installed here."""
    installed_names = frozenset(registry().factories)
    names = installed_names if leave_out == UNKNOWN else installed_names | set(KNOWN_PLUGINS)
    reading = read_config(ManifestSource(EDITOR, text.encode()), names, leave_out)
    if reading.configuration is None:
        return reading
    try:
        for profile in reading.configuration.profiles:
            plugins_by_point(profile, _implements)
    except ProfileError as problem:
        findings = [*reading.findings, Finding(severity="error", source=EDITOR, message=str(problem))]
        return ConfigurationReading(None, findings)
    return reading


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
