"""The published kinds of remedies."""

from __future__ import annotations

import ast
from pathlib import Path

import msgspec
import pytest

from scheduler_core.explain import remedies
from scheduler_core.explain.remedies.candidates.by_group import AGAINST
from scheduler_core.explain.remedies.candidates.candidate import _CODES as CODES_BY_KIND
from scheduler_core.explain.remedies.codes import REMEDIES, RemedyKind, needed_actor
from scheduler_core.framework.contracts.obstacles import ACTORS, KINDS
from scheduler_core.framework.contracts.plugin import FilterPlugin
from scheduler_core.profiles.names import VOLUMES
from scheduler_core.profiles.registry import IN_TREE, LEGACY

PROPOSED_BY_NOBODY = {
    "CHANGE_CONFIGURATION": "remedies change objects, and a configuration is none",
    "CHANGE_LABELS": "a pod without its labels is no pod of its workload",
    "MEND_PROVISIONER": "no object stands for a provisioner",
    "MEND_QUEUE": "no object says what a queue waits for",
}
"""Codes that tell people what to look at, and why no candidate has them."""
WITHOUT_A_MAKER_OF_ITS_OWN = {
    "NodeName": "a pod that names its node is not tried",
}
"""Filters that by_group.py answers neither by AGAINST nor by their facts about volumes."""


def test_each_kind_has_an_actor_and_every_remedy_that_an_obstacle_names_is_published() -> None:
    assert {one.actor for one in REMEDIES.values()} <= set(ACTORS)
    assert {code for kind in KINDS.values() for code in kind.remedies} <= REMEDIES.keys()
    assert set(CODES_BY_KIND.values()) <= REMEDIES.keys()


def test_a_row_with_a_field_that_there_is_not_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"code": "A", "means": "a", "actor": "cluster", "size": "small"}, RemedyKind)


def test_of_several_changes_the_actor_is_the_one_who_comes_last() -> None:
    assert needed_actor(("REQUEST_LESS",)) == "workload"
    assert needed_actor(("REQUEST_LESS", "DROP_VOLUME", "UNCORDON")) == "storage"
    with pytest.raises(KeyError):
        needed_actor(("MOVE_THE_MOON",))


def test_every_remedy_that_a_plugin_declares_is_proposed_by_a_maker() -> None:
    named = {
        node.value
        for path in Path(remedies.__path__[0]).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant)
    }
    declared = {code for plugin in (*IN_TREE, *LEGACY) for kind in plugin.obstacles for code in kind.remedies}
    unproposed = declared - named
    assert unproposed == PROPOSED_BY_NOBODY.keys(), (
        f"{sorted(unproposed ^ PROPOSED_BY_NOBODY.keys())}: docs/diagnosis.md promises what a maker in "
        "explain/remedies/ proposes, or PROPOSED_BY_NOBODY says why none does"
    )


@pytest.mark.parametrize("plugin", [one for one in IN_TREE if issubclass(one, FilterPlugin)], ids=lambda one: one.name)
def test_every_filter_with_remedies_has_makers(plugin: type[FilterPlugin]) -> None:
    has = plugin.name in AGAINST or plugin.name in VOLUMES or not any(kind.remedies for kind in plugin.obstacles)
    assert has != (plugin.name in WITHOUT_A_MAKER_OF_ITS_OWN), (
        f"{plugin.name} declares remedies: name its makers in AGAINST of explain/remedies/candidates/by_group.py"
    )
