"""The ways of writing an edit of the table into a configuration's plain values, the usual one first."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from functools import partial, singledispatch
from typing import Any

from dashboard.documents.configurations.checking import registry
from dashboard.documents.configurations.table import edits
from dashboard.documents.configurations.table.effective import QUEUE_SORT, SCORE, Effective
from dashboard.documents.configurations.table.places import (
    DEFAULT_NAME,
    Root,
    allow,
    drop,
    drop_empty,
    enable,
    forbid,
    has_entry,
    list_in,
    mapping_in,
    plugin_entry,
    profile_in,
    profiles_in,
    put,
    remove_entry,
)
from dashboard.documents.configurations.table.values import with_value

MULTI_POINT = "multiPoint"
DOCUMENT = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}

Way = Callable[[Root], None]


def ways_to_write(edit: edits.TableEdit, before: Effective) -> Iterator[Way]:
    """Yield the ways of writing an edit into a configuration, the most natural first."""
    for way in _ways(edit, before):
        yield partial(_in_document, way)


def _in_document(way: Way, root: Root) -> None:
    for key, value in DOCUMENT.items():
        if root.get(key) is None:
            root[key] = value
    way(root)


@singledispatch
def _ways(edit: Any, before: Effective) -> list[Way]:
    raise TypeError(f"{type(edit).__name__} is no edit")


@_ways.register
def _(edit: edits.SwitchPlugin, before: Effective) -> list[Way]:
    if edit.point == QUEUE_SORT:
        return [partial(_sort_by, edit.plugin, own=own) for own in (False, True)]
    names = [name for name in before.profiles[edit.profile].points[edit.point] if name != edit.plugin]
    if edit.on:
        return [
            _at(edit, allow),
            _at(edit, enable),
            lambda root: (_at(edit, allow)(root), _at(edit, enable)(root))[-1],
            partial(_write_point, edit.profile, edit.point, [*names, edit.plugin], before),
        ]
    return [
        _at(edit, drop),
        _at(edit, forbid),
        lambda root: (_at(edit, drop)(root), _at(edit, forbid)(root))[-1],
        partial(_write_point, edit.profile, edit.point, names, before),
    ]


@_ways.register
def _(edit: edits.Weigh, before: Effective) -> list[Way]:
    profile = before.profiles[edit.profile]
    names = profile.points[SCORE]
    if edit.plugin not in names:
        names = (*names, edit.plugin)
    weights = {**profile.weights, edit.plugin: edit.weight}
    return [
        partial(_weigh, edit, point=SCORE, only_there=True),
        partial(_weigh, edit, point=MULTI_POINT, only_there=False),
        partial(_weigh, edit, point=SCORE, only_there=False),
        partial(_write_point, edit.profile, SCORE, names, before, weights=weights),
    ]


@_ways.register
def _(edit: edits.MoveCall, before: Effective) -> list[Way]:
    order = edit.order(before.profiles[edit.profile].points[edit.point])
    return [
        partial(_reorder, edit.profile, edit.point, order),
        partial(_write_point, edit.profile, edit.point, order, before),
    ]


@_ways.register
def _(edit: edits.SetArgument, before: Effective) -> list[Way]:
    given = edit.given(before.profiles[edit.profile].arguments.get(edit.plugin, {}))
    return [partial(_write_arguments, edit), partial(_replace_arguments, edit, given)]


@_ways.register
def _(edit: edits.Defaults, before: Effective) -> list[Way]:
    return [partial(_replace_arguments, edit, {})]


@_ways.register
def _(edit: edits.Percentage, before: Effective) -> list[Way]:
    return [lambda root: put(profile_in(root, edit.profile), "percentageOfNodesToScore", edit.value)]


@_ways.register
def _(edit: edits.Rename, before: Effective) -> list[Way]:
    return [lambda root: put(profile_in(root, edit.profile), "schedulerName", edit.name)]


@_ways.register
def _(edit: edits.AddProfile, before: Effective) -> list[Way]:
    return [partial(_add_profile, edit)]


@_ways.register
def _(edit: edits.RemoveProfile, before: Effective) -> list[Way]:
    return [lambda root: profiles_in(root).pop(edit.profile)]


@_ways.register
def _(edit: edits.SetSetting, before: Effective) -> list[Way]:
    return [lambda root: put(root, edit.name, edit.value)]


def _at(edit: edits.SwitchPlugin, change: Callable[[Any, str], None]) -> Way:
    """Return the way that changes the lists of the edit's point, and leaves none of them empty."""

    def way(root: Root) -> None:
        profile = profile_in(root, edit.profile)
        plugins = mapping_in(profile, "plugins")
        change(mapping_in(plugins, edit.point), edit.plugin)
        drop_empty(profile, plugins, edit.point)

    return way


# ---------------------------------------------------------------- plugins at a point


def _weigh(edit: edits.Weigh, root: Root, *, point: str, only_there: bool) -> None:
    """Write the weight at a point; `only_there`: where the plugin is listed there already."""
    profile = profile_in(root, edit.profile)
    plugins = mapping_in(profile, "plugins")
    lists = mapping_in(plugins, point)
    if not only_there or has_entry(lists.get("enabled"), edit.plugin):
        plugin_entry(list_in(lists, "enabled"), edit.plugin)["weight"] = edit.weight
    drop_empty(profile, plugins, point)


def _sort_by(plugin: str, root: Root, *, own: bool) -> None:
    """Write the same at queueSort of all profiles: nothing, or by `own` this plugin alone."""
    for number in range(len(profiles_in(root))):
        profile = profile_in(root, number)
        plugins = mapping_in(profile, "plugins")
        plugins[QUEUE_SORT] = {"disabled": [{"name": "*"}], "enabled": [{"name": plugin}]} if own else {}
        drop_empty(profile, plugins, QUEUE_SORT)


def _reorder(number: int, point: str, order: Sequence[str], root: Root) -> None:
    """Reorder the entries that a point itself lists."""
    lists = mapping_in(mapping_in(profile_in(root, number), "plugins"), point)
    entries = list_in(lists, "enabled")
    rank = {name: i for i, name in enumerate(order)}
    lists["enabled"] = sorted(entries, key=lambda entry: rank.get(entry.get("name"), len(rank)))


def _write_point(
    number: int, point: str, names: Sequence[str], before: Effective, root: Root, *, weights: Any = None
) -> None:
    """Write a point in full: nothing from multiPoint, its plugins in order, then those not installed here."""
    lists = mapping_in(mapping_in(profile_in(root, number), "plugins"), point)
    weights = before.profiles[number].weights if weights is None else weights
    old = lists.get("enabled") or []
    absent = [entry for entry in old if isinstance(entry, dict) and entry.get("name") not in registry().factories]
    entries = []
    for name in names:
        entry: dict[str, Any] = {"name": name}
        if point == SCORE and weights.get(name, 1) != 1:
            entry["weight"] = weights[name]
        entries.append(entry)
    lists["disabled"] = [{"name": "*"}]
    lists["enabled"] = [*entries, *absent]


# ---------------------------------------------------------------- arguments and profiles


def _write_arguments(edit: edits.SetArgument, root: Root) -> None:
    """Write single values beside what the text gives the plugin."""
    profile = profile_in(root, edit.profile)
    entry = plugin_entry(list_in(profile, "pluginConfig"), edit.plugin)
    entry["args"] = edit.given(entry.get("args") or {})
    if not set(entry["args"]) - {"apiVersion", "kind"}:
        remove_entry(profile, "pluginConfig", edit.plugin)
    if not profile["pluginConfig"]:
        del profile["pluginConfig"]


def _replace_arguments(edit: edits.SetArgument | edits.Defaults, given: Any, root: Root) -> None:
    """Write all of a plugin's arguments again, or none if there are none."""
    profile = profile_in(root, edit.profile)
    remove_entry(profile, "pluginConfig", edit.plugin)
    if given:
        list_in(profile, "pluginConfig").append({"name": edit.plugin, "args": given})
    elif not profile.get("pluginConfig"):
        profile.pop("pluginConfig", None)


def _add_profile(edit: edits.AddProfile, root: Root) -> None:
    """Add a copy of a profile; profiles that stood alone without a name get the default one."""
    profiles = profiles_in(root)
    for number in range(len(profiles)):
        if not profile_in(root, number).get("schedulerName"):
            profiles[number]["schedulerName"] = DEFAULT_NAME
    named = with_value(copy.deepcopy(profiles[edit.profile]), ["schedulerName"], edit.name)
    profiles.append({"schedulerName": edit.name, **named})
