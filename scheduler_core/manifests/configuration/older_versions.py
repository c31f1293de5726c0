"""Older KubeSchedulerConfiguration versions to v1, as a proposal that a person looks over; never loaded silently."""

from __future__ import annotations

import copy
from typing import Any

from scheduler_core.api.config import EXTENSION_POINTS
from scheduler_core.manifests.checking.raw_values import At, Sink
from scheduler_core.manifests.configuration.plugin_args import DEFAULT_PLUGINS, V1

GROUP = "kubescheduler.config.k8s.io/"
OLDER = tuple(GROUP + v for v in ("v1alpha1", "v1alpha2", "v1beta1", "v1beta2", "v1beta3"))
_GONE_FIELDS = (
    "healthzBindAddress",
    "metricsBindAddress",
    "algorithmSource",
    "enableProfiling",
    "enableContentionProfiling",
)
_STRATEGY_OF = {
    "NodeResourcesLeastAllocated": "LeastAllocated",
    "NodeResourcesMostAllocated": "MostAllocated",
    "RequestedToCapacityRatio": "RequestedToCapacityRatio",
}
_SUCCESSOR = {
    "SelectorSpread": "PodTopologySpread",
    "EBSLimits": "NodeVolumeLimits",
    "GCEPDLimits": "NodeVolumeLimits",
    "AzureDiskLimits": "NodeVolumeLimits",
    "CinderLimits": "NodeVolumeLimits",
    **dict.fromkeys(_STRATEGY_OF, "NodeResourcesFit"),
}
_WITHOUT_SUCCESSOR = ("NodeLabel", "ServiceAffinity", "NodePreferAvoidPods", "NodeResourceLimits")
REMOVED_PLUGINS = (*_SUCCESSOR, *_WITHOUT_SUCCESSOR)


def successor(plugin: str) -> str:
    """The plugin of v1 that took over from a removed one, empty when none did."""
    return _SUCCESSOR.get(plugin, "")


def of_component(raw: dict[str, Any]) -> dict[str, Any]:
    """The component configuration of Kubernetes before 1.19 in the words of v1: what v1 has a field for."""
    profile: dict[str, Any] = {"schedulerName": raw.get("schedulername") or "default-scheduler"}
    weight = raw.get("hardpodaffinitysymmetricweight")
    args: dict[str, dict[str, Any]] = {"InterPodAffinity": {"hardPodAffinityWeight": weight}} if weight else {}
    if raw.get("algorithmprovider") == "ClusterAutoscalerProvider":
        args["NodeResourcesFit"] = {"scoringStrategy": {"type": "MostAllocated"}}
    if args:
        profile["pluginConfig"] = [{"name": name, "args": given} for name, given in args.items()]
    election = raw.get("leaderelection")
    elects = election.get("leaderelect") if isinstance(election, dict) else None
    given = {"leaderElection": {"leaderElect": elects}} if isinstance(elects, bool) else {}
    return {"apiVersion": V1, "kind": "KubeSchedulerConfiguration", **given, "profiles": [profile]}


def to_v1(raw: dict[str, Any]) -> dict[str, Any]:
    """The configuration as v1: renamed and removed plugins replaced, plugins from outside at multiPoint."""
    out = {k: copy.deepcopy(v) for k, v in raw.items() if k not in _GONE_FIELDS}
    out["apiVersion"], out["kind"] = V1, "KubeSchedulerConfiguration"
    out["profiles"] = [_profile(p) if isinstance(p, dict) else p for p in _list(out.get("profiles"))]
    if not out["profiles"]:
        del out["profiles"]
    return out


_OTHER_WEIGHTS = {"NodeAffinity": 2, "InterPodAffinity": 2, "TaintToleration": 3}
"""Score plugins whose default weight is 1 before v1beta3, and their default in v1."""


def losses(raw: dict[str, Any]) -> list[str]:
    """What the text that ``to_v1`` makes of a configuration no longer says, in words."""
    lost = []
    version, profiles = str(raw.get("apiVersion")), [p for p in _list(raw.get("profiles")) if isinstance(p, dict)]
    default = [name for name in _OTHER_WEIGHTS if any(_has_default_weight(p, name) for p in profiles or [{}])]
    if default and version != f"{GROUP}v1beta3":
        weights = ", ".join(f"{name} {_OTHER_WEIGHTS[name]}" for name in default)
        lost.append(f"default weights were 1 each and are in v1: {weights}")
    if gone := [name for name in _GONE_FIELDS if name in raw]:
        lost.append(f"{', '.join(gone)}, which v1 does not have")
    named = {name for p in profiles for name in _enabled(p) if name in _WITHOUT_SUCCESSOR}
    if named:
        lost.append(f"{', '.join(sorted(named))}, which nothing took over from")
    return lost


def _has_default_weight(profile: dict[str, Any], plugin: str) -> bool:
    """Whether a profile leaves a score plugin as the defaults have it."""
    score = At(profile, (), Sink()).get("plugins").get("score")
    named = {item.get("name").raw for point in ("enabled", "disabled") for item in score.get(point).items()}
    return not named & {"*", plugin}


def _enabled(profile: dict[str, Any]) -> list[Any]:
    plugins = At(profile, (), Sink()).get("plugins")
    return [item.get("name").raw for point in EXTENSION_POINTS for item in plugins.get(point).get("enabled").items()]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _profile(profile: dict[str, Any]) -> dict[str, Any]:
    args = {
        c["name"]: c
        for c in _list(profile.get("pluginConfig"))
        if isinstance(c, dict) and isinstance(c.get("name"), str)
    }
    plugins = profile.get("plugins")
    if isinstance(plugins, dict):
        outside = _take_outside(plugins)
        strategy = ""
        for point in plugins:
            if isinstance(plugins[point], dict):
                strategy = _renamed(plugins[point]) or strategy
        if outside:
            plugins["multiPoint"] = {"enabled": outside}
        profile["plugins"] = {p: s for p, s in plugins.items() if s}
        if strategy:
            args["NodeResourcesFit"] = _fit_args(strategy, args)
    configs = [_without_version(c) for name, c in args.items() if name not in REMOVED_PLUGINS]
    profile.pop("pluginConfig", None)
    if configs:
        profile["pluginConfig"] = configs
    return profile


def _take_outside(plugins: dict[str, Any]) -> list[dict[str, Any]]:
    """Plugins that are not of Kubernetes move from their single points to multiPoint; queueSort stays written out."""
    outside: dict[str, dict[str, Any]] = {}
    for point in EXTENSION_POINTS:
        chosen = plugins.get(point)
        if not isinstance(chosen, dict) or point == "queueSort":
            continue
        rest = []
        for entry in _list(chosen.get("enabled")):
            name = entry.get("name") if isinstance(entry, dict) else None
            if isinstance(name, str) and name not in DEFAULT_PLUGINS and name not in REMOVED_PLUGINS:
                outside[name] = {**outside.get(name, {}), **entry}
            else:
                rest.append(entry)
        _set(chosen, "enabled", rest)
    return list(outside.values())


def _set(chosen: dict[str, Any], field: str, entries: list[Any]) -> None:
    if entries:
        chosen[field] = entries
    else:
        chosen.pop(field, None)


def _renamed(chosen: dict[str, Any]) -> str:
    """Replaces removed plugins in a plugin set; the scoring strategy that an enabled one stood for."""
    strategy = ""
    enabled: dict[str, Any] = {}
    for entry in _list(chosen.get("enabled")):
        name = At(entry, (), Sink()).get("name").text()
        strategy = _STRATEGY_OF.get(name, strategy)
        if name not in _WITHOUT_SUCCESSOR:
            new = _SUCCESSOR.get(name, name)
            enabled.setdefault(new, {**entry, "name": new} if isinstance(entry, dict) else entry)
    disabled = [
        entry
        for entry in _list(chosen.get("disabled"))
        if At(entry, (), Sink()).get("name").text() not in REMOVED_PLUGINS
    ]
    if strategy and not any(At(e, (), Sink()).get("name").raw in ("*", "NodeResourcesFit") for e in disabled):
        disabled.append({"name": "NodeResourcesFit"})
    _set(chosen, "enabled", list(enabled.values()))
    _set(chosen, "disabled", disabled)
    return strategy


def _fit_args(strategy: str, args: dict[str, Any]) -> dict[str, Any]:
    old = next((args[n].get("args") for n, s in _STRATEGY_OF.items() if s == strategy and n in args), None)
    scoring: dict[str, Any] = {"type": strategy}
    if isinstance(old, dict):
        if "resources" in old:
            scoring["resources"] = old["resources"]
        if "shape" in old:
            scoring["requestedToCapacityRatio"] = {"shape": old["shape"]}
    return {"name": "NodeResourcesFit", "args": {"scoringStrategy": scoring}}


def _without_version(config: dict[str, Any]) -> dict[str, Any]:
    args = config.get("args")
    if isinstance(args, dict):
        return {**config, "args": {k: v for k, v in args.items() if k not in ("apiVersion", "kind")}}
    return config
