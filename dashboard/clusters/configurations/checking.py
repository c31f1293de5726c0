"""Scheduler configurations judged as text, and what they mean: the plugins of each profile."""

from __future__ import annotations

from functools import cache

from dashboard.clusters.yaml_text import EDITOR
from scheduler_core.api.config import EXTENSION_POINTS, SchedulerConfiguration
from scheduler_core.manifests import (
    NOTHING,
    UNKNOWN,
    ConfigurationReading,
    Finding,
    LeaveOut,
    ManifestSource,
    read_config,
)
from scheduler_core.profiles.build import takes_part
from scheduler_core.profiles.plugin_sets import ProfileError, plugins_by_point
from scheduler_core.profiles.registry import Registry, installed


def check_config(text: str, leave_out: LeaveOut = NOTHING) -> tuple[SchedulerConfiguration | None, list[Finding]]:
    """Return the configuration in a text (None if it has an error), and the findings of the check."""
    reading = reading_of(text, leave_out)
    return reading.configuration, reading.findings


def reading_of(text: str, leave_out: LeaveOut = NOTHING) -> ConfigurationReading:
    """Return the text read without what `leave_out` names; UNKNOWN leaves out all that is not installed here."""
    names = frozenset(registry().factories) if leave_out == UNKNOWN else registry().names
    reading = read_config(ManifestSource(EDITOR, text.encode()), names, leave_out, registry().unusable)
    if reading.configuration is None:
        return reading
    try:
        for profile in reading.configuration.profiles:
            plugins_by_point(profile, implements)
    except ProfileError as problem:
        findings = [*reading.findings, Finding(severity="error", source=EDITOR, message=str(problem))]
        return ConfigurationReading(None, findings)
    return reading


POINTS = tuple(point for point in EXTENSION_POINTS if point != "postBind")
"""The extension points that tables have a column for."""


@cache
def registry() -> Registry:
    """Return the installed plugins, kept as long as the process lives."""
    return installed()


def implements(name: str, point: str) -> bool:
    """Return whether an installed plugin takes part at an extension point; raises ProfileError."""
    return takes_part(registry(), name, point)
