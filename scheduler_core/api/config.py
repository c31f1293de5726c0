"""KubeSchedulerConfiguration v1 as typed data, defaults applied, before profiles turn it into a framework."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

EXTENSION_POINTS = (
    *("preEnqueue", "queueSort", "preFilter", "filter", "postFilter", "preScore", "score"),
    *("reserve", "permit", "preBind", "bind", "postBind"),
)
"""Extension points in the words of the configuration, in the order of a cycle."""


class PluginRef(msgspec.Struct, frozen=True):
    """A plugin named in a plugin set; weight 0 means not given."""

    name: str
    weight: int = 0


class PluginSet(msgspec.Struct, frozen=True):
    """What a profile enables and disables at one extension point ("*" disables all)."""

    enabled: tuple[PluginRef, ...] = ()
    disabled: tuple[PluginRef, ...] = ()


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """One profile. ``plugins`` by extension point ("multiPoint" included); ``plugin_config`` holds the raw args
    (camelCase keys as written) by plugin name; profiles/ validates them against the plugin's Args."""

    scheduler_name: str = "default-scheduler"
    percentage_of_nodes_to_score: int | None = None
    plugins: Mapping[str, PluginSet] = msgspec.field(default_factory=dict)
    plugin_config: Mapping[str, Mapping[str, Any]] = msgspec.field(default_factory=dict)


class SchedulerConfiguration(msgspec.Struct, frozen=True, kw_only=True):
    """A KubeSchedulerConfiguration; the default value is what an empty file means."""

    parallelism: int = 16
    percentage_of_nodes_to_score: int | None = None
    pod_initial_backoff_seconds: int = 1
    pod_max_backoff_seconds: int = 10
    profiles: tuple[Profile, ...] = (Profile(),)
