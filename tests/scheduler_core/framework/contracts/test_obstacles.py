"""The published kinds of obstacles."""

from __future__ import annotations

import msgspec
import pytest

from scheduler_core.framework.contracts.obstacles import ACTORS, KINDS, STAGES, ObstacleKind, kinds, refused_by


def test_each_kind_has_an_actor_and_a_stage_of_the_contract() -> None:
    assert {kind.actor for kind in KINDS.values()} <= set(ACTORS)
    assert {kind.stage for kind in KINDS.values()} <= set(STAGES)
    assert all(code == kind.code and code.isupper() and kind.means for code, kind in KINDS.items())


def test_a_row_with_a_field_that_there_is_not_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"code": "A", "means": "a", "actr": "cluster"}, ObstacleKind)


def test_kinds_are_looked_up_by_code() -> None:
    assert kinds("SHORT_CPU", "GATED") == (KINDS["SHORT_CPU"], KINDS["GATED"])
    with pytest.raises(KeyError):
        kinds("SHORT_OF_BREATH")


def test_a_plugin_that_declares_none_has_one_of_its_name() -> None:
    kind = refused_by("QuietNodes")
    assert (kind.code, kind.actor, kind.stage) == ("QuietNodes_REFUSED", "other", "filter")
    assert "QuietNodes" in kind.means
