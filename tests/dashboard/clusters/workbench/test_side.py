"""How the selected object is shown."""

from __future__ import annotations

import pytest

from dashboard.clusters.workbench.side import side_of
from dashboard.common.problems import BadQuery


def test_form_and_yaml_come_first_and_the_choice_is_in_the_address():
    side = side_of("Node", {"node": "a"})
    assert (side.show, side.has_form) == ("both", True)
    assert [one.url for one in side.choices] == ["?node=a&show=form", "?node=a&show=both", "?node=a&show=yaml"]
    assert not side_of("Node", {"show": "yaml"}).has_form


def test_a_kind_without_a_form_has_its_yaml_alone():
    side = side_of("Namespace", {"show": "form"})
    assert (side.show, side.choices) == ("yaml", ())


def test_another_choice_is_refused():
    with pytest.raises(BadQuery):
        side_of("Node", {"show": "all"})
