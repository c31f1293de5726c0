"""Name and description of a cluster as people type them."""

from __future__ import annotations

from dashboard.clusters.models import NAME_LENGTH
from dashboard.clusters.revisions.forms import ClusterForm


def test_a_name_is_needed_and_a_description_is_not():
    form = ClusterForm({"name": "prod"})
    assert form.is_valid()
    assert (form.new().name, form.new().description) == ("prod", "")
    assert list(ClusterForm({"description": "d"}).errors) == ["name"]


def test_names_that_are_too_long_or_hold_nul_are_refused():
    assert not ClusterForm({"name": "a" * (NAME_LENGTH + 1)}).is_valid()
    assert not ClusterForm({"name": "a\0b"}).is_valid()
    assert not ClusterForm({"name": "a", "description": "d\0"}).is_valid()


def test_a_new_cluster_has_examples_and_settings_say_that_the_address_stays():
    assert 'placeholder="prod-eu-1"' in str(ClusterForm().as_new()["name"])
    assert "Its address stays" in ClusterForm().as_settings()["name"].help_text
