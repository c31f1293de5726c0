"""The form shows what the text says, whatever the text is."""

from __future__ import annotations

import pytest

from dashboard.clusters.forms.page import parts_of
from dashboard.clusters.forms.values import FormValue
from dashboard.generating.form import FormRow, description_form
from dashboard.generating.inline_yaml import read_mapping, value_in
from dashboard.generating.preview import build_preview
from dashboard.generating.recipes import RECIPES

TEXT = """
seed: 4
pools:
- name: a
  nodes: 3
  shape: m5.large
  zones: [x, y]
  labels: {disk: ssd}
  taints: [{key: k, value: v, effect: NoSchedule}]
- {name: b, nodes: 2, resources: {cpu: 4}, unschedulable: true}
workloads:
- name: w
  pods: 5
  sizes: {cpu: {median: 2}}
  topologySpreadConstraints: [{maxSkew: 2, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule}]
  tolerations: [{key: gpu, operator: Exists}, {operator: Exists}]
  variants: [{percent: 60, nodeSelector: {disk: ssd}}]
  apartBy: kubernetes.io/hostname
- {name: v, pods: 1, sizes: openb, nodeSelector: {example.com/card: T4}}
arrivals: {process: bursts, over: 30m, pods: 20, every: 5m}
lifetime: {lognormal: 8m}
"""


def test_fields_have_the_values_of_the_text() -> None:
    form = description_form(TEXT)
    assert form is not None
    assert form.process == "bursts"
    assert [(one.field, one.value) for one in form.arrivals] == [
        ("over", "30m"),
        ("pods", "20"),
        ("every", "5m"),
        ("within", ""),
    ]
    assert {name: form.fields[name] for name in ("seed", "lifetime", "pools.0.shape", "pools.1.shape")} == {
        "seed": "4",
        "lifetime": "{lognormal: 8m}",
        "pools.0.shape": "m5.large",
        "pools.1.shape": "own",
    }
    assert form.fields["pools.0.zones"] == "[x, y]"
    assert form.fields['set:["pools",1,"resources","cpu"]'] == "4"
    assert form.fields['set:["pools",0,"taints",0,"effect"]'] == "NoSchedule"
    assert (form.fields["workloads.0.sizes"], form.fields['how:["workloads",0,"sizes","cpu"]']) == ("own", "median")
    assert form.fields['set:["workloads",0,"sizes","cpu","median"]'] == "2"
    assert (form.fields["workloads.1.sizes"], form.workloads[1].own) == ("openb", None)


def test_chips_say_what_a_row_has_besides() -> None:
    form = description_form(TEXT)
    assert form is not None
    assert form.pools[0].chips == [("disk=ssd", ""), ("k=v:NoSchedule", "unres")]
    assert form.pools[1].chips == [("cordoned", "unres")]
    assert [text for text, _ in form.workloads[0].chips] == [
        "disk=ssd 60 %",
        "spread by zone, skew 2",
        "apart by hostname",
        "tolerates gpu, all",
    ]
    assert form.workloads[1].chips == [("card=T4", "")]


def test_errors_stand_at_their_fields() -> None:
    text = TEXT.replace("zones: [x, y]", "zones: lots").replace("over: 30m", "over: soon")
    form = description_form(text, build_preview(text).findings)
    assert form is not None
    assert form.pools[0].problems.keys() == {"zones"}
    assert '"lots"' in form.pools[0].problems["zones"][0].message
    assert not form.pools[1].problems
    assert [one.field for one in form.arrivals if one.problems] == ["over"]
    assert not form.pools[0].is_wrong


def test_errors_in_lists_and_mappings_stand_at_their_parts() -> None:
    text = TEXT.replace("effect: NoSchedule", "effect: Never").replace("percent: 60", "percent: x")
    text = text.replace("{cpu: {median: 2}}", "{cpu: {median: 2, sigmo: 1}}").replace("{cpu: 4}", "{cpu: four}")
    form = description_form(text, build_preview(text).findings)
    assert form is not None
    wrong = {one.name for row in (*form.pools, *form.workloads) for one in parts_of(shown_in(row)) if one.problems}
    assert wrong == {
        '["pools",1,"resources","cpu"]',
        '["workloads",0,"sizes","cpu"]',
        '["workloads",0,"variants",0,"percent"]',
    }
    assert form.workloads[0].is_wrong
    assert not form.problems
    text = TEXT.replace("effect: NoSchedule", "effect: Never")
    form = description_form(text, build_preview(text).findings)
    assert form is not None
    assert form.pools[0].is_wrong
    assert form.fields['set:["pools",0,"taints",0,"effect"]'] == "Never"


def shown_in(row: FormRow) -> list[FormValue]:
    """Return all fields of a row."""
    return [*row.fields, *([row.own] if row.own else [])]


def test_what_the_form_cannot_show_is_said_at_its_field() -> None:
    form = description_form("workloads: [{sizes: {cpu: [1], memory: 1Gi}, tolerations: x}, {sizes: openbx}]")
    assert form is not None
    own = form.workloads[0].own
    assert own is not None
    assert [(one.resource, one.is_foreign) for one in own.rows] == [("cpu", True), ("memory", False)]
    assert [one.field.label for one in form.workloads[0].fields if one.is_foreign] == ["Tolerations"]
    assert form.workloads[1].own is not None
    assert form.workloads[1].own.is_foreign


@pytest.mark.parametrize(
    "text",
    ["", "pools: 3", "pools: [1, null, x]", "workloads: [{tolerations: x, variants: 3, taints: {}}]", "arrivals: [1]"],
)
def test_whatever_a_text_says_there_is_a_form(text: str) -> None:
    assert description_form(text) is not None


@pytest.mark.parametrize("text", ["a: b: c", "- 1", "x", "a: 1\n---\nb: 2", "#" * (200 << 10)])
def test_what_is_no_mapping_or_too_long_has_no_form(text: str) -> None:
    assert read_mapping(text) is None
    assert description_form(text) is None


def test_every_recipe_has_a_form() -> None:
    assert all(description_form(one.text) for one in RECIPES.values())


@pytest.mark.parametrize("value", ["web", "1", "true", "a: b", "500m", " x"])
def test_a_field_says_what_the_text_had_and_names_stand_without_quotes(value: str) -> None:
    form = description_form(f"workloads: [{{name: {value!r}, lifetime: {value!r}}}]")
    assert form is not None
    assert form.fields["workloads.0.name"] == value
    assert value_in("lifetime", form.fields["workloads.0.lifetime"]) == value
    assert value_in("name", form.fields["workloads.0.name"]) == value.strip()
