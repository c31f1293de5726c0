"""Behaviours are compared and switched by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from scheduler_core.versions.behaviours import BEHAVIOURS, Behaviours, rows


def test_the_difference_names_what_holds_in_one_of_two_alone_in_the_order_of_the_table():
    other = Behaviours().having({"image_volumes_count": True, "devices": False})
    assert Behaviours().difference(other) == other.difference(Behaviours()) == ("devices", "image_volumes_count")
    assert Behaviours().difference(Behaviours()) == ()


def test_switching_leaves_all_others_as_they_are():
    switched = Behaviours().having({"balance_by_change": True})
    assert switched.names() == Behaviours().names() | {"balance_by_change"}
    with pytest.raises(TypeError):
        Behaviours().having({"no_such_thing": True})


def test_rows_are_those_of_the_names():
    assert [row.name for row in rows(("devices", "balance_by_change"))] == ["devices", "balance_by_change"]
    assert rows(("balance_by_change",)) == (BEHAVIOURS["balance_by_change"],)


def test_the_test_that_each_behaviour_names_is_there():
    root = Path(__file__).parents[3]
    assert [row.name for row in BEHAVIOURS.values() if not (root / row.test).is_file()] == []
