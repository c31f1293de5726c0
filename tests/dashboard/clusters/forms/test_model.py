"""Paths of fields."""

from __future__ import annotations

from dashboard.clusters.forms.model import FormSection, KindForm, at


def test_paths_are_written_with_dots():
    assert at("spec.replicas") == ("spec", "replicas")
    assert at("") == ()


def test_a_form_has_the_fields_of_its_sections():
    assert KindForm("X", (FormSection("a", ()), FormSection("b", ()))).fields == ()
