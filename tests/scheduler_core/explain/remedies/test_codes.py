"""The published kinds of remedies."""

from __future__ import annotations

import msgspec
import pytest

from scheduler_core.explain.remedies.candidates.candidate import _CODES as CODES_BY_KIND
from scheduler_core.explain.remedies.codes import REMEDIES, RemedyKind, needed_actor
from scheduler_core.framework.contracts.obstacles import ACTORS, KINDS


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
