"""Fields of a plugin's arguments, made from the type that it declares."""

from __future__ import annotations

import pytest

from dashboard.documents.configurations.checking import read_configuration, registry
from dashboard.documents.configurations.table import edits
from dashboard.documents.configurations.table.arguments import argument_fields, completed, default_arguments
from dashboard.documents.configurations.table.effective import effective
from scheduler_core.manifests import UNKNOWN, dump_yaml

HEAD = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}


def field(plugin, path, given=None):
    return {one.path: one for one in argument_fields(plugin, given or {})}[path]


def test_fields_have_a_sort_a_value_and_the_default():
    strategy = field("NodeResourcesFit", "scoringStrategy.type")
    assert (strategy.sort, strategy.value, strategy.is_given) == ("choice", "LeastAllocated", False)
    assert list(strategy.choices) == ["LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"]
    resources = field(
        "NodeResourcesFit", "scoringStrategy.resources", {"scoringStrategy": {"resources": [{"name": "gpu"}]}}
    )
    assert [(column.name, value) for row in resources.rows for column, value in row] == [
        ("name", "gpu"),
        ("weight", "1"),
    ]
    assert (resources.sort, resources.default, resources.is_given) == ("rows", "cpu 1, memory 1", True)
    ignored = field("NodeResourcesFit", "ignoredResources", {"ignoredResources": ["a.b/c", "d"]})
    assert (ignored.sort, ignored.lines) == ("names", "a.b/c\nd")
    assert field("InterPodAffinity", "ignorePreferredTermsOfExistingPods").sort == "flag"
    added = field("NodeAffinity", "addedAffinity", {"addedAffinity": {"x": 1}})
    assert (added.sort, added.lines) == ("yaml", "x: 1\n")


def test_a_field_that_counts_with_another_value_only_is_shown_with_that():
    shape = "scoringStrategy.requestedToCapacityRatio.shape"
    assert shape not in {one.path for one in argument_fields("NodeResourcesFit", {})}
    ratio = {"scoringStrategy": {"type": "RequestedToCapacityRatio"}}
    assert shape in {one.path for one in argument_fields("NodeResourcesFit", ratio)}


@pytest.mark.parametrize("plugin", sorted(registry().factories))
def test_the_defaults_of_the_form_are_those_of_the_engine(plugin):
    """Written out in full, they are accepted and mean the same as no arguments."""
    given = default_arguments(plugin)
    text = dump_yaml([{**HEAD, "profiles": [{"pluginConfig": [{"name": plugin, "args": given}]}]}])
    reading = read_configuration(text, UNKNOWN)
    assert reading.configuration is not None, reading.findings
    assert not [
        one
        for one in argument_fields(plugin, effective(reading.configuration).profiles[0].arguments.get(plugin, {}))
        if one.is_given
    ]


def test_an_edit_brings_what_the_plugin_asks_for_beside_it():
    fit = {"plugin": "NodeResourcesFit", "path": "scoringStrategy.type"}
    ratio = completed(edits.SetArgument(value="RequestedToCapacityRatio", **fit), {})
    assert [point["score"] for point in ratio.also["scoringStrategy.requestedToCapacityRatio.shape"]] == [0, 10]
    own = {"scoringStrategy": {"requestedToCapacityRatio": {"shape": [{"utilization": 5, "score": 5}]}}}
    assert completed(edits.SetArgument(value="RequestedToCapacityRatio", **fit), own).also == {}
    assert completed(edits.SetArgument(value="LeastAllocated", **fit), {}).value is None
    spread = edits.SetArgument(plugin="PodTopologySpread", path="defaultConstraints", value=[{"maxSkew": 1}])
    assert completed(spread, {}).also == {"defaultingType": "List"}
