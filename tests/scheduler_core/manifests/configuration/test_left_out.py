from __future__ import annotations

import pytest

from scheduler_core.manifests import (
    NOTHING,
    UNKNOWN,
    LeaveOut,
    LeftOut,
    ManifestSource,
    leave_out_again,
    read_config,
)
from scheduler_core.profiles.registry import in_tree
from tests.scheduler_core.manifests.configuration.configuration_texts import HEAD, PROFILE

HERE = frozenset(in_tree().factories)
EXTENDER = (
    HEAD + "extenders:\n- urlPrefix: http://user:secret@gpu.example:8888/sched\n"
    "  filterVerb: filter\n  prioritizeVerb: prioritize\n  weight: 5\n"
    "  managedResources: [{name: example.com/gpu, ignoredByScheduler: true}]\n"
)


def read(text: str, leave_out: LeaveOut = UNKNOWN):
    return read_config(ManifestSource("c.yaml", text.encode()), HERE, leave_out)


def plugins(text: str) -> str:
    return PROFILE + f"  plugins: {text}\n"


def test_an_extender_is_left_out_with_what_its_verbs_did_and_without_its_password():
    reading = read(EXTENDER)
    assert reading.configuration is not None
    (one,) = reading.left_out
    assert (one.kind, one.name) == ("extender", "gpu.example:8888/sched")
    assert "NodeResourcesFit" in one.lost
    assert [(one.severity, one.line) for one in reading.findings] == [("warning", 4)]
    assert "secret" not in reading.findings[0].message


def test_an_extender_is_refused_unasked():
    reading = read(EXTENDER, NOTHING)
    assert reading.configuration is None
    assert reading.findings[0].field == "extenders[0]"


@pytest.mark.parametrize("prefix", ["7", '""', '"http://["', "[1]"])
def test_an_extender_without_an_address_is_named_by_its_place(prefix):
    reading = read(HEAD + f"extenders:\n- urlPrefix: {prefix}\n")
    assert [one.name for one in reading.left_out] == ["extenders[0]"]


def test_what_is_lost_is_named_by_extension_point():
    text = "{filter: {enabled: [{name: Mine}]}, score: {enabled: [{name: Mine}]}}"
    (one,) = read(plugins(text)).left_out
    assert (one.kind, one.name) == ("plugin", "Mine")
    assert len(one.lost.split("; ")) == 2


def test_where_no_sorter_and_no_binder_is_left_those_of_kube_scheduler_stand_in():
    every = "disabled: [{name: '*'}]"
    text = f"{{queueSort: {{enabled: [{{name: Mine}}], {every}}}, bind: {{enabled: [{{name: Mine}}], {every}}}}}"
    (profile,) = read(plugins(text)).configuration.profiles
    assert [ref.name for ref in profile.plugins["queueSort"].enabled] == ["PrioritySort"]
    assert [ref.name for ref in profile.plugins["bind"].enabled] == ["DefaultBinder"]


def test_arguments_alone_are_left_out_too():
    reading = read(PROFILE + "  pluginConfig: [{name: Mine, args: {a: 1}}]\n")
    assert [(one.kind, one.name) for one in reading.left_out] == [("plugin", "Mine")]
    assert reading.configuration.profiles[0].plugin_config == {}


def test_what_was_left_out_once_is_left_out_again_and_nothing_else():
    enabled = "{score: {enabled: [{name: Mine}, {name: Yours}]}}"
    mine = leave_out_again([LeftOut("plugin", "Mine", "")])
    assert mine == LeaveOut(frozenset({"Mine"}), extenders=False)
    refused = read(plugins(enabled), mine)
    assert refused.configuration is None
    assert ['"Yours"' in one.message for one in refused.findings if one.severity == "error"] == [True]
    only_mine = plugins("{score: {enabled: [{name: Mine}]}}")
    assert read(only_mine, mine).configuration is not None


def test_a_plugin_that_was_left_out_stays_out_once_it_is_installed():
    reading = read(
        plugins("{score: {enabled: [{name: ImageLocality, weight: 9}]}}"), LeaveOut(frozenset({"ImageLocality"}))
    )
    assert [one.name for one in reading.left_out] == ["ImageLocality"]


def test_plugins_that_kubernetes_removed_are_refused_still_and_named_with_their_successor():
    reading = read(plugins("{score: {enabled: [{name: SelectorSpread}]}}"))
    (finding,) = reading.findings
    assert "plugin SelectorSpread" in finding.message
    assert finding.message.endswith("Write PodTopologySpread")


ADVICE = {
    HEAD + "plugins: {}\n": "plugins belongs under profiles[0]. Move it there",
    PROFILE + "  score: {}\n": "score belongs under plugins. Move it there",
    plugins("{enabled: []}"): "enabled belongs under an extension point, such as multiPoint. Move it there",
    plugins(
        "{NodeName: {}}"
    ): "NodeName belongs under enabled of an extension point, such as multiPoint. Move it there",
    plugins("{pluginConfig: []}"): "pluginConfig belongs under the profile, beside plugins. Move it there",
    plugins("{score: {enabled: [{name: ImageLocality, args: {}}]}}"): (
        "args belongs under pluginConfig of the profile, in an entry with the plugin's name. Move it there"
    ),
    PROFILE + "  pluginConfig: [{name: NodeResourcesFit, scoringStrategy: {}}]\n": (
        "scoringStrategy belongs under args. Move it there"
    ),
}


@pytest.mark.parametrize("text", ADVICE)
def test_a_field_in_a_wrong_place_is_told_where_it_belongs(text):
    assert ADVICE[text] in [one.message for one in read(text).findings]


@pytest.mark.parametrize(
    "text",
    [HEAD + "extenders: [7]\n", plugins("{score: {enabled: [7]}}"), plugins("{score: {enabled: [{name: [a]}]}}")],
)
def test_what_is_no_entry_is_an_error_and_left_out_by_nobody(text):
    reading = read(text)
    assert reading.configuration is None
    assert reading.left_out == ()


def test_a_slip_in_a_name_is_told_where_the_plugin_is_left_out():
    (warning,) = read(plugins("{score: {enabled: [{name: NodeResourceFit}]}}")).findings
    assert "without NodeResourceFit: " in warning.message
    assert warning.message.endswith("mean NodeResourcesFit?")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (plugins("{filter: {enabled: [{name: Mine}]}, score: {enabled: [{name: Mine}]}}"),
         "runs without Mine: nodes that it would refuse count as feasible; scores differ"),
        (PROFILE + "  pluginConfig: [{name: Mine, args: {a: 1}}]\n",
         "runs without Mine: its arguments have no effect"),
        (EXTENDER,
         "runs without the extender gpu.example:8888/sched: nodes that it would refuse count as feasible; scores "
         "differ; NodeResourcesFit checks example.com/gpu itself"),
    ],
)  # fmt: skip
def test_words(text, sentence):
    (one,) = read(text).left_out
    assert one.text == sentence
