"""The one list of plugins."""

from __future__ import annotations

from scheduler_core.profiles.defaults import DEFAULT_MULTI_POINT
from scheduler_core.profiles.registry import IN_TREE, LEGACY, in_tree

ALL = (*IN_TREE, *LEGACY)


def test_the_registry_has_the_default_plugins_in_their_order() -> None:
    assert [plugin.name for plugin in IN_TREE][: len(DEFAULT_MULTI_POINT)] == [ref.name for ref in DEFAULT_MULTI_POINT]
    assert set(in_tree().factories) == {plugin.name for plugin in ALL}
