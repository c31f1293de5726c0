"""Scheduler configurations judged as text, and what they mean: the plugins of each profile."""

from __future__ import annotations

from functools import cache

import msgspec

from dashboard.clusters.yaml_text import EDITOR
from scheduler_core.api.config import EXTENSION_POINTS, Extender, SchedulerConfiguration
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


def check_config(
    text: str, leave_out: LeaveOut = NOTHING, *, answered: bool = False
) -> tuple[SchedulerConfiguration | None, list[Finding]]:
    """Return the configuration in a text (None if it has an error), and the findings of the check; `answered` as of
    `read_configuration`.
    """
    reading = read_configuration(text, leave_out, answered=answered)
    return reading.configuration, reading.findings


def read_configuration(text: str, leave_out: LeaveOut = NOTHING, *, answered: bool = False) -> ConfigurationReading:
    """Return the text read without what `leave_out` names; UNKNOWN leaves out all that is not installed here.

    `answered`: there is something that answers for the extenders; without it, each that is not left out is an error.
    """
    names = frozenset(registry().factories) if leave_out.plugins is None else registry().names
    source = ManifestSource(EDITOR, text.encode())
    reading = read_config(source, names, leave_out, registry().unusable, answered=answered)
    if reading.configuration is None:
        return reading
    try:
        for profile in reading.configuration.profiles:
            plugins_by_point(profile, implements)
    except ProfileError as problem:
        findings = [*reading.findings, Finding(severity="error", source=EDITOR, message=str(problem))]
        return ConfigurationReading(None, findings)
    return reading


WITH_EXTENDERS = msgspec.structs.replace(UNKNOWN, extenders=False)
"""Leaves out the plugins that are not installed here, and no extender."""


def extenders_in(text: str) -> tuple[Extender, ...]:
    """Return the extenders of a configuration, () for a text with an error."""
    configuration = read_configuration(text, WITH_EXTENDERS, answered=True).configuration
    return configuration.extenders if configuration is not None else ()


POINTS = tuple(point for point in EXTENSION_POINTS if point != "postBind")
"""The extension points that tables have a column for."""


@cache
def registry() -> Registry:
    """Return the installed plugins, kept as long as the process lives."""
    return installed()


def implements(name: str, point: str) -> bool:
    """Return whether an installed plugin takes part at an extension point; raises ProfileError."""
    return takes_part(registry(), name, point)
