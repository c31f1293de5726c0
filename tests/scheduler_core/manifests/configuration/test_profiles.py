"""Profiles of a scheduler configuration: what is refused and how (validation.go)."""

from __future__ import annotations

import pytest

from scheduler_core.manifests import KNOWN_PLUGINS, ManifestSource, load_config
from tests.scheduler_core.manifests.configuration.configuration_texts import HEAD, PROFILE, load

SETS = "  plugins:\n    %s\n"
ERRORS = [
    (HEAD + "profiles:\n" + "- {}\n" * 201, 3, "profiles", "there are 201 profiles. At most 200 are allowed"),
    (
        PROFILE + SETS % f"score: {{disabled: [{'{name: a}, ' * 10_001}]}}",
        3,
        "profiles",
        "there are 10,001 entries for plugins in all. At most 10,000 are allowed",
    ),
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
def test_wrong_profiles_name_line_field_and_advice(text, line, field, advice):
    config, findings = load(text)
    assert config is None
    assert [(f.line, f.field) for f in findings] == [(line, field)]
    assert advice in findings[0].message


def test_weight_zero_is_a_warning():
    config, (finding,) = load(PROFILE + SETS % "score: {enabled: [{name: ImageLocality, weight: 0}]}")
    assert config is not None
    assert finding.severity == "warning"


def test_profiles_share_one_queue_sort():
    sets = "{queueSort: {enabled: [{name: Coscheduling}], disabled: [{name: '*'}]}}"
    text = HEAD + f"profiles:\n- schedulerName: a\n- schedulerName: b\n  plugins: {sets}\n"
    assert [f.field for f in load(text)[1]] == ["profiles[1].plugins.queueSort"]


def test_other_plugins_can_be_made_known():
    text = PROFILE + SETS % "score: {enabled: [{name: NodeNumber}]}"
    assert load(text)[0] is None
    assert load_config(ManifestSource("c.yaml", text.encode()), (*KNOWN_PLUGINS, "NodeNumber"))[0] is not None
