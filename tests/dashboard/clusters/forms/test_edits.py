"""Edits of a form on an object's value: what each does, and what it refuses."""

from __future__ import annotations

import json

import pytest

from dashboard.clusters.forms.edits import (
    ADD,
    PAIR,
    REMOVE,
    RENAME,
    SET,
    FormEdit,
    applied,
    edit_in,
    field_at,
    typed,
    written,
)
from dashboard.clusters.forms.kinds import forms
from dashboard.clusters.forms.model import FormField, FormSection, KindForm, Sort
from dashboard.clusters.forms.values import ABSENT
from dashboard.common.problems import BadQuery, Problem
from tests.dashboard.clusters.conftest import node, pod

POD = forms()["Pod"]
NODE = forms()["Node"]
TOLERATIONS = ("spec", "tolerations")
REQUESTS = ("spec", "containers", 0, "resources", "requests")


def after(raw, *edits, form=POD):
    """Return an object after edits."""
    return applied(raw, form, [FormEdit(*edit) for edit in edits])


def test_an_edit_changes_a_copy():
    raw = pod("a")
    assert after(raw, (SET, ("spec", "priorityClassName"), "high"))["spec"]["priorityClassName"] == "high"
    assert "priorityClassName" not in raw["spec"]


def test_an_empty_value_takes_the_field_away():
    raw = pod("a", priorityClassName="high")
    assert "priorityClassName" not in after(raw, (SET, ("spec", "priorityClassName"), " "))["spec"]


def test_what_says_nothing_when_it_is_empty_goes_with_its_last_entry():
    raw = pod("a", tolerations=[{"key": "x", "operator": "Exists"}])
    assert "tolerations" not in after(raw, (REMOVE, (*TOLERATIONS, 0)))["spec"]
    gone = after(raw, (REMOVE, (*REQUESTS, "cpu")), (REMOVE, (*REQUESTS, "memory")))
    assert "resources" not in gone["spec"]["containers"][0]


def test_an_empty_selector_stays_since_it_means_everything():
    raw = {"kind": "PodDisruptionBudget", "spec": {"selector": {"matchLabels": {"app": "web"}}}}
    form = forms()["PodDisruptionBudget"]
    assert after(raw, (REMOVE, ("spec", "selector", "matchLabels", "app")), form=form)["spec"] == {"selector": {}}


def test_rows_and_pairs_come_and_go():
    raw = after(pod("a"), (ADD, TOLERATIONS), (SET, (*TOLERATIONS, 0, "key"), "gpu"), (ADD, TOLERATIONS))
    assert [one["key"] for one in raw["spec"]["tolerations"]] == ["gpu", ""]
    raw = after(raw, (REMOVE, (*TOLERATIONS, 1)), (PAIR, ("metadata", "labels"), "tier = front"))
    assert (len(raw["spec"]["tolerations"]), raw["metadata"]["labels"]) == (1, {"app": "a", "tier": "front"})
    raw = after(raw, (RENAME, ("metadata", "labels", "app"), "name"), (SET, ("metadata", "labels", "tier"), "back"))
    assert list(raw["metadata"]["labels"].items()) == [("name", "a"), ("tier", "back")]


def test_a_new_selector_of_pods_begins_with_the_pods_own_labels():
    path = ("spec", "topologySpreadConstraints")
    raw = after(pod("a"), (ADD, path))
    assert raw["spec"]["topologySpreadConstraints"][0]["labelSelector"] == {"matchLabels": {"app": "a"}}


def test_amounts_of_a_new_mapping_are_suggested():
    raw = after(node("a") | {"status": {}}, (ADD, ("status", "allocatable")), form=NODE)
    assert raw["status"]["allocatable"]["pods"] == "110"


def test_a_number_stays_a_number_where_it_was_one():
    raw = node("a") | {"status": {"allocatable": {"cpu": 4, "memory": "1Gi"}}}
    raw = after(
        raw, (SET, ("status", "allocatable", "cpu"), "8"), (SET, ("status", "allocatable", "memory"), "2"), form=NODE
    )
    assert raw["status"]["allocatable"] == {"cpu": 8, "memory": "2"}


@pytest.mark.parametrize(
    ("sort", "text", "value"),
    [
        (Sort.WHOLE, "7", 7),
        (Sort.WHOLE, "seven", "seven"),
        (Sort.SHARE, "30%", "30%"),
        (Sort.FLAG, "true", True),
        (Sort.FLAG, "maybe", "maybe"),
        (Sort.WORDS, "a, b,", ["a", "b"]),
        (Sort.WORDS, ",", None),
        (Sort.TEXT, "5", "5"),
        (Sort.QUANTITY, "5", "5"),
    ],
)
def test_text_becomes_a_value_of_the_fields_sort(sort, text, value):
    assert typed(sort, text, ABSENT) == value


@pytest.mark.parametrize(
    "edit",
    [
        (SET, ("spec", "secret"), "x"),
        (SET, ("metadata", "uid"), "x"),
        (SET, ("spec", "tolerations"), "x"),
        (ADD, ("spec", "priorityClassName"), ""),
        (RENAME, ("spec", "tolerations", 0), "x"),
        (PAIR, ("spec", "nodeName"), "a=b"),
    ],
)
def test_what_the_form_does_not_have_is_refused(edit):
    with pytest.raises(BadQuery):
        after(pod("a", tolerations=[{}]), edit)


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        ((SET, (*TOLERATIONS, 3, "key"), "x"), "gone"),
        ((PAIR, ("metadata", "labels"), "=x"), "key=value"),
        ((PAIR, REQUESTS, "cpu"), "cpu=500m"),
        ((RENAME, ("metadata", "labels", "app"), ""), "empty"),
        ((RENAME, ("metadata", "labels", "app"), "tier"), "there already"),
        ((ADD, ("spec", "volumes")), "no list"),
        ((SET, ("spec", "affinity", "nodeAffinity", "x"), "x"), "does not exist"),
    ],
)
def test_what_cannot_be_done_is_said(edit, why):
    raw = pod("a", tolerations=[], volumes="none", affinity="none")
    raw["metadata"]["labels"]["tier"] = "x"
    with pytest.raises(Problem, match=why):
        after(raw, edit)


FORM = KindForm(
    "X",
    (
        FormSection(
            "", (FormField(("few",), "Few", Sort.WEIGHTS), FormField(("mean",), "Mean", Sort.TEXT, is_needed=True))
        ),
    ),
)


def test_weights_are_numbers_where_they_can_be():
    raw = after({}, (PAIR, ("few",), "8=20"), (SET, ("few", "1"), "0.5"), (SET, ("few", "2"), "x"), form=FORM)
    assert raw == {"few": {"8": 20, "1": 0.5, "2": "x"}}
    with pytest.raises(Problem, match="8=20"):
        after({}, (PAIR, ("few",), "8"), form=FORM)


def test_a_needed_field_that_is_emptied_stays():
    assert after({"mean": "1"}, (SET, ("mean",), ""), form=FORM) == {"mean": ""}


def test_a_request_names_edits_by_verb_and_path():
    assert edit_in('set:["spec","nodeName"]', "n") == FormEdit(SET, ("spec", "nodeName"), "n")
    assert edit_in("text", "n") is None
    assert edit_in("set:", "n") is None
    for bad in ("{", "[]", "7", '[["a"]]', "[true]", "[-1]", "[1000]", "[" * 100_000):
        with pytest.raises(BadQuery):
            edit_in(f"set:{bad}", "n")
    with pytest.raises(Problem, match="characters"):
        edit_in('set:["spec"]', "x" * 10_001)


def test_an_edit_is_written_into_the_text_with_its_comments():
    text = "kind: Pod # mine\nmetadata: {name: a}\nspec:\n  nodeName: n # here\n"
    result = written(text, POD, [FormEdit(SET, ("spec", "nodeName"), "m")])
    assert result == (text.replace("nodeName: n", "nodeName: m"), "")


@pytest.mark.parametrize(
    ("text", "why"), [("a: [", "line 1|Correct the YAML"), ("", "no object"), ("- a\n", "no object")]
)
def test_a_text_that_cannot_be_read_is_not_edited(text, why):
    with pytest.raises(Problem, match=why):
        written(text, POD, [FormEdit(SET, ("spec", "nodeName"), "m")])


def test_json_stays_as_it_is_but_for_the_edit():
    raw = pod("a", x=1.5, priority=None)
    text = json.dumps(raw)
    result = written(text, POD, [FormEdit(SET, ("spec", "nodeName"), "m")])
    assert json.loads(result.text) == {**raw, "spec": {**raw["spec"], "nodeName": "m"}}


def test_a_path_leads_to_a_field_a_row_or_a_pair():
    assert field_at(POD.fields, TOLERATIONS).is_entry is False
    assert field_at(POD.fields, (*TOLERATIONS, 0)).is_entry is True
    assert field_at(POD.fields, ("metadata", "labels", "a.b/c")).is_entry is True
    assert field_at(POD.fields, ("metadata", "labels", "a", "b")) is None
