"""Values of a form: read from objects of any shape, never failing."""

from __future__ import annotations

import pytest

from dashboard.clusters.forms.kinds import forms
from dashboard.clusters.forms.values import ABSENT, MAX_ROWS, below, field_name, flat, section_values
from tests.dashboard.clusters.conftest import pod

POD = forms()["Pod"]


def fields_of(raw):
    """Return {name: value} of a pod's fields."""
    return {one.name: one for section in section_values(raw, POD) for one in section.fields}


def test_fields_rows_and_pairs_have_their_values():
    raw = pod("a", cpu="2", tolerations=[{"key": "gpu", "operator": "Exists"}], hostNetwork=True, priority=3)
    values = flat(section_values(raw, POD))
    assert values['["metadata","labels","app"]'] == "a"
    assert values['["spec","containers",0,"resources","requests","cpu"]'] == "2"
    assert values['["spec","tolerations",0,"key"]'] == "gpu"
    assert values['["spec","hostNetwork"]'] == "true"
    assert '["spec","priority"]' not in values


def test_rare_fields_are_hidden_until_they_say_something():
    hidden = fields_of(pod("a"))['["spec","hostNetwork"]']
    assert hidden.is_hidden
    assert not fields_of(pod("a", hostNetwork=False))['["spec","hostNetwork"]'].is_hidden
    hidden.problems.append("wrong")
    assert not hidden.is_hidden


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("tolerations", "text"),
        ("tolerations", ["text"]),
        ("nodeSelector", ["a"]),
        ("nodeSelector", {"a": {"b": 1}}),
        ("nodeName", ["a"]),
        ("nodeName", "two\nlines"),
        ("priorityClassName", {"a": 1}),
    ],
)
def test_what_a_field_cannot_show_is_foreign_and_says_so(field, value):
    assert fields_of(pod("a", **{field: value}))[field_name(("spec", field))].is_foreign


def test_words_with_commas_are_foreign():
    raw = pod("a")
    terms = [{"labelSelector": {}, "topologyKey": "zone", "namespaces": ["a,b"]}]
    raw["spec"]["affinity"] = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}
    assert "(foreign)" in flat(section_values(raw, POD)).values()


@pytest.mark.parametrize("raw", [{}, {"spec": None}, {"spec": []}, {"metadata": 7, "spec": {"containers": {}}}])
def test_any_object_has_a_form(raw):
    assert section_values(raw, POD)


def test_many_rows_are_cut_and_counted():
    value = fields_of(pod("a", tolerations=[{"key": "x"}] * (MAX_ROWS + 5)))['["spec","tolerations"]']
    assert (len(value.rows), value.left_out) == (MAX_ROWS, 5)


def test_below_follows_a_path_as_far_as_it_goes():
    raw = {"a": [{"b": None}]}
    assert below(raw, ("a", 0, "b")) is None
    assert below(raw, ("a", 1)) is ABSENT
    assert below(raw, ("a", "b")) is ABSENT
    assert below(raw, ("c",)) is ABSENT
