"""Paths of fields."""

from __future__ import annotations

from dashboard.clusters.forms.model import FormField, FormSection, KindForm, Sort, at


def test_paths_are_written_with_dots():
    assert at("spec.replicas") == ("spec", "replicas")
    assert at("") == ()


def test_a_form_has_the_fields_of_its_sections():
    assert KindForm("X", (FormSection("a", ()), FormSection("b", ()))).fields == ()


def test_the_example_of_amounts_is_one_that_the_field_may_hold():
    assert FormField(at("spec.min"), "Guaranteed", Sort.AMOUNTS).example == "cpu=500m"
    assert FormField(at("spec.capacity"), "Capacity", Sort.AMOUNTS, new={"storage": "10Gi"}).example == "storage=10Gi"
    assert FormField(at("metadata.labels"), "Labels", Sort.PAIRS).example == "disk=ssd"
