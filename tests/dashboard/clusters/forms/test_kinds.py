"""Forms of kinds: their fields exist, and what an added row holds is of the form."""

from __future__ import annotations

import pytest

from dashboard.clusters.forms import kinds
from dashboard.clusters.forms.kinds import form_for, forms
from dashboard.clusters.forms.model import CONTAINERS, Sort

ALL = kinds._FORMS


def every(fields):
    """Yield fields with those of their rows."""
    for one in fields:
        yield one
        yield from every(one.fields)


@pytest.mark.parametrize("form", ALL, ids=lambda one: one.kind)
def test_fields_are_whole(form):
    paths = [one.path for one in form.fields]
    assert len(set(paths)) == len(paths)
    for one in every(form.fields):
        assert one.label
        assert one.path
        assert (one.sort is Sort.ROWS) == bool(one.fields)
        assert (one.sort is Sort.CHOICE) == bool(one.choices)
        if one.sort is Sort.ROWS:
            assert isinstance(one.new, dict)
            names = {below.path[0] for below in one.fields}
            assert set(one.new) <= names
        if one.new is not None:
            assert one.sort in CONTAINERS


def test_elastic_quotas_have_a_form_where_the_plugin_is_installed(monkeypatch):
    class Registry:
        factories = {"CapacityScheduling": None}

    forms.cache_clear()
    monkeypatch.setattr(kinds, "installed", Registry)
    assert "ElasticQuota" in forms()
    Registry.factories = {}
    forms.cache_clear()
    assert "ElasticQuota" not in forms()
    forms.cache_clear()


def test_pods_of_workloads_stand_in_their_template():
    assert forms()["Deployment"].pod_path == ("spec", "template")
    assert forms()["Pod"].pod_path == ()
    assert forms()["Node"].pod_path is None


def test_the_form_of_a_new_object_begins_with_its_name():
    assert [one.label for one in form_for("Pod", is_new=True).fields[:2]] == ["Name", "Namespace"]
    assert [one.path for one in form_for("Node", is_new=True).sections[0].fields] == [("metadata", "name")]
    assert form_for("Node") is forms()["Node"]
    assert form_for("Secret", is_new=True) is None
