"""Scheduler configurations: what is read, what is refused and how (validation.go, validation_pluginargs.go)."""

from __future__ import annotations

import textwrap

import pytest
import yaml

from scheduler_core.api.config import PluginRef, SchedulerConfiguration
from scheduler_core.manifests import KNOWN_PLUGINS, ManifestSource, config_from_raw, load_config, to_v1

HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
PROFILE = HEAD + "profiles:\n- schedulerName: default-scheduler\n"


def load(text: str):
    return load_config(ManifestSource("c.yaml", text.encode()))


def with_args(plugin: str, args: str) -> str:
    return PROFILE + f"  pluginConfig:\n  - name: {plugin}\n    args: {args}\n"


def test_an_empty_configuration_is_all_defaults():
    for text in (HEAD, HEAD + "profiles: []\n"):
        assert load(text) == (SchedulerConfiguration(), [])


def test_a_full_configuration_is_read_as_written():
    text = PROFILE + textwrap.indent(
        textwrap.dedent("""\
            percentageOfNodesToScore: 30
            plugins:
              multiPoint: {enabled: [{name: Coscheduling}]}
              queueSort: {enabled: [{name: Coscheduling}], disabled: [{name: "*"}]}
              score: {enabled: [{name: NodeResourcesFit, weight: 5}], disabled: [{name: ImageLocality}]}
            pluginConfig:
            - name: NodeResourcesFit
              args:
                kind: NodeResourcesFitArgs
                scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 3}]}
            """),
        "  ",
    )
    config, findings = load(text + "podMaxBackoffSeconds: 20\nparallelism: 4\n")
    assert findings == []
    (profile,) = config.profiles
    assert (config.pod_max_backoff_seconds, config.parallelism, profile.percentage_of_nodes_to_score) == (20, 4, 30)
    assert profile.plugins["score"].enabled == (PluginRef("NodeResourcesFit", 5),)
    assert profile.plugins["queueSort"].disabled == (PluginRef("*"),)
    assert profile.plugin_config["NodeResourcesFit"] == {
        "scoringStrategy": {"type": "MostAllocated", "resources": [{"name": "cpu", "weight": 3}]}
    }


SETS = "  plugins:\n    %s\n"
ERRORS = [
    (HEAD + "percentageOfNodesToScore: 101\n", 3, "percentageOfNodesToScore", "0 to 100"),
    (HEAD + "podInitialBackoffSeconds: 5\npodMaxBackoffSeconds: 2\n", 4, "podMaxBackoffSeconds", "below"),
    (HEAD + "parallelism: 0\n", 3, "parallelism", "from 1"),
    (HEAD + "paralelism: 2\n", 3, "paralelism", "parallelism"),
    (HEAD + "extenders:\n- urlPrefix: http://x\n", 4, "extenders[0]", "not simulated for now"),
    (HEAD + "profiles:\n- schedulerName: a\n- schedulerName: a\n", 5, "profiles[1].schedulerName", "Rename"),
    (HEAD + "profiles:\n- schedulerName: a\n- plugins: {}\n", 5, "profiles[1].schedulerName", "each needs a name"),
    (PROFILE + SETS % "queueSort: {disabled: [{name: '*'}]}", 6, "profiles[0].plugins.queueSort", "PrioritySort"),
    (PROFILE + SETS % "queueSort: {enabled: [{name: Coscheduling}]}", 6, "profiles[0].plugins.queueSort", "only one"),
    (PROFILE + SETS % "bind: {disabled: [{name: DefaultBinder}]}", 6, "profiles[0].plugins.bind", "DefaultBinder"),
    (
        PROFILE + SETS % "multiPoint: {disabled: [{name: DefaultBinder}]}",
        5,
        "profiles[0].plugins.bind",
        "DefaultBinder",
    ),
    (HEAD + "plugins: {}\n", 3, "plugins", "belongs under profiles[0]"),
    (HEAD + "profiles:\n- parallelism: 2\n", 4, "profiles[0].parallelism", "belongs under the top level"),
    (PROFILE + SETS % "scoring: {}", 6, "profiles[0].plugins.scoring", "no known field"),
    (
        PROFILE + SETS % "score: {enabled: [{name: NodeResorcesFit}]}",
        6,
        "profiles[0].plugins.score.enabled[0].name",
        "NodeResourcesFit",
    ),
    (
        PROFILE + SETS % "filter: {enabled: [{name: EBSLimits}]}",
        6,
        "profiles[0].plugins.filter.enabled[0].name",
        "NodeVolumeLimits",
    ),
    (
        PROFILE + SETS % "score: {enabled: [{name: ImageLocality}, {name: ImageLocality}]}",
        6,
        "profiles[0].plugins.score.enabled[1]",
        "twice",
    ),
    *[
        (
            PROFILE + SETS % f"score: {{enabled: [{{name: ImageLocality, weight: {weight}}}]}}",
            6,
            "profiles[0].plugins.score.enabled[0].weight",
            advice,
        )
        for weight, advice in (("1.5", "whole number"), ("99999999999", "out of range"), ("'2'", "without quotes"))
    ],
]


@pytest.mark.parametrize(("text", "line", "field", "advice"), ERRORS)
def test_wrong_configurations_name_line_field_and_advice(text, line, field, advice):
    config, findings = load(text)
    assert config is None
    assert [(f.line, f.field) for f in findings] == [(line, field)]
    assert advice in findings[0].message


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


@pytest.mark.parametrize(
    ("shape", "field"),
    [
        ("[{utilization: 50, score: 1}, {utilization: 50, score: 2}]", "[1].utilization"),
        ("[{utilization: 101, score: 1}]", "[0].utilization"),
        ("[{utilization: 1, score: 11}]", "[0].score"),
    ],
)
def test_wrong_shapes_are_refused(shape, field):
    args = f"{{scoringStrategy: {{type: RequestedToCapacityRatio, requestedToCapacityRatio: {{shape: {shape}}}}}}}"
    (finding,) = load(with_args("NodeResourcesFit", args))[1]
    assert finding.field.endswith(f"shape{field}")


def test_weight_zero_is_a_warning():
    config, (finding,) = load(PROFILE + SETS % "score: {enabled: [{name: ImageLocality, weight: 0}]}")
    assert config is not None
    assert finding.severity == "warning"


def test_profiles_share_one_queue_sort():
    sets = "{queueSort: {enabled: [{name: Coscheduling}], disabled: [{name: '*'}]}}"
    text = HEAD + f"profiles:\n- schedulerName: a\n- schedulerName: b\n  plugins: {sets}\n"
    assert [f.field for f in load(text)[1]] == ["profiles[1].plugins.queueSort"]


@pytest.mark.parametrize(
    ("text", "field", "advice"),
    [
        ("kind: Policy\napiVersion: v1\n", "kind", "1.23"),
        ("algorithmprovider: DefaultProvider\n", "kind", "before 1.19"),
        (HEAD.replace("/v1", "/v2"), "apiVersion", "Write kubescheduler.config.k8s.io/v1"),
        ("kind: Pod\napiVersion: v1\n", "kind", "KubeSchedulerConfiguration"),
        ("- a\n", "", "no configuration"),
        ("", "", "no configuration"),
        (HEAD + "---\n" + HEAD, "", "2 documents"),
    ],
)
def test_other_files_are_refused_saying_what_is_needed(text, field, advice):
    config, (finding,) = load(text)
    assert (config, finding.field) == (None, field)
    assert advice in finding.message


V1BETA1 = """\
apiVersion: kubescheduler.config.k8s.io/v1beta1
kind: KubeSchedulerConfiguration
leaderElection:
  leaderElect: false
profiles:
- schedulerName: default-scheduler
  plugins:
    queueSort:
      enabled:
        - name: Coscheduling
      disabled:
        - name: "*"
    preFilter:
      enabled:
        - name: Coscheduling
    permit:
      enabled:
        - name: Coscheduling
    postBind:
      enabled:
        - name: Coscheduling
"""


def test_an_older_version_is_refused_with_a_v1_text_that_loads():
    """The example has the form of seed 004's scheduler-plugins section."""
    config, (finding,) = load(V1BETA1)
    assert (config, finding.line, finding.field) == (None, 1, "apiVersion")
    converted, findings = load(finding.suggestion)
    assert findings == []
    plugins = converted.profiles[0].plugins
    assert plugins["multiPoint"].enabled == (PluginRef("Coscheduling"),)
    assert plugins["queueSort"].enabled == (PluginRef("Coscheduling"),)
    assert set(plugins) == {"multiPoint", "queueSort"}


def test_removed_plugins_become_their_successors():
    old = yaml.safe_load(
        HEAD.replace("/v1", "/v1beta2")
        + "healthzBindAddress: x\nprofiles:\n- plugins:\n    score:\n"
        + "      enabled: [{name: NodeResourcesMostAllocated, weight: 3}, {name: NodePreferAvoidPods}]\n"
        + "      disabled: [{name: NodeResourcesLeastAllocated}]\n"
        + "  pluginConfig: [{name: NodeResourcesMostAllocated, args: {resources: [{name: cpu, weight: 2}]}}]\n"
    )
    new = to_v1(old)
    config, findings = config_from_raw(new)
    assert findings == []
    assert "healthzBindAddress" not in new
    (profile,) = config.profiles
    assert profile.plugins["score"].enabled == (PluginRef("NodeResourcesFit", 3),)
    assert profile.plugin_config["NodeResourcesFit"]["scoringStrategy"]["type"] == "MostAllocated"


def test_other_plugins_can_be_made_known():
    text = PROFILE + SETS % "score: {enabled: [{name: NodeNumber}]}"
    assert load(text)[0] is None
    assert load_config(ManifestSource("c.yaml", text.encode()), (*KNOWN_PLUGINS, "NodeNumber"))[0] is not None


def test_arguments_of_plugins_are_decoded_strictly():
    args = PROFILE + "  pluginConfig: [{name: NodeResourcesFit, args: {ignoredResource: [a.b/c]}}]\n"
    findings = load_config(ManifestSource("f.yaml", args.encode()))[1]
    assert [(f.severity, f.field) for f in findings] == [("error", "profiles[0].pluginConfig[0].args.ignoredResource")]
    assert "Did you mean ignoredResources?" in findings[0].message
