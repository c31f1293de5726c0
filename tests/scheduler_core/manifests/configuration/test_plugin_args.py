"""Arguments of plugins (validation_pluginargs.go)."""

from __future__ import annotations

import pytest

from scheduler_core.manifests import ManifestSource, load_config
from tests.scheduler_core.manifests.configuration.configuration_texts import PROFILE, load, with_args


@pytest.mark.parametrize(
    ("plugin", "args", "field"),
    [
        ("InterPodAffinity", "{hardPodAffinityWeight: 500}", "hardPodAffinityWeight"),
        ("NodeResourcesFit", "{scoringStrategy: {type: MostAlocated}}", "scoringStrategy.type"),
        (
            "NodeResourcesFit",
            "{scoringStrategy: {resources: [{name: cpu, weight: 101}]}}",
            "scoringStrategy.resources[0].weight",
        ),
        (
            "NodeResourcesFit",
            "{scoringStrategy: {type: RequestedToCapacityRatio}}",
            "scoringStrategy.requestedToCapacityRatio.shape",
        ),
        ("NodeResourcesFit", "{ignoredResourceGroups: [a/b]}", "ignoredResourceGroups[0]"),
        ("NodeResourcesBalancedAllocation", "{resources: [{name: cpu, weight: 2}]}", "resources[0].weight"),
        ("NodeResourcesBalancedAllocation", "{resources: [{name: cpu}, {name: cpu}]}", "resources[1].name"),
        (
            "PodTopologySpread",
            "{defaultConstraints: [{maxSkew: 1, topologyKey: z, whenUnsatisfiable: ScheduleAnyway}]}",
            "defaultingType",
        ),
        (
            "PodTopologySpread",
            "{defaultingType: List, defaultConstraints: [{maxSkew: 1, topologyKey: z, "
            "whenUnsatisfiable: ScheduleAnyway, labelSelector: {}}]}",
            "defaultConstraints[0].labelSelector",
        ),
        (
            "NodeAffinity",
            "{addedAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: []}}}",
            "addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms",
        ),
        (
            "DefaultPreemption",
            "{minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 0}",
            "minCandidateNodesPercentage",
        ),
        ("DefaultPreemption", "{minCandidateNodesPercentage: 101}", "minCandidateNodesPercentage"),
        ("VolumeBinding", "{bindTimeoutSeconds: -1}", "bindTimeoutSeconds"),
        ("VolumeBinding", "{shape: [{utilization: 0, score: 0}]}", "shape"),
        ("Coscheduling", "{permitWaitingTimeSeconds: 0}", "permitWaitingTimeSeconds"),
        ("NodeAffinity", "{kind: InterPodAffinityArgs}", "kind"),
    ],
)
def test_wrong_arguments_are_refused(plugin, args, field):
    config, findings = load(with_args(plugin, args))
    assert config is None
    assert [f.field for f in findings] == [f"profiles[0].pluginConfig[0].args.{field}"]


def test_arguments_of_plugins_are_decoded_strictly():
    args = PROFILE + "  pluginConfig: [{name: NodeResourcesFit, args: {ignoredResource: [a.b/c]}}]\n"
    findings = load_config(ManifestSource("f.yaml", args.encode()))[1]
    assert [(f.severity, f.field) for f in findings] == [("error", "profiles[0].pluginConfig[0].args.ignoredResource")]
    assert "mean ignoredResources?" in findings[0].message
