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


class ManagedResource(msgspec.Struct, frozen=True):
    """An extended resource that an extender manages; NodeResourcesFit passes it over where the scheduler ignores it."""

    name: str
    ignored_by_scheduler: bool = False


class ExtenderTLS(msgspec.Struct, frozen=True, kw_only=True):
    """How an extender's HTTPS server is trusted and what the client shows; files by path, data in base64."""

    insecure: bool = False
    server_name: str = ""
    cert_file: str = ""
    key_file: str = ""
    ca_file: str = ""
    cert_data: str = ""
    key_data: str = ""
    ca_data: str = ""


DEFAULT_EXTENDER_TIMEOUT = 5.0
"""Seconds that an extender has to answer where httpTimeout is absent or 0 (DefaultExtenderTimeout)."""


class Extender(msgspec.Struct, frozen=True, kw_only=True):
    """An HTTP extender. An empty verb means that it does not take part there; ``http_timeout`` is in seconds."""

    url_prefix: str = ""
    filter_verb: str = ""
    prioritize_verb: str = ""
    preempt_verb: str = ""
    bind_verb: str = ""
    weight: int = 0
    enable_https: bool = False
    tls: ExtenderTLS | None = None
    http_timeout: float = DEFAULT_EXTENDER_TIMEOUT
    node_cache_capable: bool = False
    managed_resources: tuple[ManagedResource, ...] = ()
    ignorable: bool = False


class SchedulerConfiguration(msgspec.Struct, frozen=True, kw_only=True):
    """A KubeSchedulerConfiguration; the default value is what an empty file means."""

    parallelism: int = 16
    percentage_of_nodes_to_score: int | None = None
    pod_initial_backoff_seconds: int = 1
    pod_max_backoff_seconds: int = 10
    profiles: tuple[Profile, ...] = (Profile(),)
    extenders: tuple[Extender, ...] = ()
