"""Configurations that other projects publish run, or the one line to change is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from scheduler_core.manifests import NOTHING, UNKNOWN, ManifestSource, load_cluster, read_config
from scheduler_core.profiles.registry import in_tree
from scheduler_core.simulate import RunInputs, RunSession, default_schedule

FILES = Path(__file__).parents[3] / "cases" / "configurations"
HERE = frozenset(in_tree().factories)
CLUSTER = """
{apiVersion: v1, kind: Node, metadata: {name: n}, status: {allocatable: {cpu: "4", memory: 4Gi, pods: "9"}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {schedulerName: NAME, containers: [{name: c}]}}
"""
# file -> the plugin that is not here, and a part of what is lost without it
WITHOUT = {
    "config-node-resource-topology.yaml": ("NodeResourceTopologyMatch", "what it would reserve is not held"),
    "config-trimaran.yaml": ("TargetLoadPacking", "scores differ"),
    "schedconfig-v1-coscheduling.yaml": ("Coscheduling", "no pod waits for its approval"),
    "schedconfig-v1-nodenumber.yaml": ("NodeNumber", "which extension points it has is unknown"),
    "schedconfig-v1-noderesourcesallocatable.yaml": ("NodeResourcesAllocatable", "drawn among all feasible ones"),
}
# file -> the line to change, its field, the plugins that the converted text needs
CONVERTED = {
    "schedconfig-legacy-componentconfig.yaml": (1, "kind", []),
    "schedconfig-v1beta1-nrt.yaml": (1, "apiVersion", ["NodeResourceTopologyMatch"]),
    "schedconfig-v1beta3-trimaran.yaml": (1, "apiVersion", ["TargetLoadPacking"]),
}
SPLIT = {"schedconfig-v1-nodemetadata-4docs.yaml": 20}


def read(text: str, leave_out=UNKNOWN):
    return read_config(ManifestSource("c.yaml", text.encode()), HERE, leave_out)


def bound(configuration) -> str:
    """The node of a pod that asks for the configuration's first profile."""
    text = CLUSTER.replace("NAME", configuration.profiles[0].scheduler_name)
    loaded = load_cluster([ManifestSource("cluster.yaml", text.encode())])
    assert loaded.ok
    objects = loaded.objects
    inputs = RunInputs(objects=objects, configuration=configuration, schedule=default_schedule(objects))
    session = RunSession.start(inputs, in_tree())
    while not session.advance(max_seconds=5):
        pass
    return session.simulation.world.pods["default/p"].node_name


def test_every_file_is_in_a_table():
    assert {path.name for path in FILES.glob("*.yaml")} == {*WITHOUT, *CONVERTED, *SPLIT}


@pytest.mark.parametrize("name", WITHOUT)
def test_a_configuration_runs_without_its_plugin_and_says_what_is_lost(name):
    plugin, lost = WITHOUT[name]
    reading = read((FILES / name).read_text())
    assert reading.configuration is not None
    assert [(one.kind, one.name) for one in reading.left_out] == [("plugin", plugin)]
    assert lost in reading.left_out[0].lost
    (warning,) = (one for one in reading.findings if "runs without" in one.message)
    assert warning.severity == "warning"
    assert plugin in (FILES / name).read_text().splitlines()[warning.line - 1]
    assert bound(reading.configuration) == "n"


@pytest.mark.parametrize("name", WITHOUT)
def test_nothing_is_left_out_unasked(name):
    reading = read((FILES / name).read_text(), NOTHING)
    assert reading.configuration is None
    assert reading.left_out == ()
    plugin, _ = WITHOUT[name]
    assert f'"{plugin}"' in reading.findings[0].message


@pytest.mark.parametrize("name", CONVERTED)
def test_an_older_version_names_its_line_and_runs_once_converted(name):
    line, field, plugins = CONVERTED[name]
    refused = read((FILES / name).read_text())
    assert refused.configuration is None
    (finding,) = refused.findings
    assert (finding.severity, finding.line, finding.field) == ("error", line, field)
    reading = read(finding.suggestion)
    assert [one.name for one in reading.left_out] == plugins
    assert bound(reading.configuration) == "n"


@pytest.mark.parametrize("name", SPLIT)
def test_of_several_documents_the_line_is_named_where_the_second_begins(name):
    lines = (FILES / name).read_text().splitlines()
    (finding,) = read("\n".join(lines)).findings
    assert (finding.severity, finding.line) == ("error", SPLIT[name])
    first = read("\n".join(lines[: SPLIT[name] - 1]))
    assert [one.name for one in first.left_out] == ["NodeMetadata"]
    assert bound(first.configuration) == "n"
