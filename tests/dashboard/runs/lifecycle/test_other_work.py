"""Work of other apps beside runs: asked, done and woken by its name."""

from __future__ import annotations

import pytest

from dashboard.common.registering import Registered
from dashboard.runs.lifecycle import other_work
from dashboard.runs.lifecycle.other_work import OtherWork


@pytest.fixture
def done(monkeypatch):
    """What was done: of "idle", which does not wait, and of "busy" and "mine", which do."""
    done = []
    monkeypatch.setattr(other_work, "_registered", Registered())
    for name in ("idle", "busy", "mine"):
        other_work.register(
            OtherWork(
                name,
                waits=lambda name=name: name != "idle",
                work=lambda name=name: done.append(f"work {name}"),
                wake=lambda name=name: done.append(f"wake {name}"),
            )
        )
    return done


def test_what_waits_is_done_but_for_ones_own(done):
    assert other_work.waits()
    other_work.do_work_except("mine")
    assert done == ["work busy"]


def test_all_are_woken(done):
    other_work.wake_all()
    assert done == ["wake idle", "wake busy", "wake mine"]


def test_what_is_done_in_between_knows_it():
    assert not other_work.is_held_back()
    with other_work.held_back():
        assert other_work.is_held_back()
    assert not other_work.is_held_back()
