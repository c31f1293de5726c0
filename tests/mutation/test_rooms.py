"""The rooms: what is drawn from them, and which tests are nearest."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mutation.rooms import ROOMS, ROOT, drawn, modules, nearest


@pytest.mark.parametrize("name", ROOMS)
def test_every_module_has_a_test_nearby(name):
    room = ROOMS[name]
    assert modules(room)
    for path in modules(room):
        assert (ROOT / path).is_file()
        assert nearest(room, path)
    assert all((ROOT / test).exists() for test in room.tests)


def test_the_file_at_the_same_path_is_nearest():
    tests = nearest(ROOMS["drafts"], "dashboard/clusters/drafts/saving.py")
    assert tests[:2] == ("tests/dashboard/clusters/drafts/test_saving.py", "tests/dashboard/clusters/drafts")


@pytest.mark.slow
def test_the_same_are_drawn_again_and_fewer_are_the_first_of_more():
    room = ROOMS["arrivals"]
    many = drawn(room, 28, seed=1)
    assert len(many) == 28
    assert many == drawn(room, 28, seed=1)
    assert set(drawn(room, 5, seed=1)) < set(many)
    assert many != drawn(room, 28, seed=2)
    assert all(mutant.text(Path(ROOT / path).read_text()) for path, mutant in many[:3])
