"""Scheduler configurations: what is read, what is refused and how (validation.go, validation_pluginargs.go)."""

from __future__ import annotations

import textwrap

import pytest

from scheduler_core.api.config import PluginRef, SchedulerConfiguration
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


ERRORS = [
    (HEAD + "percentageOfNodesToScore: 101\n", 3, "percentageOfNodesToScore", "0 to 100"),
    (HEAD + "podInitialBackoffSeconds: 5\npodMaxBackoffSeconds: 2\n", 4, "podMaxBackoffSeconds", "below"),
    (HEAD + "parallelism: 0\n", 3, "parallelism", "from 1"),
    (HEAD + "paralelism: 2\n", 3, "paralelism", "parallelism"),
    (HEAD + "extenders:\n- urlPrefix: http://x\n", 4, "extenders[0]", "nothing answers for extenders here"),
    (HEAD + "plugins: {}\n", 3, "plugins", "belongs under profiles[0]"),
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
