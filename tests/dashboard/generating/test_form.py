"""The form shows what the text says, whatever the text is."""

from __future__ import annotations

import pytest

from dashboard.generating.form import description_form, inline, read_mapping, value_in
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
    assert form.fields["pools.1.resources"] == "{cpu: 4}"
    assert (form.fields["workloads.0.sizes"], form.fields["workloads.0.own_sizes"]) == ("own", "{cpu: {median: 2}}")
    assert (form.fields["workloads.1.sizes"], form.fields["workloads.1.own_sizes"]) == ("openb", "")


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
    assert not any(is_bad for _, _, is_bad in form.pools[0].more)


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


@pytest.mark.parametrize("value", ["web", "yes", "1e3", "a: b", "", True, 7, 0.5, [1, "2"], {"a": {"b": ["c"]}}, "ü"])
def test_a_value_on_one_line_is_read_as_itself(value: object) -> None:
    text = inline(value)
    assert "\n" not in text
    assert value_in("labels", text) == (value or None if value == "" else value)


def test_names_are_text_whatever_they_look_like() -> None:
    assert value_in("name", "yes") == "yes"
    assert value_in("nodes", "{") == "{"


def test_every_recipe_has_a_form() -> None:
    assert all(description_form(one.text) for one in RECIPES.values())


@pytest.mark.parametrize("value", ["web", "1", "true", "a: b", "500m", " x"])
def test_a_field_says_what_the_text_had_and_names_stand_without_quotes(value: str) -> None:
    form = description_form(f"workloads: [{{name: {value!r}, lifetime: {value!r}}}]")
    assert form is not None
    assert form.fields["workloads.0.name"] == value
    assert value_in("lifetime", form.fields["workloads.0.lifetime"]) == value
    assert value_in("name", form.fields["workloads.0.name"]) == value.strip()
