"""Scheduler configurations: what is read, what is refused and how (validation.go, validation_pluginargs.go)."""

from __future__ import annotations

import textwrap

import pytest

from scheduler_core.api.config import PluginRef, SchedulerConfiguration
from scheduler_core.manifests import KNOWN_PLUGINS, ManifestSource, load_config
from tests.scheduler_core.manifests.configuration.configuration_texts import HEAD, PROFILE, load, with_args


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


def test_other_plugins_can_be_made_known():
    text = PROFILE + SETS % "score: {enabled: [{name: NodeNumber}]}"
    assert load(text)[0] is None
    assert load_config(ManifestSource("c.yaml", text.encode()), (*KNOWN_PLUGINS, "NodeNumber"))[0] is not None
