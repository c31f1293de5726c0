"""KubeSchedulerConfiguration v1 from YAML or JSON, validated as the reference's validation.go does, with positions."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from scheduler_core.api.config import EXTENSION_POINTS, PluginRef, PluginSet, Profile, SchedulerConfiguration
from scheduler_core.manifests.checking.raw_values import INT32, At, Sink
from scheduler_core.manifests.configuration.older_versions import GROUP, OLDER, REMOVED_PLUGINS, successor, to_v1
from scheduler_core.manifests.configuration.plugin_args import KNOWN_PLUGINS, V1, check_args
from scheduler_core.manifests.model import (
    Finding,
    Limits,
    LoadError,
    ManifestSource,
    Path,
    path_text,
    quoted,
    shortened,
)
from scheduler_core.manifests.parsing.line_positions import ObjectPosition, Positions
from scheduler_core.manifests.parsing.sources import read_documents, read_text
from scheduler_core.manifests.yaml_writer import dump_yaml

KIND = "KubeSchedulerConfiguration"
_FIELDS = (
    "apiVersion", "kind", "parallelism", "leaderElection", "clientConnection", "enableProfiling",
    "enableContentionProfiling", "percentageOfNodesToScore", "podInitialBackoffSeconds", "podMaxBackoffSeconds",
    "profiles", "extenders", "delayCacheUntilActive",
)  # fmt: skip
_PROFILE_FIELDS = ("schedulerName", "percentageOfNodesToScore", "plugins", "pluginConfig")
_POINTS = (*EXTENSION_POINTS, "multiPoint")
_MAX_BYTES = 4 << 20
_QUEUE_SORTERS = ("PrioritySort", "Coscheduling")
_BINDERS = ("DefaultBinder",)


def load_config(
    source: ManifestSource, known_plugins: Collection[str] = KNOWN_PLUGINS
) -> tuple[SchedulerConfiguration | None, list[Finding]]:
    """The configuration in a file, None where it has an error, and the findings. Never raises on bad input."""
    limits = Limits(max_bytes=_MAX_BYTES, max_json_values=200_000, max_yaml_nodes=200_000, max_alias_weight=20_000)
    text: str | None = None
    try:
        text = read_text(source, limits)
        documents = [d for d in read_documents(text, limits) if d.value is not None]
    except LoadError as problem:
        finding = Finding(
            severity="error",
            source=source.name,
            line=problem.line,
            object=KIND,
            field=problem.field,
            message=problem.message,
        )
        return None, [finding]
    sink = Sink()
    config, suggestion = None, ""
    number = 0
    if not documents:
        sink_at(None, sink).error(f"there is no configuration in the file. Write apiVersion: {V1} and kind: {KIND}")
    elif len(documents) > 1:
        at = sink_at(None, sink)
        at.error(f"there are {len(documents)} documents in the file. One file holds one configuration: split it")
        number = 1
    else:
        config, suggestion = _config(documents[0].value, sink, known_plugins)
    positions = Positions(text, limits)
    return config, _findings(sink, source.name, suggestion, positions, number)


def config_from_raw(
    raw: Any, known_plugins: Collection[str] = KNOWN_PLUGINS, source: str = "configuration"
) -> tuple[SchedulerConfiguration | None, list[Finding]]:
    """As ``load_config`` for a configuration that is parsed already; findings have no line."""
    sink = Sink()
    config, suggestion = _config(raw, sink, known_plugins)
    return config, _findings(sink, source, suggestion, Positions(None, Limits()), 0)


def sink_at(raw: Any, sink: Sink) -> At:
    """The raw value at the root of a document."""
    return At(raw, (), sink)


def _findings(sink: Sink, source: str, suggestion: str, positions: Positions, document: int) -> list[Finding]:
    fields: list[tuple[ObjectPosition, Path]] = [
        (ObjectPosition(0, document, (), None), c.path) for c in sink.complaints
    ]
    return [
        Finding(
            severity=c.severity,
            source=source,
            line=line,
            object=KIND,
            field=path_text(c.path),
            message=c.message,
            suggestion=suggestion if c.path == ("apiVersion",) else "",
        )
        for c, line in zip(sink.complaints, positions.lines(fields), strict=True)
    ]


def _config(raw: Any, sink: Sink, known_plugins: Collection[str]) -> tuple[SchedulerConfiguration | None, str]:
    """The configuration, None at an error, and a ready v1 text where an older version was given."""
    at = sink_at(raw, sink)
    if not isinstance(raw, dict):
        at.error(f"{quoted(raw)} is no configuration. Write apiVersion: {V1} and kind: {KIND}")
        return None, ""
    suggestion = _check_type(at)
    if sink.failed:
        return None, suggestion
    try:
        config = _read(at, known_plugins)
    except RecursionError:
        at.error("is nested too deeply")
        return None, ""
    return (None if sink.failed else config), suggestion


def _check_type(at: At) -> str:
    """Complains of another kind or version; the text in v1 where it can be given."""
    kind, version = at.get("kind"), at.get("apiVersion")
    if kind.raw == "Policy":
        kind.error(f"the Policy API was removed in Kubernetes 1.23. Write kind: {KIND} with apiVersion: {V1}")
    elif {"algorithmprovider", "algorithmProvider", "policyconfigfile", "typemeta"} & set(at.raw):
        kind.error(
            f"this is the component configuration of Kubernetes before 1.19. Write kind: {KIND} with apiVersion: {V1}"
        )
    elif kind.raw != KIND:
        kind.error(f"{quoted(kind.raw)} is no scheduler configuration. Write kind: {KIND}")
    elif version.raw in OLDER:
        version.error(
            f"{version.raw} is not served by current Kubernetes. Write {V1}; a converted text is given with this error"
        )
        return dump_yaml([to_v1(at.raw)])
    elif version.raw != V1:
        problem = (
            f"there is no version {shortened(version.raw)}"
            if str(version.raw).startswith(GROUP)
            else "this is no version"
        )
        version.error(f"{problem} of {KIND}. Write {V1}")
    return ""


def _read(at: At, known_plugins: Collection[str]) -> SchedulerConfiguration:
    _check_fields(at, _FIELDS, dict.fromkeys(_PROFILE_FIELDS, "profiles[0]"))
    _check_extenders(at.get("extenders"))
    election = at.get("leaderElection")
    lock = election.get("resourceLock")
    if election.get("leaderElect").raw is not False and lock.present and lock.raw != "leases":
        lock.error(f"{quoted(lock.raw)} is not supported. Write leases")
    initial = at.get("podInitialBackoffSeconds").integer(1, 1, 1 << 40)
    longest = at.get("podMaxBackoffSeconds").integer(10, 1, 1 << 40)
    if longest < initial:
        at.get("podMaxBackoffSeconds").error(f"must not be below podInitialBackoffSeconds ({initial})")
    profiles = tuple(_profile(item, known_plugins, len(at.get("profiles").raw)) for item in at.get("profiles").items())
    _check_names(at.get("profiles"), profiles)
    _check_common_sort(at.get("profiles"), profiles)
    return SchedulerConfiguration(
        parallelism=at.get("parallelism").integer(16, 1),
        percentage_of_nodes_to_score=_percentage(at),
        pod_initial_backoff_seconds=initial,
        pod_max_backoff_seconds=longest,
        profiles=profiles or (Profile(),),
    )


def _check_fields(at: At, fields: Sequence[str], elsewhere: Mapping[str, str] = MappingProxyType({})) -> None:
    """Complains of fields that are not known here; `elsewhere` says of some where they belong."""
    for key in at.mapping():
        if key in elsewhere and key not in fields:
            at.error(f"{key} belongs under {elsewhere[key]}. Move it there", key)
        elif key not in fields:
            near = difflib.get_close_matches(str(key)[:80], fields, 1, 0.6)
            at.error("is no known field" + (f". Did you mean {near[0]}?" if near else ". Remove it"), key)


def _check_extenders(at: At) -> None:
    for item in at.items():
        item.error("extenders are not simulated for now, and their addresses are never called. Remove the entry")


def _percentage(at: At) -> int | None:
    given = at.get("percentageOfNodesToScore")
    return given.integer(0, 0, 100) if given.present else None


def _profile(at: At, known_plugins: Collection[str], count: int) -> Profile:
    _check_fields(at, _PROFILE_FIELDS, dict.fromkeys(_FIELDS, "the top level, beside profiles"))
    name = at.get("schedulerName")
    if not name.raw and count > 1:
        name.error("is missing. With several profiles each needs a name")
    plugins = at.get("plugins")
    _check_fields(plugins, _POINTS)
    sets = {point: _plugin_set(plugins.get(point), known_plugins) for point in _POINTS if plugins.get(point).present}
    _check_sorter_and_binder(plugins, sets)
    return Profile(
        scheduler_name=name.text("default-scheduler"),
        percentage_of_nodes_to_score=_percentage(at),
        plugins=sets,
        plugin_config=_plugin_config(at.get("pluginConfig"), known_plugins),
    )


def _plugin_set(at: At, known_plugins: Collection[str]) -> PluginSet:
    _check_fields(at, ("enabled", "disabled"))
    enabled = tuple(_plugin(item, known_plugins) for item in at.get("enabled").items())
    seen: set[str] = set()
    for i, plugin in enumerate(enabled):
        if plugin.name in seen and plugin.name:
            at.get("enabled").error(f"{plugin.name} is enabled twice at this extension point. Keep one entry", i)
        seen.add(plugin.name)
    disabled = []
    for item in at.get("disabled").items():
        _check_fields(item, ("name", "weight"))
        name = item.get("name").text(required=True)
        if name != "*" and name not in known_plugins and name not in REMOVED_PLUGINS:
            item.get("name").warn(
                f"there is no plugin {quoted(name)}, so disabling it has no effect" + _near(name, known_plugins)
            )
        disabled.append(PluginRef(name))
    return PluginSet(enabled, tuple(disabled))


def _plugin(at: At, known_plugins: Collection[str]) -> PluginRef:
    _check_fields(at, ("name", "weight"))
    name = at.get("name").text(required=True)
    _check_plugin(at.get("name"), name, known_plugins)
    weight = at.get("weight")
    if weight.raw == 0 and weight.raw is not False:
        weight.warn("0 counts as not given, so the weight is 1. Disable the plugin to leave it out")
    return PluginRef(name, weight.integer(0, 0, INT32[1]))


def _check_plugin(at: At, name: str, known_plugins: Collection[str]) -> None:
    if not name or name in known_plugins:
        return
    if name == "*":
        at.error('"*" is for disabled only. Name the plugins to enable')
    elif name in REMOVED_PLUGINS:
        instead = f"Write {successor(name)}" if successor(name) else "Remove it"
        at.error(f"the plugin {name} was removed from Kubernetes. {instead}")
    else:
        at.error(f"there is no plugin {quoted(name)}{_near(name, known_plugins)}")


def _near(name: str, known_plugins: Collection[str]) -> str:
    near = difflib.get_close_matches(name[:80], list(known_plugins), 1, 0.6)
    return f". Did you mean {near[0]}?" if near else f". Known are {', '.join(sorted(known_plugins))}"


def _check_sorter_and_binder(at: At, sets: dict[str, PluginSet]) -> None:
    sorters = _chosen(sets, "queueSort", _QUEUE_SORTERS)
    if not sorters:
        at.get("queueSort").error("no queueSort plugin is left. Enable one, such as PrioritySort")
    elif len(sorters) > 1:
        text = (
            f'{" and ".join(sorted(sorters))} are both enabled, but only one can sort. Disable the other ("*" for all)'
        )
        at.get("queueSort").error(text)
    if not _chosen(sets, "bind", _BINDERS):
        at.get("bind").error("no bind plugin is left. Enable one, such as DefaultBinder")


def _chosen(sets: dict[str, PluginSet], point: str, able: tuple[str, ...]) -> set[str]:
    """The plugins at a point: those enabled there, and those of multiPoint that are able (by default the first)."""
    everywhere, here = sets.get("multiPoint", PluginSet()), sets.get(point, PluginSet())
    off_everywhere = {p.name for p in everywhere.disabled}
    off_here = {p.name for p in here.disabled}
    multi = {p.name for p in everywhere.enabled if p.name in able}
    if not off_everywhere & {"*", able[0]}:
        multi.add(able[0])
    if "*" in off_here:
        multi = set()
    return (multi - off_here) | {p.name for p in here.enabled}


def _plugin_config(at: At, known_plugins: Collection[str]) -> dict[str, dict[str, Any]]:
    out: dict[str, dict[str, Any]] = {}
    for item in at.items():
        _check_fields(item, ("name", "args"))
        name = item.get("name").text(required=True)
        _check_plugin(item.get("name"), name, known_plugins)
        if name in out:
            item.get("name").error(f"there are arguments for {name} already. Merge the two entries")
        check_args(name, item.get("args"))
        args = item.get("args").raw
        out[name] = {k: v for k, v in args.items() if k not in ("apiVersion", "kind")} if isinstance(args, dict) else {}
    return out


def _check_names(at: At, profiles: tuple[Profile, ...]) -> None:
    seen: dict[str, int] = {}
    for i, (profile, item) in enumerate(zip(profiles, at.items(), strict=True)):
        if profile.scheduler_name in seen and item.get("schedulerName").raw:
            text = f"{quoted(profile.scheduler_name)} is the name of profile {seen[profile.scheduler_name]} too"
            at.error(f"{text}. Rename one of them", i, "schedulerName")
        seen.setdefault(profile.scheduler_name, i)


def _check_common_sort(at: At, profiles: tuple[Profile, ...]) -> None:
    """All profiles share one queue, so they must sort it alike."""
    if not profiles:
        return
    first = profiles[0].plugins.get("queueSort", PluginSet())
    for i, profile in enumerate(profiles[1:], 1):
        if profile.plugins.get("queueSort", PluginSet()) != first:
            at.error("must be the same in all profiles: they share one queue", i, "plugins", "queueSort")


__all__ = ["KIND", "config_from_raw", "load_config"]
