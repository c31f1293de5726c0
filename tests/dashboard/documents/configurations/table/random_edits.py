"""Random edits of a configuration, of its table and of its YAML, and what the table's page shows of a text."""

from __future__ import annotations

import random

import yaml

from dashboard.documents.configurations.checking import POINTS, implements, read_configuration, registry
from dashboard.documents.configurations.table import edits
from dashboard.documents.configurations.table.effective import effective
from dashboard.documents.configurations.table.page import ConfigTable, TableSelection, defaults
from scheduler_core.manifests import UNKNOWN, dump_yaml
from scheduler_core.profiles.plugin_sets import plugins_by_point, score_weights

CONSTRAINT = {"maxSkew": 2, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}
ARGUMENTS = (
    ("NodeResourcesFit", "scoringStrategy.type", ("LeastAllocated", "MostAllocated", "RequestedToCapacityRatio")),
    ("NodeResourcesFit", "scoringStrategy.resources", ([{"name": "cpu", "weight": 3}], [{"name": "gpu", "weight": 1}])),
    ("NodeResourcesFit", "ignoredResources", (["example.com/gpu"], [])),
    ("InterPodAffinity", "hardPodAffinityWeight", (0, 1, 7, 100)),
    ("InterPodAffinity", "ignorePreferredTermsOfExistingPods", (True, False)),
    ("PodTopologySpread", "defaultConstraints", ([CONSTRAINT], [])),
    ("DefaultPreemption", "minCandidateNodesAbsolute", (5, 100)),
    ("VolumeBinding", "bindTimeoutSeconds", (30, 600)),
)


def configuration_of(text):
    reading = read_configuration(text, UNKNOWN)
    assert reading.configuration is not None, (text, reading.findings)
    return reading.configuration


def shown(text):
    """Return what the page shows: per profile its cells (place or 0), weights and argument fields; and the settings."""
    now = effective(configuration_of(text))
    out = {}
    for number, profile in enumerate(now.profiles):
        table = ConfigTable(now, defaults(), "the defaults", TableSelection(number))
        cells = {(c.plugin, c.point): c.place for row in table.rows for c in row.cells if c is not None}
        weights = {
            c.plugin: c.weight for row in table.rows for c in row.cells if c is not None and c.weight is not None
        }
        fields = {}
        for plugin in registry().factories:
            form = ConfigTable(now, defaults(), "the defaults", TableSelection(number, plugin)).arguments
            fields.update({(plugin, one.path): one.value for one in form})
        out[profile.name] = {"cells": cells, "weights": weights, "arguments": fields, "share": profile.percentage}
    return out, {one.name: one.value for one in table.settings}


def meant(text):
    """Return the same of cells and weights as the engine builds its profiles, without the table."""
    out = {}
    for profile in configuration_of(text).profiles:
        points = plugins_by_point(profile, implements)
        cells = {(ref.name, point): i + 1 for point in POINTS for i, ref in enumerate(points[point])}
        out[profile.scheduler_name] = (cells, score_weights(profile, points))
    return out


def table_edit(random_, text):
    """Return a random edit that the page of a text offers."""
    now = effective(configuration_of(text))
    number = random_.randrange(len(now.profiles))
    profile = now.profiles[number]
    plugins = sorted(registry().factories)
    kind = random_.choice(
        ("switch", "switch", "switch", "weigh", "weigh", "move", "move", "argument", "argument", "other")
    )
    if kind == "switch":
        plugin = random_.choice(plugins)
        point = random_.choice([point for point in POINTS if implements(plugin, point)])
        return edits.SwitchPlugin(profile=number, plugin=plugin, point=point, on=plugin not in profile.points[point])
    if kind == "weigh":
        plugin = random_.choice([name for name in plugins if implements(name, "score")])
        return edits.Weigh(profile=number, plugin=plugin, weight=random_.randint(1, 12))
    if kind == "move":
        point = random_.choice([point for point in POINTS if len(profile.points[point]) > 1])
        return edits.MoveCall(
            profile=number, plugin=random_.choice(profile.points[point]), point=point, by=random_.choice((-1, 1))
        )
    if kind == "argument":
        plugin, path, values = random_.choice(ARGUMENTS)
        return edits.SetArgument(profile=number, plugin=plugin, path=path, value=random_.choice(values))
    return random_.choice(
        [
            edits.Defaults(profile=number, plugin=random_.choice(ARGUMENTS)[0]),
            edits.Percentage(profile=number, value=random_.choice((None, 10, 100))),
            edits.SetSetting(name="podMaxBackoffSeconds", value=random_.choice((10, 20, 60))),
            edits.SetSetting(name="percentageOfNodesToScore", value=random_.choice((None, 0, 40))),
            edits.Rename(profile=number, name=f"profile-{random_.randrange(1000)}"),
            edits.AddProfile(profile=number, name=f"profile-{random_.randrange(1000)}")
            if len(now.profiles) < 3
            else edits.RemoveProfile(profile=number),
        ]
    )


def yaml_edit(random_, text):
    """Return the text as a person could have changed it: other lists of a point, or the same in another style."""
    raw = yaml.safe_load(text)
    if random_.random() < 0.4:
        return "# " + random_.choice(("again", "typed", "---")) + "\n" + yaml.safe_dump(raw, sort_keys=False)
    profile = random_.choice(raw.setdefault("profiles", [{"schedulerName": "default-scheduler"}]) or [{}])
    plugins = profile.setdefault("plugins", {}) or {}
    profile["plugins"] = plugins
    point = random_.choice(("multiPoint", "filter", "score", "preScore"))
    lists = plugins.setdefault(point, {})
    able = [name for name in registry().factories if point == "multiPoint" or implements(name, point)]
    able = [
        name for name in able if name not in ("Coscheduling", "PrioritySort", "DefaultBinder", "CapacityScheduling")
    ]
    chosen = random_.sample(sorted(able), k=min(3, len(able)))
    lists["enabled"] = [{"name": name, **({"weight": 4} if random_.random() < 0.3 else {})} for name in chosen[:2]]
    lists["disabled"] = [{"name": name} for name in chosen[2:]]
    return dump_yaml([raw])


def seeded(seed):
    return random.Random(seed)
