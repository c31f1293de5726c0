"""Short ways to write fields."""

from __future__ import annotations

from scheduler_core.manifests.field_guide import model


def test_each_way_names_the_sort_of_value():
    assert model.flag("Says.").choices == ("true", "false")
    assert model.choice(("A", "B"), "Says.", "A").default == "A"
    assert model.many("Taint", "Says.").is_list
    assert model.many("Taint", "Says.").part == "Taint"
    assert not model.one("Taint", "Says.").is_list
    assert model.unread("a", "b")["b"].says == model.UNREAD
    assert [make("S.").sort for make in (model.text, model.whole)] == ["text", "whole number"]
    assert model.share("S.").sort.endswith("or percentage")
    assert model.labels("S.").ideas == model.LABEL_KEYS
    assert model.amounts("S.").ideas == model.RESOURCES
    assert model.texts("S.").is_list
    assert model.amount("S.").sort.startswith("quantity")
