"""Paths of fields, and what the field guide says of them."""

from __future__ import annotations

import pytest

from dashboard.clusters.forms.model import FormField, FormSection, KindForm, Sort, at, make_form, shown
from scheduler_core.manifests.field_guide.guide import field_at


def test_paths_are_written_with_dots():
    assert at("spec.replicas") == ("spec", "replicas")
    assert at("") == ()


def test_a_form_has_the_fields_of_its_sections():
    assert KindForm("X", (FormSection("a", ()), FormSection("b", ()))).fields == ()


def test_the_example_of_amounts_is_one_that_the_field_may_hold():
    assert FormField(at("spec.min"), "Guaranteed", Sort.AMOUNTS).example == "cpu=500m"
    assert FormField(at("spec.capacity"), "Capacity", Sort.AMOUNTS, new={"storage": "10Gi"}).example == "storage=10Gi"
    assert FormField(at("metadata.labels"), "Labels", Sort.PAIRS).example == "disk=ssd"


def test_sort_choices_default_and_help_are_those_of_the_guide():
    taints = shown("spec.taints", "Taints", shown("effect", "Effect"), shown("value", "Value", default="none"))
    form = make_form("Node", FormSection("Node", (shown("spec.unschedulable", "Cordoned"), taints)))
    cordoned, rows = form.fields
    assert (cordoned.sort, cordoned.default, cordoned.choices) == (Sort.FLAG, "false", ())
    assert cordoned.help == field_at("Node", ("spec", "unschedulable")).says
    effect, value = rows.fields
    assert (rows.sort, effect.sort, value.sort) == (Sort.ROWS, Sort.CHOICE, Sort.TEXT)
    assert effect.choices == field_at("Node", ("spec", "taints", 0, "effect")).choices
    assert value.default == "none"


def test_lists_of_texts_say_how_they_are_typed():
    (modes,) = make_form("PersistentVolume", FormSection("Volume", (shown("spec.accessModes", "Access modes"),))).fields
    assert modes.sort is Sort.WORDS
    assert "ReadWriteOncePod" in modes.help
    assert "Commas" in modes.help


def test_a_field_that_the_guide_does_not_know_is_refused():
    with pytest.raises(KeyError):
        make_form("Node", FormSection("Node", (shown("spec.none", "None"),)))
