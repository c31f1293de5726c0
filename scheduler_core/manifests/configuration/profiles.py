"""The profiles of a KubeSchedulerConfiguration: plugins by extension point, their weights and arguments, checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from scheduler_core.api.config import EXTENSION_POINTS, PluginRef, PluginSet, Profile
from scheduler_core.manifests.checking.raw_values import INT32, At
from scheduler_core.manifests.configuration.left_out import NO_SCORES, POINTS_OF, PluginNames
from scheduler_core.manifests.configuration.older_versions import REMOVED_PLUGINS, successor
from scheduler_core.manifests.configuration.plugin_args import check_args
from scheduler_core.manifests.model import Fix, quoted

PROFILE_FIELDS = ("schedulerName", "percentageOfNodesToScore", "plugins", "pluginConfig")
MAX_PROFILES = 200
MAX_PLUGIN_ENTRIES = 10_000
"""Plugins that are enabled, disabled or configured, in all profiles together."""
_POINTS = (*EXTENSION_POINTS, "multiPoint")
_QUEUE_SORTERS = ("PrioritySort", "Coscheduling")
_BINDERS = ("DefaultBinder",)
_LEAVE_OUT = "leave the plugin out of the run"
# Arguments that people write beside a plugin's name instead of under args.
_ARGUMENTS = (
    "addedAffinity", "bindTimeoutSeconds", "defaultConstraints", "defaultingType", "hardPodAffinityWeight",
    "ignoredResources", "ignoredResourceGroups", "minCandidateNodesAbsolute", "minCandidateNodesPercentage",
    "permitWaitingTimeSeconds", "resources", "scoringStrategy", "shape",
)  # fmt: skip


def read_profiles(at: At, names: PluginNames, top_fields: Sequence[str]) -> tuple[Profile, ...]:
    """The profiles listed at a place, with complaints there; `top_fields` belong beside the list, in no profile."""
    if _is_too_much(at):
        return ()
    elsewhere = dict.fromkeys(top_fields, "the top level, beside profiles")
    profiles = tuple(_profile(item, names, elsewhere, is_named=len(at.raw) > 1) for item in at.items())
    _check_names(at, profiles)
    _check_common_sort(at, profiles)
    return profiles


def _is_too_much(at: At) -> bool:
    """Whether there are more profiles or plugins than are read, which is an error then; nothing is read for it."""
    items = at.items()
    if len(items) > MAX_PROFILES:
        at.error(f"there are {len(items):,} profiles. At most {MAX_PROFILES} are allowed")
        return True
    n_entries = 0
    for item in items:
        lists = [item.get("pluginConfig").raw]
        lists += [
            item.get("plugins").get(point).get(which).raw for point in _POINTS for which in ("enabled", "disabled")
        ]
        n_entries += sum(len(one) for one in lists if isinstance(one, list))
    if n_entries > MAX_PLUGIN_ENTRIES:
        at.error(f"there are {n_entries:,} entries for plugins in all. At most {MAX_PLUGIN_ENTRIES:,} are allowed")
    return n_entries > MAX_PLUGIN_ENTRIES


def check_fields(at: At, fields: Sequence[str], elsewhere: Mapping[str, str] = MappingProxyType({})) -> None:
    """Report unknown fields as errors; `elsewhere` maps fields that belong under another one to its name."""
    for key in at.mapping():
        if key in elsewhere and key not in fields:
            at.error(f"{key} belongs under {elsewhere[key]}. Move it there", key)
        elif key not in fields:
            near = at.sink.budget.near(str(key), fields, 0.6)
            hint = f". Did you mean {near}?" if near else ". Remove it"
            at.error(f"is no known field{hint}", key, fix=Fix("key", near) if near else None)


def read_percentage(at: At) -> int | None:
    """The share of nodes to score, of a profile or of all; None where none is given."""
    given = at.get("percentageOfNodesToScore")
    return given.integer(0, 0, 100) if given.present else None


def _profile(at: At, names: PluginNames, elsewhere: Mapping[str, str], *, is_named: bool) -> Profile:
    check_fields(at, PROFILE_FIELDS, {**dict.fromkeys(_POINTS, "plugins"), **elsewhere})
    name = at.get("schedulerName")
    if is_named and not name.raw:
        name.error("is missing. With several profiles each needs a name")
    plugins = at.get("plugins")
    check_fields(plugins, _POINTS, _beside_points(names))
    sets = {point: _plugin_set(plugins.get(point), point, names) for point in _POINTS if plugins.get(point).present}
    sets |= _stand_ins(sets, names)
    _check_sorter_and_binder(plugins, sets)
    return Profile(
        scheduler_name=name.text("default-scheduler"),
        percentage_of_nodes_to_score=read_percentage(at),
        plugins=sets,
        plugin_config=_plugin_config(at.get("pluginConfig"), names),
    )


def _beside_points(names: PluginNames) -> dict[str, str]:
    """Where people's keys under plugins belong: a plugin's name, and what has to be below an extension point."""
    lists = dict.fromkeys(("enabled", "disabled"), "an extension point, such as multiPoint")
    plugins = dict.fromkeys(names.here, "enabled of an extension point, such as multiPoint")
    return {**lists, **plugins, "pluginConfig": "the profile, beside plugins", "args": "pluginConfig of the profile"}


def _stand_ins(sets: Mapping[str, PluginSet], names: PluginNames) -> dict[str, PluginSet]:
    """The plugin of kube-scheduler at queueSort and bind where leaving others out leaves none; notes lost scores."""
    score = sets.get("score", PluginSet())
    if not score.enabled and any(ref.name == "*" for ref in score.disabled):
        for name in names.leaves_out_at("score"):
            names.adds_loss(name, NO_SCORES)
    out: dict[str, PluginSet] = {}
    for point, able in (("queueSort", _QUEUE_SORTERS), ("bind", _BINDERS)):
        if names.leaves_out_at(point) and not _chosen(sets, point, able):
            own = sets.get(point, PluginSet())
            out[point] = PluginSet((*own.enabled, PluginRef(able[0])), own.disabled)
    return out


def _plugin_set(at: At, point: str, names: PluginNames) -> PluginSet:
    check_fields(at, ("enabled", "disabled"))
    entries = at.get("enabled").items()
    left_out = [names.leaves_out(item.get("name"), _name_in(item), point) for item in entries]
    enabled = tuple(_plugin(item, names) for item, is_out in zip(entries, left_out, strict=True) if not is_out)
    seen: set[str] = set()
    for i, plugin in enumerate(enabled):
        if plugin.name in seen and plugin.name:
            at.get("enabled").error(f"{plugin.name} is enabled twice at this extension point. Keep one entry", i)
        seen.add(plugin.name)
    disabled = []
    for item in at.get("disabled").items():
        check_fields(item, ("name", "weight"))
        name = item.get("name").text(required=True)
        if name != "*" and name not in names.here and name not in REMOVED_PLUGINS:
            near = _near(name, names)
            text = f"there is no plugin {quoted(name)}, so disabling it has no effect"
            item.get("name").warn(f"{text}.{near}" if near else text)
        disabled.append(PluginRef(name))
    return PluginSet(enabled, tuple(disabled))


def _name_in(entry: At) -> str:
    """The name in an entry, "" where it is no text, or names a plugin for which a replacement is reported."""
    name = entry.get("name").raw
    return name if isinstance(name, str) and name not in REMOVED_PLUGINS else ""


def _plugin(at: At, names: PluginNames) -> PluginRef:
    check_fields(at, ("name", "weight"), {"args": "pluginConfig of the profile, in an entry with the plugin's name"})
    name = at.get("name").text(required=True)
    _check_plugin(at.get("name"), name, names)
    weight = at.get("weight")
    if weight.raw == 0 and weight.raw is not False:
        weight.warn("0 counts as not given, so the weight is 1. Disable the plugin to leave it out")
    return PluginRef(name, weight.integer(0, 0, INT32[1]))


def _check_plugin(at: At, name: str, names: PluginNames) -> None:
    if not name or name in names.here:
        return
    if name == "*":
        at.error('"*" is for disabled only. Name the plugins to enable')
    elif name in REMOVED_PLUGINS:
        after = successor(name)
        instead = f"Write {after}" if after else "Remove it"
        fix = Fix("value", after) if after else None
        at.error(f"the plugin {name} was removed from Kubernetes. {instead}", fix=fix)
    else:
        meant = "" if name in names.unusable or name in POINTS_OF else names.nearest(name)
        at.error(_absent(name, names), fix=Fix("value", meant) if meant else None)


def _absent(name: str, names: PluginNames) -> str:
    """What is wrong with a plugin that is not here, and what to do: mend, install, respell, or leave it out."""
    if why := names.unusable.get(name):
        return f"the plugin {quoted(name)} is installed and cannot be used: {why}. Mend its package, or {_LEAVE_OUT}"
    if name in POINTS_OF:
        place = "It is one of kubernetes-sigs/scheduler-plugins"
        return f"there is no plugin {quoted(name)} here. {place}: install a package that offers it, or {_LEAVE_OUT}"
    instead = f"If it is a plugin of another package, install that, or {_LEAVE_OUT}"
    return f"there is no plugin {quoted(name)} here.{_near(name, names)} {instead}"


def _near(name: str, names: PluginNames) -> str:
    near = names.nearest(name)
    return f" Did you mean {near}?" if near else ""


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


def _chosen(sets: Mapping[str, PluginSet], point: str, able: tuple[str, ...]) -> set[str]:
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


def _plugin_config(at: At, names: PluginNames) -> dict[str, dict[str, Any]]:
    out: dict[str, dict[str, Any]] = {}
    for item in at.items():
        if names.leaves_out(item.get("name"), _name_in(item)):
            continue
        check_fields(item, ("name", "args"), dict.fromkeys(_ARGUMENTS, "args"))
        name = item.get("name").text(required=True)
        _check_plugin(item.get("name"), name, names)
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
